//! TensorScatter: writes rows into a cache. Since 24.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, CacheMode, View};
use ir::{Attribute, Op, Value};

use crate::operator::{Operator, Rank};
use crate::shape::like_first;
use crate::structured::calls::Argument::{Index, Moved, Tensor};
use crate::structured::reduction::normalize_axis;
use crate::structured::strings::integers;
use crate::structured::{Lowering, Unsupported};

pub(crate) const TENSOR_SCATTER: Operator = Operator {
    ranks: &[(0, Rank::AtLeast(1)), (2, Rank::Exactly(1))],
    shapes: Some(like_first),
    lower: Some(lower),
    ..Operator::of(OnnxOp::TensorScatter)
};

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let scatter = views::TensorScatter::of(lowering.source, op);
    let axis = normalize_axis(scatter.axis, lowering.shape(scatter.past_cache).len())?;
    let cache = without_room(lowering, scatter.past_cache, axis).unwrap_or(scatter.past_cache);
    let places = match scatter.write_indices {
        Some(places) => Tensor(places),
        None => lowering.vector(&integers(&[0])),
    };
    let is_circular = lowering.index(i64::from(scatter.mode == CacheMode::Circular));
    let axis = Index(lowering.index(axis as i64));
    lowering.call(op, "write_rows", &[Moved(cache), Moved(scatter.update), places, axis, Index(is_circular)])
}

/// The part before appended zeros, if a cache is the concatenation of both along the axis: the routine makes room
/// itself.
fn without_room(lowering: &Lowering<'_>, cache: Value, axis: usize) -> Option<Value> {
    let join = lowering.source.defining_op(cache)?;
    if lowering.source.name(join) != "onnx.Concat" {
        return None;
    }
    let join = views::Concat::of(lowering.source, join);
    let &[own, room] = &join.inputs[..] else { return None };
    let rank = lowering.shape(cache).len();
    let repeat = lowering.source.defining_op(room).filter(|&op| lowering.source.name(op) == "onnx.Expand")?;
    let element =
        ir::constant_value(lowering.source, lowering.source.operand(repeat, 0)).and_then(Attribute::as_dense)?;
    let is_zero = element.data.bytes().iter().all(|&byte| byte == 0);
    (normalize_axis(join.axis, rank) == Ok(axis) && is_zero).then_some(own)
}
