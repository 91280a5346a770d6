//! The way from a model to the low level, as pipelines of passes.

use std::sync::OnceLock;

use ir::pass::{Filter, PassManager, PassRegistry, Pipeline};
use ir::{Module, Registry, Result};

use crate::compiler::{Backend, Options};
use crate::passes;

pub use ir::pass::Timings;
pub use lower::fold_constants::INITIALIZE;

/// The function a model becomes.
pub const MAIN: &str = import::MAIN;

/// From the graph level to the structured level.
pub fn graph(options: &Options) -> String {
    format!("expand,optimize{{strict-fp={} explain={}}},decompose,onnx-to-linalg", options.strict_fp, options.explain)
}

/// From the kernel level to the low level.
pub const LOW: &str = "lower-to-low";

/// [`LOW`] in two halves: what looks at the whole module, and what looks at one function at a time.
pub fn low_steps(options: &Options) -> (String, String) {
    let names: Vec<&str> = lower::low::PASSES.iter().map(|pass| pass.name).collect();
    let (whole, each) = names.split_first().expect("there are passes");
    (whole.to_string(), tile_contractions(options) + &each.join(","))
}

/// From the kernel level to the low level, for the back end of the options.
pub fn low(options: &Options) -> String {
    tile_contractions(options) + LOW
}

/// What stands in front of the passes of [`LOW`] where contractions become code of their own.
fn tile_contractions(options: &Options) -> String {
    match (options.backend, options.vectors) {
        (Backend::Llvm, Some(vectors)) => {
            format!("tile-contractions{{registers={} lanes={}}},", vectors.count, vectors.lanes)
        }
        _ => String::new(),
    }
}

/// From the structured level to the kernel level.
pub fn kernels(options: &Options) -> String {
    let (target, shapes) = match options.backend {
        Backend::Cranelift => ("cranelift", "shared"),
        Backend::Llvm => ("llvm", "specialised"),
    };
    let time = if options.profile { ",time-kernels" } else { "" };
    format!("outline-kernels{{shapes={shapes}}},fold-constants,build-kernels{{target={target}}}{time}")
}

/// Runs a pipeline given as text; development builds verify the module after each pass.
pub fn run(module: &mut Module, pipeline: &str, options: &Options, timings: &mut Timings) -> Result<()> {
    let pipeline = Pipeline::parse(pipeline, passes())?;
    // the module after a named pipeline is the one after its last pass
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

/// Prints the module if it was asked to be printed after a stage that is no pass.
pub(crate) fn print_after(stage: &str, module: &Module, options: &Options) {
    if options.print_after.iter().any(|wanted| wanted == stage) {
        eprintln!(
            "// -----// IR Dump After {stage} //----- //\n{}",
            ir::print_module(module, &ir::PrintOptions::brief())
        );
    }
}

/// The passes there are, made once.
fn passes() -> &'static PassRegistry {
    static PASSES: OnceLock<PassRegistry> = OnceLock::new();
    PASSES.get_or_init(passes::registry)
}

/// The operations there are, made once.
fn operations() -> &'static Registry {
    static OPERATIONS: OnceLock<Registry> = OnceLock::new();
    OPERATIONS.get_or_init(dialects::registry)
}
