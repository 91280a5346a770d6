//! Loop.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use dialects::{OpCodes, arith};
use ir::{DimExpr, Op, Type, Value};

use crate::operator::{Bodies, Operator};
use crate::shape::region::{carried_out, carry, stacked};
use crate::shape::{Answer, Node, at_least_zero};
use crate::structured::repetition::Repetition;
use crate::structured::{Lowering, Unsupported};
use crate::types::without_shape;

/// The body takes the iteration, the condition and the carried values; it yields the condition first.
pub(crate) const LOOP: Operator = Operator {
    shapes: Some(shapes),
    bodies: Bodies {
        arguments: |operands| {
            let scalar = |element| Type::static_tensor(&[], element);
            let carried = operands.iter().skip(2).map(without_shape);
            [scalar(Type::I64), scalar(Type::I1)].into_iter().chain(carried).collect()
        },
        result: |yields, index| yields.get(index + 1).cloned(),
    },
    lower: Some(lower),
    ..Operator::of(OnnxOp::Loop)
};

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let Some(region) = node.region(0) else { return Ok(vec![]) };
    let Some(block) = node.block(region) else { return Ok(vec![]) };
    let body = node.analyser.body;
    let arguments = body.arguments(block).to_vec();
    let initial = node.view::<views::Loop>().v_initial;
    let [counter, condition, carried @ ..] = arguments.as_slice() else { return Ok(vec![]) };
    node.analyser.set_shape(*counter, Some(vec![]));
    node.analyser.set_shape(*condition, Some(vec![]));
    let shapes = carry(node, block, carried, &initial, 1);
    let mut answer = carried_out(node, shapes);
    let yields = node.yields(region);
    let count = iterations(node, *condition, &yields);
    for index in answer.len()..node.result_count() {
        let each = yields.get(index + 1).and_then(|&value| node.shape_of(value));
        answer.push(each.map(|each| stacked(node, index, each, (0, count.as_ref()))));
    }
    Ok(answer)
}

/// The number of iterations of a loop that no condition ends; `condition` is the body's argument.
fn iterations(node: &Node<'_, '_>, condition: Value, yields: &[Value]) -> Option<DimExpr> {
    let views::Loop { m, cond, .. } = node.view();
    let body = node.analyser.body;
    let is_true = |value: Value| node.numbers_of(value).is_some_and(|numbers| numbers == [1]);
    let mut next = *yields.first()?;
    while let Some(copy) = body.defining_op(next).filter(|&op| OnnxOp::of(body, op) == Some(OnnxOp::Identity)) {
        next = body.sole_operand(copy);
    }
    let never_ends = cond.is_none_or(is_true) && (next == condition || is_true(next));
    node.number_of(m.filter(|_| never_ends)?).map(at_least_zero)
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::Loop::of(lowering.source, op);
    let body = lowering.source.blocks(lowering.source.op(op).regions()[0])[0];
    let arguments = lowering.source.arguments(body).to_vec();
    let [counter, condition, carried @ ..] = &arguments[..] else {
        return Err(Unsupported::invalid("its body takes fewer than two values"));
    };
    let limit = node.m.map(|most| lowering.scalar_index(most));
    let enters = match node.cond {
        Some(condition) => lowering.only_element(condition),
        None => lowering.number(1.0, &Type::I1),
    };
    let results = lowering.source.op(op).results().to_vec();
    let stacked = results[node.v_initial.len()..].iter().map(|&result| (result, 0)).collect();
    let carried = carried.iter().copied().zip(node.v_initial).collect();
    let repetition = Repetition { body, carried, first: 1, stacked, limit, enters };
    let values = repetition.lower(lowering, |lowering, index, goes_on| {
        fill(lowering, *counter, index);
        fill(lowering, *condition, goes_on);
    })?;
    for (&result, value) in results.iter().zip(values) {
        lowering.bind_cast(result, value);
    }
    Ok(())
}

/// Binds a body's argument to a scalar tensor.
fn fill(lowering: &mut Lowering<'_>, argument: Value, number: Value) {
    let (shape, element) = (lowering.shape(argument), lowering.element(argument));
    let number = match lowering.body.value_type(number) {
        Type::Index => lowering.builder().value(arith::INDEX_CAST, &[number], element.clone(), []),
        _ => number,
    };
    let value = lowering.pointwise(&[], &shape, element, |_, _| number);
    lowering.bind(argument, value);
}
