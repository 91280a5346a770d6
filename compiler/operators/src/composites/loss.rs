//! Losses over classes: axis 1 of the scores.

use ir::{Attribute, Attributes, Value};

use crate::graph::Emitter;
use crate::graph::{Node, Problem};

pub(super) fn negative_log_likelihood(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let weight = node.given(2, emit);
    let loss = likelihood(emit, node.operands[0], node.operands[1], weight, &node.attributes);
    node.finish(&[Some(loss)], emit);
    Ok(())
}

pub(super) fn softmax_cross_entropy(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let logarithms = emit.op("LogSoftmax", &[node.operands[0]], [("axis", Attribute::i64(1))]);
    let weight = node.given(2, emit);
    let loss = likelihood(emit, logarithms, node.operands[1], weight, &node.attributes);
    node.finish(&[Some(loss), Some(logarithms)], emit);
    Ok(())
}

/// `-weight[target] * scores[target]`, reduced as the attributes say; the target to ignore weighs nothing.
fn likelihood(
    emit: &mut Emitter,
    scores: Value,
    target: Value,
    weight: Option<Value>,
    attributes: &Attributes,
) -> Value {
    let ignored = attributes.integer("ignore_index").map(|index| {
        let index = emit.number_like(index as f64, target);
        emit.plain("Equal", &[target, index])
    });
    let class = match ignored {
        Some(ignored) => {
            let first = emit.number_like(0.0, target);
            emit.plain("Where", &[ignored, first, target])
        }
        None => target,
    };
    let column = emit.unsqueeze(class, &[1]);
    let picked = emit.op("GatherElements", &[scores, column], [("axis", Attribute::i64(1))]);
    let axes = emit.integers(&[1]);
    let picked = emit.plain("Squeeze", &[picked, axes]);
    let loss = emit.plain("Neg", &[picked]);
    let weights = weight.map(|weight| emit.op("Gather", &[weight, class], [("axis", Attribute::i64(0))]));
    let weights = match ignored {
        Some(ignored) => {
            let (nothing, one) = (emit.number_like(0.0, scores), emit.number_like(1.0, scores));
            Some(emit.plain("Where", &[ignored, nothing, weights.unwrap_or(one)]))
        }
        None => weights,
    };
    let loss = weights.map_or(loss, |weights| emit.plain("Mul", &[loss, weights]));
    let all = [("keepdims", Attribute::i64(0))];
    match (attributes.str("reduction").unwrap_or("mean"), weights) {
        ("none", _) => loss,
        ("sum", _) => emit.op("ReduceSum", &[loss], all),
        (_, None) => emit.op("ReduceMean", &[loss], all),
        (_, Some(weights)) => {
            let (total, weight) = (emit.op("ReduceSum", &[loss], all.clone()), emit.op("ReduceSum", &[weights], all));
            emit.plain("Div", &[total, weight])
        }
    }
}
