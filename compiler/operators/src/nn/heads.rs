//! Heads of attention: splitting, joining, and products of tensors whose heads come in groups.

use ir::{Attribute, Value};

use crate::graph::Emitter;

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

/// `1 / √D` of a tensor `[…, D]`, of the element type of another: the usual scale of products with it.
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

/// The product of a tensor with heads in axis 1 and one with as many or fewer, `[B, H, S, N]`.
pub(super) fn headwise_product(emit: &mut Emitter, left: Value, right: Value) -> Value {
    let grouped = group_heads(emit, left, right);
    let shared = emit.unsqueeze(right, &[2]);
    let product = emit.plain("MatMul", &[grouped, shared]);
    let rows = emit.op("Shape", &[left], [("end", Attribute::i64(3))]);
    let columns = emit.extent(right, -1);
    let shape = emit.list(&[rows, columns]);
    emit.plain("Reshape", &[product, shape])
}
