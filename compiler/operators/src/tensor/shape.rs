//! Shape and Size. Shape inference knows their results if the rank is known, so that no code computes them.

use dialects::onnx::OnnxOp;
use dialects::onnx::views;
use ir::{DimExpr, Op};

use crate::operator::{Cost, Operator};
use crate::shape::{Answer, Node};
use crate::structured::{Lowering, Unsupported};

pub(crate) const SHAPE: Operator = Operator {
    cost: Cost::View,
    shapes: Some(shapes),
    elements: Some(|node, _| {
        let view: views::Shape = node.view();
        let shape = node.shape_of(view.data)?;
        let window = shape_window(&view, shape.len());
        Some(shape[window].iter().cloned().map(Some).collect())
    }),
    lower: Some(unknown),
    ..Operator::of(OnnxOp::Shape)
};

pub(crate) const SIZE: Operator = Operator {
    cost: Cost::View,
    shapes: Some(|_| Ok(vec![Some(vec![])])),
    elements: Some(|node, _| {
        let size: views::Size = node.view();
        Some(vec![Some(DimExpr::product(&node.shape_of(size.data)?))])
    }),
    lower: Some(unknown),
    ..Operator::of(OnnxOp::Size)
};

fn unknown(_: &mut Lowering<'_>, _: Op) -> Result<(), Unsupported> {
    Err(Unsupported::new("the extents of its operand are not known"))
}

/// The part of a shape that `Shape` returns.
fn shape_window(shape: &views::Shape, rank: usize) -> std::ops::Range<usize> {
    let clamp = |bound: i64| (if bound < 0 { bound + rank as i64 } else { bound }).clamp(0, rank as i64) as usize;
    let start = clamp(shape.start);
    start..clamp(shape.end.unwrap_or(rank as i64)).max(start)
}

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let view: views::Shape = node.view();
    let shape = node.shape_of(view.data);
    let length = shape.map(|shape| DimExpr::Constant(shape_window(&view, shape.len()).len() as i64));
    Ok(vec![Some(vec![length.unwrap_or_else(|| node.fresh(0, 0))])])
}
