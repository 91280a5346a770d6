//! Passes: named transformations of a module or of each of its functions, combined by textual pipelines.
//!
//! A pass is a row of data, a [`PassDefinition`], whose options are a struct; a [`PassRegistry`] lists the rows. A
//! [`Pipeline`] is made of [`Step`]s, each a pass with its options, or read from text like
//! `builtin.module(func.func(canonicalize,cse),lower-to-low)`. A [`PassManager`] runs it, which times, verifies, prints,
//! and writes a reproducer when a pass fails.

mod manager;
mod options;
mod pipeline;
mod statistics;
mod timing;

use crate::IndexMap;

use crate::body::Body;
use crate::diagnostics::Result;
use crate::module::Module;
use crate::registry::Registry;

pub use manager::{Filter, PassManager};
pub use options::{AnyOptions, Choice, OptionDescription, OptionValue, PassOption, PassOptions};
pub use pipeline::{Pipeline, Step};
pub use statistics::{Statistic, Statistics};
pub use timing::Timings;

/// The context of a pass.
pub struct PassContext<'a, O = ()> {
    /// The known operations.
    pub registry: &'a Registry,
    /// The options of this use of the pass.
    pub options: &'a O,
    /// What this run of the pass counts.
    pub statistics: &'a Statistics,
}

/// A pass over a module.
pub type ModulePass<O> = fn(&mut Module, &PassContext<'_, O>) -> Result<()>;

/// A pass over one function with a body.
pub type FunctionPass<O> = fn(&mut Body, &PassContext<'_, O>) -> Result<()>;

/// The unit that a pass runs on.
enum PassFunction<O> {
    /// `builtin.module`
    Module(ModulePass<O>),
    /// Each `func.func` with a body; the pass cannot access anything outside of it.
    Function(FunctionPass<O>),
}

/// The definition of a pass, whose options are an `O`.
pub struct PassDefinition<O = ()> {
    /// The name in pipelines.
    pub name: &'static str,
    /// One sentence for the documentation.
    pub summary: &'static str,
    /// What it counts.
    pub statistics: &'static [Statistic],
    run: PassFunction<O>,
}

impl<O> PassDefinition<O> {
    /// A pass over a module.
    pub const fn on_module(name: &'static str, summary: &'static str, run: ModulePass<O>) -> PassDefinition<O> {
        PassDefinition { name, summary, statistics: &[], run: PassFunction::Module(run) }
    }

    /// A pass over functions.
    pub const fn on_functions(name: &'static str, summary: &'static str, run: FunctionPass<O>) -> PassDefinition<O> {
        PassDefinition { name, summary, statistics: &[], run: PassFunction::Function(run) }
    }

    /// The same pass, which counts these.
    pub const fn with_statistics(self, statistics: &'static [Statistic]) -> PassDefinition<O> {
        PassDefinition { statistics, ..self }
    }
}

/// A pass with any options.
pub trait AnyPass: Sync {
    /// The name in pipelines.
    fn name(&self) -> &'static str;

    /// One sentence for the documentation.
    fn summary(&self) -> &'static str;

    /// Whether it runs on each function instead of the module.
    fn is_on_functions(&self) -> bool;

    /// The name of the operation that it runs on.
    fn anchor(&self) -> &'static str {
        if self.is_on_functions() { pipeline::FUNCTION } else { pipeline::MODULE }
    }

    /// The default options.
    fn options(&self) -> Box<dyn AnyOptions>;

    /// What it counts.
    fn statistics(&self) -> &'static [Statistic];

    /// Runs it with its type of options, and adds to its statistics.
    fn run(
        &self,
        module: &mut Module,
        registry: &Registry,
        options: &dyn AnyOptions,
        statistics: &Statistics,
    ) -> Result<()>;
}

/// A pass in a registry.
pub type Pass = &'static dyn AnyPass;

impl<O: PassOptions> AnyPass for PassDefinition<O> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn is_on_functions(&self) -> bool {
        matches!(self.run, PassFunction::Function(_))
    }

    fn options(&self) -> Box<dyn AnyOptions> {
        Box::new(O::default())
    }

    fn statistics(&self) -> &'static [Statistic] {
        self.statistics
    }

    fn run(
        &self,
        module: &mut Module,
        registry: &Registry,
        options: &dyn AnyOptions,
        statistics: &Statistics,
    ) -> Result<()> {
        let options = options.as_any().downcast_ref().expect("a step has options of its pass");
        let context = PassContext { registry, options, statistics };
        match self.run {
            PassFunction::Module(run) => run(module, &context),
            PassFunction::Function(run) => {
                let functions = module.functions().filter(|function| function.body.entry().is_some());
                let functions: Vec<_> = functions.map(|function| function.op).collect();
                functions.into_iter().try_for_each(|op| match module.function_body_mut(op) {
                    Some(body) => run(body, &context),
                    None => Ok(()),
                })
            }
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
    /// Its passes as in a pipeline, in order, with the options that they always have.
    pub passes: Vec<&'static str>,
}

/// The known passes and named pipelines.
#[derive(Clone, Default)]
pub struct PassRegistry {
    passes: IndexMap<&'static str, Pass>,
    pipelines: IndexMap<&'static str, PipelineDefinition>,
}

impl PassRegistry {
    /// Adds passes; duplicate names are a bug.
    pub fn extend(&mut self, passes: impl IntoIterator<Item = Pass>) {
        for pass in passes {
            let name = pass.name();
            assert!(self.passes.insert(name, pass).is_none(), "pass {name} is defined twice");
        }
    }

    /// Adds a name for a sequence of registered passes.
    pub fn add_pipeline(&mut self, pipeline: PipelineDefinition) {
        for pass in &pipeline.passes {
            let name = pass.split('{').next().unwrap_or(pass);
            assert!(self.passes.contains_key(name), "pipeline {} names no pass: {pass}", pipeline.name);
        }
        let name = pipeline.name;
        assert!(self.pipelines.insert(name, pipeline).is_none(), "pipeline {name} is defined twice");
    }

    /// The pass called `name`.
    pub fn get(&self, name: &str) -> Option<Pass> {
        self.passes.get(name).copied()
    }

    /// The named pipeline called `name`.
    pub fn pipeline(&self, name: &str) -> Option<&PipelineDefinition> {
        self.pipelines.get(name)
    }

    /// All passes in the order of registration.
    pub fn passes(&self) -> impl Iterator<Item = Pass> {
        self.passes.values().copied()
    }

    /// All named pipelines in the order of registration.
    pub fn pipelines(&self) -> impl Iterator<Item = &PipelineDefinition> {
        self.pipelines.values()
    }
}
