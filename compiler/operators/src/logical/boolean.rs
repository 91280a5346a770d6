//! And, Or, Xor and Not of truth values.

use dialects::onnx::OnnxOp;

use crate::operator::Operator;
use crate::upgrade::broadcast_7;

pub(crate) const AND: Operator = Operator {
    upgrades: &[(7, broadcast_7)],
    ..Operator::elementwise(OnnxOp::And, |s, element| s.same("arith.andi", &element.operands::<2>()))
};

pub(crate) const OR: Operator = Operator {
    upgrades: &[(7, broadcast_7)],
    ..Operator::elementwise(OnnxOp::Or, |s, element| s.same("arith.ori", &element.operands::<2>()))
};

pub(crate) const XOR: Operator = Operator {
    upgrades: &[(7, broadcast_7)],
    ..Operator::elementwise(OnnxOp::Xor, |s, element| s.same("arith.xori", &element.operands::<2>()))
};

pub(crate) const NOT: Operator = Operator::elementwise(OnnxOp::Not, |s, element| {
    let [x] = element.operands();
    s.not(x)
});
