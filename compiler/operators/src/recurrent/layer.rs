//! Shared code of LSTM, GRU and RNN: directions, layouts, sequence lengths, and the loop over the steps.

use dialects::onnx::views::Direction;
use ir::{Attribute, Value};

use super::activation::Activation;
use crate::graph::{Emitter, Problem, Scan};
use crate::operator::Rank;
use crate::quantization::IntegerProduct;

/// A layer as the operators describe it.
pub(super) struct Layer {
    pub(super) x: Value,
    pub(super) w: Weights,
    pub(super) r: Weights,
    /// The input's biases, then the recurrence's.
    pub(super) b: Option<Value>,
    pub(super) sequence_lens: Option<Value>,
    /// Initial states, each `[directions, batch, hidden]`, zero if omitted.
    pub(super) initial: Vec<Option<Value>>,
    pub(super) direction: Direction,
    /// 1 if the batch is the first axis of all tensors.
    pub(super) layout: i64,
    pub(super) clip: Option<f64>,
    /// Gates of the weights.
    pub(super) gates: i64,
    /// The numbers of consecutive gates that share one product with a state.
    pub(super) products: &'static [i64],
}

/// The weights of a product, of all directions.
#[derive(Clone, Copy)]
pub(crate) enum Weights {
    /// `[directions, gates * hidden, features]`
    Plain(Value),
    /// `[directions, features, gates * hidden]`, with scales and zero points for each direction, or for each of its columns. The other
    /// factor is quantised by the range of its elements.
    Quantized { values: Value, scale: Value, zero_point: Value },
}

/// The right factor of a product, `[features, gates * hidden]`.
enum Factor {
    Plain(Value),
    Quantized { values: Value, scale: Value, zero_point: Value },
}

impl Weights {
    pub(super) fn values(self) -> Value {
        match self {
            Weights::Plain(values) | Weights::Quantized { values, .. } => values,
        }
    }

    /// Whether the features come before the gates.
    pub(super) fn are_transposed(self) -> bool {
        match self {
            Weights::Plain(_) => false,
            Weights::Quantized { .. } => true,
        }
    }

    /// The factor of one direction.
    fn factor(self, emit: &mut Emitter, direction: usize) -> Factor {
        match self {
            Weights::Plain(weights) => {
                let weights = of_direction(emit, weights, direction);
                Factor::Plain(emit.transpose(weights, &[1, 0]))
            }
            Weights::Quantized { values, scale, zero_point } => {
                let [values, scale, zero_point] =
                    [values, scale, zero_point].map(|value| of_direction(emit, value, direction));
                Factor::Quantized { values, scale, zero_point }
            }
        }
    }

    /// The number of features.
    fn features(self, emit: &mut Emitter) -> Value {
        emit.extent(self.values(), if self.are_transposed() { 1 } else { 2 })
    }
}

impl Factor {
    /// `x · factor`
    fn product(&self, emit: &mut Emitter, x: Value) -> Value {
        match *self {
            Factor::Plain(factor) => emit.plain("MatMul", &[x, factor]),
            Factor::Quantized { values, scale, zero_point } => {
                let [x, x_scale, x_zero_point] = emit.results("DynamicQuantizeLinear", &[x], []);
                let product = IntegerProduct {
                    factors: [x, values],
                    zero_points: [Some(x_zero_point), Some(zero_point)],
                    scales: [x_scale, scale],
                    bias: None,
                };
                product.emit(emit)
            }
        }
    }
}

/// The operands of one step of one direction.
pub(super) struct Cell<'a> {
    /// Functions in the order of the operator's list.
    pub(super) activations: &'a [Activation],
    /// For each product the weights of its gates and their number.
    recurrence: Vec<(Factor, i64)>,
    /// The recurrence's bias by gate, `[hidden]`, if it is not part of the input's.
    pub(super) bias: Option<Vec<Value>>,
    /// The index of the direction.
    pub(super) direction: usize,
    clip: Option<f64>,
}

