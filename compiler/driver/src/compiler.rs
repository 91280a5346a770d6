//! Compiles modules to models.

use std::io::Read;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use dialects::levels::Level;
use dialects::rt::attributes::{MESSAGES, PROFILED, STRINGS};
use ir::{Attribute, Diagnostic, FunctionView, IndexMap, Location, Module, Result, Type};
use proto::{Model, OperatorSetProto};
use runtime::busy::Busy;

use crate::background::Background;
use crate::cache::{Keep, Keeper, Kept, Request};
use crate::code::Code;
use crate::evidence::Evidence;
use crate::freestanding;
use crate::generate::Made;
use crate::globals::Globals;
use crate::options::{Backend, INITIALIZE, MAIN, Options};
use crate::pipeline::{self, Prepared, Timings};
use crate::prepare;
use crate::progress::{Reporter, Stage};
use crate::session::Entry;
use crate::signature::Signature;
use crate::tiers::{Objects, Successor, Unlinked, Upgrade, upgrade};
use crate::trace::{Trace, Traced};

/// A model as machine code, with its weights. Shared by the sessions that run it.
pub struct CompiledModel {
    /// The model's inputs and outputs.
    pub signature: Signature,
    /// The time of each stage of compilation.
    pub timings: Timings,
    pub(crate) globals: Globals,
    pub(crate) main: Entry,
    /// The optimised Cranelift tier, if the back end has tiers.
    pub(crate) upgrade: Option<Upgrade>,
    /// The model on a better back end.
    pub(crate) successor: Option<Successor>,
    /// Computes what depends on the weights alone.
    pub(crate) initialize: Option<Entry>,
    pub(crate) messages: Vec<String>,
    /// The strings that are constants of the model.
    pub(crate) strings: Vec<String>,
    pub(crate) threads: usize,
    /// The number of threads that initialize it.
    pub(crate) workers: usize,
    /// Whether a run that contradicts the model's declared extents is refused.
    pub(crate) strict: bool,
    /// Receives warnings about runs.
    pub(crate) reporter: Reporter,
    /// Kernel and nodes of each timed call.
    pub(crate) profiled: Vec<Vec<String>>,
    /// The operator of each node, by name, if calls are timed.
    pub(crate) operators: IndexMap<String, String>,
    /// Writes the model's cache entry, if it has one.
    pub(crate) keeper: Arc<OnceLock<Keeper>>,
    /// The job that writes that entry.
    pub(crate) keeping: Option<Background<()>>,
    /// The code that contains `main`.
    pub(crate) code: Code,
}

