//! Passes: named transformations of a module or of each of its functions, combined by textual pipelines.
//!
//! A pass is a row of data, a [`PassDefinition`]; a [`PassRegistry`] lists the rows. A [`Pipeline`] is read from text
//! like `builtin.module(func.func(canonicalize,cse),lower-to-low{target=cranelift})` and run by a [`PassManager`],
//! which times, verifies, prints, and writes a reproducer when a pass fails.

mod manager;
mod options;
mod pipeline;
mod timing;

use crate::IndexMap;

use crate::body::Body;
use crate::diagnostics::Result;
use crate::module::Module;
use crate::registry::Registry;

pub use manager::{Filter, PassManager};
pub use options::{OptionDefinition, OptionKind, PassOptions};
pub use pipeline::{Pipeline, Step};
pub use timing::Timings;

/// The context of a pass.
pub struct PassContext<'a> {
    /// The known operations.
    pub registry: &'a Registry,
    /// The options of this use of the pass, checked against its definition.
    pub options: &'a PassOptions,
}

/// A pass over a module.
pub type ModulePass = fn(&mut Module, &PassContext<'_>) -> Result<()>;

/// A pass over one function with a body.
pub type FunctionPass = fn(&mut Body, &PassContext<'_>) -> Result<()>;

/// The unit that a pass runs on.
#[derive(Clone, Copy, Debug)]
pub enum PassFunction {
    /// `builtin.module`
    Module(ModulePass),
    /// Each `func.func` with a body; the pass cannot access anything outside of it.
    Function(FunctionPass),
}

/// The definition of a pass.
#[derive(Clone, Debug)]
pub struct PassDefinition {
    /// The name in pipelines.
    pub name: &'static str,
    /// One sentence for the documentation.
    pub summary: &'static str,
    /// Its options.
    pub options: &'static [OptionDefinition],
    /// The implementation.
    pub run: PassFunction,
}

impl PassDefinition {
    /// A pass over a module, without options.
    pub const fn on_module(name: &'static str, summary: &'static str, run: ModulePass) -> PassDefinition {
        PassDefinition { name, summary, options: &[], run: PassFunction::Module(run) }
    }

    /// A pass over functions, without options.
    pub const fn on_functions(name: &'static str, summary: &'static str, run: FunctionPass) -> PassDefinition {
        PassDefinition { name, summary, options: &[], run: PassFunction::Function(run) }
    }

    /// The same pass with options.
    pub const fn with_options(self, options: &'static [OptionDefinition]) -> PassDefinition {
        PassDefinition { options, ..self }
    }

    /// The operation it runs on.
    pub fn anchor(&self) -> &'static str {
        match self.run {
            PassFunction::Module(_) => pipeline::MODULE,
            PassFunction::Function(_) => pipeline::FUNCTION,
        }
    }
}

/// A name for a sequence of passes; options given to it are passed to those of its passes that take them.
#[derive(Clone, Debug)]
pub struct PipelineDefinition {
    /// The name in pipelines.
    pub name: &'static str,
    /// One sentence for the documentation.
    pub summary: &'static str,
    /// The names of its passes, in order.
    pub passes: Vec<&'static str>,
}

/// The known passes and named pipelines.
#[derive(Clone, Debug, Default)]
pub struct PassRegistry {
    passes: IndexMap<&'static str, PassDefinition>,
    pipelines: IndexMap<&'static str, PipelineDefinition>,
}

impl PassRegistry {
    /// Adds passes; duplicate names are a bug.
    pub fn extend(&mut self, passes: impl IntoIterator<Item = PassDefinition>) {
        for pass in passes {
            let name = pass.name;
            assert!(self.passes.insert(name, pass).is_none(), "pass {name} is defined twice");
        }
    }

    /// Adds a name for a sequence of registered passes.
    pub fn add_pipeline(&mut self, pipeline: PipelineDefinition) {
        for pass in &pipeline.passes {
            assert!(self.passes.contains_key(pass), "pipeline {} names no pass: {pass}", pipeline.name);
        }
        let name = pipeline.name;
        assert!(self.pipelines.insert(name, pipeline).is_none(), "pipeline {name} is defined twice");
    }

    /// The pass called `name`.
    pub fn get(&self, name: &str) -> Option<&PassDefinition> {
        self.passes.get(name)
    }

    /// The named pipeline called `name`.
    pub fn pipeline(&self, name: &str) -> Option<&PipelineDefinition> {
        self.pipelines.get(name)
    }

    /// All passes in the order of registration.
    pub fn passes(&self) -> impl Iterator<Item = &PassDefinition> {
        self.passes.values()
    }

    /// All named pipelines in the order of registration.
    pub fn pipelines(&self) -> impl Iterator<Item = &PipelineDefinition> {
        self.pipelines.values()
    }
}
