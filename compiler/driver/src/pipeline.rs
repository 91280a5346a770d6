//! The way from a model to the low level, as named stages.

use std::time::{Duration, Instant};

use ir::{Module, Result};
use lower::fold_constants::INITIALIZE;
use lower::low::Target;

use crate::compiler::{Backend, Options};

/// The function a model becomes.
pub const MAIN: &str = import::MAIN;

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

/// From the graph level to the structured level.
pub const GRAPH: &[(&str, Stage)] =
    &[("optimize", optimize), ("onnx-to-linalg", |module, _| lower::onnx_to_linalg::lower_function(module, MAIN))];

fn optimize(module: &mut Module, options: &Options) -> Result<()> {
    let limits = optimize::Options::default();
    let options = optimize::Options { strict_fp: options.strict_fp, explain: options.explain, ..limits };
    let report = optimize::optimize(module, &options)?;
    if options.explain {
        eprint!("{report}");
    }
    Ok(())
}

/// From the structured level to the low level.
pub const STRUCTURED: &[(&str, Stage)] = &[
    ("outline-kernels", |module, options| {
        lower::outline::outline_kernels(module, MAIN, options.kernel_shapes());
        Ok(())
    }),
    ("fold-constants", |module, _| {
        lower::fold_constants::fold_constants(module, MAIN);
        Ok(())
    }),
    ("bufferize", |module, _| {
        lower::bufferize::bufferize_host(module, INITIALIZE)?;
        lower::bufferize::bufferize_host(module, MAIN)
    }),
    ("build-kernels", |module, options| {
        lower::kernel::build::build_kernels(module, &target(options));
        Ok(())
    }),
    ("time-kernels", |module, options| {
        if options.profile {
            lower::low::profile::time_kernels(module);
        }
        Ok(())
    }),
    ("lower-to-low", |module, options| lower::low::lower_to_low(module, &target(options))),
];

/// Runs stages in order.
pub fn run_stages(
    module: &mut Module,
    stages: &[(&'static str, Stage)],
    options: &Options,
    timings: &mut Timings,
) -> Result<()> {
    stages.iter().try_for_each(|(name, stage)| {
        timings.measure(name, || stage(module, options))?;
        print_after(name, module, options);
        Ok(())
    })
}

pub(crate) fn print_after(stage: &str, module: &Module, options: &Options) {
    if options.print_after.iter().any(|wanted| wanted == stage) {
        eprintln!("// after {stage}\n{}", ir::print_module(module, &ir::PrintOptions::brief()));
    }
}

fn target(options: &Options) -> Target {
    match options.backend {
        Backend::Cranelift => Target::CRANELIFT,
        Backend::Llvm => Target::LLVM,
    }
}
