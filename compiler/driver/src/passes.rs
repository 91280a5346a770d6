//! Every pass there is: what the compiler runs, and what `onnx-opt` offers.

use indexmap::IndexMap;
use ir::pass::{OptionDefinition, OptionKind, PassContext, PassDefinition, PassRegistry};
use ir::{Module, Result};

use dialects::levels::{Level, verify_level};

/// The passes of all levels, with the named pipelines.
pub fn registry() -> PassRegistry {
    let mut registry = PassRegistry::default();
    registry.extend(ir::transforms::passes());
    registry.extend([INFER_SHAPES, VERIFY_LEVEL, OPTIMIZE]);
    registry.extend(lower::passes::passes());
    lower::passes::pipelines().into_iter().for_each(|pipeline| registry.add_pipeline(pipeline));
    registry
}

const INFER_SHAPES: PassDefinition = PassDefinition::on_module(
    "infer-shapes",
    "Writes inferred types into the values of the graph level: extents that are numbers become static.",
    |module, _| dialects::onnx::shape::infer_shapes(module, &IndexMap::new()),
);

const OPTIMIZE: PassDefinition = PassDefinition::on_module(
    "optimize",
    "Replaces the graph level by the cheapest equal graph that equality saturation finds.",
    optimize,
)
.with_options(&[
    OptionDefinition {
        name: "strict-fp",
        summary: "Only rewrites whose results are the same bit for bit.",
        kind: OptionKind::Flag,
        default: "false",
    },
    OptionDefinition {
        name: "explain",
        summary: "Reports on the standard error output what each rule did.",
        kind: OptionKind::Flag,
        default: "false",
    },
]);

fn optimize(module: &mut Module, context: &PassContext<'_>) -> Result<()> {
    let (strict_fp, explain) = (context.options.flag("strict-fp"), context.options.flag("explain"));
    let options = optimize::Options { strict_fp, explain, ..optimize::Options::default() };
    let report = optimize::optimize(module, &options)?;
    if explain {
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
