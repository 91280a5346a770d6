//! Traits, arities, attributes and specific checks of an operation's definition.

use crate::body::{Body, Op};
use crate::registry::{Arity, OpDefinition, Trait};

use super::Verifier;
use super::structure::segments;

impl Verifier<'_> {
    pub(super) fn definition(&mut self, body: &Body, op: Op) {
        for (name, value) in body.op(op).attributes.iter() {
            if let Err(error) = self.registry.check_discardable(name, value) {
                self.report(body, op, error);
            }
        }
        let Some(definition) = self.registry.get(body.name(op)) else { return };
        let errors = violations(definition, body, op);
        if errors.is_empty() {
            self.own_checks(definition, body, op);
        }
        for error in errors {
            self.report(body, op, error);
        }
    }

    fn own_checks(&mut self, definition: &OpDefinition, body: &Body, op: Op) {
        if let Some(verify) = definition.verify
            && let Err(message) = verify(body, op)
        {
            self.report(body, op, message);
        }
        if let Some(verify) = definition.verify_symbols
            && let Err(message) = verify(&self.symbols, body, op)
        {
            self.report(body, op, message);
        }
    }
}

/// Whether an operation is what its definition says, as far as it can be seen without the module: its custom form can be
/// printed.
pub(crate) fn is_well_formed(definition: &OpDefinition, body: &Body, op: Op) -> bool {
    segments(body, op).is_ok()
        && violations(definition, body, op).is_empty()
        && definition.verify.is_none_or(|verify| verify(body, op).is_ok())
}

/// What the counts, traits and attributes of a definition demand and the operation lacks.
fn violations(definition: &OpDefinition, body: &Body, op: Op) -> Vec<String> {
    let errors = [arities(definition, body, op), traits(definition, body, op), attributes(definition, body, op)];
    errors.into_iter().flatten().collect()
}

fn arities(definition: &OpDefinition, body: &Body, op: Op) -> Vec<String> {
    let operation = body.op(op);
    let regions = operation.regions().len() + operation.isolated().is_some() as usize;
    let rows: [(&str, Arity, usize); 4] = [
        ("operands", definition.operands, operation.operands().len()),
        ("results", definition.results, operation.results().len()),
        ("regions", definition.regions, regions),
        ("successors", definition.successors, operation.successors().len()),
    ];
    let wrong = rows.into_iter().filter(|(_, arity, count)| !arity.allows(*count));
    wrong.map(|(what, arity, count)| format!("expects {arity} {what}, found {count}")).collect()
}

fn traits(definition: &OpDefinition, body: &Body, op: Op) -> Vec<String> {
    definition.traits.iter().filter_map(|&expected| broken_trait(expected, body, op)).collect()
}

fn broken_trait(expected: Trait, body: &Body, op: Op) -> Option<String> {
    let operation = body.op(op);
    match expected {
        Trait::SameOperandsAndResultType | Trait::SameTypeOperands => {
            let results = match expected {
                Trait::SameOperandsAndResultType => operation.results(),
                _ => &[],
            };
            let mut types = operation.operands().iter().chain(results).map(|&value| body.value_type(value));
            let first = types.next()?;
            let other = types.find(|&other| other != first)?;
            let what = if results.is_empty() { "operands" } else { "operands and results" };
            Some(format!("requires the same type for all {what}, found {first} and {other}"))
        }
        Trait::SingleBlock => {
            let regions = operation.regions().iter().map(|&region| body.blocks(region).len());
            let isolated = operation.isolated().map(|inner| inner.blocks(inner.root()).len());
            let many = regions.chain(isolated).find(|&count| count > 1)?;
            Some(format!("takes regions of one block, found {many}"))
        }
        Trait::IsolatedFromAbove => operation
            .isolated()
            .is_none()
            .then(|| "is isolated from above, but its region is in the enclosing arena".to_string()),
        Trait::Symbol => {
            operation.attributes.str("sym_name").is_none().then(|| "requires string attribute 'sym_name'".to_string())
        }
        Trait::ConstantLike => (!operation.operands().is_empty() || operation.results().len() != 1)
            .then(|| "is a constant: no operands, one result".to_string()),
        Trait::Commutative => None,
        // checked with the structure
        Trait::Terminator | Trait::NoTerminator => None,
        // promises to passes that cannot be checked on the operation
        Trait::Pure | Trait::Elementwise | Trait::NoMemoryEffect | Trait::ReadsMemory | Trait::RecursiveEffects => None,
    }
}

fn attributes(definition: &OpDefinition, body: &Body, op: Op) -> Vec<String> {
    let mut errors = Vec::new();
    for expected in definition.attributes {
        match body.attribute(op, expected.name) {
            None if expected.required => errors.push(format!("requires attribute '{}'", expected.name)),
            Some(found) if !expected.kind.allows(found) => {
                errors.push(format!(
                    "attribute '{}' must be {}, found {found}",
                    expected.name,
                    expected.kind.describe()
                ));
            }
            _ => {}
        }
    }
    errors
}
