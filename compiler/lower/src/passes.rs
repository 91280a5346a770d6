//! The conversions between levels as passes. The model's function is `@main_graph`.

use dialects::func::MAIN;
use ir::pass::{OptionDefinition, OptionKind, PassContext, PassDefinition, PipelineDefinition};

use ir::{Diagnostic, Location, Module, Result};

use crate::bufferize::{Memory, bufferize_globals, bufferize_host};
use crate::fold_constants::{INITIALIZE, fold_constants};
use crate::fuse::Fusion;
use crate::kernel::emit::{Order, Target};
use crate::low;
use crate::outline::Shapes;
use crate::winograd::Runs;

/// The error of a module without the function that is lowered.
const NO_MAIN: &str = "the module has no function @main_graph, and that is the one that is lowered";

/// The target code generator.
const TARGET: OptionDefinition = OptionDefinition {
    name: "target",
    summary: "The code generator that the kernels are for.",
    kind: OptionKind::Choice(&["cranelift", "llvm"]),
    default: "cranelift",
};

const ORDER: OptionDefinition = OptionDefinition {
    name: "order",
    summary: "Whether float reductions are vectorised or sequential.",
    kind: OptionKind::Choice(&["lanes", "sequence"]),
    default: "lanes",
};

const RUNS: OptionDefinition = OptionDefinition {
    name: "runs",
    summary: "The expected number of runs; many of them justify packed weights and slower compilation.",
    kind: OptionKind::Choice(&["one", "many"]),
    default: "many",
};

const MEMORY: OptionDefinition = OptionDefinition {
    name: "memory",
    summary: "Whether host functions allocate memory during the run or use static buffers of the module.",
    kind: OptionKind::Choice(&["run", "static"]),
    default: "run",
};

const THREADS: OptionDefinition = OptionDefinition {
    name: "threads",
    summary: "The number of threads that build kernels.",
    kind: OptionKind::Integer,
    default: "1",
};

const SHAPES: OptionDefinition = OptionDefinition {
    name: "shapes",
    summary: "Whether kernels that differ only in static extents share one function.",
    kind: OptionKind::Choice(&["shared", "specialised"]),
    default: "specialised",
};

const FUSE: OptionDefinition = OptionDefinition {
    name: "fuse",
    summary: "Whether producers and consumers are fused into one kernel.",
    kind: OptionKind::Flag,
    default: "true",
};

const ATTENTION: OptionDefinition = OptionDefinition {
    name: "attention",
    summary: "Whether chained matrix products whose rows depend on each other are fused into one kernel.",
    kind: OptionKind::Flag,
    default: "true",
};

