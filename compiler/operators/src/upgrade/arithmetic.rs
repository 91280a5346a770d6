//! Explicit broadcasting of old versions.

use ir::{Attribute, DenseElements, Value};

use crate::graph::Emitter;
use crate::graph::{Node, Problem};

/// Until opset 7, `broadcast` and `axis` stated the alignment of the second operand with the first.
pub(crate) fn broadcast_7(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let Some(axis) = node.attributes.integer("axis") else { return Ok(()) };
    if node.attributes.integer("broadcast").unwrap_or(0) != 0 {
        node.operands[1] = align(node.operands[0], node.operands[1], axis, emit)?;
    }
    Ok(())
}

/// `inner` with trailing extents of 1, so that its first axis is aligned with `axis` of `outer`.
pub(crate) fn align(outer: Value, inner: Value, axis: i64, emit: &mut Emitter) -> Result<Value, Problem> {
    let inner_rank = emit.rank(inner).ok_or_else(|| Problem::unsupported("broadcasts an operand of unknown rank"))?;
    let beyond = || Problem::input(format!("broadcasts along axis {axis}, where the operand does not match"));
    let outer_rank = emit.rank(outer);
    let most = outer_rank.map_or(1 << 32, |rank| rank as i64);
    if !(-most..=most).contains(&axis) {
        return Err(beyond());
    }
    if let Some(outer_rank) = outer_rank {
        let axis = if axis < 0 { axis + outer_rank as i64 } else { axis };
        let missing = outer_rank as i64 - axis - inner_rank as i64;
        if missing < 0 {
            return Err(beyond());
        }
        let axes: Vec<i64> = (0..missing).map(|i| inner_rank as i64 + i).collect();
        let axes = if missing == 0 { return Ok(inner) } else { emit.integers(&axes) };
        return Ok(emit.op("Unsqueeze", &[inner, axes], []));
    }
    // the number of extents is computed from the shape of the outer operand's shape
    let outer_shape = emit.op("Shape", &[outer], []);
    let outer_rank = emit.op("Shape", &[outer_shape], []);
    let used = emit.integers(&[inner_rank as i64 + axis]);
    let missing = match axis {
        0.. => emit.op("Sub", &[outer_rank, used], []),
        // a negative axis counts from the end, so the outer rank cancels
        _ => emit.integers(&[-(inner_rank as i64) - axis]),
    };
    let one = Attribute::dense(DenseElements::from_i64(&[1], &[1]));
    let ones = emit.op("ConstantOfShape", &[missing], [("value", one)]);
    let inner_shape = emit.op("Shape", &[inner], []);
    let shape = emit.op("Concat", &[inner_shape, ones], [("axis", Attribute::i64(0))]);
    Ok(emit.op("Reshape", &[inner, shape], []))
}
