//! Compress: the slices, or elements, selected by a condition. Since 9.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::Op;

use super::axis_or_all;
use crate::operator::Operator;
use crate::shape::{Answer, Node, normalize_axis};
use crate::structured::calls::Argument::{Index, Moved, Tensor};
use crate::structured::{Lowering, Unsupported};

pub(crate) const COMPRESS: Operator =
    Operator { shapes: Some(shapes), lower: Some(lower), ..Operator::of(OnnxOp::Compress) };

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let compress: views::Compress = node.view();
    let Some(axis) = compress.axis else { return Ok(vec![Some(vec![node.fresh(0, 0)])]) };
    let Some(mut shape) = node.shape_of(compress.input) else { return Ok(vec![]) };
    let axis = normalize_axis(axis, shape.len())?;
    shape[axis] = node.fresh(0, axis);
    Ok(vec![Some(shape)])
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::Compress::of(lowering.source, op);
    let axis = axis_or_all(lowering, node.axis, node.input)?;
    lowering.call(op, "compress", &[Moved(node.input), Tensor(node.condition), Index(axis)])
}
