//! Gelu of sums, and its approximations.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::microsoft;
use ir::{Attribute, Value};

use crate::graph::Emitter;
use crate::operator::Operator;

pub(crate) const BIAS_GELU: Operator = Operator::read_as(OnnxOp::MicrosoftBiasGelu, |node, emit| {
    let gelu: microsoft::BiasGelu = node.view(emit);
    let sum = emit.plain("Add", &[gelu.a, gelu.b]);
    let result = emit.plain("Gelu", &[sum]);
    node.replace(result, emit);
    Ok(())
});

/// The first half of the last axis times the Gelu of the second half.
pub(crate) const BIAS_SPLIT_GELU: Operator = Operator::read_as(OnnxOp::MicrosoftBiasSplitGelu, |node, emit| {
    let gelu: microsoft::BiasSplitGelu = node.view(emit);
    let sum = emit.plain("Add", &[gelu.x, gelu.bias]);
    let attributes = [("axis", Attribute::i64(-1)), ("num_outputs", Attribute::i64(2))];
    let [first, second] = emit.results("Split", &[sum], attributes);
    let gate = emit.plain("Gelu", &[second]);
    let result = emit.plain("Mul", &[first, gate]);
    node.replace(result, emit);
    Ok(())
});

pub(crate) const FAST_GELU: Operator = Operator::read_as(OnnxOp::MicrosoftFastGelu, |node, emit| {
    let gelu: microsoft::FastGelu = node.view(emit);
    let result = fast_gelu(emit, gelu.x, gelu.bias);
    node.replace(result, emit);
    Ok(())
});

pub(crate) const QUICK_GELU: Operator = Operator::read_as(OnnxOp::MicrosoftQuickGelu, |node, emit| {
    let gelu: microsoft::QuickGelu = node.view(emit);
    let result = emit.op("Swish", &[gelu.x], [("alpha", Attribute::f32(gelu.alpha as f32))]);
    node.replace(result, emit);
    Ok(())
});

/// Gelu of `x + bias`, approximated by tanh.
pub(super) fn fast_gelu(emit: &mut Emitter, x: Value, bias: Option<Value>) -> Value {
    let sum = bias.map_or(x, |bias| emit.plain("Add", &[x, bias]));
    emit.op("Gelu", &[sum], [("approximate", Attribute::string("tanh"))])
}
