//! The shapes of LSTM, GRU and RNN, and how the extents of their operands meet.

use ir::{DimExpr, Value};

use super::layer::Layer;
use crate::shape::{Answer, Condition, Node, list};

impl Layer {
    /// Shapes of all outputs and of the last value of each state.
    pub(super) fn shapes(&self, node: &mut Node<'_, '_>, peepholes: Option<Value>) -> Answer {
        let [x, r] = [self.x, self.r.values()].map(|operand| node.shape_of(operand));
        let (Some(x), Some(r)) = (x, r) else { return Ok(vec![]) };
        let ([first, second, features], [_, rows, columns]) = (&x[..], &r[..]) else {
            return Err("operands must have rank 3".to_string());
        };
        let hidden = if self.r.are_transposed() { rows } else { columns };
        let directions = &DimExpr::from(self.directions() as i64);
        let times = |count: i64| hidden.mul(&DimExpr::from(count));
        let gates = &times(self.gates);
        let (outputs, state, batch) = match self.layout {
            0 => ([first, directions, second, hidden], [directions, second, hidden], second),
            _ => ([first, second, directions, hidden], [first, directions, hidden], first),
        };
        for (weights, features, name) in [(self.w, features, "W"), (self.r, hidden, "R")] {
            let expected =
                if weights.are_transposed() { [directions, features, gates] } else { [directions, gates, features] };
            expect_shape(node, Some(weights.values()), &expected, name)?;
        }
        expect_shape(node, self.b, &[directions, &times(2 * self.gates)], "B")?;
        expect_shape(node, self.sequence_lens, &[batch], "sequence_lens")?;
        for (&initial, name) in self.initial.iter().zip(["initial_h", "initial_c"]) {
            expect_shape(node, initial, &state, name)?;
        }
        expect_shape(node, peepholes, &[directions, &times(3)], "P")?;
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
