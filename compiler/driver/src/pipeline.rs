//! The pass pipelines from a model to the low level.

use std::io::Write;
use std::sync::OnceLock;

use ir::pass::{Filter, PassManager, PassRegistry, Pipeline};
use ir::{Diagnostic, ErrorClass, Location, Module, Registry, Result};

use crate::options::{Arithmetic, Backend, Options, Processor};
use crate::part::Part;
use crate::passes;

pub use ir::pass::Timings;
use lower::low::{DEFINE_FUNCTIONS, EXPAND_MATH, MAP_ROWS, OUTLINE_PARALLEL, ROUND_PRODUCTS, VectorRegisters};

/// The stage that reads the model.
pub(crate) const IMPORT: &str = "import";

/// From the graph level to the structured level.
pub fn graph(options: &Options) -> String {
    graph_steps(options).join(",")
}

/// [`graph`] in two parts: the graph level, and the lowering from it.
pub(crate) fn graph_steps(options: &Options) -> [String; 2] {
    let strict = options.arithmetic != Arithmetic::Reassociated;
    let optimize = format!(
        "optimize{{strict-fp={strict} without={} explain={} trace={}}}",
        options.rules_without(),
        options.explain,
        options.trace
    );
    // micro-kernels of single operators choose their order of addition
    let lowered = options.arithmetic == Arithmetic::Fixed || options.freestanding.is_some();
    let decompose = format!("decompose{{foreign=true lowered={lowered}}}");
    [format!("specialize-ranks,{decompose},{optimize}"), "decompose,onnx-to-linalg".to_string()]
}

/// From the kernel level to the low level.
pub const LOW: &str = "lower-to-low";

/// [`LOW`] in two parts: passes on the whole module, and passes on single functions.
pub fn low_steps(options: &Options) -> (String, String) {
    let steps: Vec<String> = lower::low::PASSES.iter().map(|pass| low_step(pass.name, options)).collect();
    let (whole, each) = steps.split_first().expect("there are passes");
    (whole.to_string(), tile_contractions(options) + &each.join(","))
}

/// One step, with what the options add to it.
fn low_step(name: &'static str, options: &Options) -> String {
    match name {
        OUTLINE_PARALLEL if options.freestanding.is_some() => format!("{name}{{serial=true}}"),
        EXPAND_MATH if options.arithmetic == Arithmetic::Fixed => {
            format!("{name}{{inline=rounded}},{},{}", DEFINE_FUNCTIONS.name, ROUND_PRODUCTS.name)
        }
        EXPAND_MATH if options.freestanding.is_some() => format!("{name}{{inline=rounded}},{}", DEFINE_FUNCTIONS.name),
        EXPAND_MATH => {
            let (expand, functions) = match options.backend {
                // its vectors are as wide as the runtime's
                Backend::Llvm => (format!("{name}{{inline=doubles}}"), "tables"),
                Backend::Cranelift | Backend::Auto => (name.to_string(), "all"),
            };
            let map = format!("{}{{functions={functions}}},", MAP_ROWS.name);
            if options.has(Part::Rows) { map + &expand } else { expand }
        }
        _ => name.to_string(),
    }
}

/// From the kernel level to the low level, for the back end of the options.
pub fn low(options: &Options) -> String {
    let (whole, each) = low_steps(options);
    format!("{whole},{each}")
}

/// The passes in the middle of [`LOW`] that generate code for contractions.
fn tile_contractions(options: &Options) -> String {
    if options.arithmetic == Arithmetic::Fixed || options.freestanding.is_some() {
        let VectorRegisters { count, lanes } = match (options.backend, options.processor) {
            (Backend::Llvm, Processor::Vectors(vectors)) => vectors,
            (Backend::Llvm | Backend::Cranelift | Backend::Auto, _) => VectorRegisters::X86_128,
        };
        let runtime = options.freestanding.is_none();
        return format!("tile-contractions{{registers={count} lanes={lanes} runtime={runtime}}},");
    }
    match (options.backend, options.processor) {
        (Backend::Llvm, Processor::Vectors(vectors)) => {
            format!("tile-contractions{{registers={} lanes={}}},", vectors.count, vectors.lanes)
        }
        (Backend::Llvm, Processor::AnyX86) => "dispatch-kernels,tile-contractions,".to_string(),
        (Backend::Llvm, Processor::Unknown) | (Backend::Cranelift | Backend::Auto, _) => String::new(),
    }
}

