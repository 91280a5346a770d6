//! Conditions on the extents of a node's operands.
//!
//! Shape rules state them. A condition that constants contradict makes the model invalid; one that depends on dynamic
//! extents is asserted at run time, before the node computes anything.

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

/// A condition that is checked at run time.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    /// The condition.
    pub condition: Condition,
    /// The message if it is false.
    pub message: String,
}

impl Condition {
    /// Whether it is true or false for all values of the symbols; `None` if that depends on them.
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

    /// The extents in it.
    pub fn dims(&self) -> Vec<&DimExpr> {
        match self {
            Condition::Equal(a, b) | Condition::Broadcast(a, b) | Condition::Stretches(a, b) => vec![a, b],
            Condition::Extent(dim) => vec![dim],
        }
    }
}

/// Whether two extents are equal, if constants and normal forms decide it.
fn equal(a: &DimExpr, b: &DimExpr) -> Option<bool> {
    match (a, b) {
        _ if a == b => Some(true),
        (DimExpr::Constant(_), DimExpr::Constant(_)) => Some(false),
        _ => None,
    }
}
