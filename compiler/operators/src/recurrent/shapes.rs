//! The shapes of LSTM, GRU and RNN, and how the extents of their operands meet.

use dialects::onnx::views::Direction;
use ir::{DimExpr, Value};

use crate::shape::{Answer, Condition, Node, list};

/// The operands of a layer that have extents in common.
pub(crate) struct Operands {
    /// `[steps, batch, features]`, or `[batch, steps, features]`
    pub(crate) x: Value,
    /// The weights of the input and of the state, see [`super::Weights`].
    pub(crate) weights: [Value; 2],
    /// Whether weights are `[directions, features, gates * hidden]`.
    pub(crate) are_transposed: bool,
    pub(crate) b: Option<Value>,
    pub(crate) sequence_lens: Option<Value>,
    /// One for each state.
    pub(crate) initial: Vec<Option<Value>>,
    pub(crate) peepholes: Option<Value>,
    pub(crate) direction: Direction,
    pub(crate) layout: i64,
    pub(crate) gates: i64,
}

impl Operands {
    /// Shapes of all outputs and of the last value of each state.
    pub(crate) fn shapes(&self, node: &mut Node<'_, '_>) -> Answer {
        let [x, r] = [self.x, self.weights[1]].map(|operand| node.shape_of(operand));
        let (Some(x), Some(r)) = (x, r) else { return Ok(vec![]) };
        let ([first, second, features], [_, rows, columns]) = (&x[..], &r[..]) else {
            return Err("operands must have rank 3".to_string());
        };
        let hidden = if self.are_transposed { rows } else { columns };
        let directions = &DimExpr::from(if self.direction == Direction::Bidirectional { 2 } else { 1 });
        let times = |count: i64| hidden.mul(&DimExpr::from(count));
        let gates = &times(self.gates);
        let of_weights =
            |features| if self.are_transposed { [directions, features, gates] } else { [directions, gates, features] };
        let (outputs, state, batch) = match self.layout {
            0 => ([first, directions, second, hidden], [directions, second, hidden], second),
            _ => ([first, second, directions, hidden], [first, directions, hidden], first),
        };
        expect_shape(node, Some(self.weights[0]), &of_weights(features), "W")?;
        expect_shape(node, Some(self.weights[1]), &of_weights(hidden), "R")?;
        expect_shape(node, self.b, &[directions, &times(2 * self.gates)], "B")?;
        expect_shape(node, self.sequence_lens, &[batch], "sequence_lens")?;
        for (&initial, name) in self.initial.iter().zip(["initial_h", "initial_c"]) {
            expect_shape(node, initial, &state, name)?;
        }
        expect_shape(node, self.peepholes, &[directions, &times(3)], "P")?;
        let mut answer = vec![Some(outputs.map(Clone::clone).to_vec())];
        answer.resize(1 + self.initial.len(), Some(state.map(Clone::clone).to_vec()));
        Ok(answer)
    }
}

/// States that an operand has a shape.
fn expect_shape(
    node: &mut Node<'_, '_>,
    operand: Option<Value>,
    expected: &[&DimExpr],
    name: &str,
) -> Result<(), String> {
    let Some(shape) = operand.and_then(|operand| node.shape_of(operand)) else { return Ok(()) };
    let expected: Vec<DimExpr> = expected.iter().map(|&extent| extent.clone()).collect();
    let message = || format!("{name} of shape {} where {} is expected", list(&shape), list(&expected));
    if shape.len() != expected.len() {
        return Err(message());
    }
    for (own, expected) in shape.iter().zip(&expected) {
        node.require(Condition::Equal(own.clone(), expected.clone()), message)?;
    }
    Ok(())
}
