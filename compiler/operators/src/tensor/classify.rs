//! IsNaN and IsInf.

use dialects::arith;
use dialects::onnx::OnnxOp;
use dialects::onnx::views;
use ir::Type;

use crate::operator::Operator;
use crate::structured::scalars::Comparison;

pub(crate) const IS_NAN: Operator = Operator::elementwise(OnnxOp::IsNaN, |s, element| {
    let [x] = element.operands();
    s.is_nan(x)
});

pub(crate) const IS_INF: Operator = Operator::elementwise(OnnxOp::IsInf, |s, element| {
    let infinite: views::IsInf = element.view();
    let [x] = element.operands();
    let (positive, negative) = (s.like(f64::INFINITY, x), s.like(f64::NEG_INFINITY, x));
    let up = s.compare(Comparison::Equal, x, positive);
    let down = s.compare(Comparison::Equal, x, negative);
    match (infinite.detect_positive != 0, infinite.detect_negative != 0) {
        (true, true) => s.same(arith::ORI, &[up, down]),
        (true, false) => up,
        (false, true) => down,
        (false, false) => s.number(0.0, &Type::I1),
    }
});
