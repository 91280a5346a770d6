//! The pass pipelines from a model to the low level.

use std::io::Write;
use std::sync::{Arc, OnceLock};

use engine::prepare_constants::PrefaultedMemory;
use engine::{PREPARE_CONSTANTS, PrepareOptions};
use ir::pass::{Filter, Pass, PassManager, PassRegistry, Pipeline, Step};
use ir::{Diagnostic, ErrorClass, Location, Module, Registry, Result};
use lower::low::{
    self, ExpandOptions, Functions, Inline, MapRowsOptions, NumberOptions, OutlineOptions, TileOptions, VectorRegisters,
};
use lower::passes::{BUILD_KERNELS, BuildOptions, Fusion, Generator, KernelOptions, KernelShapes, Memory, Order, Runs};
use lower::passes::{
    DEFINE_ROUTINES, FOLD_CONSTANTS, OUTLINE_INITIALIZATION, OUTLINE_KERNELS, RelayoutOptions, TIME_KERNELS,
    USE_HALVES, USE_RELAYOUTS,
};
use lower::passes::{USE_TABLES, USE_TRANSPOSES, USE_WINOGRAD, WinogradOptions};
use operators::passes::{DECOMPOSE, DecomposeOptions, INFER_SHAPES, ONNX_TO_LINALG, SPECIALIZE_RANKS};
use optimize::passes::OPTIMIZE;

use crate::options::{Arithmetic, Backend, Options, Processor};
use crate::part::Part;
use crate::passes;
use check::Profile;

pub use ir::pass::Timings;

/// The stage that reads the model.
pub(crate) const IMPORT: &str = "import";

/// The name of the pipeline from the kernel level to the low level.
pub const LOW: &str = "lower-to-low";

/// From the graph level to the structured level.
pub fn graph(options: &Options) -> Pipeline {
    let [mut rewrite, lower] = graph_steps(options);
    rewrite.extend(lower);
    rewrite
}

/// [`graph`] in two parts: the graph level, and the lowering from it.
pub(crate) fn graph_steps(options: &Options) -> [Pipeline; 2] {
    // micro-kernels of single operators choose their order of addition
    let lowered = options.arithmetic == Arithmetic::Fixed || options.freestanding.is_some() || options.sanitize;
    let optimize = optimize::Options {
        strict_fp: options.arithmetic != Arithmetic::Reassociated,
        without: options.rules_without(),
        extraction: options.extraction,
        explain: options.explain,
        trace: options.trace,
        ..optimize::Options::default()
    };
    let rewrite = [
        Step::new(&SPECIALIZE_RANKS, ()),
        Step::new(&DECOMPOSE, DecomposeOptions { foreign: true, lowered }),
        Step::new(&OPTIMIZE, optimize),
    ];
    let lower = [Step::new(&DECOMPOSE, DecomposeOptions::default()), Step::new(&ONNX_TO_LINALG, ())];
    [rewrite.into(), lower.into()]
}

/// Types of the graph level, for its text.
pub(crate) fn shapes() -> Pipeline {
    [Step::new(&INFER_SHAPES, ())].into()
}

/// From the kernel level to the low level, in two parts: passes on the whole module, and passes on single functions.
pub fn low_steps(options: &Options) -> (Pipeline, Pipeline) {
    let (whole, each) = low::PASSES.split_first().expect("there are passes");
    let mut steps = Pipeline::default();
    steps.extend(tile_contractions(options));
    steps.extend(each.iter().flat_map(|pass| low_step(*pass, options)));
    let whole = match options.sanitize {
        true => Step::new(&low::NUMBER_ASSERTIONS, NumberOptions { bounds: true }),
        false => Step::from(*whole),
    };
    ([whole].into(), steps)
}

