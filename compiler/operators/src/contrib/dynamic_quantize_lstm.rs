//! DynamicQuantizeLSTM: weights and their operands are quantised to int8.
//!
//! Instead of int8 arithmetic, weights are dequantised once, and the input and output of each step are rounded to the
//! values that int8 can represent; the products are the same.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{Direction, View, microsoft};
use ir::{Op, Value};

use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::quantization::rounded;
use crate::recurrent::Lstm;
use crate::shape::{Answer, Node};

pub(crate) const DYNAMIC_QUANTIZE_LSTM: Operator =
    Operator { shapes: Some(shapes), compose: Some(compose), ..Operator::of(OnnxOp::MicrosoftDynamicQuantizeLSTM) };

/// Weights are `[directions, columns, 4 * hidden]`.
fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let lstm: microsoft::DynamicQuantizeLSTM = node.view();
    let [x, w, r] = [lstm.x, lstm.w, lstm.r].map(|operand| node.shape_of(operand));
    let (Some(x), Some(w), Some(r)) = (x, w, r) else { return Ok(vec![]) };
    let ([steps, batch, features], [directions, columns, _], [_, hidden, _]) =
        (x.as_slice(), w.as_slice(), r.as_slice())
    else {
        return Err("operands must have rank 3".to_string());
    };
    node.expect_equal(features, columns, "features and columns of the weights")?;
    let outputs = [steps, directions, batch, hidden].map(Clone::clone).to_vec();
    let state = [directions, batch, hidden].map(Clone::clone).to_vec();
    Ok(vec![Some(outputs), Some(state.clone()), Some(state)])
}

fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let lstm = microsoft::DynamicQuantizeLSTM::of(&emit.body, op);
    let directions = if lstm.direction == Direction::Bidirectional { 2 } else { 1 };
    let mut weights = |q: Value, scale: Value, zero_point: Value| {
        let element = emit.element(scale);
        // one per direction, or one per column
        let spread = emit.integers(&[directions, 1, -1]);
        let [q, zero_point] = [q, zero_point].map(|value| emit.convert(value, &element));
        let [scale, zero_point] = [scale, zero_point].map(|value| emit.plain("Reshape", &[value, spread]));
        let centred = emit.plain("Sub", &[q, zero_point]);
        let weights = emit.plain("Mul", &[centred, scale]);
        emit.transpose(weights, &[0, 2, 1])
    };
    let w = weights(lstm.w, lstm.w_scale, lstm.w_zero_point);
    let r = weights(lstm.r, lstm.r_scale, lstm.r_zero_point);
    let layer = Lstm {
        x: rounded(emit, lstm.x),
        w,
        r,
        b: lstm.b,
        sequence_lens: lstm.sequence_lens,
        initial: [lstm.initial_h, lstm.initial_c],
        peepholes: lstm.p,
        direction: lstm.direction,
        layout: 0,
        clip: lstm.clip,
        activations: lstm.activations,
        alphas: lstm.activation_alpha,
        betas: lstm.activation_beta,
        coupled: lstm.input_forget != 0,
        rounded: true,
    };
    layer.compose(emit)
}
