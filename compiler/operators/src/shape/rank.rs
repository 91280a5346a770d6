//! Operands whose number of axes the standard fixes, and whose shape rule does not ask.

use super::node::Node;
use crate::operator::Rank;

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
