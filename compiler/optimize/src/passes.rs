//! The pass of this crate.

use std::io::Write;
use std::sync::Arc;

use dialects::rt::attributes::GONE;
use ir::pass::{OptionValue, Pass, PassContext, PassDefinition, PassOption, PassOptions, Statistic};
use ir::{Attribute, Module, Result};

use crate::{Extraction, Families, Gone, Options, Report, families, optimize};

/// The passes.
pub fn passes() -> [Pass; 1] {
    [&OPTIMIZE]
}

/// Rewrites `@main_graph`.
pub static OPTIMIZE: PassDefinition<Options> =
    PassDefinition::on_module("optimize", "Rewrites the graph into the cheapest equivalent one that is found.", run)
        .with_statistics(&[
            Statistic { name: FOUND, summary: "Number of equations that the rules found" },
            Statistic { name: CHOSEN, summary: "Number of equations that are in the graph that was chosen" },
            Statistic { name: NODES, summary: "Number of nodes of e-graphs at their end" },
            Statistic { name: BEFORE, summary: "Number of operations before, without those of constants alone" },
            Statistic { name: AFTER, summary: "Number of operations after, without those of constants alone" },
        ]);

const FOUND: &str = "num-found";
const CHOSEN: &str = "num-chosen";
const NODES: &str = "num-nodes";
const BEFORE: &str = "num-operations-before";
const AFTER: &str = "num-operations-after";

impl PassOptions for Options {
    const OPTIONS: &'static [PassOption<Options>] = &[
        PassOption {
            name: "strict-fp",
            summary: "Whether only rules apply whose results are bitwise equal.",
            field: |options| &mut options.strict_fp,
        },
        PassOption {
            name: "without",
            summary: "Families of rules to leave out, separated by +.",
            field: |options| &mut options.without,
        },
        PassOption {
            name: "extract",
            summary: "Which equal graph is chosen: the cheapest; for tests, the costliest, or one by random costs of a seed.",
            field: |options| &mut options.extraction,
        },
        PassOption {
            name: "trace",
            summary: "Whether to record in rt.gone what replaced the operations that were removed.",
            field: |options| &mut options.trace,
        },
        PassOption {
            name: "explain",
            summary: "Whether to print which rules applied and how much cost they saved.",
            field: |options| &mut options.explain,
        },
    ];
}

impl OptionValue for Families {
    fn allowed(&self) -> String {
        "FAMILY+FAMILY".to_string()
    }

    fn text(&self) -> String {
        self.0.join("+")
    }

    fn set(&mut self, text: &str) -> std::result::Result<(), String> {
        let family = |name: &str| families().find(|family| *family == name);
        let chosen = text.split('+').filter(|name| !name.is_empty()).map(family).collect::<Option<_>>();
        let known = || format!("some of {}, separated by +", families().collect::<Vec<_>>().join(", "));
        self.0 = chosen.ok_or_else(known)?;
        Ok(())
    }
}

impl OptionValue for Extraction {
    fn allowed(&self) -> String {
        "cheapest|costliest|N".to_string()
    }

    fn text(&self) -> String {
        self.to_string()
    }

    fn set(&mut self, text: &str) -> std::result::Result<(), String> {
        *self = text.parse().map_err(|_: String| "cheapest, costliest or a seed")?;
        Ok(())
    }
}

fn run(module: &mut Module, context: &PassContext<'_, Options>) -> Result<()> {
    let report = optimize(module, context.options)?;
    context.statistics.add(FOUND, report.rules.values().map(|rule| rule.fired).sum());
    context.statistics.add(CHOSEN, report.rules.values().map(|rule| rule.chosen).sum());
    context.statistics.add(NODES, report.searches.iter().map(|search| search.nodes).sum());
    context.statistics.add(BEFORE, report.operations_before);
    context.statistics.add(AFTER, report.operations_after);
    if context.options.trace {
        module.attributes.set(GONE, gone(&report));
    }
    if context.options.explain {
        // standard error may be closed
        let _ = write!(std::io::stderr(), "{report}");
    }
    Ok(())
}

fn gone(report: &Report) -> Attribute {
    let one = |gone: &Gone| {
        let names = |nodes: &[Arc<str>]| Attribute::Array(nodes.iter().map(|node| Attribute::string(node)).collect());
        let rules = gone.rules.iter().map(|rule| Attribute::string(rule)).collect();
        Attribute::Array([names(&gone.nodes), Attribute::Array(rules), names(&gone.instead)].into())
    };
    Attribute::Array(report.gone.iter().map(one).collect())
}
