//! What the extents of a node's operands must be for it to mean anything.
//!
//! Shape rules state it. What numbers contradict is an error of the model; what only a run tells is asserted there,
//! before the node computes anything.

use ir::DimExpr;

/// A relation between extents.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// They are equal.
    Equal(DimExpr, DimExpr),
    /// They are equal, or one of them is 1.
    Broadcast(DimExpr, DimExpr),
    /// They are equal, or the first is 1.
    Stretches(DimExpr, DimExpr),
    /// It is an extent: at least zero.
    Extent(DimExpr),
}

/// A condition of which only a run tells whether it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    /// What must hold.
    pub condition: Condition,
    /// What is wrong where it does not.
    pub message: String,
}

impl Condition {
    /// Whether it holds whatever the symbols are; `None` when that depends on them.
    pub(crate) fn decide(&self) -> Option<bool> {
        match self {
            Condition::Equal(a, b) => equal(a, b),
            Condition::Broadcast(a, b) if *a == DimExpr::ONE || *b == DimExpr::ONE => Some(true),
            Condition::Stretches(a, _) if *a == DimExpr::ONE => Some(true),
            Condition::Broadcast(a, b) | Condition::Stretches(a, b) => equal(a, b),
            Condition::Extent(dim) if dim.is_nonnegative() => Some(true),
            Condition::Extent(dim) => dim.as_constant().map(|extent| extent >= 0),
        }
    }

    /// The extents it is about.
    pub fn dims(&self) -> Vec<&DimExpr> {
        match self {
            Condition::Equal(a, b) | Condition::Broadcast(a, b) | Condition::Stretches(a, b) => vec![a, b],
            Condition::Extent(dim) => vec![dim],
        }
    }
}

/// Whether two extents are equal, as far as numbers and spelling tell.
fn equal(a: &DimExpr, b: &DimExpr) -> Option<bool> {
    match (a, b) {
        _ if a == b => Some(true),
        (DimExpr::Constant(_), DimExpr::Constant(_)) => Some(false),
        _ => None,
    }
}
