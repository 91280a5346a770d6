//! Operands whose number of axes the standard fixes, and whose shape rule does not ask.

use super::node::Node;
use crate::operator::Rank;

/// An error where an operand has another number of axes than it must have.
pub(super) fn check(node: &Node<'_, '_>, ranks: &[(usize, Rank)]) -> Result<(), String> {
    for &(operand, rank) in ranks {
        let Some(found) = node.shape(operand).map(|shape| shape.len()) else { continue };
        let (fits, expected) = match rank {
            Rank::Exactly(rank) => (found == rank, format!("rank {rank}")),
            Rank::AtLeast(rank) => (found >= rank, format!("rank {rank} or more")),
        };
        if !fits {
            return Err(format!("operand {operand} must have {expected}, found {found}"));
        }
    }
    Ok(())
}
