//! Every pass there is: what the compiler runs, and what `onnx-opt` offers.

use ir::pass::{OptionDefinition, OptionKind, PassContext, PassDefinition, PassRegistry};
use ir::{IndexMap, Module, Result};

use dialects::levels::{Level, verify_level};

/// The passes of all levels, with the named pipelines.
pub fn registry() -> PassRegistry {
    let mut registry = PassRegistry::default();
    registry.extend(ir::transforms::passes());
    registry.extend([INFER_SHAPES, OPTIMIZE, DECOMPOSE, EXPAND, VERIFY_LEVEL]);
    registry.extend(lower::passes::passes());
    lower::passes::pipelines().into_iter().for_each(|pipeline| registry.add_pipeline(pipeline));
    registry
}

const INFER_SHAPES: PassDefinition = PassDefinition::on_module(
    "infer-shapes",
    "Writes inferred types into the values of the graph level: extents that are numbers become static.",
    |module, _| operators::shape::infer_shapes(module, &IndexMap::default()),
);

const EXPAND: PassDefinition = PassDefinition::on_module(
    "expand",
    "Operators that read how the graph is built, as gradients do, become what they stand for.",
    |module, _| operators::decompose::expand(module, import::MAIN),
);

const DECOMPOSE: PassDefinition = PassDefinition::on_module(
    "decompose",
    "Operators that are compositions of others become what they are composed of.",
    |module, _| operators::decompose::decompose(module, import::MAIN),
);

const OPTIMIZE: PassDefinition =
    PassDefinition::on_module("optimize", "Rewrites the graph into the cheapest equal one that is found.", optimize)
        .with_options(&[
            OptionDefinition {
                name: "strict-fp",
                summary: "Whether only rules hold whose results are the same bit for bit.",
                kind: OptionKind::Flag,
                default: "false",
            },
            OptionDefinition {
                name: "explain",
                summary: "Whether to print which rules fired and what they saved.",
                kind: OptionKind::Flag,
                default: "false",
            },
        ]);

fn optimize(module: &mut Module, context: &PassContext<'_>) -> Result<()> {
    let chosen = |name: &str| context.options.get(name) == "true";
    let limits = optimize::Options::default();
    let options = optimize::Options { strict_fp: chosen("strict-fp"), explain: chosen("explain"), ..limits };
    let report = optimize::optimize(module, &options)?;
    if options.explain {
        eprint!("{report}");
    }
    Ok(())
}

const VERIFY_LEVEL: PassDefinition =
    PassDefinition::on_module("verify-level", "Fails unless every operation is legal at a level.", check_level)
        .with_options(&[OptionDefinition {
            name: "level",
            summary: "The level.",
            kind: OptionKind::Choice(&Level::NAMES),
            default: "low",
        }]);

fn check_level(module: &mut Module, context: &PassContext<'_>) -> Result<()> {
    let level = Level::named(context.options.get("level")).expect("the option is one of the levels");
    verify_level(module, level)
}
