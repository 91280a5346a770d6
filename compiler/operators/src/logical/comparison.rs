//! Equal, Greater, Less and their kin; false when an operand is NaN.

use dialects::onnx::OnnxOp;

use crate::operator::Operator;
use crate::structured::scalars::Comparison;
use crate::upgrade::broadcast_7;

pub(crate) const EQUAL: Operator = Operator {
    upgrades: &[(7, broadcast_7)],
    ..Operator::elementwise(OnnxOp::Equal, |s, element| {
        let [a, b] = element.operands();
        s.compare(Comparison::Equal, a, b)
    })
};

pub(crate) const GREATER: Operator = Operator {
    upgrades: &[(7, broadcast_7)],
    ..Operator::elementwise(OnnxOp::Greater, |s, element| {
        let [a, b] = element.operands();
        s.compare(Comparison::Greater, a, b)
    })
};

pub(crate) const GREATER_OR_EQUAL: Operator = Operator::elementwise(OnnxOp::GreaterOrEqual, |s, element| {
    let [a, b] = element.operands();
    s.compare(Comparison::GreaterOrEqual, a, b)
});

pub(crate) const LESS: Operator = Operator {
    upgrades: &[(7, broadcast_7)],
    ..Operator::elementwise(OnnxOp::Less, |s, element| {
        let [a, b] = element.operands();
        s.compare(Comparison::Less, a, b)
    })
};

pub(crate) const LESS_OR_EQUAL: Operator = Operator::elementwise(OnnxOp::LessOrEqual, |s, element| {
    let [a, b] = element.operands();
    s.compare(Comparison::LessOrEqual, a, b)
});
