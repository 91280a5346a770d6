//! GRU: gates `z r h`.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Op, Value};

use super::activation::{self, activations};
use super::layer::{Cell, Layer, RANKS, Weights};
use crate::graph::{Emitter, Problem};
use crate::operator::Operator;

/// Gates in the order of the weights.
const GATES: i64 = 3;
const UPDATE: usize = 0;
const RESET: usize = 1;
const HIDDEN: usize = 2;

pub(crate) const GRU: Operator = Operator {
    ranks: RANKS.split_at(6).0,
    normalize: Some(|node, _| activation::check(node, 2)),
    shapes: Some(|node| layer(&node.view()).shapes(node, None)),
    compose: Some(compose),
    ..Operator::of(OnnxOp::GRU)
};

fn layer(gru: &views::GRU) -> Layer {
    Layer {
        x: gru.x,
        w: Weights::Plain(gru.w),
        r: Weights::Plain(gru.r),
        b: gru.b,
        sequence_lens: gru.sequence_lens,
        initial: vec![gru.initial_h],
        direction: gru.direction,
        layout: gru.layout,
        clip: gru.clip,
        gates: GATES,
        // if the reset is applied after the product, the hidden gate reads the same state as the others
        products: if gru.linear_before_reset != 0 { &[GATES] } else { &[GATES - 1, 1] },
    }
}

fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let gru = views::GRU::of(&emit.body, op);
    let linear = gru.linear_before_reset != 0;
    let layer = layer(&gru);
    let numbers = (gru.activation_alpha.as_deref(), gru.activation_beta.as_deref());
    let functions = activations(gru.activations.as_deref(), numbers, layer.directions(), &["Sigmoid", "Tanh"])?;
    // otherwise the recurrence's bias is reset as well
    layer.compose(emit, &functions, linear, &|emit, cell, input, states| {
        vec![step(emit, cell, input, states[0], linear)]
    })
}

fn step(emit: &mut Emitter, cell: &Cell<'_>, input: &[Value], state: Value, linear: bool) -> Value {
    let recurrent = cell.recurrent(emit, 0, state);
    let biased = |emit: &mut Emitter, gate: usize, product: Value| match &cell.bias {
        Some(bias) => emit.plain("Add", &[product, bias[gate]]),
        None => product,
    };
    let gate = |emit: &mut Emitter, gate: usize| {
        let own = biased(emit, gate, recurrent[gate]);
        let sum = emit.plain("Add", &[input[gate], own]);
        cell.activate(emit, 0, sum)
    };
    let (z, r) = (gate(emit, UPDATE), gate(emit, RESET));
    let own = if linear {
        let own = biased(emit, HIDDEN, recurrent[HIDDEN]);
        emit.plain("Mul", &[r, own])
    } else {
        let reset = emit.plain("Mul", &[r, state]);
        let own = cell.recurrent(emit, 1, reset)[0];
        biased(emit, HIDDEN, own)
    };
    let sum = emit.plain("Add", &[input[HIDDEN], own]);
    let h = cell.activate(emit, 1, sum);
    let one = emit.number_like(1.0, z);
    let share = emit.plain("Sub", &[one, z]);
    let (new, kept) = (emit.plain("Mul", &[share, h]), emit.plain("Mul", &[z, state]));
    emit.plain("Add", &[new, kept])
}
