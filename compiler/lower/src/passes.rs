//! The passes of this crate, from the structured level down. The model's function is `@main_graph`.

use dialects::func::MAIN;
use ir::pass::{Choice, Pass, PassContext, PassDefinition, PassOption, PassOptions, PipelineDefinition};

use ir::{Module, Result};

use crate::bufferize::{bufferize_globals, bufferize_host};
use crate::kernel::emit::Target;
use crate::low;
use crate::outline_initialization::{INITIALIZE, outline_initialization};
use crate::routines;

pub use crate::bufferize::Memory;
pub use crate::fuse::Fusion;
pub use crate::kernel::emit::Order;
pub use crate::outline::KernelShapes;
pub use crate::winograd::Runs;

/// The code generator that kernels are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Generator {
    /// Vectors of 128 bits.
    #[default]
    Cranelift,
    /// Vectors of any length.
    Llvm,
}

impl Choice for Generator {
    const CHOICES: &'static [(&'static str, Generator)] =
        &[("cranelift", Generator::Cranelift), ("llvm", Generator::Llvm)];
}

/// Options of [`USE_WINOGRAD`].
#[derive(Clone, Default)]
pub struct WinogradOptions {
    /// The expected number of runs.
    pub runs: Runs,
}

impl PassOptions for WinogradOptions {
    const OPTIONS: &'static [PassOption<WinogradOptions>] =
        &[PassOption { name: "runs", summary: RUNS, field: |options| &mut options.runs }];
}

const RUNS: &str = "The expected number of runs; many of them justify packed weights and slower compilation.";

/// Options of [`OUTLINE_KERNELS`].
#[derive(Clone, Default)]
pub struct KernelOptions {
    /// How specialised kernels are to shapes.
    pub shapes: KernelShapes,
    /// What is fused.
    pub fusion: Fusion,
}

impl PassOptions for KernelOptions {
    const OPTIONS: &'static [PassOption<KernelOptions>] = &[
        PassOption {
            name: "shapes",
            summary: "Whether kernels that differ only in static extents share one function.",
            field: |options| &mut options.shapes,
        },
        PassOption {
            name: "fuse",
            summary: "Whether producers and consumers are fused into one kernel.",
            field: |options| &mut options.fusion.elements,
        },
        PassOption {
            name: "attention",
            summary: "Whether chained matrix products whose rows depend on each other are fused into one kernel.",
            field: |options| &mut options.fusion.attention,
        },
    ];
}

/// Options of [`BUILD_KERNELS`].
#[derive(Clone)]
pub struct BuildOptions {
    /// The code generator.
    pub target: Generator,
    /// The order of reductions.
    pub order: Order,
    /// The expected number of runs.
    pub runs: Runs,
    /// The source of host functions' memory.
    pub memory: Memory,
    /// The number of threads that build kernels.
    pub threads: usize,
}

impl Default for BuildOptions {
    fn default() -> BuildOptions {
        BuildOptions {
            target: Generator::default(),
            order: Order::default(),
            runs: Runs::default(),
            memory: Memory::default(),
            threads: 1,
        }
    }
}

impl PassOptions for BuildOptions {
    const OPTIONS: &'static [PassOption<BuildOptions>] = &[
        PassOption {
            name: "target",
            summary: "The code generator that the kernels are for.",
            field: |options| &mut options.target,
        },
        PassOption {
            name: "order",
            summary: "Whether float reductions are vectorised or sequential.",
            field: |options| &mut options.order,
        },
        PassOption { name: "runs", summary: RUNS, field: |options| &mut options.runs },
        PassOption {
            name: "memory",
            summary: "Whether host functions allocate memory during the run or use static buffers of the module.",
            field: |options| &mut options.memory,
        },
        PassOption {
            name: "threads",
            summary: "The number of threads that build kernels.",
            field: |options| &mut options.threads,
        },
    ];
}

/// Before kernels are formed.
pub static FOLD_CONSTANTS: PassDefinition =
    PassDefinition::on_module("fold-constants", "Computes small constants.", |module, _| {
        crate::fold_constants::fold_constants(module, MAIN);
        Ok(())
    });

/// For convolutions whose results may differ within the stated bounds.
pub static USE_WINOGRAD: PassDefinition<WinogradOptions> = PassDefinition::on_module(
    "use-winograd",
    "Rewrites convolutions with 3×3 kernels and constant weights to Winograd's algorithm: fewer multiplications, larger rounding errors.",
    |module, context| {
        crate::winograd::use_winograd(module, MAIN, context.options.runs);
        Ok(())
    },
);

/// For micro-kernels that convert weights.
pub static USE_HALVES: PassDefinition = PassDefinition::on_module(
    "use-halves",
    "Makes contractions read f16 and bf16 weights without converting them first.",
    |module, _| {
        crate::half_weights::use_halves(module, MAIN);
        Ok(())
    },
);

/// For micro-kernels that read operands in another order.
pub static USE_TRANSPOSES: PassDefinition = PassDefinition::on_module(
    "use-transposes",
    "Matrix products with few rows read transposed operands in place.",
    |module, _| {
        crate::transposed_operands::use_transposes(module, MAIN);
        Ok(())
    },
);

