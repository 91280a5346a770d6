//! What is known ahead of a run.

use ir::{Body, IndexSet, Op, Value};

/// Most operations between constants and a value: weights are packed and converted in a few steps.
const STEPS: usize = 64;

/// Whether a value is computed from constants alone, in a few steps.
pub(crate) fn is_known_ahead(body: &Body, value: Value) -> bool {
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

/// What the regions of an operation read that is defined outside.
pub(crate) fn captured(body: &Body, op: Op) -> Vec<Value> {
    let inner: Vec<Op> = body.op(op).regions().iter().flat_map(|&region| body.walk(region)).collect();
    let results = inner.iter().flat_map(|&op| body.op(op).results());
    let blocks: IndexSet<_> = inner.iter().filter_map(|&op| body.op(op).parent()).collect();
    let arguments = blocks.iter().flat_map(|&block| body.arguments(block));
    let own: IndexSet<Value> = results.chain(arguments).copied().collect();
    let reads = inner.iter().flat_map(|&op| body.op(op).operands());
    reads.filter(|value| !own.contains(*value)).copied().collect()
}
