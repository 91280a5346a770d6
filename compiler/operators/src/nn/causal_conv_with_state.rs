//! CausalConvWithState: a depthwise convolution over the state and the input. Since 27.

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
    let result = match emit.body.value_type(weight).shape().and_then(|shape| *shape.first()?) {
        Some(channels) => {
            let mut operands = vec![padded, weight];
            operands.extend(convolution.bias);
            emit.op("Conv", &operands, [("group", Attribute::i64(channels))])
        }
        None => by_windows(emit, padded, weight, convolution.bias),
    };
    let result = match convolution.activation {
        ConvolutionActivation::None => result,
        ConvolutionActivation::Silu | ConvolutionActivation::Swish => emit.plain("Swish", &[result]),
    };
    let end = emit.extent(padded, 2);
    let start = emit.plain("Sub", &[end, before]);
    let state = emit.slice(padded, start, end, 2);
    Ok(vec![Some(result), Some(state)])
}

/// The depthwise convolution for an unknown number of channels: the sum of each window of an axis times its weights.
fn by_windows(emit: &mut Emitter, x: Value, weight: Value, bias: Option<Value>) -> Value {
    let (extent, kernel, one) = (emit.extent(x, 2), emit.extent(weight, 2), emit.integers(&[1]));
    let short = emit.plain("Sub", &[extent, kernel]);
    let count = emit.plain("Add", &[short, one]);
    let (starts, taps) = (emit.count_up(count), emit.count_up(kernel));
    let starts = emit.unsqueeze(starts, &[1]);
    let places = emit.plain("Add", &[starts, taps]);
    let element = emit.element(x);
    let [wide_x, wide_weight] = [x, weight].map(|value| emit.widened(value));
    let windows = emit.op("Gather", &[wide_x, places], [("axis", Attribute::i64(2))]);
    let products = emit.plain("Mul", &[windows, wide_weight]);
    let axes = emit.integers(&[-1]);
    let mut sum = emit.op("ReduceSum", &[products, axes], [("keepdims", Attribute::i64(0))]);
    if let Some(bias) = bias {
        let bias = emit.widened(bias);
        let bias = emit.unsqueeze(bias, &[1]);
        sum = emit.plain("Add", &[sum, bias]);
    }
    emit.convert(sum, &element)
}