/// One step, with what the options add to it.
fn low_step(pass: Pass, options: &Options) -> Vec<Step> {
    let is_freestanding = options.freestanding.is_some();
    match pass.name() {
        name if name == low::OUTLINE_PARALLEL.name => {
            vec![Step::new(&low::OUTLINE_PARALLEL, OutlineOptions { serial: is_freestanding })]
        }
        name if name == low::EXPAND_MATH.name => {
            let expand = |inline| Step::new(&low::EXPAND_MATH, ExpandOptions { inline });
            let define = || Step::new(&low::DEFINE_FUNCTIONS, ());
            match options.arithmetic {
                Arithmetic::Fixed => vec![expand(Inline::Rounded), define(), Step::new(&low::ROUND_PRODUCTS, ())],
                _ if is_freestanding => vec![expand(Inline::Rounded), define()],
                _ => {
                    let (inline, functions) = match options.backend {
                        // its vectors are as wide as the runtime's
                        Backend::Llvm => (Inline::Doubles, Functions::Tables),
                        Backend::Cranelift | Backend::Auto => (Inline::Singles, Functions::All),
                    };
                    let maps = options.has(Part::Rows);
                    let map = maps.then(|| Step::new(&low::MAP_ROWS, MapRowsOptions { functions }));
                    map.into_iter().chain([expand(inline)]).collect()
                }
            }
        }
        name if options.sanitize && name == low::SIMPLIFY.name => {
            vec![Step::new(&low::CHECK_ACCESSES, ()), pass.into()]
        }
        _ => vec![pass.into()],
    }
}

/// From the kernel level to the low level, for the back end of the options.
pub fn low(options: &Options) -> Pipeline {
    let (mut whole, each) = low_steps(options);
    whole.extend(each);
    whole
}

/// The passes from the kernel to the low level that generate code for contractions.
fn tile_contractions(options: &Options) -> Vec<Step> {
    let runtime = options.freestanding.is_none();
    let fused = options.arithmetic != Arithmetic::Fixed;
    let tile = |registers| {
        let shared = registers == VectorRegisters::WASM_128;
        Step::new(&low::TILE_CONTRACTIONS, TileOptions { registers, runtime, fused, shared })
    };
    let is_portable = options.arithmetic == Arithmetic::Fixed || options.freestanding.is_some();
    match (options.backend, options.processor) {
        // each version has tiles for the registers of its level
        _ if options.has_versions() => {
            vec![Step::new(&low::DISPATCH_KERNELS, ()), tile(TileOptions::default().registers)]
        }
        (Backend::Llvm, Processor::Vectors(vectors)) => vec![tile(vectors)],
        _ if is_portable => vec![tile(VectorRegisters::X86_128)],
        (Backend::Llvm, Processor::AnyX86 | Processor::Unknown) | (Backend::Cranelift | Backend::Auto, _) => vec![],
    }
}

/// When routines are evaluated on constants.
#[derive(Clone)]
pub enum Prepared {
    /// The code, at initialisation.
    ByCode,
    /// The compiler, for code that runs in this process, with memory for the results.
    ByCompiler(Option<Arc<PrefaultedMemory>>),
    /// The compiler, for an object file.
    Stored,
    /// An earlier compilation of the same model.
    Before,
}

