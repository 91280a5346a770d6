//! TopK: the largest or smallest elements along an axis, in order.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::Op;

use crate::operator::Operator;
use crate::shape::{Answer, Node, normalize_axis};
use crate::structured::calls::Argument::{Index, Tensor};
use crate::structured::scalars::Comparison;
use crate::structured::{Lowering, Unsupported, reduction};

pub(crate) const TOP_K: Operator = Operator {
    // `k` became an operand
    upgrades: &[(10, |node, emit| {
        if let Some(k) = node.attributes.remove("k").and_then(|k| k.as_integer()) {
            let k = emit.integers(&[k]);
            node.set_operand(1, k, emit);
        }
        Ok(())
    })],
    shapes: Some(shapes),
    lower: Some(lower),
    ..Operator::of(OnnxOp::TopK)
};

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let top: views::TopK = node.view();
    let Some(mut shape) = node.shape_of(top.x) else { return Ok(vec![]) };
    let axis = normalize_axis(top.axis, shape.len())?;
    shape[axis] = match node.known_of(top.k).and_then(|count| count.into_iter().next()) {
        Some(count) => count,
        None => node.fresh(0, axis),
    };
    Ok(vec![Some(shape.clone()), Some(shape)])
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::TopK::of(lowering.source, op);
    let shape = lowering.shape(node.x);
    let axis = reduction::normalize_axis(node.axis, shape.len())?;
    let (count, extent) = (lowering.scalar_index(node.k), lowering.dim(&shape[axis]));
    let enough = lowering.scalars(|s| s.compare(Comparison::LessOrEqual, count, extent));
    lowering.check(enough, "TopK asks for more elements than the axis has");
    for &result in lowering.source.op(op).results() {
        if lowering.is_present(result) {
            lowering.settle(result, axis, count);
        }
    }
    let (axis, largest) = (lowering.index(axis as i64), lowering.index(node.largest));
    lowering.call(op, "top_k", &[Tensor(node.x), Index(axis), Index(largest)])
}
