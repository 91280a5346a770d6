//! Softplus, `log(1 + exp(x))`, and Mish, `x · tanh(softplus(x))`.

use dialects::math;
use dialects::onnx::OnnxOp;
use ir::Value;

use crate::operator::Operator;
use crate::structured::scalars::Scalars;

pub(crate) const SOFTPLUS: Operator = Operator::elementwise(OnnxOp::Softplus, |s, element| {
    let [x] = element.operands();
    softplus(s, x)
})
.differentiated(|emit, differential| emit.chained(differential, |emit, x, _| emit.plain("Sigmoid", &[x])));

pub(crate) const MISH: Operator = Operator::elementwise(OnnxOp::Mish, |s, element| {
    let [x] = element.operands();
    let soft = softplus(s, x);
    let gate = s.same(math::TANH, &[soft]);
    s.mul(x, gate)
});

/// `log(1 + exp(x))` without overflow: `max(x, 0) + log1p(exp(-|x|))`
fn softplus(s: &mut Scalars<'_, '_>, x: Value) -> Value {
    let zero = s.like(0.0, x);
    let magnitude = s.same(math::ABSF, &[x]);
    let negated = s.sub(zero, magnitude);
    let exponential = s.same(math::EXP, &[negated]);
    let logarithm = s.same(math::LOG1P, &[exponential]);
    let positive = s.max(x, zero);
    s.add(positive, logarithm)
}
