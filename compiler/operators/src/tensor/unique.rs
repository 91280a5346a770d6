//! Unique: the distinct elements, or slices, with their indices and counts. Since 11.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{DimExpr, Op};

use super::axis_or_all;
use crate::operator::Operator;
use crate::shape::{Answer, Node, normalize_axis};
use crate::structured::calls::Argument::{Index, Tensor};
use crate::structured::{Lowering, Unsupported};

pub(crate) const UNIQUE: Operator =
    Operator { shapes: Some(shapes), lower: Some(lower), ..Operator::of(OnnxOp::Unique) };

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let unique: views::Unique = node.view();
    let Some(shape) = node.shape_of(unique.x) else { return Ok(vec![]) };
    let (axis, mut values) = match unique.axis {
        Some(axis) => (normalize_axis(axis, shape.len())?, shape.clone()),
        None => (0, vec![DimExpr::ZERO]),
    };
    let count = node.fresh(0, axis);
    let searched = if unique.axis.is_some() { shape[axis].clone() } else { DimExpr::product(&shape) };
    values[axis] = count.clone();
    Ok(vec![Some(values), Some(vec![count.clone()]), Some(vec![searched]), Some(vec![count])])
}
fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::Unique::of(lowering.source, op);
    let (axis, sorted) = (axis_or_all(lowering, node.axis, node.x)?, lowering.index(node.sorted));
    lowering.call(op, "unique", &[Tensor(node.x), Index(axis), Index(sorted)])
}
