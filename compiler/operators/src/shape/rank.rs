//! Operands whose rank the standard fixes, and whose shape rule does not check it.

use super::Shape;
use super::node::{Node, list};
use crate::operator::{Operator, Rank};

/// Checks the ranks of operands.
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

/// Checks that operands of an elementwise operator, which are broadcast to the result, do not have a higher rank.
pub(super) fn check_elementwise(node: &Node<'_, '_>, row: &Operator, shapes: &[Option<Shape>]) -> Result<(), String> {
    // an operator with a lowering may only read the type of an operand
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
