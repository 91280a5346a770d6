//! Operators on images with channels last.

use ir::{Attributes, Value};

use crate::graph::{Emitter, Problem};

/// The rank of a kernel's operand, from the weights or the kernel's shape.
pub(super) fn image_rank(emit: &Emitter, weights: Option<Value>, kernel: Option<&[i64]>) -> Result<i64, Problem> {
    let rank = kernel.map(|kernel| kernel.len() + 2).or_else(|| emit.rank(weights?));
    Ok(rank.ok_or_else(|| Problem::unsupported("has weights of unknown rank and no \"kernel_shape\""))? as i64)
}

/// `[N, D…, C]` as `[N, C, D…]`.
pub(super) fn channels_first(emit: &mut Emitter, x: Value, rank: i64) -> Value {
    let order: Vec<i64> = [0, rank - 1].into_iter().chain(1..rank - 1).collect();
    emit.transpose(x, &order)
}

/// `[N, C, D…]` as `[N, D…, C]`.
pub(super) fn channels_last(emit: &mut Emitter, x: Value, rank: i64) -> Value {
    let order: Vec<i64> = std::iter::once(0).chain(2..rank).chain([1]).collect();
    emit.transpose(x, &order)
}

/// Applies an operator of the standard, which has channels in axis 1, to an operand and a result with channels last.
pub(super) fn with_channels_first(
    emit: &mut Emitter,
    rank: i64,
    name: &str,
    operands: &[Value],
    attributes: Attributes,
) -> Value {
    let mut operands = operands.to_vec();
    operands[0] = channels_first(emit, operands[0], rank);
    let result = emit.op(name, &operands, attributes);
    channels_last(emit, result, rank)
}
