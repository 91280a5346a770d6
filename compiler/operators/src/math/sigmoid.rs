//! Sigmoid, `1 / (1 + exp(-x))`, and its piecewise linear approximations: HardSigmoid, HardSwish.

use dialects::onnx::OnnxOp;
use dialects::onnx::views;

use crate::operator::Operator;

pub(crate) const SIGMOID: Operator = Operator::elementwise(OnnxOp::Sigmoid, |s, element| {
    let [x] = element.operands();
    s.sigmoid(x)
})
.differentiated(|emit, differential| {
    emit.chained(differential, |emit, _, y| {
        let one = emit.number_like(1.0, y);
        let rest = emit.plain("Sub", &[one, y]);
        emit.plain("Mul", &[y, rest])
    })
});

pub(crate) const HARD_SIGMOID: Operator = Operator::elementwise(OnnxOp::HardSigmoid, |s, element| {
    let sigmoid: views::HardSigmoid = element.view();
    let [x] = element.operands();
    s.hard_sigmoid(x, sigmoid.alpha, sigmoid.beta)
})
.costing(4.0);

pub(crate) const HARD_SWISH: Operator = Operator::elementwise(OnnxOp::HardSwish, |s, element| {
    let [x] = element.operands();
    let gate = s.hard_sigmoid(x, 1.0 / 6.0, 0.5);
    s.mul(x, gate)
})
.costing(4.0);
