//! And, Or, Xor and Not of truth values.

use dialects::arith;
use dialects::onnx::OnnxOp;
use ir::DimExpr;

use crate::operator::Operator;
use crate::shape::elements::{joined, mapped};
use crate::upgrade::broadcast_7;

pub(crate) const AND: Operator = Operator {
    upgrades: &[(7, broadcast_7)],
    commutative: true,
    elements: Some(|node, extents| joined(node, extents, |a, b| truth(a, b, |a, b| a && b))),
    ..Operator::elementwise(OnnxOp::And, |s, element| s.same(arith::ANDI, &element.operands::<2>()))
};

pub(crate) const OR: Operator = Operator {
    upgrades: &[(7, broadcast_7)],
    commutative: true,
    elements: Some(|node, extents| joined(node, extents, |a, b| truth(a, b, |a, b| a || b))),
    ..Operator::elementwise(OnnxOp::Or, |s, element| s.same(arith::ORI, &element.operands::<2>()))
};

pub(crate) const XOR: Operator = Operator {
    upgrades: &[(7, broadcast_7)],
    commutative: true,
    elements: Some(|node, extents| joined(node, extents, |a, b| truth(a, b, |a, b| a != b))),
    ..Operator::elementwise(OnnxOp::Xor, |s, element| s.same(arith::XORI, &element.operands::<2>()))
};

pub(crate) const NOT: Operator = Operator::elementwise(OnnxOp::Not, |s, element| {
    let [x] = element.operands();
    s.not(x)
})
.knowing(|node, _| mapped(node, |a| Some(DimExpr::Constant((a.as_constant()? == 0) as i64))));

fn truth(a: &DimExpr, b: &DimExpr, join: fn(bool, bool) -> bool) -> Option<DimExpr> {
    Some(DimExpr::Constant(join(a.as_constant()? != 0, b.as_constant()? != 0) as i64))
}
