//! Conditions on the extents of a node's operands.
//!
//! Shape rules state them. A condition that constants contradict makes the model invalid; one that depends on dynamic
//! extents is asserted at run time, before the node computes anything.

use ir::{Attribute, DimExpr};

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

/// A requirement of an operator that has been decomposed.
pub(crate) struct Stated {
    /// The node.
    pub(crate) place: Option<String>,
    pub(crate) operator: String,
    pub(crate) requirement: Requirement,
}

impl Stated {
    pub(crate) fn to_attribute(&self) -> Attribute {
        let Requirement { condition, message } = &self.requirement;
        let kind = match condition {
            Condition::Equal(..) => "equal",
            Condition::Broadcast(..) => "broadcast",
            Condition::Stretches(..) => "stretches",
            Condition::Extent(..) => "extent",
        };
        let place = self.place.as_deref().unwrap_or_default();
        let texts = [place, &self.operator, message, kind].map(Attribute::string);
        let dims = condition.dims().into_iter().map(|dim| Attribute::string(&dim.to_string()));
        Attribute::Array(texts.into_iter().chain(dims).collect())
    }

    pub(crate) fn of_attribute(attribute: &Attribute) -> Option<Stated> {
        let texts: Vec<&str> = attribute.as_array()?.iter().map(Attribute::as_str).collect::<Option<_>>()?;
        let (&[place, operator, message, kind], dims) = texts.split_first_chunk()?;
        let dims: Vec<DimExpr> = dims.iter().map(|dim| DimExpr::parse(dim)).collect::<Option<_>>()?;
        let condition = match (kind, dims.as_slice()) {
            ("equal", [a, b]) => Condition::Equal(a.clone(), b.clone()),
            ("broadcast", [a, b]) => Condition::Broadcast(a.clone(), b.clone()),
            ("stretches", [a, b]) => Condition::Stretches(a.clone(), b.clone()),
            ("extent", [dim]) => Condition::Extent(dim.clone()),
            _ => return None,
        };
        let place = Some(place.to_string()).filter(|place| !place.is_empty());
        Some(Stated {
            place,
            operator: operator.into(),
            requirement: Requirement { condition, message: message.into() },
        })
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stated_conditions_are_read_again() {
        let (n, half) = (DimExpr::symbol("N"), DimExpr::symbol("M").floor_div(&DimExpr::Constant(2)));
        let [equal, stretches] =
            [Condition::Equal(n.clone(), half.clone()), Condition::Stretches(n.clone(), half.clone())];
        for condition in [equal, stretches, Condition::Broadcast(half, n.clone()), Condition::Extent(n)] {
            let requirement = Requirement { condition, message: "they differ".into() };
            let stated =
                Stated { place: Some("node".into()), operator: "Add".into(), requirement: requirement.clone() };
            let again = Stated::of_attribute(&stated.to_attribute()).expect("it was written");
            assert_eq!(
                (again.place.as_deref(), &*again.operator, again.requirement),
                (Some("node"), "Add", requirement)
            );
        }
    }
}
