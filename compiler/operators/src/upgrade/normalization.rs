//! Normalization, Dropout and pooling.

use ir::Attribute;

use crate::graph::Emitter;
use crate::graph::{Node, Problem};

/// `p` became an integer.
pub(super) fn integer_p_2(node: &mut Node, _: &mut Emitter) -> Result<(), Problem> {
    let Some(p) = node.attributes.float("p") else { return Ok(()) };
    if p.fract() != 0.0 {
        return Err(Problem::unsupported(format!("has p = {p}, which is not an integer")));
    }
    node.attributes.set("p", Attribute::i64(p as i64));
    Ok(())
}

/// Statistics are one per channel.
pub(super) fn batch_normalization_9(node: &mut Node, _: &mut Emitter) -> Result<(), Problem> {
    match node.attributes.integer("spatial") {
        Some(0) => Err(Problem::unsupported("has one mean an element (spatial = 0)")),
        _ => Ok(()),
    }
}

/// Until opset 14, further outputs meant training.
pub(super) fn batch_normalization_14(node: &mut Node, _: &mut Emitter) -> Result<(), Problem> {
    if node.outputs[1..].contains(&true) {
        return Err(Problem::unsupported("is in training mode: it has more than one output"));
    }
    node.outputs.truncate(1);
    Ok(())
}

/// Until opset 21, scale and bias were one per group.
pub(super) fn group_normalization_21(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let groups = node.attributes.integer("num_groups").unwrap_or(1);
    let bounds = [("start", Attribute::i64(1)), ("end", Attribute::i64(2))];
    let channels = emit.op("Shape", &[node.operands[0]], bounds);
    let count = emit.integers(&[groups]);
    let one_axis = emit.integers(&[1]);
    let size = emit.op("Div", &[channels, count], []);
    let both = emit.op("Concat", &[count, size], [("axis", Attribute::i64(0))]);
    for index in [1, 2] {
        let column = emit.op("Unsqueeze", &[node.operands[index], one_axis], []);
        let spread = emit.op("Expand", &[column, both], []);
        node.operands[index] = emit.op("Reshape", &[spread, channels], []);
    }
    Ok(())
}
