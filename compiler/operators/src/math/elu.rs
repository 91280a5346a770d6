//! Units that are exponential for negative arguments: Elu, Selu, Celu.

use dialects::math;
use dialects::onnx::OnnxOp;
use dialects::onnx::views;
use ir::Value;

use crate::operator::Operator;
use crate::structured::scalars::{Comparison, Scalars};

pub(crate) const ELU: Operator = Operator::elementwise(OnnxOp::Elu, |s, element| {
    let elu: views::Elu = element.view();
    let [x] = element.operands();
    exponential_unit(s, x, elu.alpha, 1.0, 1.0)
});

pub(crate) const SELU: Operator = Operator::elementwise(OnnxOp::Selu, |s, element| {
    let selu: views::Selu = element.view();
    let [x] = element.operands();
    exponential_unit(s, x, selu.alpha, selu.gamma, 1.0)
});

pub(crate) const CELU: Operator = Operator::elementwise(OnnxOp::Celu, |s, element| {
    let celu: views::Celu = element.view();
    let [x] = element.operands();
    exponential_unit(s, x, celu.alpha, 1.0, celu.alpha)
});

/// `gamma * x` for positive x, else `gamma * alpha * (exp(x / scale) - 1)`
fn exponential_unit(s: &mut Scalars<'_, '_>, x: Value, alpha: f64, gamma: f64, scale: f64) -> Value {
    let (zero, one) = (s.like(0.0, x), s.like(1.0, x));
    let (factor, gamma, scale) = (s.like(alpha * gamma, x), s.like(gamma, x), s.like(scale, x));
    // the unused branch must not overflow
    let low = s.min(x, zero);
    let divided = s.div(low, scale);
    let exponential = s.same(math::EXP, &[divided]);
    let shifted = s.sub(exponential, one);
    let negative = s.mul(factor, shifted);
    let positive = s.mul(gamma, x);
    let is_positive = s.compare(Comparison::Greater, x, zero);
    s.select(is_positive, positive, negative)
}
