//! Losses over classes, axis 1 of the scores: NegativeLogLikelihoodLoss, SoftmaxCrossEntropyLoss.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, LossReduction, View};
use ir::{Attribute, DimExpr, Value};

use crate::graph::Emitter;
use crate::operator::Operator;
use crate::shape::Node;

pub(crate) const NEGATIVE_LOG_LIKELIHOOD_LOSS: Operator = Operator {
    shapes: Some(|node| {
        let loss: views::NegativeLogLikelihoodLoss = node.view();
        Ok(vec![loss_shape(node, loss.target, loss.reduction)])
    }),
    compose: Some(|emit, op| {
        let loss = views::NegativeLogLikelihoodLoss::of(&emit.body, op);
        let reduction = Weighting { weight: loss.weight, ignored: loss.ignore_index, reduction: loss.reduction };
        Ok(vec![Some(likelihood(emit, loss.input, loss.target, &reduction))])
    }),
    ..Operator::of(OnnxOp::NegativeLogLikelihoodLoss)
};

pub(crate) const SOFTMAX_CROSS_ENTROPY_LOSS: Operator = Operator {
    shapes: Some(|node| {
        let loss: views::SoftmaxCrossEntropyLoss = node.view();
        Ok(vec![loss_shape(node, loss.labels, loss.reduction), node.shape_of(loss.scores)])
    }),
    compose: Some(|emit, op| {
        let loss = views::SoftmaxCrossEntropyLoss::of(&emit.body, op);
        let logarithms = emit.op("LogSoftmax", &[loss.scores], [("axis", Attribute::i64(1))]);
        let reduction = Weighting { weight: loss.weights, ignored: loss.ignore_index, reduction: loss.reduction };
        Ok(vec![Some(likelihood(emit, logarithms, loss.labels, &reduction)), Some(logarithms)])
    }),
    ..Operator::of(OnnxOp::SoftmaxCrossEntropyLoss)
};

fn loss_shape(node: &Node<'_, '_>, target: Value, reduction: LossReduction) -> Option<Vec<DimExpr>> {
    if reduction == LossReduction::None { node.shape_of(target) } else { Some(vec![]) }
}

/// How the losses of all positions are combined.
struct Weighting {
    /// A weight per class.
    weight: Option<Value>,
    /// The class with weight zero.
    ignored: Option<i64>,
    reduction: LossReduction,
}

/// `-weight[target] * scores[target]`, reduced as requested; the ignored target has weight zero.
fn likelihood(emit: &mut Emitter, scores: Value, target: Value, weighting: &Weighting) -> Value {
    let ignored = weighting.ignored.map(|index| {
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
    let zero_if_ignored = |emit: &mut Emitter, value: Value| match ignored {
        Some(ignored) => {
            let nothing = emit.number_like(0.0, scores);
            emit.plain("Where", &[ignored, nothing, value])
        }
        None => value,
    };
    // the score at the ignored target may be infinite
    let loss = zero_if_ignored(emit, loss);
    let weights = weighting.weight.map(|weight| emit.op("Gather", &[weight, class], [("axis", Attribute::i64(0))]));
    let weights = weights.or_else(|| ignored.map(|_| emit.number_like(1.0, scores)));
    let weights = weights.map(|weights| zero_if_ignored(emit, weights));
    let loss = weights.map_or(loss, |weights| emit.plain("Mul", &[loss, weights]));
    let all = [("keepdims", Attribute::i64(0))];
    match (weighting.reduction, weights) {
        (LossReduction::None, _) => loss,
        (LossReduction::Sum, _) => emit.op("ReduceSum", &[loss], all),
        (LossReduction::Mean, None) => emit.op("ReduceMean", &[loss], all),
        (LossReduction::Mean, Some(weights)) => {
            let (total, weight) = (emit.op("ReduceSum", &[loss], all.clone()), emit.op("ReduceSum", &[weights], all));
            emit.plain("Div", &[total, weight])
        }
    }
}
