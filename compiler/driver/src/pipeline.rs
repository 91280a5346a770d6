//! The way from a model to the low level, as pipelines of passes.

use std::sync::OnceLock;

use ir::pass::{PassManager, PassRegistry, Pipeline};
use ir::{Module, Registry, Result};

use crate::compiler::{Backend, Options};
use crate::passes;

pub use ir::pass::Timings;

/// The function a model becomes.
pub const MAIN: &str = import::MAIN;

/// From the graph level to the structured level.
pub fn graph(_: &Options) -> String {
    "builtin.module(onnx-to-linalg)".to_string()
}

/// From the structured level to the low level.
pub fn structured(options: &Options) -> String {
    let (target, shapes) = match options.backend {
        Backend::Cranelift => ("cranelift", "shared"),
        Backend::Llvm => ("llvm", "specialised"),
    };
    format!("builtin.module(lower-to-kernels{{shapes={shapes} target={target}}},lower-to-low)")
}

/// Runs a pipeline given as text; development builds verify the module after each pass.
pub fn run(module: &mut Module, pipeline: &str, timings: &mut Timings) -> Result<()> {
    let pipeline = Pipeline::parse(pipeline, passes())?;
    let manager = PassManager { verify_each: cfg!(debug_assertions), ..PassManager::new(operations()) };
    manager.run(module, &pipeline, timings)
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
