//! Operands whose number of axes the standard fixes, and whose shape rule does not ask.

use super::node::Node;

/// How many axes an operand has.
#[derive(Clone, Copy, Debug)]
enum Rank {
    Exactly(usize),
    AtLeast(usize),
}
use Rank::{AtLeast, Exactly};

/// Operators, operands and what each must be.
const RANKS: &[(&str, usize, Rank)] = &[
    ("Col2Im", 1, Exactly(1)),
    ("Col2Im", 2, Exactly(1)),
    ("ConstantOfShape", 0, Exactly(1)),
    ("Expand", 1, Exactly(1)),
    ("EyeLike", 0, Exactly(2)),
    ("GroupNormalization", 0, AtLeast(2)),
    ("InstanceNormalization", 0, AtLeast(2)),
    ("Pad", 1, Exactly(1)),
    ("Pad", 3, Exactly(1)),
    ("Reshape", 1, Exactly(1)),
    ("Resize", 1, Exactly(1)),
    ("Resize", 2, Exactly(1)),
    ("Resize", 3, Exactly(1)),
    ("ReverseSequence", 0, AtLeast(2)),
    ("ReverseSequence", 1, Exactly(1)),
    ("Slice", 1, Exactly(1)),
    ("Slice", 2, Exactly(1)),
    ("Slice", 3, Exactly(1)),
    ("Slice", 4, Exactly(1)),
    ("Split", 1, Exactly(1)),
    ("TensorScatter", 2, Exactly(1)),
    ("Tile", 1, Exactly(1)),
    ("Trilu", 0, AtLeast(2)),
];

/// An error where an operand has another number of axes than it must have.
pub(super) fn check(node: &Node<'_, '_>, operator: &str) -> Result<(), String> {
    for &(_, operand, rank) in RANKS.iter().filter(|(name, ..)| *name == operator) {
        let Some(found) = node.shape(operand).map(|shape| shape.len()) else { continue };
        let (fits, expected) = match rank {
            Exactly(rank) => (found == rank, format!("rank {rank}")),
            AtLeast(rank) => (found >= rank, format!("rank {rank} or more")),
        };
        if !fits {
            return Err(format!("operand {operand} must have {expected}, found {found}"));
        }
    }
    Ok(())
}
