//! Softmax, LogSoftmax and Hardmax, along one axis.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use dialects::{arith, linalg, math};
use ir::{Attribute, Op, Type, Value};

use crate::graph::{self, Emitter, Problem};
use crate::operator::{Demand, Kind, Operator, Step};
use crate::shape;
use crate::structured::extreme::arg_extreme;
use crate::structured::reduction::{Combine, Fold, Shaped, accumulator, normalize_axis};
use crate::structured::scalars::{Comparison, Scalars};
use crate::structured::{Lowering, Unsupported};

const UPGRADES: &[(i64, Step)] = &[(13, one_axis)];

pub(crate) const SOFTMAX: Operator = Operator {
    demands: Some(|reading, _| Demand::with_axis(reading.view::<views::Softmax>().axis)),
    lower: Some(|lowering, op| lower(lowering, op, views::Softmax::of(lowering.source, op).axis, softmax)),
    derivative: Some(|emit, differential| {
        let ([_], y, adjoint) = differential.parts(emit);
        let axes = emit.integers(&[differential.view::<views::Softmax>(emit).axis]);
        let weighted = emit.plain("Mul", &[adjoint, y]);
        let sum = emit.op("ReduceSum", &[weighted, axes], [("keepdims", Attribute::i64(1))]);
        let difference = emit.plain("Sub", &[adjoint, sum]);
        Ok(vec![Some(emit.plain("Mul", &[y, difference]))])
    }),
    ..along_axis(OnnxOp::Softmax)
};

pub(crate) const LOG_SOFTMAX: Operator = Operator {
    lower: Some(|lowering, op| lower(lowering, op, views::LogSoftmax::of(lowering.source, op).axis, log_softmax)),
    derivative: Some(|emit, differential| {
        let ([_], y, adjoint) = differential.parts(emit);
        let axes = emit.integers(&[differential.view::<views::LogSoftmax>(emit).axis]);
        let sum = emit.op("ReduceSum", &[adjoint, axes], [("keepdims", Attribute::i64(1))]);
        let probability = emit.plain("Exp", &[y]);
        let share = emit.plain("Mul", &[probability, sum]);
        Ok(vec![Some(emit.plain("Sub", &[adjoint, share]))])
    }),
    ..along_axis(OnnxOp::LogSoftmax)
};

/// 1 at the first of the largest elements, 0 elsewhere.
pub(crate) const HARDMAX: Operator = Operator {
    lower: Some(|lowering, op| lower(lowering, op, views::Hardmax::of(lowering.source, op).axis, hardmax)),
    ..along_axis(OnnxOp::Hardmax)
};

const fn along_axis(operator: OnnxOp) -> Operator {
    Operator {
        kind: Kind::Reduction,
        upgrades: UPGRADES,
        shapes: Some(shape::like_first_along_axis),
        ..Operator::of(operator)
    }
}

/// Until opset 13, all axes from `axis` on were one.
fn one_axis(node: &mut graph::Node, emit: &mut Emitter) -> Result<(), Problem> {
    let input = node.operands[0];
    let axis = node.attributes.integer("axis").unwrap_or(1);
    let is_last = axis == -1 || emit.rank(input).is_some_and(|rank| axis == rank as i64 - 1);
    node.attributes.set("axis", Attribute::i64(-1));
    if is_last {
        return Ok(());
    }
    let flat = emit.op("Flatten", &[input], [("axis", Attribute::i64(axis))]);
    let value = emit.op(&node.name, &[flat], node.attributes.clone());
    let shape = emit.op("Shape", &[input], []);
    let value = emit.op("Reshape", &[value, shape], []);
    node.replace(value, emit);
    Ok(())
}

/// Computes a function of a tensor along an axis.
type Function = fn(&mut Lowering<'_>, &Shaped, usize, &Type) -> Value;

fn lower(lowering: &mut Lowering<'_>, op: Op, axis: i64, function: Function) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op);
    let (operand, result) = (operation.operands()[0], operation.results()[0]);
    let input = lowering.shaped(operand);
    let axis = normalize_axis(axis, input.shape.len())?;
    let element = lowering.element(operand);
    let value = function(lowering, &input, axis, &element);
    lowering.bind(result, value);
    Ok(())
}

/// The maximum m, `exp(x - m)` and its sum, all in the wide type.
fn exponentials(lowering: &mut Lowering<'_>, input: &Shaped, axis: usize, wide: &Type) -> [Shaped; 3] {
    let cast = |s: &mut Scalars<'_, '_>, x: Value| s.cast(x, wide, false, false);
    let largest = lowering.reduce(input, &[axis], true, Fold::new(Combine::Max, wide.clone(), false), cast);
    let exponentials = lowering.map(&[input, &largest], &input.shape, wide.clone(), |s, x| {
        let value = cast(s, x[0]);
        let shifted = s.sub(value, x[1]);
        s.same(math::EXP, &[shifted])
    });
    let sum = lowering.reduce(&exponentials, &[axis], true, Fold::new(Combine::Add, wide.clone(), false), |_, x| x);
    [largest, exponentials, sum]
}

/// `exp(x - m) · (1 / Σ exp(x - m))`, with one division per row.
fn softmax(lowering: &mut Lowering<'_>, input: &Shaped, axis: usize, element: &Type) -> Value {
    let wide = accumulator(element);
    let [_, exponentials, sum] = exponentials(lowering, input, axis, &wide);
    let scale = lowering.map(&[&sum], &sum.shape, wide, |s, x| {
        let one = s.like(1.0, x[0]);
        s.div(one, x[0])
    });
    let result = lowering.map(&[&exponentials, &scale], &input.shape, element.clone(), |s, x| {
        let share = s.mul(x[0], x[1]);
        s.cast(share, element, false, false)
    });
    result.value
}

/// `x - m - log Σ exp(x - m)`
fn log_softmax(lowering: &mut Lowering<'_>, input: &Shaped, axis: usize, element: &Type) -> Value {
    let wide = accumulator(element);
    let [largest, _, sum] = exponentials(lowering, input, axis, &wide);
    let result = lowering.map(&[input, &largest, &sum], &input.shape, element.clone(), |s, x| {
        let value = s.cast(x[0], &wide, false, false);
        let shifted = s.sub(value, x[1]);
        let log = s.same(math::LOG, &[x[2]]);
        let difference = s.sub(shifted, log);
        s.cast(difference, element, false, false)
    });
    result.value
}

fn hardmax(lowering: &mut Lowering<'_>, input: &Shaped, axis: usize, element: &Type) -> Value {
    let index = arg_extreme(lowering, input, axis, Comparison::Greater, element, false);
    let hot = lowering.map(&[&index], &input.shape, element.clone(), |s, x| {
        let here = s.builder.value(linalg::INDEX, &[], Type::Index, [("dim", Attribute::i64(axis as i64))]);
        let there = s.builder.value(arith::INDEX_CAST, &[x[0]], Type::Index, []);
        let equal = s.compare(Comparison::Equal, here, there);
        let (one, zero) = (s.number(1.0, element), s.number(0.0, element));
        s.select(equal, one, zero)
    });
    hot.value
}
