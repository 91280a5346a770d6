//! Add, Sub, Mul, Div, and what takes any number of operands: Sum, Mean, Max, Min.

use dialects::onnx::OnnxOp;
use ir::Value;

use crate::operator::{Cost, Operator, Step};
use crate::structured::elementwise::Element;
use crate::structured::scalars::Scalars;
use crate::upgrade::broadcast_7;

const UPGRADES: &[(i64, Step)] = &[(7, broadcast_7)];

pub(crate) const ADD: Operator = Operator {
    cost: Cost::PerElement(1.0),
    upgrades: UPGRADES,
    ..Operator::elementwise(OnnxOp::Add, |s, element| {
        let [a, b] = element.operands();
        s.add(a, b)
    })
};

pub(crate) const SUB: Operator = Operator {
    cost: Cost::PerElement(1.0),
    upgrades: UPGRADES,
    ..Operator::elementwise(OnnxOp::Sub, |s, element| {
        let [a, b] = element.operands();
        s.sub(a, b)
    })
};

pub(crate) const MUL: Operator = Operator {
    cost: Cost::PerElement(1.0),
    upgrades: UPGRADES,
    ..Operator::elementwise(OnnxOp::Mul, |s, element| {
        let [a, b] = element.operands();
        s.mul(a, b)
    })
};

pub(crate) const DIV: Operator = Operator {
    cost: Cost::PerElement(4.0),
    upgrades: UPGRADES,
    ..Operator::elementwise(OnnxOp::Div, |s, element| {
        let [a, b] = element.operands();
        s.div(a, b)
    })
};

pub(crate) const SUM: Operator =
    Operator::elementwise(OnnxOp::Sum, |s, element| fold(s, element, |s, a, b| s.add(a, b)));

pub(crate) const MEAN: Operator = Operator::elementwise(OnnxOp::Mean, |s, element| {
    let sum = fold(s, element, |s, a, b| s.add(a, b));
    let count = s.like(element.all().count() as f64, sum);
    s.div(sum, count)
});

pub(crate) const MAX: Operator =
    Operator::elementwise(OnnxOp::Max, |s, element| fold(s, element, |s, a, b| s.max(a, b))).costing(1.0);

pub(crate) const MIN: Operator =
    Operator::elementwise(OnnxOp::Min, |s, element| fold(s, element, |s, a, b| s.min(a, b))).costing(1.0);

fn fold(
    s: &mut Scalars<'_, '_>,
    element: &Element<'_>,
    join: fn(&mut Scalars<'_, '_>, Value, Value) -> Value,
) -> Value {
    element.all().reduce(|a, b| join(s, a, b)).expect("a verified operation has its required operands")
}
