//! DynamicQuantizeLSTM: weights are integers of 8 bits, and so are the input and the output of each step in its products.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{View, microsoft};
use ir::{Op, Value};

use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::recurrent::{Lstm, RANKS, Weights};
use crate::shape::{Answer, Node};

pub(crate) const DYNAMIC_QUANTIZE_LSTM: Operator = Operator {
    ranks: &RANKS,
    shapes: Some(shapes),
    compose: Some(compose),
    ..Operator::of(OnnxOp::MicrosoftDynamicQuantizeLSTM)
};

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
    let layer = Lstm {
        x: lstm.x,
        w: Weights::Quantized { values: lstm.w, scale: lstm.w_scale, zero_point: lstm.w_zero_point },
        r: Weights::Quantized { values: lstm.r, scale: lstm.r_scale, zero_point: lstm.r_zero_point },
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
    };
    layer.compose(emit)
}
