//! ai.onnx.preview.training: gradients, and steps of optimizers.
//!
//! A step takes a learning rate, the count of updates so far, and for each of `n` tensors its value, its gradient and
//! the optimizer's state: first all values, then all gradients, and so on.

mod adagrad;
mod adam;
mod gradient;
mod momentum;

use dialects::onnx::views::Reader;
use ir::{Type, Value};

use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::shape::{Answer, Node};
use crate::types::without_shape;

pub(crate) const OPERATORS: &[&Operator] = &[&adagrad::ADAGRAD, &adam::ADAM, &gradient::GRADIENT, &momentum::MOMENTUM];

/// Learning rate and count of updates come before the tensors.
const FIRST: usize = 2;

/// The operands after rate and count, one list for each of `kinds`.
fn tensors<const KINDS: usize>(inputs: &[Value]) -> Result<[Vec<Value>; KINDS], Problem> {
    if !inputs.len().is_multiple_of(KINDS) {
        return Err(Problem::input(format!("has {} tensors, which is not a multiple of {KINDS}", inputs.len())));
    }
    let count = inputs.len() / KINDS;
    Ok(std::array::from_fn(|kind| inputs[kind * count..(kind + 1) * count].to_vec()))
}

/// The operand whose next value output `index` is: outputs skip the gradients, the second of `kinds`.
fn updated(inputs: usize, kinds: usize, index: usize) -> usize {
    let count = (inputs / kinds).max(1);
    let kind = index / count;
    FIRST + index + if kind > 0 { count } else { 0 }
}

fn type_of_updated(node: &Reader<'_>, kinds: usize, index: usize) -> Option<Type> {
    let inputs = node.operands.len().checked_sub(FIRST)?;
    let operand = *node.operands.get(updated(inputs, kinds, index))?;
    Some(without_shape(node.body.value_type(operand)))
}

fn shapes_of_updated(node: &Node<'_, '_>, inputs: &[Value], kinds: usize) -> Answer {
    let operand = |index: usize| inputs.get(updated(inputs.len(), kinds, index) - FIRST);
    Ok((0..node.result_count()).map(|index| operand(index).and_then(|&value| node.shape_of(value))).collect())
}

/// `norm_coefficient · x + gradient`
fn regularized(emit: &mut Emitter, x: Value, gradient: Value, norm_coefficient: f64) -> Value {
    let weight = emit.number_like(norm_coefficient, x);
    let pull = emit.plain("Mul", &[weight, x]);
    emit.plain("Add", &[pull, gradient])
}

/// `a · x + b · y`
fn blend(emit: &mut Emitter, (a, x): (f64, Value), (b, y): (f64, Value)) -> Value {
    let (a, b) = (emit.number_like(a, x), emit.number_like(b, y));
    let (x, y) = (emit.plain("Mul", &[a, x]), emit.plain("Mul", &[b, y]));
    emit.plain("Add", &[x, y])
}