impl Cell<'_> {
    /// `x`, clipped to the layer's bound.
    pub(super) fn clipped(&self, emit: &mut Emitter, x: Value) -> Value {
        match self.clip.filter(|&clip| clip > 0.0) {
            Some(clip) => {
                let (low, high) = (emit.number_like(-clip, x), emit.number_like(clip, x));
                emit.plain("Clip", &[x, low, high])
            }
            None => x,
        }
    }

    /// An activation of the clipped value.
    pub(super) fn activate(&self, emit: &mut Emitter, activation: usize, x: Value) -> Value {
        let x = self.clipped(emit, x);
        self.activations[activation].apply(emit, x)
    }

    /// `state · recurrenceᵀ` by gate, for the gates of one product.
    pub(super) fn recurrent(&self, emit: &mut Emitter, product: usize, state: Value) -> Vec<Value> {
        let (factor, gates) = &self.recurrence[product];
        let product = factor.product(emit, state);
        split(emit, product, *gates, 1)
    }
}

/// One step: from the gates' shares of the input, each `[batch, hidden]`, and the states, to the next states, the
/// output first.
pub(super) type Step<'a> = dyn Fn(&mut Emitter, &Cell<'_>, &[Value], &[Value]) -> Vec<Value> + 'a;

impl Layer {
    /// Number of directions.
    pub(super) fn directions(&self) -> usize {
        if self.direction == Direction::Bidirectional { 2 } else { 1 }
    }

    /// All outputs of the layer, then the last value of each state. With `separate_bias` the step adds the recurrence's
    /// bias.
    pub(super) fn compose(
        &self,
        emit: &mut Emitter,
        activations: &[Vec<Activation>],
        separate_bias: bool,
        step: &Step<'_>,
    ) -> Result<Vec<Option<Value>>, Problem> {
        emit.known_rank(self.x)?;
        let by_step = if self.layout == 1 { emit.transpose(self.x, &[1, 0, 2]) } else { self.x };
        let mut outputs: Vec<Vec<Value>> = vec![];
        for (direction, activations) in activations.iter().enumerate() {
            let cell = self.cell(emit, direction, activations, separate_bias);
            outputs.push(self.run(emit, by_step, &cell, separate_bias, step));
        }
        let stacked: Vec<Value> = (0..outputs[0].len())
            .map(|index| {
                // the directions come after the steps for all outputs, and first for states
                let axis = if index == 0 { 1 } else { 0 };
                let each: Vec<Value> = outputs.iter().map(|values| emit.unsqueeze(values[index], &[axis])).collect();
                emit.op("Concat", &each, [("axis", Attribute::i64(axis))])
            })
            .collect();
        let arranged = stacked.into_iter().enumerate().map(|(index, value)| match (self.layout, index) {
            (1, 0) => Some(emit.transpose(value, &[2, 0, 1, 3])),
            (1, _) => Some(emit.transpose(value, &[1, 0, 2])),
            _ => Some(value),
        });
        Ok(arranged.collect())
    }

