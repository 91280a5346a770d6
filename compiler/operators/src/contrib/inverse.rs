//! Inverse: inverse matrices of the last two axes.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{View, microsoft};

use crate::operator::Operator;
use crate::structured::calls::Argument::Tensor;

pub(crate) const INVERSE: Operator = Operator {
    shapes: Some(|node| {
        let microsoft::Inverse { x } = node.view();
        let Some(shape) = node.shape_of(x) else { return Ok(vec![]) };
        let [.., rows, columns] = shape.as_slice() else {
            return Err(format!("the operand must have rank 2 or more, found {}", shape.len()));
        };
        node.expect_equal(rows, columns, "the sides of the matrices")?;
        Ok(vec![Some(shape)])
    }),
    lower: Some(|lowering, op| {
        let microsoft::Inverse { x } = View::of(lowering.source, op);
        lowering.call(op, "inverse", &[Tensor(x)])
    }),
    ..Operator::of(OnnxOp::MicrosoftInverse)
};
