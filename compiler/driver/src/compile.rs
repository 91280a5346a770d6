//! Compiles models, with the cache.

use std::path::Path;
use std::sync::Arc;

use engine::fast::tiers::Successor;
use engine::prepare_constants::PrefaultedMemory;
use ir::pass::Timings;
use ir::{Blob, IndexMap, Module, Result};
use proto::Model;
use runtime::busy::Busy;

use crate::cache_writer::CacheRequest;
use crate::compiler::{Compiler, Source, main_function, within_memory};
use crate::model::CompiledModel;
use crate::options::Backend;
use crate::pipeline;
use crate::progress::Stage;
use crate::request::Request;
use crate::signature::Signature;
use crate::uncompiled::UncompiledModel;

impl Compiler {
    /// Compiles a model file.
    pub fn compile_file(&self, path: &Path) -> Result<CompiledModel> {
        self.compile_file_with(path, &import::Options::default())
    }

    /// Compiles a model file, with other input shapes than it declares, or with constants as inputs.
    pub fn compile_file_with(&self, path: &Path, options: &import::Options) -> Result<CompiledModel> {
        within_memory(|| self.compile_path(path, options))
    }

    /// Compiles a decoded model. If it was loaded from a file and there is a cache, it is stored there.
    pub fn compile_model(
        &self,
        model: &Model,
        file: Option<&Path>,
        options: &import::Options,
    ) -> Result<CompiledModel> {
        within_memory(|| match file.filter(|_| self.options.cache.is_some()) {
            Some(path) => self.compile_path(path, options),
            None => self.compile_source(Source::Model(model), None, options, Timings::default()),
        })
    }

    /// Compiles the bytes of a model, which its weights stay in. If there is a cache, it is stored there.
    pub fn compile_bytes(&self, model: Blob) -> Result<CompiledModel> {
        within_memory(|| {
            let options = &import::Options::default();
            let request = Request::of_bytes(&self.options, model.clone(), options).map(Arc::new);
            match request.filter(|request| request.folder.is_some()) {
                Some(request) => self.compile_request(request, options),
                None => {
                    let model = Model::from_blob(model).map_err(import::damaged)?;
                    self.compile_source(Source::Model(&model), None, options, Timings::default())
                }
            }
        })
    }

    fn compile_path(&self, path: &Path, options: &import::Options) -> Result<CompiledModel> {
        match Request::new(&self.options, path, options).map(Arc::new) {
            Some(request) => self.compile_request(request, options),
            None => self.compile_source(Source::Path(path), None, options, Timings::default()),
        }
    }

    fn compile_request(&self, request: Arc<Request>, options: &import::Options) -> Result<CompiledModel> {
        let mut timings = Timings::default();
        if request.folder.is_some()
            && let Some((model, warnings)) = timings.measure("cache", || self.find(&request))
        {
            self.options.reporter.warn(&warnings);
            return Ok(CompiledModel { timings, reporter: self.options.reporter.clone(), ..model });
        }
        self.compile_source(Source::Request(&request), Some(request.clone()), options, timings)
    }

    /// Compiles a model that is not in the cache, and stores it if the request allows that.
    fn compile_source(
        &self,
        source: Source<'_>,
        request: Option<Arc<Request>>,
        options: &import::Options,
        mut timings: Timings,
    ) -> Result<CompiledModel> {
        self.prepare_threads();
        let (module, warnings) = self.import(source, options, &mut timings)?;
        let memory = if self.prepares() { PrefaultedMemory::begin(&module).map(Arc::new) } else { None };
        // files of external data may change while the model's file does not
        let cache_request = request.filter(|_| module.attributes.get(import::FILES).is_none());
        let cache_request = cache_request.map(|request| CacheRequest { request, warnings });
        self.compile_imported(UncompiledModel { timings, memory, ..UncompiledModel::of(module) }, cache_request)
    }

    /// Whether threads prepare in the background what a compilation needs.
    fn prepares(&self) -> bool {
        self.options.engine.is_fast() && self.options.workers > 1
    }

    /// Starts the threads that compile and run, unless there is only one.
    fn prepare_threads(&self) {
        if self.prepares() {
            // for constants and code
            crew::prepare(self.options.workers);
            let has_loops = self.options.threads > 1;
            drop(crew::spawn(move || {
                pipeline::read_tables();
                if has_loops {
                    runtime::pool::prepare();
                }
            }));
        }
    }

    fn compile_imported(
        &self,
        imported: UncompiledModel,
        cache_request: Option<CacheRequest>,
    ) -> Result<CompiledModel> {
        self.enter(Stage::Optimize);
        let UncompiledModel { module, mut timings, memory, .. } = imported;
        let operators = if self.options.profile { operators(&module) } else { IndexMap::default() };
        let (mut module, signature) = self.to_structured(module, &mut timings)?;
        let warnings = self.report_warnings(&mut module)?;
        let cache_request = cache_request.map(|cache_request| CacheRequest {
            warnings: [cache_request.warnings, warnings].concat(),
            ..cache_request
        });
        self.finish(UncompiledModel { module, signature, operators, timings, memory }, cache_request)
    }

    /// Compiles a module at the graph level with a function `@main_graph`.
    pub fn compile_graph(&self, module: Module) -> Result<CompiledModel> {
        self.compile_imported(UncompiledModel::of(module), None)
    }

    /// Compiles a module at the structured level with a function `@main_graph`.
    pub fn compile_structured(&self, module: Module) -> Result<CompiledModel> {
        let signature = Signature::of(main_function(&module)?);
        self.finish(UncompiledModel { signature, ..UncompiledModel::of(module) }, None)
    }

    fn finish(&self, uncompiled: UncompiledModel, cache_request: Option<CacheRequest>) -> Result<CompiledModel> {
        let is_auto = self.options.backend == Backend::Auto && self.options.engine.is_fast();
        let successor = is_auto.then(|| match &cache_request {
            Some(cache_request) if cache_request.request.is_file() => self.successor_of(cache_request.clone()),
            _ => {
                let compiler = self.succeeding();
                let (signature, operators) = (uncompiled.signature.clone(), uncompiled.operators.clone());
                let again = UncompiledModel { signature, operators, ..UncompiledModel::of(uncompiled.module.clone()) };
                Successor::new(move |cancelled| compiler.build(cancelled, again).map(|(model, _)| model))
            }
        });
        // background preparation of weights leaves this thread its processor
        let busy = Busy::processor();
        let (mut model, unlinked) = self.build(&Arc::default(), uncompiled)?;
        drop(busy);
        if let Some(cache_request) = cache_request.filter(|cache_request| cache_request.request.folder.is_some()) {
            model.write_to_cache(cache_request, self.options.backend, unlinked);
        }
        Ok(CompiledModel { successor, ..model })
    }
}

/// The operators of the nodes of a module at the graph level, by node name.
fn operators(module: &Module) -> IndexMap<String, String> {
    let mut operators = IndexMap::default();
    for function in module.functions() {
        for op in function.body.walk_all() {
            let operation = function.body.op(op);
            let name = operation.name.as_str().trim_start_matches("onnx.");
            operators.extend(operation.location.names().into_iter().map(|node| (node.to_string(), name.to_string())));
        }
    }
    operators
}
