//! Adagrad: steps shrink with the sum of squared gradients. Since 1.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::View;
use dialects::onnx::views::training::Adagrad;
use ir::{Op, Value};

use super::{regularized, shapes_of_updated, tensors, type_of_updated};
use crate::graph::{Emitter, Problem};
use crate::operator::Operator;

const KINDS: usize = 3;

pub(crate) const ADAGRAD: Operator = Operator {
    types: Some(|node, index| type_of_updated(node, KINDS, index)),
    shapes: Some(|node| shapes_of_updated(node, &node.view::<Adagrad>().inputs, KINDS)),
    compose: Some(compose),
    ..Operator::of(OnnxOp::TrainingAdagrad)
};

fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let adagrad = Adagrad::of(&emit.body, op);
    let [xs, gradients, sums] = tensors::<KINDS>(&adagrad.inputs)?;
    let (mut next, mut next_sums) = (vec![], vec![]);
    for ((x, gradient), sum) in xs.into_iter().zip(gradients).zip(sums) {
        let rate = decayed(emit, &adagrad, x);
        let gradient = regularized(emit, x, gradient, adagrad.norm_coefficient);
        let square = emit.plain("Mul", &[gradient, gradient]);
        let sum = emit.plain("Add", &[sum, square]);
        let root = emit.plain("Sqrt", &[sum]);
        let epsilon = emit.number_like(adagrad.epsilon, x);
        let divisor = emit.plain("Add", &[root, epsilon]);
        let step = emit.plain("Mul", &[rate, gradient]);
        let step = emit.plain("Div", &[step, divisor]);
        next.push(Some(emit.plain("Sub", &[x, step])));
        next_sums.push(Some(sum));
    }
    Ok([next, next_sums].concat())
}

/// `rate / (1 + count · decay)`
fn decayed(emit: &mut Emitter, adagrad: &Adagrad, like: Value) -> Value {
    let (rate, count) = (emit.plain("CastLike", &[adagrad.r, like]), emit.plain("CastLike", &[adagrad.t, like]));
    let (decay, one) = (emit.number_like(adagrad.decay_factor, like), emit.number_like(1.0, like));
    let decay = emit.plain("Mul", &[count, decay]);
    let divisor = emit.plain("Add", &[one, decay]);
    emit.plain("Div", &[rate, divisor])
}
