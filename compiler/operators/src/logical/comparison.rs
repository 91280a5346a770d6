//! Equal, Greater, Less and similar operators; false if an operand is NaN.

use std::cmp::Ordering;

use dialects::onnx::OnnxOp;
use ir::DimExpr;

use crate::operator::Operator;
use crate::shape::elements::{difference, joined};
use crate::structured::scalars::Comparison;
use crate::upgrade::broadcast_7;

pub(crate) const EQUAL: Operator = Operator {
    elements: Some(|node, extents| {
        joined(node, extents, |a, b| compare(a, b, Ordering::is_eq).or_else(|| never_equal(a, b)))
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
        joined(node, extents, |a, b| compare(a, b, Ordering::is_gt).or_else(|| ordered(a, b, 1)))
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
.knowing(|node, extents| joined(node, extents, |a, b| compare(a, b, Ordering::is_ge).or_else(|| ordered(a, b, 0))));

pub(crate) const LESS: Operator = Operator {
    elements: Some(|node, extents| {
        joined(node, extents, |a, b| compare(a, b, Ordering::is_lt).or_else(|| ordered(b, a, 1)))
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
.knowing(|node, extents| joined(node, extents, |a, b| compare(a, b, Ordering::is_le).or_else(|| ordered(b, a, 0))));

/// Compares two elements, if their difference is a constant.
fn compare(a: &DimExpr, b: &DimExpr, holds: fn(Ordering) -> bool) -> Option<DimExpr> {
    let ordering = match (a.as_constant(), b.as_constant()) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => difference(a, b)?.as_constant()?.cmp(&0),
    };
    Some(DimExpr::Constant(holds(ordering) as i64))
}

fn never_equal(a: &DimExpr, b: &DimExpr) -> Option<DimExpr> {
    let above = |a: &DimExpr, b: &DimExpr| ordered(a, b, 1) == Some(DimExpr::ONE);
    (above(a, b) || above(b, a)).then_some(DimExpr::ZERO)
}

/// Whether `a - b >= least`, if that is true or false for all values of the symbols.
fn ordered(a: &DimExpr, b: &DimExpr, least: i64) -> Option<DimExpr> {
    let distance = difference(&difference(a, b)?, &DimExpr::Constant(least))?;
    if distance.is_nonnegative() {
        return Some(DimExpr::ONE);
    }
    let shortfall = difference(&DimExpr::Constant(-1), &distance)?;
    shortfall.is_nonnegative().then_some(DimExpr::ZERO)
}
