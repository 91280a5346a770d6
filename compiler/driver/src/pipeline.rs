//! The way from a model to machine code, as named stages.

use std::time::{Duration, Instant};

use ir::{Module, Result};
use lower::low::Target;

use crate::compiler::Options;

/// The function a model becomes.
pub const MAIN: &str = "main_graph";

/// How long each stage took.
#[derive(Clone, Debug, Default)]
pub struct Timings(pub Vec<(&'static str, Duration)>);

impl Timings {
    /// Runs a stage and notes its time.
    pub fn measure<T>(&mut self, stage: &'static str, run: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = run();
        self.0.push((stage, start.elapsed()));
        result
    }

    /// The time of all stages.
    pub fn total(&self) -> Duration {
        self.0.iter().map(|(_, time)| *time).sum()
    }
}

/// A step from one level towards the next.
pub type Stage = fn(&mut Module, &Options) -> Result<()>;

/// From the structured level to the kernel level.
pub const STRUCTURED: &[(&str, Stage)] = &[
    ("outline", |module, _| {
        lower::outline::outline_kernels(module, MAIN);
        Ok(())
    }),
    ("bufferize", |module, _| lower::bufferize::bufferize_host(module, MAIN)),
    ("kernels", |module, options| {
        lower::kernel::build::build_kernels(module, &target(options));
        Ok(())
    }),
];

/// From the kernel level to the low level.
pub const KERNEL: &[(&str, Stage)] = &[("low", |module, options| lower::low::lower_to_low(module, &target(options)))];

/// Runs stages in order.
pub fn run_stages(
    module: &mut Module,
    stages: &[(&'static str, Stage)],
    options: &Options,
    timings: &mut Timings,
) -> Result<()> {
    stages.iter().try_for_each(|(name, stage)| timings.measure(name, || stage(module, options)))
}

fn target(_: &Options) -> Target {
    Target::CRANELIFT
}
