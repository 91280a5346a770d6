//! DynamicQuantizeLSTM: weights are integers of 8 bits, and so are the input and the output of each step in its products.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{View, microsoft};
use ir::{Attribute, Op, Type, Value};

use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::recurrent::{Lstm, Operands, RANKS, Weights};
use crate::shape::{Answer, Node};

pub(crate) const DYNAMIC_QUANTIZE_LSTM: Operator = Operator {
    ranks: &RANKS,
    shapes: Some(shapes),
    compose: Some(compose),
    ..Operator::of(OnnxOp::MicrosoftDynamicQuantizeLSTM)
};

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let lstm: microsoft::DynamicQuantizeLSTM = node.view();
    let operands = Operands {
        x: lstm.x,
        weights: [lstm.w, lstm.r],
        are_transposed: true,
        b: lstm.b,
        sequence_lens: lstm.sequence_lens,
        initial: vec![lstm.initial_h, lstm.initial_c],
        peepholes: lstm.p,
        direction: lstm.direction,
        layout: 0,
        gates: 4,
    };
    operands.shapes(node)
}

fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let lstm = microsoft::DynamicQuantizeLSTM::of(&emit.body, op);
    let layer = Lstm {
        x: lstm.sequence_lens.map_or(lstm.x, |lengths| without_padding(emit, lstm.x, lengths)),
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
