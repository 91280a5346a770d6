//! Operators fused with additions before or after.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::View;
use dialects::onnx::views::microsoft;
use ir::{Attribute, Op, Value};

use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::shape;

pub(crate) const BIAS_ADD: Operator = Operator::read_as(OnnxOp::MicrosoftBiasAdd, |node, emit| {
    let sum: microsoft::BiasAdd = node.view(emit);
    let biased = emit.plain("Add", &[sum.x, sum.bias]);
    let result = emit.plain("Add", &[biased, sum.skip]);
    node.replace(result, emit);
    Ok(())
});

/// Nothing is dropped in inference.
pub(crate) const BIAS_DROPOUT: Operator = Operator::read_as(OnnxOp::MicrosoftBiasDropout, |node, emit| {
    let dropout: microsoft::BiasDropout = node.view(emit);
    let biased = emit.plain("Add", &[dropout.data, dropout.bias]);
    let operands: Vec<Value> =
        [Some(biased), dropout.ratio, dropout.training_mode].map(|operand| operand.unwrap_or(emit.none)).to_vec();
    let [kept, mask] = emit.results("Dropout", &operands, []);
    let result = dropout.residual.map_or(kept, |residual| emit.plain("Add", &[kept, residual]));
    node.results = Some(vec![result, mask]);
    Ok(())
});

pub(crate) const BIAS_SOFTMAX: Operator = Operator {
    shapes: Some(shape::like_first),
    compose: Some(bias_softmax),
    ..Operator::of(OnnxOp::MicrosoftBiasSoftmax)
};

/// Softmax over all axes from `axis` on; the bias lacks the axes between the first ones and those.
fn bias_softmax(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let softmax = microsoft::BiasSoftmax::of(&emit.body, op);
    let rank = emit.known_rank(softmax.data)?;
    let axis = if softmax.axis < 0 { softmax.axis + rank } else { softmax.axis };
    let bias = match softmax.is_inner_broadcast {
        0 => softmax.bias,
        _ => {
            let missing = rank - emit.known_rank(softmax.bias)?;
            let between: Vec<i64> = (axis - missing..axis).collect();
            if missing > 0 { emit.unsqueeze(softmax.bias, &between) } else { softmax.bias }
        }
    };
    let sum = emit.plain("Add", &[softmax.data, bias]);
    Ok(vec![Some(softmax_from(emit, sum, axis))])
}

/// Softmax over all axes from one on.
pub(super) fn softmax_from(emit: &mut Emitter, x: Value, axis: i64) -> Value {
    let shape = emit.plain("Shape", &[x]);
    let rows = emit.op("Flatten", &[x], [("axis", Attribute::i64(axis))]);
    let weights = emit.op("Softmax", &[rows], [("axis", Attribute::i64(-1))]);
    emit.plain("Reshape", &[weights, shape])
}
