//! Values that are known at compile time.

use ir::{Block, Body, Op, Value, ValueDefinition};

/// The maximum number of operations between constants and a value: weights are packed and converted in a few steps.
const STEPS: usize = 64;

/// Whether a value is computed from constants alone, in a few steps.
pub(crate) fn depends_on_constants_alone(body: &Body, value: Value) -> bool {
    let mut pending = vec![value];
    let mut steps = 0;
    while let Some(value) = pending.pop() {
        let Some(op) = body.defining_op(value) else { return false };
        steps += 1;
        if steps > STEPS {
            return false;
        }
        pending.extend(body.op(op).operands());
        pending.extend(captured(body, op));
    }
    true
}

/// The values from outside that the regions of an operation read.
pub(crate) fn captured(body: &Body, op: Op) -> impl Iterator<Item = Value> {
    let inner = body.op(op).regions().iter().flat_map(|&region| body.walk(region));
    let reads = inner.flat_map(|inner| body.op(inner).operands()).copied();
    reads.filter(move |&value| !is_inside(body, value, op))
}

/// Whether a value is defined in the regions of an operation.
fn is_inside(body: &Body, value: Value, op: Op) -> bool {
    let block = match body.definition(value) {
        ValueDefinition::Result { op, .. } => body.op(op).parent(),
        ValueDefinition::Argument { block, .. } => Some(block),
    };
    let around = |block: Block| body.region_parent(body.block_region(block)?);
    std::iter::successors(block.and_then(around), |&outer| body.parent_op(outer)).any(|outer| outer == op)
}
