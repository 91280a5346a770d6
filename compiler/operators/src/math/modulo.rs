//! Mod: the remainder with the sign of the divisor (Python), or with `fmod` that of the dividend (C).

use dialects::onnx::OnnxOp;
use dialects::onnx::views;
use dialects::{arith, math};
use ir::{DimExpr, Type};

use crate::operator::Operator;
use crate::shape::elements;
use crate::structured::scalars::Comparison;

pub(crate) const MOD: Operator = Operator::elementwise(OnnxOp::Mod, |s, element| {
    let modulo: views::Mod = element.view();
    let [a, b] = element.operands();
    let remainder = match s.type_of(a) {
        Type::Float(_) => s.same(arith::REMF, &[a, b]),
        _ if s.unsigned => return s.same(arith::REMUI, &[a, b]),
        _ => s.same(arith::REMSI, &[a, b]),
    };
    if modulo.fmod == 1 {
        return remainder;
    }
    let zero = s.like(0.0, a);
    let exact = s.compare(Comparison::Equal, remainder, zero);
    let negative = s.compare(Comparison::Less, remainder, zero);
    let divisor_negative = s.compare(Comparison::Less, b, zero);
    let differ = s.same(arith::XORI, &[negative, divisor_negative]);
    let inexact = s.not(exact);
    let adjust = s.same(arith::ANDI, &[differ, inexact]);
    let moved = s.add(remainder, b);
    // a zero has the sign of the divisor, too
    let kept = match s.type_of(a) {
        Type::Float(_) => {
            let zero = s.same(math::COPYSIGN, &[remainder, b]);
            s.select(exact, zero, remainder)
        }
        _ => remainder,
    };
    s.select(adjust, moved, kept)
})
.knowing(|node, extents| if node.is_whole() { elements::joined(node, extents, remainder) } else { None })
.costing(4.0);

/// The remainder, if both definitions agree.
fn remainder(a: &DimExpr, b: &DimExpr) -> Option<DimExpr> {
    (b.as_constant().is_some_and(|by| by > 0) && a.is_nonnegative()).then(|| a.modulo(b))
}
