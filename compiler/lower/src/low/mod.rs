//! Lowers the kernel level to the low level: flat buffers, blocks instead of structured control flow, elementary
//! functions as arithmetic, parallel loops as calls of the runtime.
//!
//! The passes run in the order of [`PASSES`]; each leaves a valid input for the next one.

mod assertions;
mod bounds;
mod carry;
mod checks;
mod contract;
mod control;
pub(crate) mod declare;
pub mod dispatch;
mod elementary;
mod expand;
mod flatten;
mod floats;
mod freestanding_entries;
mod library;
mod narrow;
mod parallel;
pub mod profile;
mod provenance;
mod round;
mod row_functions;
mod rows;
mod scope;
mod simplify;
mod tile;
mod unroll;

pub use crate::kernel::emit::{Order, Target};
pub use expand::Inline;
pub use freestanding_entries::{EntryShapes, Extent, add_entry_points, check_freestanding};
pub use rows::Functions;
pub use tile::VectorRegisters;

pub(crate) use scope::stack_table;

use declare::declare_runtime;
use dialects::{OpCode, math};
use ir::FloatType;
use ir::pass::{Pass, PassDefinition, PassOption, PassOptions};

/// For code that may run on different processors.
pub static DISPATCH_KERNELS: PassDefinition = PassDefinition::on_module(
    "dispatch-kernels",
    "Clones kernels for x86-64-v2, -v3 and -v4 and dispatches by the processor's level.",
    |module, _| {
        dispatch::dispatch_kernels(module);
        Ok(())
    },
);

/// For code generators with vectors of any length: generates code in place of micro-kernel calls.
pub static TILE_CONTRACTIONS: PassDefinition<TileOptions> = PassDefinition::on_module(
    "tile-contractions",
    "Expands tiles of contractions into loops that keep their accumulators in vector registers.",
    |module, context| {
        tile::tile_contractions(module, context.options);
        Ok(())
    },
);

/// Options of [`TILE_CONTRACTIONS`].
#[derive(Clone)]
pub struct TileOptions {
    /// The vector registers of the processor.
    pub registers: VectorRegisters,
    /// Whether a runtime with micro-kernels for int8 products is available.
    pub runtime: bool,
    /// Whether micro-kernels may fuse multiplications and additions.
    pub fused: bool,
    /// Whether kernels share functions for rows of tiles: for engines that optimise a function after some calls.
    pub shared: bool,
}

impl Default for TileOptions {
    fn default() -> TileOptions {
        TileOptions { registers: VectorRegisters::X86_512, runtime: true, fused: true, shared: false }
    }
}

impl PassOptions for TileOptions {
    const OPTIONS: &'static [PassOption<TileOptions>] = &[
        PassOption {
            name: "registers",
            summary: "The number of vector registers of the processor, and of elements of f32 in one; wasm has those of V8.",
            field: |options| &mut options.registers,
        },
        PassOption {
            name: "runtime",
            summary: "Whether a runtime with micro-kernels for int8 products is available.",
            field: |options| &mut options.runtime,
        },
        PassOption {
            name: "fused",
            summary: "Whether micro-kernels may fuse multiplications and additions.",
            field: |options| &mut options.fused,
        },
        PassOption {
            name: "shared",
            summary: "Whether kernels share functions for rows of tiles: for engines that optimise a function after some calls.",
            field: |options| &mut options.shared,
        },
    ];
}

/// For results that are the same on every processor, with or without fused multiply-adds.
pub static ROUND_PRODUCTS: PassDefinition = PassDefinition::on_module(
    "round-products",
    "Splits fused multiply-adds into a rounded multiplication and an addition.",
    |module, _| {
        round::round_products(module);
        Ok(())
    },
);

/// For code generators with narrow vectors, and for byte lookup tables.
pub static MAP_ROWS: PassDefinition<MapRowsOptions> = PassDefinition::on_module(
    "map-rows",
    "Replaces elementary functions of vectors in loops by calls of the runtime's micro-kernels on row buffers.",
    |module, context| {
        rows::map_rows(module, context.options.functions);
        declare_runtime(module)
    },
);

