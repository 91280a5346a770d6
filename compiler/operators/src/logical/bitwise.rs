//! And, or, exclusive or and complement of the bits of integers.

use dialects::arith;
use dialects::onnx::OnnxOp;

use crate::operator::Operator;

pub(crate) const BITWISE_AND: Operator =
    Operator::elementwise(OnnxOp::BitwiseAnd, |s, element| s.same(arith::ANDI, &element.operands::<2>()));

pub(crate) const BITWISE_OR: Operator =
    Operator::elementwise(OnnxOp::BitwiseOr, |s, element| s.same(arith::ORI, &element.operands::<2>()));

pub(crate) const BITWISE_XOR: Operator =
    Operator::elementwise(OnnxOp::BitwiseXor, |s, element| s.same(arith::XORI, &element.operands::<2>()));

pub(crate) const BITWISE_NOT: Operator = Operator::elementwise(OnnxOp::BitwiseNot, |s, element| {
    let [x] = element.operands();
    let ones = s.like(-1.0, x);
    s.same(arith::XORI, &[x, ones])
});
