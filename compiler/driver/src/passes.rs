//! The registry of all passes, for the compiler and `onnx-opt`.

use dialects::rt::attributes::GONE;
use std::io::Write;
use std::sync::Arc;

use ir::pass::{OptionDefinition, OptionKind, PassContext, PassDefinition, PassRegistry};
use ir::{Attribute, Diagnostic, ErrorClass, IndexMap, Location, Module, Result};

use dialects::levels::{Level, verify_level};
use operators::decompose::{Which, decompose};

/// The passes of all levels, with the named pipelines.
pub fn registry() -> PassRegistry {
    let mut registry = PassRegistry::default();
    registry.extend(ir::transforms::passes());
    registry.extend([INFER_SHAPES, SPECIALIZE_RANKS, OPTIMIZE, DECOMPOSE, VERIFY_LEVEL]);
    registry.extend(engine::passes());
    registry.extend(lower::passes::passes());
    lower::passes::pipelines().into_iter().for_each(|pipeline| registry.add_pipeline(pipeline));
    registry
}

const INFER_SHAPES: PassDefinition = PassDefinition::on_module(
    "infer-shapes",
    "Writes inferred types into the values of the graph level: constant extents become static.",
    |module, _| operators::shape::infer_shapes(module, &IndexMap::default()),
);

const SPECIALIZE_RANKS: PassDefinition = PassDefinition::on_module(
    "specialize-ranks",
    "Moves the operations after an If whose branches yield different ranks into the branches.",
    |module, _| operators::specialize::specialize(module, import::MAIN),
);

const DECOMPOSE: PassDefinition = PassDefinition::on_module(
    "decompose",
    "Replaces operators that are compositions of others by those.",
    |module, context| {
        let is = |option: &str| context.options.get(option) == "true";
        let which = match (is("foreign"), is("lowered")) {
            (true, false) => Which::Foreign,
            (true, true) => Which::ForeignLowered,
            (false, _) => Which::All,
        };
        decompose(module, import::MAIN, which)
    },
)
.with_options(&[
    OptionDefinition {
        name: "foreign",
        summary: "Whether to keep ONNX's own operators.",
        kind: OptionKind::Flag,
        default: "false",
    },
    OptionDefinition {
        name: "lowered",
        summary: "Whether to decompose foreign operators that have their own lowering, too.",
        kind: OptionKind::Flag,
        default: "false",
    },
]);

const OPTIMIZE: PassDefinition = PassDefinition::on_module(
    "optimize",
    "Rewrites the graph into the cheapest equivalent one that is found.",
    optimize,
)
.with_options(&[
    OptionDefinition {
        name: "strict-fp",
        summary: "Whether only rules apply whose results are bitwise equal.",
        kind: OptionKind::Flag,
        default: "false",
    },
    OptionDefinition {
        name: "without",
        summary: "Families of rules to leave out, separated by +.",
        kind: OptionKind::Text,
        default: "",
    },
    OptionDefinition {
        name: "trace",
        summary: "Whether to record in rt.gone what replaced the operations that were removed.",
        kind: OptionKind::Flag,
        default: "false",
    },
    OptionDefinition {
        name: "explain",
        summary: "Whether to print which rules applied and how much cost they saved.",
        kind: OptionKind::Flag,
        default: "false",
    },
]);

/// The family of rules with a name.
fn family(name: &str) -> Result<&'static str> {
    let known = || optimize::families();
    known().find(|family| *family == name).ok_or_else(|| {
        let message = format!("'{name}' is not a family of rules");
        let note = format!("the families are {}", known().collect::<Vec<_>>().join(", "));
        Diagnostic::error(ErrorClass::Usage, Location::Unknown, message).with_note(note).into()
    })
}

fn optimize(module: &mut Module, context: &PassContext<'_>) -> Result<()> {
    let chosen = |name: &str| context.options.get(name) == "true";
    let limits = optimize::Options::default();
    let options = optimize::Options {
        strict_fp: chosen("strict-fp"),
        without: context
            .options
            .get("without")
            .split('+')
            .filter(|name| !name.is_empty())
            .map(family)
            .collect::<Result<_>>()?,
        explain: chosen("explain"),
        trace: chosen("trace"),
        ..limits
    };
    let report = optimize::optimize(module, &options)?;
    if options.trace {
        module.attributes.set(GONE, gone(&report));
    }
    if options.explain {
        // standard error may be closed
        let _ = write!(std::io::stderr(), "{report}");
    }
    Ok(())
}

fn gone(report: &optimize::Report) -> Attribute {
    let one = |gone: &optimize::Gone| {
        let names = |nodes: &[Arc<str>]| Attribute::Array(nodes.iter().map(|node| Attribute::string(node)).collect());
        let rules = gone.rules.iter().map(|rule| Attribute::string(rule)).collect();
        Attribute::Array([names(&gone.nodes), Attribute::Array(rules), names(&gone.instead)].into())
    };
    Attribute::Array(report.gone.iter().map(one).collect())
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
