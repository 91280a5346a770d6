//! Attention heads: splitting, joining, and products of tensors with grouped heads.

use ir::{Attribute, DimExpr, Value};

use crate::graph::{Emitter, Problem};

/// `[B, S, H * D]` as `[B, H, S, D]`.
pub(crate) fn split_heads(emit: &mut Emitter, value: Value, heads: i64) -> Value {
    let shape = emit.integers(&[0, 0, heads, -1]);
    let split = emit.plain("Reshape", &[value, shape]);
    emit.transpose(split, &[0, 2, 1, 3])
}

/// `[B, H, S, D]` as `[B, S, H * D]`.
pub(crate) fn join_heads(emit: &mut Emitter, value: Value) -> Value {
    let moved = emit.transpose(value, &[0, 2, 1, 3]);
    let shape = emit.integers(&[0, 0, -1]);
    emit.plain("Reshape", &[moved, shape])
}

/// `1 / √D` for a tensor `[…, D]`, with the element type of another: the usual scale of scores.
pub(super) fn inverse_root_size(emit: &mut Emitter, value: Value, like: Value) -> Value {
    let size = emit.extent(value, -1);
    let size = emit.plain("CastLike", &[size, like]);
    let root = emit.plain("Sqrt", &[size]);
    emit.plain("Reciprocal", &[root])
}

/// `[B, G * H, …]` as `[B, H, G, …]`, where `shared` has `H` heads.
pub(super) fn group_heads(emit: &mut Emitter, value: Value, shared: Value) -> Value {
    let (batch, heads) = (emit.extent(value, 0), emit.extent(shared, 1));
    let rest = emit.op("Shape", &[value], [("start", Attribute::i64(2))]);
    let all = emit.extent(value, 1);
    let group = emit.plain("Div", &[all, heads]);
    let shape = emit.list(&[batch, heads, group, rest]);
    emit.plain("Reshape", &[value, shape])
}

/// `[B, H, G, …]` as `[B, G * H, …]`.
pub(super) fn join_groups(emit: &mut Emitter, value: Value) -> Value {
    let (batch, all) = (emit.extent(value, 0), emit.integers(&[-1]));
    let rest = emit.op("Shape", &[value], [("start", Attribute::i64(3))]);
    let shape = emit.list(&[batch, all, rest]);
    emit.plain("Reshape", &[value, shape])
}

/// A term for the scores of queries, which broadcasts to `[B, G * H, S, T]`, in groups, `[B, H, G, S, T]`.
pub(super) fn group_bias(emit: &mut Emitter, bias: Value, query: Value, shared: Value) -> Result<Value, Problem> {
    let rank = emit.known_rank(bias)?;
    if rank < 3 {
        return Ok(bias);
    }
    let bias = if rank == 3 { emit.unsqueeze(bias, &[0]) } else { bias };
    if emit.shape(bias).is_some_and(|shape| shape[1] == DimExpr::ONE) {
        return Ok(emit.unsqueeze(bias, &[2]));
    }
    if have_same_heads(emit, bias, query) {
        return Ok(group_heads(emit, bias, shared));
    }
    let (one, heads, rest) = (emit.integers(&[1]), emit.extent(query, 1), emit.integers(&[1, 1]));
    let shape = emit.list(&[one, heads, rest]);
    let bias = emit.plain("Expand", &[bias, shape]);
    Ok(group_heads(emit, bias, shared))
}

/// Whether two tensors have the same number of heads, as far as known.
pub(super) fn have_same_heads(emit: &Emitter, left: Value, right: Value) -> bool {
    let [left, right] = [left, right].map(|value| emit.shape(value).and_then(|shape| shape.get(1).cloned()));
    left.is_some() && left == right
}

/// The product of a tensor with heads in axis 1 and one with the same number of heads or fewer, `[B, H, S, N]`.
pub(super) fn headwise_product(emit: &mut Emitter, left: Value, right: Value) -> Value {
    if have_same_heads(emit, left, right) {
        return emit.plain("MatMul", &[left, right]);
    }
    let grouped = group_heads(emit, left, right);
    let shared = emit.unsqueeze(right, &[2]);
    let product = emit.plain("MatMul", &[grouped, shared]);
    let rows = emit.op("Shape", &[left], [("end", Attribute::i64(3))]);
    let columns = emit.extent(right, -1);
    let shape = emit.list(&[rows, columns]);
    emit.plain("Reshape", &[product, shape])
}
