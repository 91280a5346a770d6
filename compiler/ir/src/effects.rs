//! Whether passes may remove or merge an operation, derived from the traits of its definition.

use crate::attributes::Attribute;
use crate::body::{Body, Op, Value};
use crate::registry::{Registry, Trait};

/// Whether the operation may be removed when its results are unused.
pub fn is_removable(registry: &Registry, body: &Body, op: Op) -> bool {
    if !has_no_own_effect(registry, body, op) {
        return false;
    }
    let inner = body.op(op).regions().iter().flat_map(|&region| body.walk(region));
    body.op(op).isolated().is_none()
        && inner
            .into_iter()
            .all(|op| registry.has_trait(body.name(op), Trait::Terminator) || has_no_own_effect(registry, body, op))
}

/// Whether the operation may be removed if unused, ignoring the operations in its regions.
fn has_no_own_effect(registry: &Registry, body: &Body, op: Op) -> bool {
    let Some(definition) = registry.get(body.name(op)) else { return false };
    if definition.has(Trait::Terminator) || definition.has(Trait::Symbol) {
        return false;
    }
    let touches_no_buffer = || body.op(op).operands().iter().all(|&v| body.value_type(v).as_memref().is_none());
    [Trait::Pure, Trait::NoMemoryEffect, Trait::ReadsMemory].into_iter().any(|wanted| definition.has(wanted))
        || definition.has(Trait::RecursiveEffects) && touches_no_buffer()
}

/// Whether two equal operations of this name can be merged: no effect, no dependence on memory.
pub fn is_mergeable(registry: &Registry, body: &Body, op: Op) -> bool {
    let Some(definition) = registry.get(body.name(op)) else { return false };
    (definition.has(Trait::Pure) || definition.has(Trait::NoMemoryEffect)) && !definition.has(Trait::Terminator)
}

/// The `value` attribute of a constant: an operation with one result, no operands and such an attribute.
pub fn constant_value(body: &Body, value: Value) -> Option<&Attribute> {
    let op = body.defining_op(value)?;
    let operation = body.op(op);
    let is_constant = operation.operands().is_empty() && operation.results().len() == 1;
    is_constant.then(|| operation.attributes.get("value")).flatten()
}

/// The integer value of a constant of integer, index or boolean type, or of a splat of those.
pub fn constant_integer(body: &Body, value: Value) -> Option<i64> {
    match constant_value(body, value)? {
        Attribute::Dense(elements) if elements.is_splat() => elements.integer(0),
        attribute => attribute.as_integer(),
    }
}

/// The value of a constant of float type, or of a splat of those.
pub fn constant_float(body: &Body, value: Value) -> Option<f64> {
    match constant_value(body, value)? {
        Attribute::Dense(elements) if elements.is_splat() => elements.float(0),
        attribute => attribute.as_float(),
    }
}