/// Every conversion, in the order of the levels.
pub fn passes() -> Vec<PassDefinition> {
    let conversions = [
        PassDefinition::on_module(
            "onnx-to-linalg",
            "Lowers the graph level to the structured level: operators become index maps and scalar bodies.",
            |module, _| match module.symbol(MAIN) {
                Some(_) => operators::structured::lower_function(module, MAIN),
                None => Err(Diagnostic::input(Location::Unknown, NO_MAIN).into()),
            },
        ),
        PassDefinition::on_module("evaluate-constants", "Computes small constants.", |module, _| {
            crate::evaluate_constants::evaluate_constants(module, MAIN);
            Ok(())
        }),
        PassDefinition::on_module(
            "use-winograd",
            "Rewrites convolutions with 3×3 kernels and constant weights to Winograd's algorithm: fewer multiplications, larger rounding errors.",
            |module, context| {
                crate::winograd::use_winograd(module, MAIN, runs(context));
                Ok(())
            },
        )
        .with_options(&[RUNS]),
        PassDefinition::on_module(
            "use-halves",
            "Makes contractions read f16 and bf16 weights without converting them first.",
            |module, _| {
                crate::half_weights::use_halves(module, MAIN);
                Ok(())
            },
        ),
        PassDefinition::on_module(
            "use-transposes",
            "Matrix products with few rows read transposed operands in place.",
            |module, _| {
                crate::transposes::use_transposes(module, MAIN);
                Ok(())
            },
        ),
        PassDefinition::on_module(
            "use-tables",
            "Replaces long elementwise functions of 8-bit values by table lookups.",
            |module, _| {
                crate::byte_tables::use_tables(module, MAIN);
                Ok(())
            },
        ),
        PassDefinition::on_module(
            "use-relayouts",
            "Combines data movement whose indices are constant into one call of a runtime routine.",
            |module, _| {
                crate::relayouts::use_relayouts(module, MAIN);
                Ok(())
            },
        ),
        PassDefinition::on_module(
            "outline-kernels",
            "Fuses structured operations and makes each group a function; equal groups are one function.",
            |module, context| {
                crate::outline::outline_kernels(module, MAIN, shapes(context), fusion(context));
                Ok(())
            },
        )
        .with_options(&[SHAPES, FUSE, ATTENTION]),
        PassDefinition::on_module(
            "fold-constants",
            "Moves the operations that depend on constants alone into a function that runs once.",
            |module, _| {
                fold_constants(module, MAIN);
                Ok(())
            },
        ),
        PassDefinition::on_module(
            "build-kernels",
            "Structured to kernel: the host functions' tensors become buffers in one planned arena, kernels become \
             vectorised loops over buffers.",
            build_kernels,
        )
        .with_options(&[TARGET, ORDER, RUNS, MEMORY, THREADS]),
        PassDefinition::on_module("time-kernels", "Makes every kernel call record how long it takes.", |module, _| {
            low::profile::time_kernels(module);
            low::declare::declare_runtime(module)
        }),
    ];
    conversions
        .into_iter()
        .chain([
            low::DISPATCH_KERNELS,
            low::TILE_CONTRACTIONS,
            low::MAP_ROWS,
            low::ROUND_PRODUCTS,
            low::DEFINE_FUNCTIONS,
        ])
        .chain(low::PASSES.iter().cloned())
        .collect()
}

/// Names for sequences of passes.
pub fn pipelines() -> Vec<PipelineDefinition> {
    vec![
        PipelineDefinition {
            name: "lower-to-kernels",
            summary: "From the structured to the kernel level.",
            passes: vec!["outline-kernels", "fold-constants", "build-kernels"],
        },
        PipelineDefinition {
            name: "lower-to-low",
            summary: "From the kernel to the low level.",
            passes: low::PASSES.iter().map(|pass| pass.name).collect(),
        },
    ]
}

/// Both at once: in between, calls would not match the functions.
fn build_kernels(module: &mut Module, context: &PassContext<'_>) -> Result<()> {
    bufferize_globals(module);
    let memory = memory(context);
    let threads = context.options.integer("threads").max(1) as usize;
    crate::kernel::build::build_kernels(module, &target(context), threads, |module| {
        bufferize_host(module, INITIALIZE, memory, context.registry)?;
        bufferize_host(module, MAIN, memory, context.registry)
    })?;
    low::declare::declare_runtime(module)
}

fn target(context: &PassContext<'_>) -> Target {
    let target = match context.options.get("target") {
        "llvm" => Target::LLVM,
        _ => Target::CRANELIFT,
    };
    let order = match context.options.get("order") {
        "sequence" => Order::Sequence,
        _ => Order::Lanes,
    };
    Target { order, calls_moves: target.narrow && runs(context) == Runs::One, ..target }
}

fn runs(context: &PassContext<'_>) -> Runs {
    match context.options.get(RUNS.name) {
        "one" => Runs::One,
        _ => Runs::Many,
    }
}

fn memory(context: &PassContext<'_>) -> Memory {
    match context.options.get("memory") {
        "static" => Memory::Static,
        _ => Memory::Run,
    }
}

fn fusion(context: &PassContext<'_>) -> Fusion {
    let [elements, attention] = [FUSE, ATTENTION].map(|option| context.options.get(option.name) == "true");
    Fusion { elements, attention }
}

fn shapes(context: &PassContext<'_>) -> Shapes {
    match context.options.get("shapes") {
        "shared" => Shapes::Shared,
        _ => Shapes::Specialised,
    }
}
