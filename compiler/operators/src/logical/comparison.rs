//! Equal, Greater, Less and their kin; false when an operand is NaN.

use dialects::onnx::OnnxOp;
use ir::DimExpr;

use crate::operator::Operator;
use crate::shape::elements::joined;
use crate::structured::scalars::Comparison;
use crate::upgrade::broadcast_7;

pub(crate) const EQUAL: Operator = Operator {
    elements: Some(|node, extents| {
        joined(node, extents, |a, b| compare(a, b, |difference| difference == 0).or_else(|| never_equal(a, b)))
    }),
    commutative: true,
    upgrades: &[(7, broadcast_7)],
    ..Operator::elementwise(OnnxOp::Equal, |s, element| {
        let [a, b] = element.operands();
        s.compare(Comparison::Equal, a, b)
    })
};

pub(crate) const GREATER: Operator = Operator {
    elements: Some(|node, extents| {
        joined(node, extents, |a, b| compare(a, b, |difference| difference > 0).or_else(|| ordered(a, b, 1)))
    }),
    upgrades: &[(7, broadcast_7)],
    ..Operator::elementwise(OnnxOp::Greater, |s, element| {
        let [a, b] = element.operands();
        s.compare(Comparison::Greater, a, b)
    })
};

pub(crate) const GREATER_OR_EQUAL: Operator = Operator::elementwise(OnnxOp::GreaterOrEqual, |s, element| {
    let [a, b] = element.operands();
    s.compare(Comparison::GreaterOrEqual, a, b)
})
.knowing(|node, extents| {
    joined(node, extents, |a, b| compare(a, b, |difference| difference >= 0).or_else(|| ordered(a, b, 0)))
});

pub(crate) const LESS: Operator = Operator {
    elements: Some(|node, extents| {
        joined(node, extents, |a, b| compare(a, b, |difference| difference < 0).or_else(|| ordered(b, a, 1)))
    }),
    upgrades: &[(7, broadcast_7)],
    ..Operator::elementwise(OnnxOp::Less, |s, element| {
        let [a, b] = element.operands();
        s.compare(Comparison::Less, a, b)
    })
};

pub(crate) const LESS_OR_EQUAL: Operator = Operator::elementwise(OnnxOp::LessOrEqual, |s, element| {
    let [a, b] = element.operands();
    s.compare(Comparison::LessOrEqual, a, b)
})
.knowing(|node, extents| {
    joined(node, extents, |a, b| compare(a, b, |difference| difference <= 0).or_else(|| ordered(b, a, 0)))
});

fn compare(a: &DimExpr, b: &DimExpr, holds: fn(i64) -> bool) -> Option<DimExpr> {
    Some(DimExpr::Constant(holds(a.sub(b).as_constant()?) as i64))
}

fn never_equal(a: &DimExpr, b: &DimExpr) -> Option<DimExpr> {
    let above = |a: &DimExpr, b: &DimExpr| a.sub(b).sub(&DimExpr::ONE).is_nonnegative();
    (above(a, b) || above(b, a)).then_some(DimExpr::ZERO)
}

/// Whether `a - b >= least`, when it holds or fails whatever the symbols are.
fn ordered(a: &DimExpr, b: &DimExpr, least: i64) -> Option<DimExpr> {
    let distance = a.sub(b).sub(&DimExpr::Constant(least));
    if distance.is_nonnegative() {
        return Some(DimExpr::ONE);
    }
    let shortfall = DimExpr::Constant(-1).sub(&distance);
    shortfall.is_nonnegative().then_some(DimExpr::ZERO)
}
