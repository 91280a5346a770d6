//! CumSum and CumProd: prefix sums and products along an axis.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Op, Value};

use crate::operator::Operator;
use crate::shape;
use crate::structured::calls::Argument::{Index, Tensor};
use crate::structured::{Lowering, Unsupported};
use crate::upgrade::sum_in_f32;

pub(crate) const CUM_SUM: Operator = Operator {
    normalize: Some(sum_in_f32),
    shapes: Some(shape::like_first),
    lower: Some(|lowering, op| {
        let views::CumSum { x, axis, exclusive, reverse } = View::of(lowering.source, op);
        lower(lowering, op, [x, axis], [exclusive, reverse, 0])
    }),
    ..Operator::of(OnnxOp::CumSum)
};

pub(crate) const CUM_PROD: Operator = Operator {
    normalize: Some(sum_in_f32),
    shapes: Some(shape::like_first),
    lower: Some(|lowering, op| {
        let views::CumProd { x, axis, exclusive, reverse } = View::of(lowering.source, op);
        lower(lowering, op, [x, axis], [exclusive, reverse, 1])
    }),
    ..Operator::of(OnnxOp::CumProd)
};

/// The flags: exclusive, reversed, products.
fn lower(lowering: &mut Lowering<'_>, op: Op, [x, axis]: [Value; 2], flags: [i64; 3]) -> Result<(), Unsupported> {
    let axis = lowering.scalar_index(axis);
    let [exclusive, reverse, product] = flags.map(|flag| lowering.index(flag));
    lowering.call(op, "cumulate", &[Tensor(x), Index(axis), Index(exclusive), Index(reverse), Index(product)])
}
