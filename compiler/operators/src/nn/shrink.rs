//! Shrink: `x + bias` below `-lambd`, `x - bias` above `lambd`, 0 between. Since 9.

use dialects::onnx::OnnxOp;
use dialects::onnx::views;

use crate::operator::Operator;
use crate::structured::scalars::Comparison;

pub(crate) const SHRINK: Operator = Operator::elementwise(OnnxOp::Shrink, |s, element| {
    let shrink: views::Shrink = element.view();
    let [x] = element.operands();
    let (zero, bias) = (s.like(0.0, x), s.like(shrink.bias, x));
    let (high, low) = (s.like(shrink.lambd, x), s.like(-shrink.lambd, x));
    let (raised, lowered) = (s.add(x, bias), s.sub(x, bias));
    let above = s.compare(Comparison::Greater, x, high);
    let below = s.compare(Comparison::Less, x, low);
    let inner = s.select(below, raised, zero);
    s.select(above, lowered, inner)
});
