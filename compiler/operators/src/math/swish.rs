//! Swish: `x · sigmoid(α x)`. Since 24.

use dialects::onnx::OnnxOp;
use dialects::onnx::views;

use crate::operator::Operator;

pub(crate) const SWISH: Operator = Operator::elementwise(OnnxOp::Swish, |s, element| {
    let swish: views::Swish = element.view();
    let [x] = element.operands();
    let scaled = match swish.alpha {
        1.0 => x,
        alpha => {
            let alpha = s.like(alpha, x);
            s.mul(alpha, x)
        }
    };
    let gate = s.sigmoid(scaled);
    s.mul(x, gate)
});
