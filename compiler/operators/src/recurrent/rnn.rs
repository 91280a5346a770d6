//! RNN: one gate.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Op, Value};

use super::activation::{self, activations};
use super::layer::{Layer, RANKS, Weights};
use crate::graph::{Emitter, Problem};
use crate::operator::Operator;

pub(crate) const RNN: Operator = Operator {
    ranks: RANKS.split_at(6).0,
    normalize: Some(|node, _| activation::check(node, 1)),
    shapes: Some(|node| layer(&node.view()).shapes(node, None)),
    compose: Some(compose),
    ..Operator::of(OnnxOp::RNN)
};

fn layer(rnn: &views::RNN) -> Layer {
    Layer {
        x: rnn.x,
        w: Weights::Plain(rnn.w),
        r: Weights::Plain(rnn.r),
        b: rnn.b,
        sequence_lens: rnn.sequence_lens,
        initial: vec![rnn.initial_h],
        direction: rnn.direction,
        layout: rnn.layout,
        clip: rnn.clip,
        gates: 1,
        products: &[1],
    }
}

fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let rnn = views::RNN::of(&emit.body, op);
    let layer = layer(&rnn);
    let names = rnn.activations[..layer.directions().min(rnn.activations.len())].to_vec();
    let numbers = (rnn.activation_alpha.as_deref(), rnn.activation_beta.as_deref());
    let functions = activations(Some(&names), numbers, layer.directions(), &["Tanh"])?;
    layer.compose(emit, &functions, false, &|emit, cell, input, states| {
        let own = cell.recurrent(emit, 0, states[0])[0];
        let sum = emit.plain("Add", &[input[0], own]);
        vec![cell.activate(emit, 0, sum)]
    })
}
