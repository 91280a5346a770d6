//! Loads a compiled model from the cache.

use std::sync::{Arc, Mutex, OnceLock};

use engine::cache::entry::Entry;
use engine::fast::tiers::{Successor, upgrade};
use engine::{CodeTier, Recipe, fast};
use ir::pass::Timings;
use ir::{IndexMap, Module, Result};

use crate::cache_writer::{CacheRequest, CacheWriter};
use crate::cached_model::CachedModel;
use crate::compiler::{Compiler, write_in};
use crate::model::CompiledModel;
use crate::options::{Backend, INITIALIZE, MAIN, Options};
use crate::request::Request;
use crate::signature::Signature;

impl Compiler {
    /// The requested model with the best code in the cache, and its warnings.
    pub(crate) fn find(&self, request: &Arc<Request>) -> Option<(CompiledModel, Vec<String>)> {
        let backends = match self.options.backend {
            Backend::Auto => &[Backend::Llvm, Backend::Cranelift][..],
            Backend::Cranelift => &[Backend::Cranelift],
            Backend::Llvm => &[Backend::Llvm],
        };
        backends.iter().find_map(|&backend| {
            let entry = request.find(backend)?;
            let bytes = request.folder.as_ref()?.read(&entry)?;
            self.load_cached(request, backend, Entry::decode(&bytes, &request.model, CachedModel::decode)?)
        })
    }

    /// The model of an entry, and its warnings.
    pub(crate) fn load_cached(
        &self,
        request: &Arc<Request>,
        backend: Backend,
        entry: Entry<CachedModel>,
    ) -> Option<(CompiledModel, Vec<String>)> {
        let Entry { tier, own, mut globals, is_initialized, encoded, objects } = entry;
        let CachedModel { signature, messages, strings, warnings } = own;
        let symbols = fast::symbols(&mut globals).ok()?;
        let objects: Vec<&[u8]> = objects.iter().map(ir::Blob::bytes).collect();
        let code = engine::load(&objects, &symbols).ok()?;
        let main = code.entry(MAIN)?;
        let initialize = code.entry(INITIALIZE).filter(|_| !is_initialized);
        let cache_writer = CacheWriter { request: request.clone(), backend, encoded, written: Mutex::new(Some(tier)) };
        let cache_writer = Arc::new(OnceLock::from(cache_writer));
        let upgrade = (tier == CodeTier::Quick).then(|| {
            let options = Options { backend: Backend::Cranelift, observer: None, ..self.options.clone() };
            let (compiler, request) = (Compiler { options }, request.clone());
            let workers = self.options.workers;
            let recipe = move || Ok(Recipe { parts: compiler.parts_again(&request)?, symbols, workers });
            upgrade(Box::new(recipe), write_in(&cache_writer))
        });
        let has_successor = self.options.backend == Backend::Auto && request.is_file();
        let successor = (has_successor && tier != CodeTier::Llvm)
            .then(|| self.successor_of(CacheRequest { request: request.clone(), warnings: warnings.clone() }));
        let mut model = CompiledModel {
            signature,
            timings: Timings::default(),
            globals,
            main,
            upgrade,
            successor,
            initialize,
            messages,
            strings,
            threads: self.options.threads,
            workers: self.options.workers,
            refuse_violations: self.options.refuse_violations,
            reporter: self.options.reporter.clone(),
            profiled: vec![],
            operators: IndexMap::default(),
            cache_writer,
            cache_write: None,
            code,
        };
        model.initialize().ok()?;
        Some((model, warnings))
    }

    /// The same model with LLVM, compiled from its file, so that no module has to be kept in memory until then.
    pub(crate) fn successor_of(&self, cache_request: CacheRequest) -> Successor<CompiledModel> {
        let compiler = self.succeeding();
        Successor::new(move |cancelled| compiler.compile_elsewhere(&cache_request, cancelled))
    }

    /// Compiles the model to the structured level again.
    pub(crate) fn structured_again(&self, request: &Request) -> Result<(Module, Signature)> {
        let (mut module, signature) = self.to_structured(self.import_request(request)?, &mut Timings::default())?;
        module.attributes.remove(import::WARNINGS);
        Ok((module, signature))
    }

    /// Compiles the model to the low level again.
    fn parts_again(&self, request: &Request) -> Result<Vec<Module>> {
        let (mut module, _) = self.structured_again(request)?;
        self.to_low_again(&mut module)
    }
}
