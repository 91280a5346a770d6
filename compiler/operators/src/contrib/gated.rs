//! Operators around the attention of recurrent language models: gates, norms of parts of a row, states.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::microsoft;
use ir::{Attribute, Type, Value};

use super::same::standard;
use crate::graph::{Emitter, Problem};
use crate::operator::Operator;

pub(crate) const GATED_ADD: Operator = Operator::read_as(OnnxOp::MicrosoftGatedAdd, |node, emit| {
    let sum: microsoft::GatedAdd = node.view(emit);
    let product = emit.plain("Mul", &[sum.y, sum.gate]);
    let result = emit.plain("Add", &[sum.x, product]);
    node.replace(result, emit);
    Ok(())
});

pub(crate) const SCALED_SILU: Operator = Operator::read_as(OnnxOp::MicrosoftScaledSiLU, |node, emit| {
    let silu: microsoft::ScaledSiLU = node.view(emit);
    let scale = match silu.scale {
        Some(scale) => emit.plain("CastLike", &[scale, silu.x]),
        None => emit.number_like(silu.alpha, silu.x),
    };
    let scaled = emit.plain("Mul", &[silu.x, scale]);
    let result = emit.plain("Swish", &[scaled]);
    node.replace(result, emit);
    Ok(())
});

/// Groups of a row, of as many elements as there are scales, are normalized; the gate is activated by Swish or a
/// sigmoid.
pub(crate) const GATED_RMS_NORM: Operator = Operator::read_as(OnnxOp::MicrosoftGatedRMSNorm, |node, emit| {
    let norm: microsoft::GatedRMSNorm = node.view(emit);
    let function = match &*norm.activation {
        "silu" | "swish" => "Swish",
        "sigmoid" => "Sigmoid",
        other => return Err(Problem::input(format!("has activation \"{other}\", which is not a known one"))),
    };
    let [x, scale, gate] = [norm.x, norm.scale, norm.gate].map(|value| emit.convert(value, &Type::F32));
    let normalized = by_group(emit, x, scale, norm.epsilon);
    let gate = emit.plain(function, &[gate]);
    let result = emit.plain("Mul", &[normalized, gate]);
    let element = emit.element(norm.x);
    let result = emit.convert(result, &element);
    node.replace(result, emit);
    Ok(())
});

/// RMSNormalization of groups with as many elements as there are scales.
fn by_group(emit: &mut Emitter, x: Value, scale: Value, epsilon: f64) -> Value {
    let shape = emit.plain("Shape", &[x]);
    let (rest, size) = (emit.integers(&[-1]), emit.extent(scale, 0));
    let rows = emit.list(&[rest, size]);
    let rows = emit.plain("Reshape", &[x, rows]);
    let rows = emit.op("RMSNormalization", &[rows, scale], [("epsilon", Attribute::f32(epsilon as f32))]);
    emit.plain("Reshape", &[rows, shape])
}

/// `decay_scale · softplus(a + dt_bias)` and `σ(b)`, in f32.
pub(crate) const LINEAR_ATTENTION_GATE: Operator =
    Operator::read_as(OnnxOp::MicrosoftLinearAttentionGate, |node, emit| {
        let gate: microsoft::LinearAttentionGate = node.view(emit);
        let element = emit.element(gate.a);
        let a = emit.convert(gate.a, &Type::F32);
        let shifted = emit.plain("Add", &[a, gate.dt_bias]);
        let step = emit.plain("Softplus", &[shifted]);
        let decay = emit.plain("Mul", &[step, gate.decay_scale]);
        let beta = gate.b.map(|b| emit.plain("Sigmoid", &[b])).unwrap_or(emit.none);
        node.results = Some(vec![emit.convert(decay, &element), beta]);
        Ok(())
    });

pub(crate) const LINEAR_ATTENTION: Operator = Operator::read_as(OnnxOp::MicrosoftLinearAttention, |node, emit| {
    let attention: microsoft::LinearAttention = node.view(emit);
    if attention.state_window != 0 || attention.kv_num_heads > attention.q_num_heads {
        return Err(Problem::unsupported("keeps several states, or has more keys than queries"));
    }
    standard(node, "LinearAttention")
});

pub(crate) const CAUSAL_CONV_WITH_STATE: Operator =
    Operator::read_as(OnnxOp::MicrosoftCausalConvWithState, |node, emit| {
        let conv: microsoft::CausalConvWithState = node.view(emit);
        if (conv.channels_last, conv.dilation, conv.ndim, conv.state_window) != (0, 1, 1, 0) {
            return Err(Problem::unsupported(
                "keeps several states, or does not have exactly one axis after the channels",
            ));
        }
        standard(node, "CausalConvWithState")
    });