/// Options of [`MAP_ROWS`].
#[derive(Clone, Default)]
pub struct MapRowsOptions {
    /// The functions that are called.
    pub functions: Functions,
}

impl PassOptions for MapRowsOptions {
    const OPTIONS: &'static [PassOption<MapRowsOptions>] = &[PassOption {
        name: "functions",
        summary: "Which functions: all, or only byte lookup tables, for which code generators have no instructions.",
        field: |options| &mut options.functions,
    }];
}

/// For results that do not depend on the implementation of elementary functions, and for code without a runtime.
pub static DEFINE_FUNCTIONS: PassDefinition = PassDefinition::on_module(
    "define-functions",
    "Replaces the runtime's elementary functions by functions of the module.",
    |module, context| library::define_functions(module, context.registry),
);

/// The pass that may make kernels state the bounds of their buffers.
pub static NUMBER_ASSERTIONS: PassDefinition<NumberOptions> = PassDefinition::on_module(
    "number-assertions",
    "Makes assertions store the number of their message in the status word of the run.",
    |module, context| assertions::number_assertions(module, context.options.bounds),
);

/// Options of [`NUMBER_ASSERTIONS`].
#[derive(Clone, Default)]
pub struct NumberOptions {
    /// Whether kernels state the bounds of their buffers.
    pub bounds: bool,
}

impl PassOptions for NumberOptions {
    const OPTIONS: &'static [PassOption<NumberOptions>] = &[PassOption {
        name: "bounds",
        summary: "Whether kernels state the bounds of their buffers, for check-accesses.",
        field: |options| &mut options.bounds,
    }];
}

/// For a checked build.
pub static CHECK_ACCESSES: PassDefinition = PassDefinition::on_module(
    "check-accesses",
    "Ends the run before an access outside of the bounds that kernels state.",
    |module, _| checks::check_accesses(module),
);

/// The pass before which accesses are checked.
pub static SIMPLIFY: PassDefinition = PassDefinition::on_module(
    "simplify",
    "Folds, merges and removes operations between blocks, and hoists stack memory.",
    |module, context| simplify::simplify(module, context.registry),
);

/// The pass that may make parallel loops serial.
pub static OUTLINE_PARALLEL: PassDefinition<OutlineOptions> = PassDefinition::on_module(
    "outline-parallel",
    "Outlines the bodies of parallel loops into functions that the runtime calls on its threads.",
    |module, context| match context.options.serial {
        true => parallel::serialise_parallel(module),
        false => parallel::outline_parallel(module),
    },
);

/// Options of [`OUTLINE_PARALLEL`].
#[derive(Clone, Default)]
pub struct OutlineOptions {
    /// Whether parallel loops become ordinary ones.
    pub serial: bool,
}

impl PassOptions for OutlineOptions {
    const OPTIONS: &'static [PassOption<OutlineOptions>] = &[PassOption {
        name: "serial",
        summary: "Whether parallel loops become ordinary ones, for code without a runtime.",
        field: |options| &mut options.serial,
    }];
}

/// The pass after which no elementary function is left.
pub static EXPAND_MATH: PassDefinition<ExpandOptions> = PassDefinition::on_module(
    "expand-math",
    "Expands elementary functions of f32 into arithmetic.",
    |module, context| expand::expand_math(module, context.options.inline).and_then(|()| declare_runtime(module)),
);

/// Options of [`EXPAND_MATH`].
#[derive(Clone, Default)]
pub struct ExpandOptions {
    /// The functions that are computed inline.
    pub inline: Inline,
}

impl PassOptions for ExpandOptions {
    const OPTIONS: &'static [PassOption<ExpandOptions>] = &[PassOption {
        name: "inline",
        summary: "Which functions are computed inline: those on f32, except sines if multiplications are rounded, or also those on f64.",
        field: |options| &mut options.inline,
    }];
}

/// The error bounds of elementary functions on f32, in units in the last place of the exact value (of the smallest
/// normal number, if it is smaller), also without fused multiply-adds. Those of exp, log, tanh, erf, asin, acos and
/// atan are above the largest error over all `f32`.
pub const ERROR_BOUNDS: &[(OpCode, f64)] = &[
    (math::EXP, 1.5),
    (math::EXP2, 1.5),
    (math::EXPM1, 4.0),
    (math::LOG, 1.0),
    (math::LOG2, 2.0),
    (math::LOG10, 2.5),
    (math::LOG1P, 3.0),
    (math::TANH, 7.0),
    (math::ERF, 7.0),
    (math::ASIN, 4.0),
    (math::ACOS, 4.0),
    (math::ATAN, 4.0),
];

