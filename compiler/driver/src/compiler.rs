//! Compiles modules to models.

use std::io::Read;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use dialects::levels::Level;
use dialects::rt::attributes::{MESSAGES, PROFILED, STRINGS};
use engine::fast::tiers::upgrade;
use engine::prepare_constants::wait_for_constants;
use engine::{Built, CodeGenerator, CodeTier, Lowering, Settings, Unlinked};
use ir::pass::{Pipeline, Timings};
use ir::{Attribute, Diagnostic, FunctionView, IndexMap, Location, Module, Result, Type};
use proto::{Model, OperatorSetProto};

use crate::cache_writer::CacheWriter;
use crate::evidence::Evidence;
use crate::freestanding;
use crate::missing_routines;
use crate::model::CompiledModel;
use crate::options::{Arithmetic, Backend, EngineKind, INITIALIZE, MAIN, Options};
use crate::pipeline::{self, Prepared};
use crate::progress::Stage;
use crate::request::{Origin, Request};
use crate::signature::Signature;
use crate::trace::{Trace, Traced};
use crate::uncompiled::UncompiledModel;

/// The source of a model.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    /// A file, or `-` for standard input.
    Path(&'a Path),
    /// Bytes that are in memory or mapped.
    Request(&'a Request),
    /// Memory.
    Model(&'a Model),
}

/// The upper limit of the number of threads, above any machine's number of processors.
const MOST_THREADS: usize = 4096;

/// The passes from the kernel level to the low level.
struct LowPasses {
    options: Options,
    /// Passes on the whole module.
    whole: Pipeline,
    /// Passes on single functions.
    each: Pipeline,
}

impl Lowering for LowPasses {
    fn lower_module(&self, module: &mut Module, timings: &mut Timings) -> Result<()> {
        pipeline::run(module, &self.whole, &self.options, timings)?;
        self.options.enter(Stage::Generate);
        Ok(())
    }

    fn lower_partition(&self, partition: &mut Module) -> Result<()> {
        pipeline::run(partition, &self.each, &self.options, &mut Timings::default())
    }
}

/// Stores code in a model's cache entry, if it has one.
pub(crate) fn write_in(cache_writer: &Arc<OnceLock<CacheWriter>>) -> impl Fn(CodeTier, &[Vec<u8>]) + Send + 'static {
    let cache_writer = cache_writer.clone();
    move |tier, objects| {
        if let Some(cache_writer) = cache_writer.get() {
            cache_writer.write(tier, objects);
        }
    }
}

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
        // code with checks is compiled once, as a whole
        let is_fast = options.engine.is_fast();
        let engine = if options.sanitize && is_fast { EngineKind::Plain } else { options.engine };
        Compiler { options: Options { threads, workers, engine, ..options } }
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

    /// The module of a requested model; its weights stay in the bytes that the request has.
    pub(crate) fn import_request(&self, request: &Request) -> Result<Module> {
        let model = match &request.origin {
            Origin::File { path, .. } => Model::of_file(path, request.model.clone()),
            Origin::Memory => Model::from_blob(request.model.clone()),
        };
        let model = model.map_err(import::damaged)?;
        import::import_model(&model, &self.import_options(&import::Options::default())?)
    }

    /// The import options, completed by these options.
    fn import_options(&self, options: &import::Options) -> Result<import::Options> {
        let mut options = options.clone();
        options.refuse_violations |= self.options.refuse_violations;
        options.list_nodes |= self.options.trace;
        options.rules = options.rules.max(self.options.rules);
        options.dimensions.extend(self.options.dims.iter().map(|(name, &extent)| (name.clone(), extent)));
        options.bounded.extend(self.options.bounds.keys().cloned());
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
    pub(crate) fn import(
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
    pub(crate) fn report_warnings(&self, module: &mut Module) -> Result<Vec<String>> {
        let warnings = module.attributes.remove(import::WARNINGS).as_ref().map(strings).unwrap_or_default();
        if self.options.refuse_violations && !warnings.is_empty() {
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
            pipeline::run(&mut module, &pipeline::shapes(), &self.options, &mut timings)?;
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
            missing_routines::refuse(&module)?;
            freestanding::bound_extents(&mut module, &signature, &self.options)?;
            let kernels = pipeline::kernels(&self.options, Prepared::Stored);
            pipeline::run(&mut module, &kernels, &self.options, &mut timings)?;
            wait_for_constants(&module)?;
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

    /// Lowers an imported module to the structured level.
    pub(crate) fn to_structured(&self, mut module: Module, timings: &mut Timings) -> Result<(Module, Signature)> {
        let mut signature = Signature::of(main_function(&module)?);
        if self.options.ties {
            signature.tie(main_function(&module)?)?;
        }
        pipeline::run(&mut module, &pipeline::graph(&self.options), &self.options, timings)?;
        signature.refine(main_function(&module)?);
        Ok((module, signature))
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
        uncompiled: UncompiledModel,
    ) -> Result<(CompiledModel, Unlinked)> {
        let UncompiledModel { mut module, signature, operators, mut timings, memory } = uncompiled;
        let prepared = match self.options.engine {
            EngineKind::Plain | EngineKind::Given(_) => Prepared::ByCode,
            EngineKind::FastStart => Prepared::ByCompiler(memory),
        };
        self.to_kernels(&mut module, prepared, &mut timings)?;
        let settings = self.settings();
        let built = self.options.engine.engine().build(&mut module, &settings, cancelled, &mut timings)?;
        let (model, unlinked) = self.model(&module, built, signature, timings)?;
        let mut model = CompiledModel { operators, ..model };
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
        engine::lower_again(module, &self.settings(), timings)
    }

    /// Lowers a module from the structured to the kernel level.
    fn to_kernels(&self, module: &mut Module, prepared: Prepared, timings: &mut Timings) -> Result<()> {
        self.enter(Stage::Kernels);
        missing_routines::refuse(module)?;
        pipeline::run(module, &pipeline::kernels(&self.options, prepared), &self.options, timings)?;
        self.enter(Stage::Lower);
        Ok(())
    }

    /// How the engine builds code.
    fn settings(&self) -> Settings {
        let options = &self.options;
        let (whole, each) = pipeline::low_steps(options);
        Settings {
            generator: match options.backend {
                Backend::Auto | Backend::Cranelift => CodeGenerator::Cranelift,
                Backend::Llvm => CodeGenerator::Llvm,
            },
            lowering: Arc::new(LowPasses { options: options.clone(), whole, each }),
            workers: options.workers,
            helper: options.helper.clone(),
            // measured times of kernels must be those of their runs only, and printed code must be complete
            is_complete: options.profile || !options.print_after.is_empty(),
            shares_functions: options.arithmetic == Arithmetic::Fixed,
        }
    }

    pub(crate) fn enter(&self, stage: Stage) {
        self.options.enter(stage);
    }

    fn model(
        &self,
        module: &Module,
        built: Built,
        signature: Signature,
        timings: Timings,
    ) -> Result<(CompiledModel, Unlinked)> {
        let Built { globals, code, unlinked, recipe } = built;
        let cache_writer = Arc::new(OnceLock::new());
        let upgrade = recipe.map(|recipe| upgrade(recipe, write_in(&cache_writer)));
        let main = code.entry(MAIN).ok_or_else(|| internal("the code has no function @main_graph"))?;
        let profiled = module.attributes.get(PROFILED).and_then(Attribute::as_array);
        let model = CompiledModel {
            signature,
            timings,
            globals,
            main,
            upgrade,
            successor: None,
            initialize: code.entry(INITIALIZE),
            messages: module.attributes.get(MESSAGES).map(strings).unwrap_or_default(),
            strings: module.attributes.get(STRINGS).map(strings).unwrap_or_default(),
            profiled: profiled.unwrap_or_default().iter().map(strings).collect(),
            operators: IndexMap::default(),
            threads: self.options.threads,
            workers: self.options.workers,
            refuse_violations: self.options.refuse_violations,
            reporter: self.options.reporter.clone(),
            cache_writer,
            cache_write: None,
            code,
        };
        Ok((model, unlinked))
    }
}

/// Runs `work`; a memory shortage becomes an error.
pub(crate) fn within_memory<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
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

/// The strings of an array attribute.
fn strings(attribute: &Attribute) -> Vec<String> {
    attribute.as_array().unwrap_or_default().iter().filter_map(|entry| entry.as_str().map(str::to_string)).collect()
}

pub(crate) fn main_function(module: &Module) -> Result<FunctionView<'_>> {
    module.function(MAIN).ok_or_else(|| internal("the module has no function @main_graph").into())
}

fn internal(message: &str) -> Diagnostic {
    Diagnostic::internal(Location::Unknown, message)
}
