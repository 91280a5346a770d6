//! LSTM: gates `i o f c`, peepholes, coupled input and forget gates.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Op, Value};

use super::activation::activations;
use super::layer::{Cell, Layer, RANKS, of_direction, shapes, split};
use crate::graph::{Emitter, Problem};
use crate::operator::Operator;

/// Gates in the order of the weights.
const GATES: i64 = 4;
const INPUT: usize = 0;
const OUTPUT: usize = 1;
const FORGET: usize = 2;
const CELL: usize = 3;

pub(crate) const LSTM: Operator = Operator {
    ranks: &RANKS,
    shapes: Some(|node| {
        let lstm: views::LSTM = node.view();
        shapes(node, [lstm.x, lstm.w, lstm.r], lstm.layout, 2)
    }),
    compose: Some(compose),
    ..Operator::of(OnnxOp::LSTM)
};

fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let lstm = views::LSTM::of(&emit.body, op);
    let layer = Layer {
        x: lstm.x,
        w: lstm.w,
        r: lstm.r,
        b: lstm.b,
        sequence_lens: lstm.sequence_lens,
        initial: vec![lstm.initial_h, lstm.initial_c],
        direction: lstm.direction,
        layout: lstm.layout,
        clip: lstm.clip,
        gates: GATES,
    };
    let numbers = (lstm.activation_alpha.as_deref(), lstm.activation_beta.as_deref());
    let functions =
        activations(lstm.activations.as_deref(), numbers, layer.directions(), &["Sigmoid", "Tanh", "Tanh"])?;
    // the peepholes of each direction: input, output, forget
    let peepholes: Option<Vec<Vec<Value>>> = lstm.p.map(|p| {
        let each = |direction| {
            let own = of_direction(emit, p, direction);
            split(emit, own, 3, 0)
        };
        (0..layer.directions()).map(each).collect()
    });
    let coupled = lstm.input_forget != 0;
    layer.compose(emit, &functions, false, &|emit, cell, input, states| {
        step(emit, cell, input, states, peepholes.as_ref().map(|p| p[cell.direction].as_slice()), coupled)
    })
}

fn step(
    emit: &mut Emitter,
    cell: &Cell<'_>,
    input: &[Value],
    states: &[Value],
    peepholes: Option<&[Value]>,
    coupled: bool,
) -> Vec<Value> {
    let (hidden, memory) = (states[0], states[1]);
    let gate = |emit: &mut Emitter, gate: usize, memory: Option<Value>| {
        let recurrent = cell.recurrent(emit, gate, hidden);
        let sum = emit.plain("Add", &[input[gate], recurrent]);
        match (peepholes, memory) {
            (Some(peepholes), Some(memory)) => {
                let seen = emit.plain("Mul", &[peepholes[gate], memory]);
                emit.plain("Add", &[sum, seen])
            }
            _ => sum,
        }
    };
    let sum = gate(emit, INPUT, Some(memory));
    let i = cell.activate(emit, 0, sum);
    let f = if coupled {
        let one = emit.number_like(1.0, i);
        emit.plain("Sub", &[one, i])
    } else {
        let sum = gate(emit, FORGET, Some(memory));
        cell.activate(emit, 0, sum)
    };
    let sum = gate(emit, CELL, None);
    let c = cell.activate(emit, 1, sum);
    let (kept, added) = (emit.plain("Mul", &[f, memory]), emit.plain("Mul", &[i, c]));
    let memory = emit.plain("Add", &[kept, added]);
    let sum = gate(emit, OUTPUT, Some(memory));
    let o = cell.activate(emit, 0, sum);
    let shown = cell.activate(emit, 2, memory);
    vec![emit.plain("Mul", &[o, shown]), memory]
}