/// The same for every elementary function on `f16` and `bf16`, in units of that type: computed in `f32` and rounded once more.
pub const HALF_ERROR_BOUND: f64 = 0.53;

/// The same for the functions that a module defines itself under the fixed order of arithmetic.
pub const FIXED_ERROR_BOUNDS: &[(OpCode, FloatType, f64)] = &[
    (math::EXP, FloatType::F64, 1.0),
    (math::EXP2, FloatType::F64, 2.0),
    (math::EXPM1, FloatType::F64, 3.0),
    (math::LOG, FloatType::F64, 1.0),
    (math::LOG2, FloatType::F64, 2.0),
    (math::LOG10, FloatType::F64, 2.0),
    (math::LOG1P, FloatType::F64, 3.0),
    (math::TANH, FloatType::F64, 4.0),
    (math::SINH, FloatType::F64, 4.0),
    (math::COSH, FloatType::F64, 4.0),
    (math::ASIN, FloatType::F64, 4.0),
    (math::ACOS, FloatType::F64, 4.0),
    (math::ATAN, FloatType::F64, 3.0),
    (math::ASINH, FloatType::F64, 6.0),
    (math::ACOSH, FloatType::F64, 6.0),
    (math::ATANH, FloatType::F64, 6.0),
    (math::ERF, FloatType::F64, 12.0),
    (math::SIN, FloatType::F64, 2.0),
    (math::COS, FloatType::F64, 2.0),
    (math::TAN, FloatType::F64, 3.0),
    (math::POWF, FloatType::F64, 2.0),
    (math::SINH, FloatType::F32, 1.0),
    (math::COSH, FloatType::F32, 1.0),
    (math::ASINH, FloatType::F32, 1.0),
    (math::ACOSH, FloatType::F32, 1.0),
    (math::ATANH, FloatType::F32, 1.0),
    (math::POWF, FloatType::F32, 1.0),
    (math::SIN, FloatType::F32, 1.0),
    (math::COS, FloatType::F32, 1.0),
    (math::TAN, FloatType::F32, 1.0),
];

/// Every step, in order.
pub const PASSES: &[Pass] = &[
    &NUMBER_ASSERTIONS,
    &PassDefinition::<()>::on_module(
        "call-contractions",
        "Replaces tiles of contractions by calls of the runtime's micro-kernels.",
        |module, _| contract::call_contractions(module).and_then(|()| declare_runtime(module)),
    ),
    &PassDefinition::<()>::on_module(
        "flatten-buffers",
        "Replaces every buffer by a bare address with separate sizes and strides.",
        |module, _| flatten::flatten_buffers(module).and_then(|()| declare_runtime(module)),
    ),
    &PassDefinition::<()>::on_module(
        "widen-narrow-types",
        "Replaces element types without machine arithmetic by i8.",
        |module, _| narrow::widen_narrow_types(module).and_then(|()| declare_runtime(module)),
    ),
    &EXPAND_MATH,
    &OUTLINE_PARALLEL,
    &PassDefinition::<()>::on_module(
        "carry-indices",
        "Makes loops over rows carry their indices along instead of dividing in every iteration.",
        |module, _| {
            carry::carry_indices(module);
            Ok(())
        },
    ),
    &PassDefinition::<()>::on_module("unroll-loops", "Unrolls loops of two or three iterations.", |module, _| {
        unroll::unroll_loops(module);
        Ok(())
    }),
    &PassDefinition::<()>::on_module(
        "lower-control-flow",
        "Lowers loops and conditionals to blocks and branches.",
        |module, _| control::lower_control_flow(module),
    ),
    &PassDefinition::<()>::on_module(
        "guard-host",
        "Makes the host function return as soon as the status word is set.",
        |module, _| assertions::guard_host(module),
    ),
    &SIMPLIFY,
];
