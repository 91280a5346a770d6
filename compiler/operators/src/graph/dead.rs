//! Dead code elimination.

use dialects::onnx::YIELD;
use ir::{Body, Op};

/// Erases operators without readers, which have no effect besides their results.
pub fn remove_dead(body: &mut Body) {
    let mut dead = Vec::new();
    for op in body.walk_all().into_iter().rev() {
        let operation = body.op(op);
        let is_operator = operation.name.as_str().starts_with("onnx.") && operation.name.as_str() != YIELD;
        if is_operator && operation.results().iter().all(|&result| body.uses(result).is_empty()) {
            let regions = operation.regions().to_vec();
            let inner: Vec<Op> = regions.into_iter().flat_map(|region| body.walk(region)).collect();
            inner.into_iter().chain([op]).for_each(|op| body.set_operands(op, &[]));
            dead.push(op);
        }
    }
    body.erase_all(&dead);
}