/// From the structured level to the kernel level.
pub fn kernels(options: &Options, prepared: Prepared) -> Pipeline {
    let (target, shapes) = match options.backend {
        Backend::Cranelift | Backend::Auto => (Generator::Cranelift, KernelShapes::Shared),
        Backend::Llvm => (Generator::Llvm, KernelShapes::Specialised),
    };
    let has_runtime = options.freestanding.is_none();
    // the model is compiled again for later runs if there are many
    let runs = if options.backend == Backend::Auto && !options.sanitize { Runs::One } else { Runs::Many };
    let elements = options.has(Part::Fusion);
    let fusion = Fusion { elements, attention: elements && has_runtime && options.has(Part::Attention) };
    let build = BuildOptions {
        target,
        order: if options.arithmetic == Arithmetic::Fixed { Order::Sequence } else { Order::Lanes },
        runs,
        memory: if has_runtime { Memory::Run } else { Memory::Static },
        threads: options.workers,
    };
    let threads = options.workers;
    // certified code performs the operations of its nodes
    let evaluates = has_runtime || options.rules == Profile::Onnx;
    let has_relayouts = options.has(Part::Relayouts) && evaluates;
    let prepare = |prepare: PrepareOptions| Some(Step::new(&PREPARE_CONSTANTS, PrepareOptions { threads, ..prepare }));
    let is_reassociated = options.arithmetic == Arithmetic::Reassociated && has_runtime;
    // micro-kernels fuse multiply-adds, in their own order
    let is_fused = options.arithmetic != Arithmetic::Fixed && has_runtime;
    let steps = [
        (has_runtime && options.has(Part::Tables)).then(|| Step::new(&USE_TABLES, ())),
        evaluates.then(|| Step::new(&FOLD_CONSTANTS, ())),
        (is_reassociated && options.has(Part::Winograd)).then(|| Step::new(&USE_WINOGRAD, WinogradOptions { runs })),
        is_fused.then(|| Step::new(&USE_HALVES, ())),
        is_fused.then(|| Step::new(&USE_TRANSPOSES, ())),
        has_relayouts.then(|| Step::new(&USE_RELAYOUTS, RelayoutOptions { evaluated: !has_runtime })),
        match prepared {
            Prepared::ByCode => None,
            Prepared::ByCompiler(memory) => prepare(PrepareOptions { memory, ..PrepareOptions::default() }),
            Prepared::Stored if !evaluates => None,
            Prepared::Stored => {
                prepare(PrepareOptions { stored: true, all: !has_runtime, ..PrepareOptions::default() })
            }
            Prepared::Before => prepare(PrepareOptions { known: true, ..PrepareOptions::default() }),
        },
        Some(Step::new(&OUTLINE_KERNELS, KernelOptions { shapes, fusion })),
        Some(Step::new(&OUTLINE_INITIALIZATION, ())),
        Some(Step::new(&BUILD_KERNELS, build)),
        (!has_runtime).then(|| Step::new(&DEFINE_ROUTINES, ())),
        options.profile.then(|| Step::new(&TIME_KERNELS, ())),
    ];
    Pipeline { steps: steps.into_iter().flatten().collect() }
}

/// Runs a pipeline; development builds verify the module after each pass.
pub fn run(module: &mut Module, pipeline: &Pipeline, options: &Options, timings: &mut Timings) -> Result<()> {
    // the module after a named pipeline is that after its last pass
    let last = |name: &String| {
        passes().pipeline(name).map_or(name.clone(), |named| named.passes[named.passes.len() - 1].into())
    };
    let manager = PassManager {
        verify_each: cfg!(debug_assertions),
        print_after: Filter::Named(options.print_after.iter().map(last).collect()),
        ..PassManager::new(operations())
    };
    manager.run(module, pipeline, timings)
}

/// Initialises data that every compilation needs, before a caller waits for it.
pub(crate) fn read_tables() {
    dialects::onnx::schema::read_tables();
    optimize::read_rules();
    passes();
    operations();
    engine::fast::read_tables();
}

/// Refuses names of stages that are not part of a compilation with these options.
pub(crate) fn check_names(options: &Options) -> Result<()> {
    let pipelines = [graph(options), kernels(options, Prepared::ByCompiler(None)), low(options)];
    let names = pipelines.iter().flat_map(|pipeline| &pipeline.steps).map(|step| step.pass.name());
    let stages: Vec<&str> = std::iter::once(IMPORT).chain(names).chain([LOW]).collect();
    match options.print_after.iter().find(|name| !stages.contains(&&***name)) {
        None => Ok(()),
        Some(unknown) => {
            let message = format!("'{unknown}' is not a stage to print the module after");
            let note = format!("the stages are {}", stages.join(", "));
            Err(Diagnostic::error(ErrorClass::Usage, Location::Unknown, message).with_note(note).into())
        }
    }
}

/// Prints the module after a stage that is not a pass, if the options ask for it.
pub(crate) fn print_after(stage: &str, module: &Module, options: &Options) {
    if options.print_after.iter().any(|wanted| wanted == stage) {
        let text = ir::print_module(module, &ir::PrintOptions::brief());
        // standard error may be closed
        let _ = writeln!(std::io::stderr(), "// -----// IR Dump After {stage} //----- //\n{text}");
    }
}

/// All passes, created once.
fn passes() -> &'static PassRegistry {
    static PASSES: OnceLock<PassRegistry> = OnceLock::new();
    PASSES.get_or_init(passes::registry)
}

/// All operations, created once.
fn operations() -> &'static Registry {
    static OPERATIONS: OnceLock<Registry> = OnceLock::new();
    OPERATIONS.get_or_init(dialects::registry)
}
