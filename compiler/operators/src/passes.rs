//! The passes of this crate, on the function `@main_graph`.

use dialects::func::MAIN;
use ir::pass::{Pass, PassDefinition, PassOption, PassOptions};
use ir::{Diagnostic, IndexMap, Location};

use crate::decompose::{Which, decompose};

/// The error of a module without the function that is lowered.
const NO_MAIN: &str = "the module has no function @main_graph, and that is the one that is lowered";

/// The passes.
pub fn passes() -> [Pass; 4] {
    [&INFER_SHAPES, &SPECIALIZE_RANKS, &DECOMPOSE, &ONNX_TO_LINALG]
}

/// Constant extents become static.
pub static INFER_SHAPES: PassDefinition = PassDefinition::on_module(
    "infer-shapes",
    "Writes inferred types into the values of the graph level: constant extents become static.",
    |module, _| crate::shape::infer_shapes(module, &IndexMap::default()),
);

/// Every value has one rank.
pub static SPECIALIZE_RANKS: PassDefinition = PassDefinition::on_module(
    "specialize-ranks",
    "Moves the operations after an If whose branches yield different ranks into the branches.",
    |module, _| crate::specialize::specialize(module, MAIN),
);

/// Compositions become what they are made of.
pub static DECOMPOSE: PassDefinition<DecomposeOptions> = PassDefinition::on_module(
    "decompose",
    "Replaces operators that are compositions of others by those.",
    |module, context| {
        let which = match (context.options.foreign, context.options.lowered) {
            (true, false) => Which::Foreign,
            (true, true) => Which::ForeignLowered,
            (false, _) => Which::All,
        };
        decompose(module, MAIN, which)
    },
);

/// Options of [`DECOMPOSE`].
#[derive(Clone, Default)]
pub struct DecomposeOptions {
    /// Whether ONNX's own operators are kept.
    pub foreign: bool,
    /// Whether foreign operators that have their own lowering are decomposed, too.
    pub lowered: bool,
}

impl PassOptions for DecomposeOptions {
    const OPTIONS: &'static [PassOption<DecomposeOptions>] = &[
        PassOption {
            name: "foreign",
            summary: "Whether to keep ONNX's own operators.",
            field: |options| &mut options.foreign,
        },
        PassOption {
            name: "lowered",
            summary: "Whether to decompose foreign operators that have their own lowering, too.",
            field: |options| &mut options.lowered,
        },
    ];
}

/// From the graph level to the structured level.
pub static ONNX_TO_LINALG: PassDefinition = PassDefinition::on_module(
    "onnx-to-linalg",
    "Lowers the graph level to the structured level: operators become index maps and scalar bodies.",
    |module, _| match module.function(MAIN) {
        Some(_) => crate::structured::lower_function(module, MAIN),
        None => Err(Diagnostic::input(Location::Unknown, NO_MAIN).into()),
    },
);
