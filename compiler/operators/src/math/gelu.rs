//! Gelu: `x / 2 · (1 + erf(x / √2))`, or its approximation by tanh. Since 20.

use dialects::math;
use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, GeluApproximation};

use crate::operator::Operator;

pub(crate) const GELU: Operator = Operator::elementwise(OnnxOp::Gelu, |s, element| {
    let gelu: views::Gelu = element.view();
    let [x] = element.operands();
    let (half, one) = (s.like(0.5, x), s.like(1.0, x));
    let inner = match gelu.approximate {
        GeluApproximation::Tanh => {
            // tanh(√(2 / π) · (x + 0.044715 x³))
            let (root, cubic) = (s.like(0.797_884_560_802_865_4, x), s.like(0.044715, x));
            let square = s.mul(x, x);
            let cube = s.mul(square, x);
            let term = s.mul(cubic, cube);
            let sum = s.add(x, term);
            let argument = s.mul(root, sum);
            s.same(math::TANH, &[argument])
        }
        GeluApproximation::None => {
            let scale = s.like(std::f64::consts::FRAC_1_SQRT_2, x);
            let argument = s.mul(x, scale);
            s.same(math::ERF, &[argument])
        }
    };
    let gate = s.add(one, inner);
    let halved = s.mul(half, x);
    s.mul(halved, gate)
});
