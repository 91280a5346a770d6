//! Det: determinants of the matrices in the last two axes.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};

use crate::operator::Operator;
use crate::structured::calls::Argument::Tensor;

pub(crate) const DET: Operator = Operator {
    shapes: Some(|node| {
        let views::Det { x } = node.view();
        let Some(shape) = node.shape_of(x) else { return Ok(vec![]) };
        let [outer @ .., rows, columns] = shape.as_slice() else {
            return Err(format!("the operand must have rank 2 or more, found {}", shape.len()));
        };
        node.expect_equal(rows, columns, "the sides of the matrices")?;
        Ok(vec![Some(outer.to_vec())])
    }),
    lower: Some(|lowering, op| {
        let views::Det { x } = View::of(lowering.source, op);
        lowering.call(op, "determinant", &[Tensor(x)])
    }),
    ..Operator::of(OnnxOp::Det)
};