/// The source of a model.
#[derive(Clone, Copy)]
enum Source<'a> {
    /// A file, or `-` for standard input.
    Path(&'a Path),
    /// A file that is already mapped.
    Request(&'a Request),
    /// Memory.
    Model(&'a Model),
}

/// The upper limit of the number of threads, above any machine's number of processors.
const MOST_THREADS: usize = 4096;

/// Compiles models.
#[derive(Clone, Debug, Default)]
pub struct Compiler {
    /// How to compile.
    pub options: Options,
}

impl Compiler {
    /// A compiler with the given options.
    pub fn new(options: Options) -> Compiler {
        let available = || std::thread::available_parallelism().map_or(1, |count| count.get());
        let [threads, workers] = [options.threads, options.workers]
            .map(|count| if count == 0 { available() } else { count.min(MOST_THREADS) });
        Compiler { options: Options { threads, workers, ..options } }
    }

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

    fn compile_path(&self, path: &Path, options: &import::Options) -> Result<CompiledModel> {
        let mut timings = Timings::default();
        let request = Request::new(&self.options, path, options).map(Arc::new);
        if let Some(request) = request.as_ref().filter(|request| request.folder.is_some())
            && let Some((model, warnings)) = timings.measure("cache", || self.find(request))
        {
            self.options.reporter.warn(&warnings);
            return Ok(CompiledModel { timings, reporter: self.options.reporter.clone(), ..model });
        }
        let source = request.as_deref().map_or(Source::Path(path), Source::Request);
        self.compile_source(source, request.clone(), options, timings)
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
        let _taken = (self.options.workers > 1).then(|| prepare::prefault_memory(&module));
        // files of external data may change while the model's file does not
        let keep = request.filter(|_| module.attributes.get(import::FILES).is_none());
        self.compile_imported(module, timings, keep.map(|request| Keep { request, warnings }))
    }

    /// Starts the threads that compile and run, unless there is only one.
    fn prepare_threads(&self) {
        if self.options.workers > 1 {
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

    /// The signature of a model file as declared, and the inputs without declared rank; `None` if there are none.
    pub fn unranked_inputs(&self, path: &Path) -> Option<(Signature, Vec<String>)> {
        let options = self.import_options(&import::Options::default()).ok()?;
        let module = import::import_file(path, &options).ok()?;
        let function = module.function_view(module.symbol(MAIN)?)?;
        let signature = Signature::of(function);
        let is_open = |r#type: &Type| r#type.as_tensor().is_some_and(|tensor| tensor.shape.is_none());
        let inputs = signature.inputs.iter().zip(&function.r#type.inputs);
        let open: Vec<String> =
            inputs.filter(|(_, r#type)| is_open(r#type)).map(|(port, _)| port.name.clone()).collect();
        (!open.is_empty()).then_some((signature, open))
    }

    /// The module of a requested model; its weights stay in the file that the request has mapped.
    pub(crate) fn import_request(&self, request: &Request) -> Result<Module> {
        let model = Model::of_file(&request.path, request.model.clone()).map_err(import::damaged)?;
        import::import_model(&model, &self.import_options(&import::Options::default())?)
    }

    /// The import options, completed by these options.
    fn import_options(&self, options: &import::Options) -> Result<import::Options> {
        let mut options = options.clone();
        options.strict |= self.options.strict;
        options.list_nodes |= self.options.trace;
        options.rules = options.rules.max(self.options.rules);
        options.dimensions.extend(self.options.dims.iter().map(|(name, &extent)| (name.clone(), extent)));
        options.metadata |= self.options.metadata;
        options.outputs.extend(self.options.outputs.iter().cloned());
        for path in &self.options.operator_sets {
            options.operator_sets.push(OperatorSetProto::load(path).map_err(import::damaged)?);
        }
        let fixed = |(name, shape): (&String, &Vec<i64>)| (name.clone(), shape.iter().copied().map(Some).collect());
        options.shapes.extend(self.options.shapes.iter().map(fixed));
        Ok(options)
    }

    /// The module of a model, and its warnings.
    fn import(
        &self,
        source: Source<'_>,
        options: &import::Options,
        timings: &mut Timings,
    ) -> Result<(Module, Vec<String>)> {
        self.enter(Stage::Import);
        pipeline::check_names(&self.options)?;
        let options = self.import_options(options)?;
        let mut module = timings.measure("import", || match source {
            Source::Request(request) => self.import_request(request),
            Source::Path(path) if path == Path::new("-") => import_standard_input(&options),
            Source::Path(path) => import::import_file(path, &options),
            Source::Model(model) => import::import_model(model, &options),
        })?;
        let warnings = self.report_warnings(&mut module)?;
        pipeline::print_after("import", &module, &self.options);
        Ok((module, warnings))
    }

    /// Reports a model's warnings, or returns them as errors if the options ask for that.
    fn report_warnings(&self, module: &mut Module) -> Result<Vec<String>> {
        let warnings = module.attributes.remove(import::WARNINGS).as_ref().map(strings).unwrap_or_default();
        if self.options.strict && !warnings.is_empty() {
            return Err(warnings.into_iter().map(|message| Diagnostic::input(Location::Unknown, message)).collect());
        }
        self.options.reporter.warn(&warnings);
        Ok(warnings)
    }

    /// The module of a model at some level, and its signature.
    pub fn lower_file(&self, path: &Path, level: Level) -> Result<(Module, Signature)> {
        self.lower_file_with(path, &import::Options::default(), level)
    }

    /// The module of a part of a model at some level, and its signature.
    pub fn lower_file_with(&self, path: &Path, options: &import::Options, level: Level) -> Result<(Module, Signature)> {
        self.lower_file_watched(path, options, level, &mut |_, _| {})
    }

    /// A part of a model at the low level, and the trace of each node.
    pub fn trace_file_with(&self, path: &Path, options: &import::Options) -> Result<(Module, Signature, Trace)> {
        let mut trace = Trace::default();
        let compiler = Compiler::new(Options { trace: true, ..self.options.clone() });
        let look = &mut |stage: Traced, module: &mut Module| trace.look(stage, module);
        let (module, signature) = compiler.lower_file_watched(path, options, Level::Low, look)?;
        Ok((module, signature, trace))
    }

    /// A model at the low level, and bounds on the resources of a run.
    pub fn evidence_file(&self, path: &Path) -> Result<(Module, Signature, Evidence)> {
        let mut evidence = Evidence::default();
        let look = &mut |stage: Traced, module: &mut Module| evidence.look(stage, module);
        let (module, signature) = self.lower_file_watched(path, &import::Options::default(), Level::Low, look)?;
        Ok((module, signature, evidence))
    }

    /// Calls `look` with the module at each level.
    fn lower_file_watched(
        &self,
        path: &Path,
        options: &import::Options,
        level: Level,
        look: &mut dyn FnMut(Traced, &mut Module),
    ) -> Result<(Module, Signature)> {
        within_memory(|| self.lower_path(path, options, level, look))
    }

    fn lower_path(
        &self,
        path: &Path,
        options: &import::Options,
        level: Level,
        look: &mut dyn FnMut(Traced, &mut Module),
    ) -> Result<(Module, Signature)> {
        let mut timings = Timings::default();
        let (mut module, _) = self.import(Source::Path(path), options, &mut timings)?;
        let mut signature = Signature::of(main_function(&module)?);
        signature.tie(main_function(&module)?)?;
        freestanding::check_inputs(&signature, &self.options)?;
        look(Traced::Graph, &mut module);
        if level == Level::Graph {
            pipeline::run(&mut module, "infer-shapes", &self.options, &mut timings)?;
            self.report_warnings(&mut module)?;
            signature.refine(main_function(&module)?);
        }
        if level > Level::Graph {
            self.enter(Stage::Optimize);
            let [rewrite, lower] = pipeline::graph_steps(&self.options);
            pipeline::run(&mut module, &rewrite, &self.options, &mut timings)?;
            self.report_warnings(&mut module)?;
            look(Traced::Rewritten, &mut module);
            pipeline::run(&mut module, &lower, &self.options, &mut timings)?;
            look(Traced::Structured, &mut module);
            signature.refine(main_function(&module)?);
        }
        if level > Level::Structured {
            self.enter(Stage::Kernels);
            let kernels = pipeline::kernels(&self.options, Prepared::ByCode);
            pipeline::run(&mut module, &kernels, &self.options, &mut timings)?;
            look(Traced::Kernel, &mut module);
            freestanding::add_entry_points(&mut module, &signature, &self.options)?;
        }
        if level > Level::Kernel {
            self.enter(Stage::Lower);
            pipeline::run(&mut module, &pipeline::low(&self.options), &self.options, &mut timings)?;
            freestanding::check(&module, &self.options)?;
            look(Traced::Low, &mut module);
        }
        Ok((module, signature))
    }

    fn compile_imported(&self, module: Module, mut timings: Timings, keep: Option<Keep>) -> Result<CompiledModel> {
        self.enter(Stage::Optimize);
        let operators = if self.options.profile { operators(&module) } else { IndexMap::default() };
        let (mut module, signature) = self.to_structured(module, &mut timings)?;
        let warnings = self.report_warnings(&mut module)?;
        let keep = keep.map(|keep| Keep { warnings: [keep.warnings, warnings].concat(), ..keep });
        self.finish(module, signature, operators, timings, keep)
    }

    /// Lowers an imported module to the structured level.
    pub(crate) fn to_structured(&self, mut module: Module, timings: &mut Timings) -> Result<(Module, Signature)> {
        let mut signature = Signature::of(main_function(&module)?);
        pipeline::run(&mut module, &pipeline::graph(&self.options), &self.options, timings)?;
        signature.refine(main_function(&module)?);
        Ok((module, signature))
    }

    /// Compiles a module at the graph level with a function `@main_graph`.
    pub fn compile_graph(&self, module: Module) -> Result<CompiledModel> {
        self.compile_imported(module, Timings::default(), None)
    }

    /// Compiles a module at the structured level with a function `@main_graph`.
    pub fn compile_structured(&self, module: Module) -> Result<CompiledModel> {
        let signature = Signature::of(main_function(&module)?);
        self.finish(module, signature, IndexMap::default(), Timings::default(), None)
    }

    fn finish(
        &self,
        module: Module,
        signature: Signature,
        operators: IndexMap<String, String>,
        timings: Timings,
        keep: Option<Keep>,
    ) -> Result<CompiledModel> {
        let is_auto = self.options.backend == Backend::Auto;
        let successor = is_auto.then(|| match &keep {
            Some(keep) => self.successor_of(keep.clone()),
            None => {
                let (compiler, module, signature) = (self.succeeding(), module.clone(), signature.clone());
                let operators = operators.clone();
                Successor::new(move |cancelled| {
                    let (model, _) = compiler.build(cancelled, module, signature, Timings::default())?;
                    Ok(CompiledModel { operators, ..model })
                })
            }
        });
        // background preparation of weights leaves this thread its processor
        let busy = Busy::processor();
        let (mut model, unlinked) = self.build(&Arc::default(), module, signature, timings)?;
        drop(busy);
        if let Some(keep) = keep.filter(|keep| keep.request.folder.is_some()) {
            model.keep(keep, self.options.backend, unlinked);
        }
        Ok(CompiledModel { successor, operators, ..model })
    }

    /// The LLVM compiler for the same model, which runs in the background.
    pub(crate) fn succeeding(&self) -> Compiler {
        let options = Options { backend: Backend::Llvm, observer: None, print_after: vec![], ..self.options.clone() };
        Compiler { options }
    }

    /// Builds a model from a module at the structured level and initializes it; also returns its code for the cache.
    pub(crate) fn build(
        &self,
        cancelled: &Arc<AtomicBool>,
        mut module: Module,
        signature: Signature,
        mut timings: Timings,
    ) -> Result<(CompiledModel, Unlinked)> {
        self.to_kernels(&mut module, Prepared::ByCompiler, &mut timings)?;
        let made = match self.options.backend {
            Backend::Auto | Backend::Cranelift => self.cranelift_code(&mut module, cancelled, &mut timings)?,
            Backend::Llvm => self.llvm_code(&mut module, cancelled, &mut timings)?,
        };
        let (mut model, unlinked) = self.model(&module, made, signature, timings)?;
        self.enter(Stage::Initialize);
        let mut timings = std::mem::take(&mut model.timings);
        timings.measure("initialize", || model.initialize())?;
        model.timings = timings;
        Ok((model, unlinked))
    }

    /// Lowers a module from the structured to the low level, in partitions, as [`Compiler::build`] did before.
    pub(crate) fn to_low_again(&self, module: &mut Module) -> Result<Vec<Module>> {
        let timings = &mut Timings::default();
        self.to_kernels(module, Prepared::Before, timings)?;
        self.lower_parts(module, timings)
    }

    /// Lowers a module from the structured to the kernel level.
    fn to_kernels(&self, module: &mut Module, prepared: Prepared, timings: &mut Timings) -> Result<()> {
        self.enter(Stage::Kernels);
        pipeline::run(module, &pipeline::kernels(&self.options, prepared), &self.options, timings)?;
        self.enter(Stage::Lower);
        Ok(())
    }

    pub(crate) fn enter(&self, stage: Stage) {
        if let Some(observer) = &self.options.observer {
            observer.tell(stage);
        }
    }

    fn model(
        &self,
        module: &Module,
        made: Made,
        signature: Signature,
        timings: Timings,
    ) -> Result<(CompiledModel, Unlinked)> {
        let Made { globals, code, unlinked, recipe } = made;
        let keeper = Arc::new(OnceLock::new());
        let upgrade = recipe.map(|recipe| upgrade(recipe, keeper.clone()));
        let main = code.function(MAIN)?.ok_or_else(|| internal("the code has no function @main_graph"))?;
        let profiled = module.attributes.get(PROFILED).and_then(Attribute::as_array);
        let model = CompiledModel {
            signature,
            timings,
            globals,
            main: Entry::at(main),
            upgrade,
            successor: None,
            initialize: code.function(INITIALIZE)?.map(Entry::at),
            messages: module.attributes.get(MESSAGES).map(strings).unwrap_or_default(),
            strings: module.attributes.get(STRINGS).map(strings).unwrap_or_default(),
            profiled: profiled.unwrap_or_default().iter().map(strings).collect(),
            operators: IndexMap::default(),
            threads: self.options.threads,
            workers: self.options.workers,
            strict: self.options.strict,
            reporter: self.options.reporter.clone(),
            keeper,
            keeping: None,
            code,
        };
        Ok((model, unlinked))
    }
}

impl CompiledModel {
    /// The entry point of the model in its best code.
    pub(crate) fn main(&self) -> Entry {
        self.upgrade.as_ref().and_then(Background::get).map_or(self.main, |(_, main)| *main)
    }

    /// The model on a better back end, once it is ready.
    pub(crate) fn successor(&self) -> Option<&Arc<CompiledModel>> {
        self.successor.as_ref()?.get()
    }

    /// Writes the model to the cache in the background.
    fn keep(&mut self, keep: Keep, backend: Backend, unlinked: Unlinked) {
        let mut kept = self.kept(&keep.warnings);
        let slot = self.keeper.clone();
        let keeping = Background::new(move |_| {
            let Objects { tier, files, constants } = unlinked.objects()?;
            constants.into_iter().for_each(|(name, bytes)| kept.globals.add_constant(name, bytes));
            if let Some(keeper) = Keeper::new(&keep, backend, &kept) {
                slot.get_or_init(|| keeper).keep(tier, &files);
            }
            Ok(())
        });
        keeping.start();
        self.keeping = Some(keeping);
    }

    /// The stored part of the model next to its code. The model is initialized, and its buffers are not written any
    /// more.
    pub(crate) fn kept(&mut self, warnings: &[String]) -> Kept {
        let CompiledModel { signature, messages, strings, globals, .. } = self;
        Kept {
            signature: signature.clone(),
            messages: messages.clone(),
            strings: strings.clone(),
            warnings: warnings.to_vec(),
            globals: globals.frozen(),
            is_initialized: true,
        }
    }

    /// Waits until the model is in the cache, if it goes there.
    pub fn finish_keeping(&self) -> Result<()> {
        self.keeping.as_ref().map_or(Ok(()), Background::finish)
    }

    /// Reports that the model runs more than once, so that optimised code is worth its compile time.
    pub(crate) fn runs_again(&self) {
        if let Some(upgrade) = &self.upgrade {
            upgrade.start();
        }
    }

    /// Reports the time of a run.
    pub(crate) fn ran(&self, time: Duration) {
        if let Some(successor) = &self.successor {
            successor.ran(time);
        }
    }

    /// Waits for the best code. Without this, a model that runs again gets it after some runs, as soon as a background
    /// thread has compiled it.
    pub fn settle(&self) -> Result<()> {
        match &self.successor {
            Some(successor) if successor.finish()? => Ok(()),
            Some(_) | None => self.upgrade.as_ref().map_or(Ok(()), Background::finish),
        }
    }
}

/// Runs `work`; a memory shortage becomes an error.
fn within_memory<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    limits::catch(work).unwrap_or_else(|shortage| Err(Diagnostic::from(shortage).into()))
}

/// A model from standard input, which has its weights inside.
fn import_standard_input(options: &import::Options) -> Result<Module> {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).map_err(|error| {
        Diagnostic::input(Location::Unknown, format!("standard input: the model cannot be read: {error}"))
    })?;
    import::import_bytes(&bytes, None, options)
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

/// The strings of an array attribute.
fn strings(attribute: &Attribute) -> Vec<String> {
    attribute.as_array().unwrap_or_default().iter().filter_map(|entry| entry.as_str().map(str::to_string)).collect()
}

fn main_function(module: &Module) -> Result<FunctionView<'_>> {
    module.function(MAIN).ok_or_else(|| internal("the module has no function @main_graph").into())
}

fn internal(message: &str) -> Diagnostic {
    Diagnostic::internal(Location::Unknown, message)
}
