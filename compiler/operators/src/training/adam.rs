//! Adam: averages of gradients and of their squares. Since 1.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::View;
use dialects::onnx::views::training::Adam;
use ir::{Op, Value};

use super::{blend, regularized, shapes_of_updated, tensors, type_of_updated};
use crate::graph::{Emitter, Problem};
use crate::operator::Operator;

const KINDS: usize = 4;

pub(crate) const ADAM: Operator = Operator {
    types: Some(|node, index| type_of_updated(node, KINDS, index)),
    shapes: Some(|node| shapes_of_updated(node, &node.view::<Adam>().inputs, KINDS)),
    compose: Some(compose),
    ..Operator::of(OnnxOp::TrainingAdam)
};

fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let adam = Adam::of(&emit.body, op);
    let [xs, gradients, means, squares] = tensors::<KINDS>(&adam.inputs)?;
    let (mut next, mut next_means, mut next_squares) = (vec![], vec![], vec![]);
    for (((x, gradient), mean), square) in xs.into_iter().zip(gradients).zip(means).zip(squares) {
        let gradient = regularized(emit, x, gradient, adam.norm_coefficient);
        let mean = blend(emit, (adam.alpha, mean), (1.0 - adam.alpha, gradient));
        let product = emit.plain("Mul", &[gradient, gradient]);
        let square = blend(emit, (adam.beta, square), (1.0 - adam.beta, product));
        let root = emit.plain("Sqrt", &[square]);
        let epsilon = emit.number_like(adam.epsilon, x);
        let divisor = emit.plain("Add", &[root, epsilon]);
        let rate = unbiased(emit, &adam, x);
        let step = emit.plain("Mul", &[rate, mean]);
        let step = emit.plain("Div", &[step, divisor]);
        let moved = emit.plain("Sub", &[x, step]);
        let kept = emit.number_like(1.0 - adam.norm_coefficient_post, x);
        next.push(Some(emit.plain("Mul", &[kept, moved])));
        next_means.push(Some(mean));
        next_squares.push(Some(square));
    }
    Ok([next, next_means, next_squares].concat())
}

/// `rate · √(1 - beta^count) / (1 - alpha^count)`, but the rate itself before the first update.
fn unbiased(emit: &mut Emitter, adam: &Adam, like: Value) -> Value {
    let (rate, count) = (emit.plain("CastLike", &[adam.r, like]), emit.plain("CastLike", &[adam.t, like]));
    let (zero, one) = (emit.number_like(0.0, like), emit.number_like(1.0, like));
    let missing = |emit: &mut Emitter, base: f64| {
        let base = emit.number_like(base, like);
        let power = emit.plain("Pow", &[base, count]);
        emit.plain("Sub", &[one, power])
    };
    let (squares, means) = (missing(emit, adam.beta), missing(emit, adam.alpha));
    let root = emit.plain("Sqrt", &[squares]);
    let scaled = emit.plain("Mul", &[rate, root]);
    let adjusted = emit.plain("Div", &[scaled, means]);
    let started = emit.plain("Greater", &[count, zero]);
    emit.plain("Where", &[started, adjusted, rate])
}