    fn cell<'a>(
        &self,
        emit: &mut Emitter,
        direction: usize,
        activations: &'a [Activation],
        separate_bias: bool,
    ) -> Cell<'a> {
        let factors = match self.r.factor(emit, direction) {
            Factor::Plain(factor) => pieces(emit, factor, self.products, 1).into_iter().map(Factor::Plain).collect(),
            // all gates share one product
            factor => vec![factor],
        };
        let recurrence = factors.into_iter().zip(self.products.iter().copied()).collect();
        let bias = self.b.filter(|_| separate_bias).map(|bias| {
            let bias = of_direction(emit, bias, direction);
            split(emit, bias, 2 * self.gates, 0)[self.gates as usize..].to_vec()
        });
        Cell { activations, recurrence, bias, direction, clip: self.clip }
    }

    /// One direction: outputs `[steps, batch, hidden]`, then the last states.
    fn run(&self, emit: &mut Emitter, x: Value, cell: &Cell<'_>, separate_bias: bool, step: &Step<'_>) -> Vec<Value> {
        let projected = self.projected(emit, x, cell.direction, separate_bias);
        let initial: Vec<Value> =
            self.initial.iter().map(|&state| self.initial_state(emit, x, state, cell.direction)).collect();
        let mut inputs = vec![projected];
        if self.sequence_lens.is_some() {
            let steps = emit.extent(x, 0);
            inputs.push(emit.count_up(steps));
        }
        let backwards = match self.direction {
            Direction::Forward => false,
            Direction::Reverse => true,
            Direction::Bidirectional => cell.direction == 1,
        };
        let lengths = self.sequence_lens.map(|lengths| {
            let lengths = emit.convert(lengths, &ir::Type::I64);
            emit.unsqueeze(lengths, &[1])
        });
        let scan = Scan { states: &initial, inputs: &inputs, backwards };
        let mut results = emit.scan(&scan, |emit, states, elements| {
            let gates = split(emit, elements[0], self.gates, 1);
            let mut next = step(emit, cell, &gates, states);
            let mut output = next[0];
            if let Some(lengths) = lengths {
                // after the end of a sequence, states stay and outputs are zero
                let runs = emit.plain("Less", &[elements[1], lengths]);
                let zero = emit.number_like(0.0, output);
                output = emit.plain("Where", &[runs, output, zero]);
                next = next.iter().zip(states).map(|(&new, &old)| emit.plain("Where", &[runs, new, old])).collect();
            }
            if !self.has_known_weights(emit) {
                // without a step, nothing else states the extents
                output = emit.reshaped_like(output, initial[0]);
            }
            (next, vec![output])
        });
        let outputs = results.pop().expect("the outputs are collected");
        [vec![outputs], results].concat()
    }

    /// Whether the gates' extents are known at compile time.
    fn has_known_weights(&self, emit: &Emitter) -> bool {
        [self.w, self.r].iter().all(|weights| emit.body.value_type(weights.values()).static_shape().is_some())
    }

    /// `x · wᵀ + biases`, `[steps, batch, gates * hidden]`.
    fn projected(&self, emit: &mut Emitter, x: Value, direction: usize, separate_bias: bool) -> Value {
        let product = self.w.factor(emit, direction).product(emit, x);
        let Some(bias) = self.b else { return product };
        let bias = of_direction(emit, bias, direction);
        let halves = split(emit, bias, 2, 0);
        let bias = if separate_bias { halves[0] } else { emit.plain("Add", &[halves[0], halves[1]]) };
        emit.plain("Add", &[product, bias])
    }

    /// `[batch, hidden]`, with the extents of the other operands.
    fn initial_state(&self, emit: &mut Emitter, x: Value, given: Option<Value>, direction: usize) -> Value {
        let given = given.map(|given| {
            let is_static = emit.body.value_type(given).static_shape().is_some();
            let given = if self.layout == 1 { emit.transpose(given, &[1, 0, 2]) } else { given };
            (of_direction(emit, given, direction), is_static)
        });
        if let Some((given, true)) = given {
            return given;
        }
        let (batch, hidden) = (emit.extent(x, 1), self.r.features(emit));
        let shape = emit.list(&[batch, hidden]);
        match given {
            Some((given, _)) => emit.op("Reshape", &[given, shape], [("allowzero", Attribute::i64(1))]),
            None => {
                let zero = emit.number_like(0.0, x);
                emit.plain("Expand", &[zero, shape])
            }
        }
    }
}

/// The slice of one direction, along axis 0.
pub(super) fn of_direction(emit: &mut Emitter, value: Value, direction: usize) -> Value {
    let index = emit.integer(direction as i64);
    emit.op("Gather", &[value, index], [("axis", Attribute::i64(0))])
}

/// Operands of a layer: `X W R B sequence_lens initial_h`, and of an LSTM `initial_c P`.
pub(crate) const RANKS: [(usize, Rank); 8] = [
    (0, Rank::Exactly(3)),
    (1, Rank::Exactly(3)),
    (2, Rank::Exactly(3)),
    (3, Rank::Exactly(2)),
    (4, Rank::Exactly(1)),
    (5, Rank::Exactly(3)),
    (6, Rank::Exactly(3)),
    (7, Rank::Exactly(2)),
];

/// Equal parts along an axis.
pub(super) fn split(emit: &mut Emitter, value: Value, parts: i64, axis: i64) -> Vec<Value> {
    pieces(emit, value, &vec![1; parts as usize], axis)
}

/// Parts along an axis, with lengths proportional to `sizes`.
fn pieces(emit: &mut Emitter, value: Value, sizes: &[i64], axis: i64) -> Vec<Value> {
    if sizes.len() == 1 {
        return vec![value];
    }
    let extent = emit.extent(value, axis);
    let count = emit.integers(&[sizes.iter().sum()]);
    let unit = emit.plain("Div", &[extent, count]);
    let mut start = emit.integers(&[0]);
    sizes
        .iter()
        .map(|&size| {
            let size = emit.integers(&[size]);
            let size = emit.plain("Mul", &[unit, size]);
            let end = emit.plain("Add", &[start, size]);
            let part = emit.slice(value, start, end, axis);
            start = end;
            part
        })
        .collect()
}
