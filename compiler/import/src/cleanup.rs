//! Removing what nobody reads.

use ir::Body;

/// Erases operations without readers. Operators have no effect besides their results.
pub(crate) fn remove_dead(body: &mut Body) {
    for op in body.walk_all().into_iter().rev() {
        let operation = body.op(op);
        let terminator = matches!(operation.name.as_str(), "func.return" | "onnx.Yield");
        if !terminator && operation.results().iter().all(|&result| body.uses(result).is_empty()) {
            body.erase(op);
        }
    }
}