/// When routines are evaluated on constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prepared {
    /// The code, at initialisation.
    ByCode,
    /// The compiler, for code that runs in this process.
    ByCompiler,
    /// An earlier compilation of the same model.
    Before,
}

/// From the structured level to the kernel level.
pub fn kernels(options: &Options, prepared: Prepared) -> String {
    let (target, shapes) = match options.backend {
        Backend::Cranelift | Backend::Auto => ("cranelift", "shared"),
        Backend::Llvm => ("llvm", "specialised"),
    };
    let time = if options.profile { ",time-kernels" } else { "" };
    let order = if options.arithmetic == Arithmetic::Fixed { "sequence" } else { "lanes" };
    let memory = if options.freestanding.is_some() { "static" } else { "run" };
    // the model is compiled again for later runs if there are many
    let runs = if options.backend == Backend::Auto { "one" } else { "many" };
    let is_free = options.arithmetic == Arithmetic::Reassociated && options.freestanding.is_none();
    let winograd =
        if is_free && options.has(Part::Winograd) { format!("use-winograd{{runs={runs}}},") } else { String::new() };
    // micro-kernels fuse multiply-adds, in their own order
    let is_fused = options.arithmetic != Arithmetic::Fixed && options.freestanding.is_none();
    let operands = if is_fused { "use-halves,use-transposes," } else { "" };
    let tables = if options.freestanding.is_none() && options.has(Part::Tables) { "use-tables," } else { "" };
    let relayouts = if options.freestanding.is_none() && options.has(Part::Relayouts) { "use-relayouts," } else { "" };
    let prepare = match prepared {
        Prepared::ByCode => String::new(),
        Prepared::ByCompiler => format!("prepare-constants{{threads={}}},", options.workers),
        Prepared::Before => "prepare-constants{known=true},".to_string(),
    };
    let fuse = options.has(Part::Fusion);
    let attention = fuse && options.freestanding.is_none() && options.has(Part::Attention);
    // certified code performs the operations of its nodes
    let constants = if options.freestanding.is_none() { "evaluate-constants," } else { "" };
    format!(
        "{tables}{constants}{winograd}{operands}{relayouts}{prepare}outline-kernels{{shapes={shapes} fuse={fuse} attention={attention}}},\
         fold-constants,build-kernels{{target={target} order={order} runs={runs} memory={memory} threads={workers}}}{time}",
        workers = options.workers
    )
}

/// Runs a pipeline given as text; development builds verify the module after each pass.
pub fn run(module: &mut Module, pipeline: &str, options: &Options, timings: &mut Timings) -> Result<()> {
    let pipeline = Pipeline::parse(pipeline, passes())?;
    // the module after a named pipeline is that after its last pass
    let last = |name: &String| {
        passes().pipeline(name).map_or(name.clone(), |named| named.passes[named.passes.len() - 1].into())
    };
    let manager = PassManager {
        verify_each: cfg!(debug_assertions),
        print_after: Filter::Named(options.print_after.iter().map(last).collect()),
        ..PassManager::new(operations())
    };
    manager.run(module, &pipeline, timings)
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
    let pipelines = [graph(options), kernels(options, Prepared::ByCompiler), low(options)].join(",");
    let pipeline = Pipeline::parse(&pipelines, passes())?;
    let stages: Vec<&str> =
        std::iter::once(IMPORT).chain(pipeline.steps.iter().map(|step| step.pass.name)).chain([LOW]).collect();
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
