//! DynamicQuantizeLSTM: weights are integers of 8 bits, and so are the input and the output of each step in its products.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{View, microsoft};
use ir::{Attribute, Op, Type, Value};

use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::recurrent::{Lstm, RANKS, Weights};

pub(crate) const DYNAMIC_QUANTIZE_LSTM: Operator = Operator {
    ranks: &RANKS,
    shapes: Some(|node| lstm(node.view()).shapes(node)),
    compose: Some(compose),
    ..Operator::of(OnnxOp::MicrosoftDynamicQuantizeLSTM)
};

fn lstm(node: microsoft::DynamicQuantizeLSTM) -> Lstm {
    Lstm {
        x: node.x,
        w: Weights::Quantized { values: node.w, scale: node.w_scale, zero_point: node.w_zero_point },
        r: Weights::Quantized { values: node.r, scale: node.r_scale, zero_point: node.r_zero_point },
        b: node.b,
        sequence_lens: node.sequence_lens,
        initial: [node.initial_h, node.initial_c],
        peepholes: node.p,
        direction: node.direction,
        layout: 0,
        clip: node.clip,
        activations: node.activations,
        alphas: node.activation_alpha,
        betas: node.activation_beta,
        coupled: node.input_forget != 0,
    }
}

fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let mut lstm = lstm(View::of(&emit.body, op));
    if let Some(lengths) = lstm.sequence_lens {
        lstm.x = without_padding(emit, lstm.x, lengths);
    }
    lstm.compose(emit)
}

/// `x` with zeros after the end of the longest sequence, which are in the range of every quantisation.
fn without_padding(emit: &mut Emitter, x: Value, lengths: Value) -> Value {
    let lengths = emit.convert(lengths, &Type::I64);
    let longest = emit.op("ReduceMax", &[lengths], [("keepdims", Attribute::i64(0))]);
    let steps = emit.extent(x, 0);
    let steps = emit.count_up(steps);
    let steps = emit.unsqueeze(steps, &[1, 2]);
    let runs = emit.plain("Less", &[steps, longest]);
    let zero = emit.number_like(0.0, x);
    emit.plain("Where", &[runs, x, zero])
}
