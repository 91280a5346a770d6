//! Softsign: `x / (1 + |x|)`.

use dialects::math;
use dialects::onnx::OnnxOp;

use crate::operator::Operator;

pub(crate) const SOFTSIGN: Operator = Operator::elementwise(OnnxOp::Softsign, |s, element| {
    let [x] = element.operands();
    let (one, magnitude) = (s.like(1.0, x), s.same(math::ABSF, &[x]));
    let sum = s.add(one, magnitude);
    s.div(x, sum)
});
