//! Momentum: an average of gradients, standard or Nesterov's. Since 1.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::training::Momentum;
use dialects::onnx::views::{MomentumMode, View};
use ir::{Op, Value};

use super::{regularized, shapes_of_updated, tensors, type_of_updated};
use crate::graph::{Emitter, Problem};
use crate::operator::Operator;

const KINDS: usize = 3;

pub(crate) const MOMENTUM: Operator = Operator {
    types: Some(|node, index| type_of_updated(node, KINDS, index)),
    shapes: Some(|node| shapes_of_updated(node, &node.view::<Momentum>().inputs, KINDS)),
    compose: Some(compose),
    ..Operator::of(OnnxOp::TrainingMomentum)
};

fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let momentum = Momentum::of(&emit.body, op);
    let [xs, gradients, velocities] = tensors::<KINDS>(&momentum.inputs)?;
    let (mut next, mut next_velocities) = (vec![], vec![]);
    for ((x, gradient), velocity) in xs.into_iter().zip(gradients).zip(velocities) {
        let rate = emit.plain("CastLike", &[momentum.r, x]);
        let gradient = regularized(emit, x, gradient, momentum.norm_coefficient);
        let share = gradient_share(emit, &momentum, x);
        let alpha = emit.number_like(momentum.alpha, x);
        let (kept, added) = (emit.plain("Mul", &[alpha, velocity]), emit.plain("Mul", &[share, gradient]));
        let velocity = emit.plain("Add", &[kept, added]);
        let direction = match momentum.mode {
            MomentumMode::Standard => velocity,
            MomentumMode::Nesterov => {
                let ahead = emit.plain("Mul", &[alpha, velocity]);
                emit.plain("Add", &[gradient, ahead])
            }
        };
        let step = emit.plain("Mul", &[rate, direction]);
        next.push(Some(emit.plain("Sub", &[x, step])));
        next_velocities.push(Some(velocity));
    }
    Ok([next, next_velocities].concat())
}

/// `beta`, but 1 before the first update.
fn gradient_share(emit: &mut Emitter, momentum: &Momentum, like: Value) -> Value {
    let zero = emit.number_like(0.0, momentum.t);
    let started = emit.plain("Greater", &[momentum.t, zero]);
    let (beta, one) = (emit.number_like(momentum.beta, like), emit.number_like(1.0, like));
    emit.plain("Where", &[started, beta, one])
}
