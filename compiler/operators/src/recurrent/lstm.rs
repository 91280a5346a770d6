//! LSTM: gates `i o f c`, peepholes, coupled input and forget gates.

use std::sync::Arc;

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, Direction, View};
use ir::Value;

use super::activation::{self, activations};
use super::layer::{Cell, Layer, RANKS, Weights, of_direction, split};
use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::shape::{Answer, Node};

/// Gates in the order of the weights.
const GATES: i64 = 4;
const INPUT: usize = 0;
const OUTPUT: usize = 1;
const FORGET: usize = 2;
const CELL: usize = 3;

pub(crate) const LSTM: Operator = Operator {
    ranks: &RANKS,
    normalize: Some(|node, _| activation::check(node, 3)),
    shapes: Some(|node| Lstm::of(node.view()).shapes(node)),
    compose: Some(|emit, op| Lstm::of(View::of(&emit.body, op)).compose(emit)),
    ..Operator::of(OnnxOp::LSTM)
};

/// The options of LSTM, which DynamicQuantizeLSTM shares.
pub(crate) struct Lstm {
    pub(crate) x: Value,
    pub(crate) w: Weights,
    pub(crate) r: Weights,
    pub(crate) b: Option<Value>,
    pub(crate) sequence_lens: Option<Value>,
    /// Initial output and cell state.
    pub(crate) initial: [Option<Value>; 2],
    pub(crate) peepholes: Option<Value>,
    pub(crate) direction: Direction,
    pub(crate) layout: i64,
    pub(crate) clip: Option<f64>,
    pub(crate) activations: Option<Vec<Arc<str>>>,
    pub(crate) alphas: Option<Vec<f32>>,
    pub(crate) betas: Option<Vec<f32>>,
    /// Whether the input gate is one minus the forget gate.
    pub(crate) coupled: bool,
}

impl Lstm {
    fn of(lstm: views::LSTM) -> Lstm {
        Lstm {
            x: lstm.x,
            w: Weights::Plain(lstm.w),
            r: Weights::Plain(lstm.r),
            b: lstm.b,
            sequence_lens: lstm.sequence_lens,
            initial: [lstm.initial_h, lstm.initial_c],
            peepholes: lstm.p,
            direction: lstm.direction,
            layout: lstm.layout,
            clip: lstm.clip,
            activations: lstm.activations,
            alphas: lstm.activation_alpha,
            betas: lstm.activation_beta,
            coupled: lstm.input_forget != 0,
        }
    }

    fn layer(&self) -> Layer {
        Layer {
            x: self.x,
            w: self.w,
            r: self.r,
            b: self.b,
            sequence_lens: self.sequence_lens,
            initial: self.initial.to_vec(),
            direction: self.direction,
            layout: self.layout,
            clip: self.clip,
            gates: GATES,
            products: &[GATES],
        }
    }

    /// Shapes of what [`Lstm::compose`] answers.
    pub(crate) fn shapes(&self, node: &mut Node<'_, '_>) -> Answer {
        self.layer().shapes(node, self.peepholes)
    }

    /// All outputs, the last one, and the last cell state.
    pub(crate) fn compose(&self, emit: &mut Emitter) -> Result<Vec<Option<Value>>, Problem> {
        let layer = self.layer();
        let numbers = (self.alphas.as_deref(), self.betas.as_deref());
        let functions =
            activations(self.activations.as_deref(), numbers, layer.directions(), &["Sigmoid", "Tanh", "Tanh"])?;
        // the peepholes of each direction: input, output, forget
        let peepholes: Option<Vec<Vec<Value>>> = self.peepholes.map(|p| {
            let each = |direction| {
                let own = of_direction(emit, p, direction);
                split(emit, own, 3, 0)
            };
            (0..layer.directions()).map(each).collect()
        });
        layer.compose(emit, &functions, false, &|emit, cell, input, states| {
            let peepholes = peepholes.as_ref().map(|p| p[cell.direction].as_slice());
            step(emit, cell, input, [states[0], states[1]], peepholes, self.coupled)
        })
    }
}

fn step(
    emit: &mut Emitter,
    cell: &Cell<'_>,
    input: &[Value],
    [hidden, memory]: [Value; 2],
    peepholes: Option<&[Value]>,
    coupled: bool,
) -> Vec<Value> {
    let recurrent = cell.recurrent(emit, 0, hidden);
    let gate = |emit: &mut Emitter, gate: usize, memory: Option<Value>| {
        let sum = emit.plain("Add", &[input[gate], recurrent[gate]]);
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
    // `clip` bounds the gates, not the cell
    let shown = cell.activations[2].apply(emit, memory);
    vec![emit.plain("Mul", &[o, shown]), memory]
}
