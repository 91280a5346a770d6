//! `canonicalize`: brings every operation into its simplest form.

use crate::body::Body;
use crate::diagnostics::Result;
use crate::pass::{PassContext, PassDefinition, PassOption, PassOptions, Statistic};
use crate::registry::Registry;
use crate::rewrite::{FUEL_PER_OPERATION, PatternSet, rewrite_greedily};

pub(super) static PASS: PassDefinition<Options> = PassDefinition::on_functions(
    "canonicalize",
    "Folds, applies the canonicalisations of the operations, and removes unused operations.",
    run,
)
.with_statistics(&[Statistic { name: CHANGED, summary: "Number of operations folded, rewritten or removed" }]);

const CHANGED: &str = "num-changed";

/// How to canonicalize.
#[derive(Clone, Default)]
pub(super) struct Options {
    max_changes: usize,
}

impl PassOptions for Options {
    const OPTIONS: &'static [PassOption<Options>] = &[PassOption {
        name: "max-changes",
        summary: "The maximum number of changes; 0 means a limit relative to the size of the function.",
        field: |options| &mut options.max_changes,
    }];
}

fn run(body: &mut Body, context: &PassContext<'_, Options>) -> Result<()> {
    let changes = match context.options.max_changes {
        0 => canonicalize(body, context.registry),
        fuel => rewrite_greedily(body, context.registry, &PatternSet::default(), fuel).changes,
    };
    context.statistics.add(CHANGED, changes);
    Ok(())
}

/// Brings every operation of a body into its simplest form; returns the number of changes.
pub fn canonicalize(body: &mut Body, registry: &Registry) -> usize {
    let fuel = FUEL_PER_OPERATION * body.walk_all().len();
    rewrite_greedily(body, registry, &PatternSet::default(), fuel).changes
}
