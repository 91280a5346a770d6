//! CausalConvWithState: a depthwise convolution over what came before and the input. Since 27.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, ConvolutionActivation, View};
use ir::{Attribute, DimExpr, Op, Value};

use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::shape::{Answer, Node};

pub(crate) const CAUSAL_CONV_WITH_STATE: Operator =
    Operator { shapes: Some(shapes), compose: Some(compose), ..Operator::of(OnnxOp::CausalConvWithState) };

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let convolution: views::CausalConvWithState = node.view();
    let operands = (node.shape_of(convolution.input), node.shape_of(convolution.weight));
    let (Some(input), Some(weights)) = operands else { return Ok(vec![]) };
    let ([batch, channels, _], [_, _, kernel]) = (input.as_slice(), weights.as_slice()) else {
        return Err("operands must have rank 3".to_string());
    };
    let state = vec![batch.clone(), channels.clone(), kernel.sub(&DimExpr::ONE)];
    Ok(vec![Some(input), Some(state)])
}

/// The last elements are the next state.
fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let convolution = views::CausalConvWithState::of(&emit.body, op);
    let (input, weight) = (convolution.input, convolution.weight);
    let (kernel, one, zero) = (emit.extent(weight, 2), emit.integers(&[1]), emit.integers(&[0]));
    let before = emit.plain("Sub", &[kernel, one]);
    let padded = match convolution.past_state {
        Some(past) => emit.op("Concat", &[past, input], [("axis", Attribute::i64(2))]),
        None => {
            let (pads, axes) = (emit.list(&[before, zero]), emit.integers(&[2]));
            let fill = emit.number_like(0.0, input);
            emit.plain("Pad", &[input, pads, fill, axes])
        }
    };
    let channels = emit.body.value_type(weight).shape().and_then(|shape| *shape.first()?);
    let channels = channels.ok_or_else(|| Problem::unsupported("has weights for an unknown number of channels"))?;
    let mut operands = vec![padded, weight];
    operands.extend(convolution.bias);
    let result = emit.op("Conv", &operands, [("group", Attribute::i64(channels))]);
    let result = match convolution.activation {
        ConvolutionActivation::None => result,
        ConvolutionActivation::Silu | ConvolutionActivation::Swish => emit.plain("Swish", &[result]),
    };
    let end = emit.extent(padded, 2);
    let start = emit.plain("Sub", &[end, before]);
    let state = emit.slice(padded, start, end, 2);
    Ok(vec![Some(result), Some(state)])
}
