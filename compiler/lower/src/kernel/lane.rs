//! Values during kernel emission: uniform for all lanes, or varying between lanes.

use ir::Value;

/// A value at a point of the iteration space, where a point is one scalar iteration or `lanes` consecutive ones.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// The same scalar in every lane.
    Uniform(Value),
    /// An integer that is `base + lane`.
    Iota(Value),
    /// An integer that is `base + 2 · lane`.
    EveryOther(Value),
    /// A vector value, one element per lane.
    Vector(Value),
    /// One scalar per lane, if the target has no vector of this type.
    Scalars(Vec<Value>),
}

impl Lane {
    /// The scalar, if all lanes share it.
    pub fn uniform(&self) -> Option<Value> {
        match self {
            Lane::Uniform(value) => Some(*value),
            Lane::Iota(_) | Lane::EveryOther(_) | Lane::Vector(_) | Lane::Scalars(_) => None,
        }
    }

    /// Whether lanes may differ.
    pub fn varies(&self) -> bool {
        self.uniform().is_none()
    }
}
