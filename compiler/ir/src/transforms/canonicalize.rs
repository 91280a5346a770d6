//! `canonicalize`: brings every operation into its simplest form.

use crate::body::Body;
use crate::diagnostics::Result;
use crate::pass::{OptionDefinition, OptionKind, PassContext, PassDefinition};
use crate::registry::Registry;
use crate::rewrite::{FUEL_PER_OPERATION, PatternSet, rewrite_greedily};

pub(super) const PASS: PassDefinition = PassDefinition::on_functions(
    "canonicalize",
    "Folds, applies the canonicalisations of the operations, and removes unused operations.",
    run,
)
.with_options(&[OptionDefinition {
    name: "max-changes",
    summary: "The maximum number of changes; 0 means a limit relative to the size of the function.",
    kind: OptionKind::Integer,
    default: "0",
}]);

fn run(body: &mut Body, context: &PassContext<'_>) -> Result<()> {
    match usize::try_from(context.options.integer("max-changes")) {
        Ok(fuel) if fuel > 0 => rewrite_greedily(body, context.registry, &PatternSet::default(), fuel).changes,
        _ => canonicalize(body, context.registry),
    };
    Ok(())
}

/// Brings every operation of a body into its simplest form; returns the number of changes.
pub fn canonicalize(body: &mut Body, registry: &Registry) -> usize {
    let fuel = FUEL_PER_OPERATION * body.walk_all().len();
    rewrite_greedily(body, registry, &PatternSet::default(), fuel).changes
}
