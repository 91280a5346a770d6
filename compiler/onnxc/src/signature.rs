//! The inputs and outputs of a compiled model.

use std::fmt;

use crate::{ElementType, Tensor};

/// An input or an output of a model.
#[derive(Clone, Debug)]
pub struct Port {
    name: String,
    kind: PortKind,
    element: Option<ElementType>,
    shape: Vec<Dimension>,
    default: Option<Tensor>,
    description: String,
}

/// The kind of a port's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PortKind {
    /// A tensor.
    Tensor,
    /// A sequence.
    Sequence,
    /// An optional.
    Optional,
    /// A map.
    Map,
}

/// The extent of one axis, as far as it is known at compile time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dimension {
    /// Always the same.
    Fixed(usize),
    /// The same wherever the name appears in a run.
    Named(String),
    /// Any extent.
    Unknown,
}

impl Port {
    /// The name in the model.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The kind of its value.
    pub fn kind(&self) -> PortKind {
        self.kind
    }

    /// The element type of a tensor; `None` for other kinds.
    pub fn element_type(&self) -> Option<ElementType> {
        self.element
    }

    /// The extents of a tensor, outermost first.
    pub fn shape(&self) -> &[Dimension] {
        &self.shape
    }

    /// The default of an input that the caller may omit.
    pub fn default(&self) -> Option<&Tensor> {
        self.default.as_ref()
    }

    pub(crate) fn of(port: &driver::Port) -> Port {
        let kind = match port.container() {
            driver::Container::Tensor => PortKind::Tensor,
            driver::Container::Sequence => PortKind::Sequence,
            driver::Container::Optional => PortKind::Optional,
            driver::Container::Map => PortKind::Map,
        };
        let dimension = |extent: &driver::Extent| match extent {
            driver::Extent::Fixed(extent) => usize::try_from(*extent).map_or(Dimension::Unknown, Dimension::Fixed),
            driver::Extent::Named(name) => Dimension::Named(name.clone()),
            driver::Extent::Any => Dimension::Unknown,
        };
        Port {
            name: port.name.clone(),
            kind,
            element: (kind == PortKind::Tensor).then(|| ElementType::of(&port.element)),
            shape: port.shape.iter().map(dimension).collect(),
            default: port.default.clone().map(Tensor::of),
            description: port.describe(),
        }
    }
}

/// Name and type, as in `x: float32 [N, 3]`.
impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.description)
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dimension::Fixed(extent) => write!(f, "{extent}"),
            Dimension::Named(name) => f.write_str(name),
            Dimension::Unknown => f.write_str("?"),
        }
    }
}
