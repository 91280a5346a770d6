//! Add, Sub, Mul, Div, and the variadic operators Sum, Mean, Max, Min.

use dialects::onnx::OnnxOp;
use ir::{DimExpr, Value};

use crate::operator::{Cost, Operator, Step, Uniform};
use crate::shape::elements::{self, joined};
use crate::structured::elementwise::Element;
use crate::structured::scalars::Scalars;
use crate::upgrade::broadcast_7;

const UPGRADES: &[(i64, Step)] = &[(7, broadcast_7)];

pub(crate) const ADD: Operator = Operator {
    cost: Cost::PerElement(1.0),
    upgrades: UPGRADES,
    commutative: true,
    elements: Some(|node, extents| joined(node, extents, elements::sum)),
    uniform: Some(Uniform::Computed(|numbers| numbers[0] + numbers[1])),
    derivative: Some(|emit, differential| {
        let ([a, b], _, adjoint) = differential.parts(emit);
        Ok(vec![Some(emit.gathered_up(adjoint, a)?), Some(emit.gathered_up(adjoint, b)?)])
    }),
    ..Operator::elementwise(OnnxOp::Add, |s, element| {
        let [a, b] = element.operands();
        s.add(a, b)
    })
};

pub(crate) const SUB: Operator = Operator {
    cost: Cost::PerElement(1.0),
    upgrades: UPGRADES,
    elements: Some(|node, extents| joined(node, extents, elements::difference)),
    uniform: Some(Uniform::Computed(|numbers| numbers[0] - numbers[1])),
    derivative: Some(|emit, differential| {
        let ([a, b], _, adjoint) = differential.parts(emit);
        let opposite = emit.plain("Neg", &[adjoint]);
        Ok(vec![Some(emit.gathered_up(adjoint, a)?), Some(emit.gathered_up(opposite, b)?)])
    }),
    ..Operator::elementwise(OnnxOp::Sub, |s, element| {
        let [a, b] = element.operands();
        s.sub(a, b)
    })
};

pub(crate) const MUL: Operator = Operator {
    cost: Cost::PerElement(1.0),
    upgrades: UPGRADES,
    commutative: true,
    elements: Some(|node, extents| joined(node, extents, elements::product)),
    uniform: Some(Uniform::Computed(|numbers| numbers[0] * numbers[1])),
    derivative: Some(|emit, differential| {
        let ([a, b], _, adjoint) = differential.parts(emit);
        let (by_a, by_b) = (emit.plain("Mul", &[adjoint, b]), emit.plain("Mul", &[adjoint, a]));
        Ok(vec![Some(emit.gathered_up(by_a, a)?), Some(emit.gathered_up(by_b, b)?)])
    }),
    ..Operator::elementwise(OnnxOp::Mul, |s, element| {
        let [a, b] = element.operands();
        s.mul(a, b)
    })
};

pub(crate) const DIV: Operator = Operator {
    cost: Cost::PerElement(4.0),
    upgrades: UPGRADES,
    elements: Some(|node, extents| joined(node, extents, if node.is_whole() { integer_quotient } else { ratio })),
    uniform: Some(Uniform::Computed(|numbers| numbers[0] / numbers[1])),
    derivative: Some(|emit, differential| {
        let ([a, b], quotient, adjoint) = differential.parts(emit);
        let by_a = emit.plain("Div", &[adjoint, b]);
        let by_b = emit.plain("Mul", &[by_a, quotient]);
        let by_b = emit.plain("Neg", &[by_b]);
        Ok(vec![Some(emit.gathered_up(by_a, a)?), Some(emit.gathered_up(by_b, b)?)])
    }),
    ..Operator::elementwise(OnnxOp::Div, |s, element| {
        let [a, b] = element.operands();
        s.div(a, b)
    })
};

pub(crate) const SUM: Operator =
    Operator::elementwise(OnnxOp::Sum, |s, element| fold(s, element, |s, a, b| s.add(a, b)))
        .knowing(|node, extents| joined(node, extents, elements::sum))
        .commutative();

pub(crate) const MEAN: Operator = Operator::elementwise(OnnxOp::Mean, |s, element| {
    let sum = fold(s, element, |s, a, b| s.add(a, b));
    let count = s.like(element.all().count() as f64, sum);
    s.div(sum, count)
});

pub(crate) const MAX: Operator =
    Operator::elementwise(OnnxOp::Max, |s, element| fold(s, element, |s, a, b| s.max(a, b)))
        .knowing(|node, extents| joined(node, extents, |a, b| Some(a.max(b))))
        .commutative()
        .costing(1.0);

pub(crate) const MIN: Operator =
    Operator::elementwise(OnnxOp::Min, |s, element| fold(s, element, |s, a, b| s.min(a, b)))
        .knowing(|node, extents| joined(node, extents, |a, b| Some(a.min(b))))
        .commutative()
        .costing(1.0);

fn fold(
    s: &mut Scalars<'_, '_>,
    element: &Element<'_>,
    join: fn(&mut Scalars<'_, '_>, Value, Value) -> Value,
) -> Value {
    element.all().reduce(|a, b| join(s, a, b)).expect("a verified operation has its required operands")
}

/// Division rounds towards zero; the symbolic one towards minus infinity.
fn integer_quotient(a: &DimExpr, b: &DimExpr) -> Option<DimExpr> {
    match (a, b) {
        (_, DimExpr::Constant(0)) => None,
        (DimExpr::Constant(a), DimExpr::Constant(b)) => Some(DimExpr::Constant(a.wrapping_div(*b))),
        _ if a.is_nonnegative() && b.is_nonnegative() => Some(a.floor_div(b)),
        _ => a.divide_exactly(b),
    }
}

/// An exact quotient of floats.
fn ratio(a: &DimExpr, b: &DimExpr) -> Option<DimExpr> {
    (*b != DimExpr::ZERO).then(|| a.divide_exactly(b)).flatten()
}
