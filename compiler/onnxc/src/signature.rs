//! The inputs and outputs of a compiled model, as the public interface shows them; `compiler/driver/src/signature.rs` makes them.

use std::fmt;

use driver::Type;

use crate::{ElementType, Tensor};

/// An input or an output of a model.
#[derive(Clone, Debug)]
pub struct Port {
    name: String,
    r#type: ValueType,
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

/// The type of a value.
///
/// ```
/// # fn main() -> Result<(), onnxc::Error> {
/// # let text = r#"<ir_version: 10, opset_import: ["": 21]>
/// #     g (seq(float[2, N]) s) => (float[M, N] y) { y = ConcatFromSequence <axis = 0> (s) }"#;
/// # let compiled = onnxc::Compiler::new().compile(&onnxc::Model::from_bytes(text)?)?;
/// let onnxc::ValueType::Sequence(held) = compiled.inputs()[0].value_type() else { panic!("it is a sequence") };
/// assert!(matches!(**held, onnxc::ValueType::Tensor { element: onnxc::ElementType::F32, .. }));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// A tensor.
    Tensor {
        /// The type of its elements.
        element: ElementType,
        /// Its extents, outermost first; `None` if its rank is not known at compile time.
        shape: Option<Vec<Dimension>>,
    },
    /// A sequence of values of one type.
    Sequence(Box<ValueType>),
    /// An optional value.
    Optional(Box<ValueType>),
    /// A map.
    Map {
        /// The type of the keys.
        key: ElementType,
        /// The type of the values.
        value: Box<ValueType>,
    },
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
        match self.r#type {
            ValueType::Tensor { .. } => PortKind::Tensor,
            ValueType::Sequence(_) => PortKind::Sequence,
            ValueType::Optional(_) => PortKind::Optional,
            ValueType::Map { .. } => PortKind::Map,
        }
    }

    /// The type of its value.
    pub fn value_type(&self) -> &ValueType {
        &self.r#type
    }

    /// The element type of a tensor; `None` for other kinds.
    pub fn element_type(&self) -> Option<ElementType> {
        match self.r#type {
            ValueType::Tensor { element, .. } => Some(element),
            ValueType::Sequence(_) | ValueType::Optional(_) | ValueType::Map { .. } => None,
        }
    }

    /// The extents of a tensor, outermost first; empty for what is not a tensor.
    pub fn shape(&self) -> &[Dimension] {
        match &self.r#type {
            ValueType::Tensor { shape, .. } => shape.as_deref().unwrap_or_default(),
            ValueType::Sequence(_) | ValueType::Optional(_) | ValueType::Map { .. } => &[],
        }
    }

    /// The default of an input that the caller may omit.
    pub fn default(&self) -> Option<&Tensor> {
        self.default.as_ref()
    }

    pub(crate) fn of(port: &driver::Port) -> Port {
        let dimension = |extent: &driver::Extent| match extent {
            driver::Extent::Fixed(extent) => usize::try_from(*extent).map_or(Dimension::Unknown, Dimension::Fixed),
            driver::Extent::Named(name) => Dimension::Named(name.clone()),
            driver::Extent::Any => Dimension::Unknown,
        };
        let r#type = match port.is_container() {
            true => ValueType::of(&port.element),
            false => ValueType::Tensor {
                element: ElementType::of(&port.element),
                shape: Some(port.shape.iter().map(dimension).collect()),
            },
        };
        Port {
            name: port.name.clone(),
            r#type,
            default: port.default.clone().map(Tensor::of),
            description: port.describe(),
        }
    }
}

impl ValueType {
    fn of(r#type: &Type) -> ValueType {
        let parameters = match r#type {
            Type::Dialect(dialect) => (&*dialect.name, &dialect.parameters[..]),
            _ => ("", &[][..]),
        };
        match parameters {
            ("Seq", [held]) => ValueType::Sequence(Box::new(ValueType::of(held))),
            ("Opt", [held]) => ValueType::Optional(Box::new(ValueType::of(held))),
            ("Map", [key, value]) => {
                ValueType::Map { key: ElementType::of(key.element()), value: Box::new(ValueType::of(value)) }
            }
            _ => ValueType::Tensor {
                element: ElementType::of(r#type.element()),
                shape: r#type.shape().map(|shape| shape.into_iter().map(Dimension::of).collect()),
            },
        }
    }
}

impl Dimension {
    fn of(extent: Option<i64>) -> Dimension {
        extent.and_then(|extent| usize::try_from(extent).ok()).map_or(Dimension::Unknown, Dimension::Fixed)
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
