//! Operands whose number of axes the standard fixes, and whose shape rule does not ask.

use super::Shape;
use super::node::{Node, list};
use crate::operator::{Operator, Rank};

/// An error where an operand has another number of axes than it must have.
pub(super) fn check(node: &Node<'_, '_>, ranks: &[(usize, Rank)]) -> Result<(), String> {
    for &(operand, rank) in ranks {
        let shape = node.operand(operand).and_then(|value| node.analyser.known.shape(value));
        let Some(found) = shape.map(<[_]>::len) else { continue };
        if !rank.takes(found) {
            return Err(format!("operand {operand} must have {rank}, found {found}"));
        }
    }
    Ok(())
}

/// An error where an operand of an elementwise operator has more axes than the result, to which it could not be repeated.
pub(super) fn check_elementwise(node: &Node<'_, '_>, row: &Operator, shapes: &[Option<Shape>]) -> Result<(), String> {
    // one with a lowering of its own may read the type of an operand alone
    let is_plain = row.scalar.is_some() && row.lower.is_none() && row.lowers(node.analyser.body, node.op);
    let Some(Some(result)) = shapes.first().filter(|_| is_plain) else { return Ok(()) };
    for index in 0..node.operand_count() {
        let shape = node.operand(index).and_then(|operand| node.analyser.known.shape(operand));
        if let Some(shape) = shape.filter(|shape| shape.len() > result.len()) {
            return Err(format!("operand {index} of shape {} does not broadcast to {}", list(shape), list(result)));
        }
    }
    Ok(())
}
