//! NonZero: the indices of the elements that are not zero, one per column. Since 9.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{DimExpr, Op};

use crate::operator::Operator;
use crate::shape::{Answer, Node};
use crate::structured::calls::Argument::Tensor;
use crate::structured::{Lowering, Unsupported};

pub(crate) const NON_ZERO: Operator =
    Operator { shapes: Some(shapes), lower: Some(lower), ..Operator::of(OnnxOp::NonZero) };

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let rank = match node.shape_of(node.view::<views::NonZero>().x) {
        Some(shape) => DimExpr::Constant(shape.len() as i64),
        None => node.fresh(0, 0),
    };
    Ok(vec![Some(vec![rank, node.fresh(0, 1)])])
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::NonZero::of(lowering.source, op);
    lowering.call(op, "non_zero", &[Tensor(node.x)])
}