/// For 8-bit values.
pub static USE_TABLES: PassDefinition = PassDefinition::on_module(
    "use-tables",
    "Replaces long elementwise functions of 8-bit values by table lookups.",
    |module, _| {
        crate::byte_tables::use_tables(module, MAIN);
        Ok(())
    },
);

/// For weights.
pub static USE_RELAYOUTS: PassDefinition<RelayoutOptions> = PassDefinition::on_module(
    "use-relayouts",
    "Combines data movement whose indices are constant into one call of a runtime routine.",
    |module, context| {
        crate::constant_relayouts::use_relayouts(module, MAIN, context.options.evaluated);
        Ok(())
    },
);

/// Options of [`USE_RELAYOUTS`].
#[derive(Clone, Default)]
pub struct RelayoutOptions {
    /// Whether only constants are moved whose results are about as large: for code without the routine, in which the compiler
    /// evaluates all calls.
    pub evaluated: bool,
}

impl PassOptions for RelayoutOptions {
    const OPTIONS: &'static [PassOption<RelayoutOptions>] = &[PassOption {
        name: "evaluated",
        summary: "Whether only constants are moved whose results are about as large: for code without the routine, in which the compiler evaluates all calls.",
        field: |options| &mut options.evaluated,
    }];
}

/// The first step to the kernel level.
pub static OUTLINE_KERNELS: PassDefinition<KernelOptions> = PassDefinition::on_module(
    "outline-kernels",
    "Fuses structured operations and makes each group a function; equal groups are one function.",
    |module, context| {
        crate::outline::outline_kernels(module, MAIN, context.options.shapes, context.options.fusion);
        Ok(())
    },
);

/// The second step to the kernel level.
pub static OUTLINE_INITIALIZATION: PassDefinition = PassDefinition::on_module(
    "outline-initialization",
    "Moves the operations that depend on constants alone into a function that runs once.",
    |module, _| {
        outline_initialization(module, MAIN);
        Ok(())
    },
);

/// The last step to the kernel level.
pub static BUILD_KERNELS: PassDefinition<BuildOptions> = PassDefinition::on_module(
    "build-kernels",
    "Structured to kernel: the host functions' tensors become buffers in one planned arena, kernels become \
             vectorised loops over buffers.",
    build_kernels,
);

/// For code without a runtime.
pub static DEFINE_ROUTINES: PassDefinition = PassDefinition::on_module(
    "define-routines",
    "Replaces the runtime's routines by functions of the module, where there is a definition.",
    |module, context| routines::define_routines(module, context.registry),
);

/// For profiles.
pub static TIME_KERNELS: PassDefinition =
    PassDefinition::on_module("time-kernels", "Makes every kernel call record how long it takes.", |module, _| {
        low::profile::time_kernels(module);
        low::declare::declare_runtime(module)
    });

/// Every conversion, in the order of the levels.
pub fn passes() -> Vec<Pass> {
    let conversions: [Pass; 11] = [
        &FOLD_CONSTANTS,
        &USE_WINOGRAD,
        &USE_HALVES,
        &USE_TRANSPOSES,
        &USE_TABLES,
        &USE_RELAYOUTS,
        &OUTLINE_KERNELS,
        &OUTLINE_INITIALIZATION,
        &BUILD_KERNELS,
        &DEFINE_ROUTINES,
        &TIME_KERNELS,
    ];
    let choices: [Pass; 6] = [
        &low::CHECK_ACCESSES,
        &low::DISPATCH_KERNELS,
        &low::TILE_CONTRACTIONS,
        &low::MAP_ROWS,
        &low::ROUND_PRODUCTS,
        &low::DEFINE_FUNCTIONS,
    ];
    conversions.into_iter().chain(choices).chain(low::PASSES.iter().copied()).collect()
}

/// Names for sequences of passes.
pub fn pipelines() -> Vec<PipelineDefinition> {
    vec![
        PipelineDefinition {
            name: "lower-to-kernels",
            summary: "From the structured to the kernel level.",
            passes: vec![
                "verify-level{level=structured}",
                "outline-kernels",
                "outline-initialization",
                "build-kernels",
            ],
        },
        PipelineDefinition {
            name: "lower-to-low",
            summary: "From the kernel to the low level.",
            passes: std::iter::once("verify-level{level=kernel}")
                .chain(low::PASSES.iter().map(|pass| pass.name()))
                .collect(),
        },
    ]
}

/// Both at once: in between, calls would not match the functions.
fn build_kernels(module: &mut Module, context: &PassContext<'_, BuildOptions>) -> Result<()> {
    let BuildOptions { memory, threads, .. } = *context.options;
    bufferize_globals(module);
    crate::kernel::build::build_kernels(module, &target(context.options), threads.max(1), |module| {
        bufferize_host(module, INITIALIZE, memory, context.registry)?;
        bufferize_host(module, MAIN, memory, context.registry)
    })?;
    low::declare::declare_runtime(module)
}

fn target(options: &BuildOptions) -> Target {
    let target = match options.target {
        Generator::Llvm => Target::LLVM,
        Generator::Cranelift => Target::CRANELIFT,
    };
    Target { order: options.order, calls_moves: target.narrow && options.runs == Runs::One, ..target }
}
