//! Nodes that call custom operators, as their operators see them when a model is compiled.

use proto::{AttributeProto, AttributeType, Tensors};

use crate::protos::tensor_of;
use crate::{Dimension, ElementType, Tensor};

/// A node that calls a [`CustomOperator`](crate::CustomOperator), when its model is compiled.
#[derive(Clone, Debug)]
pub struct CustomNode {
    pub(crate) name: String,
    pub(crate) version: i64,
    pub(crate) inputs: Vec<Option<NodeValue>>,
    pub(crate) outputs: Vec<Option<NodeValue>>,
    pub(crate) attributes: Vec<(String, Attribute)>,
}

/// An input or an output of a [`CustomNode`].
#[derive(Clone, Debug)]
pub struct NodeValue {
    pub(crate) name: String,
    pub(crate) element: Option<ElementType>,
    pub(crate) shape: Option<Vec<Dimension>>,
    pub(crate) constant: Option<Tensor>,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Attribute {
    /// An integer.
    Integer(i64),
    /// Integers.
    Integers(Vec<i64>),
    /// A floating-point number.
    Float(f32),
    /// Floating-point numbers.
    Floats(Vec<f32>),
    /// A string, which may have any bytes.
    String(Vec<u8>),
    /// Strings.
    Strings(Vec<Vec<u8>>),
    /// A tensor.
    Tensor(Tensor),
}

impl CustomNode {
    /// The name, which may be empty.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The version of the operator's domain that the model imports.
    pub fn version(&self) -> i64 {
        self.version
    }

    /// The inputs; `None` for a missing one.
    pub fn inputs(&self) -> &[Option<NodeValue>] {
        &self.inputs
    }

    /// The outputs; `None` for one that the node omits. Types and extents are those that the model declares.
    pub fn outputs(&self) -> &[Option<NodeValue>] {
        &self.outputs
    }

    /// The attributes, without those that are graphs, sparse tensors or types.
    pub fn attributes(&self) -> impl Iterator<Item = (&str, &Attribute)> {
        self.attributes.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The attribute with a name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes().find_map(|(known, value)| (known == name).then_some(value))
    }
}

impl NodeValue {
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The element type of a tensor, if it is known.
    pub fn element_type(&self) -> Option<ElementType> {
        self.element
    }

    /// The extents of a tensor, outermost first, if its rank is known.
    pub fn shape(&self) -> Option<&[Dimension]> {
        self.shape.as_deref()
    }

    /// The value, if it is an initializer of the model.
    pub fn constant(&self) -> Option<&Tensor> {
        self.constant.as_ref()
    }
}

impl Attribute {
    /// The value of an attribute; `None` for kinds that operators do not see. The error describes what is wrong with the attribute.
    pub(crate) fn of(proto: &AttributeProto, tensors: &mut Tensors) -> Result<Option<Attribute>, String> {
        Ok(match proto.type_or_that_of_value() {
            Some(AttributeType::Int) => Some(Attribute::Integer(proto.i.unwrap_or_default())),
            Some(AttributeType::Ints) => Some(Attribute::Integers(proto.ints.clone())),
            Some(AttributeType::Float) => Some(Attribute::Float(proto.f.unwrap_or_default())),
            Some(AttributeType::Floats) => Some(Attribute::Floats(proto.floats.clone())),
            Some(AttributeType::String) => Some(Attribute::String(proto.s.as_deref().unwrap_or_default().to_vec())),
            Some(AttributeType::Strings) => {
                Some(Attribute::Strings(proto.strings.iter().map(|text| text.to_vec()).collect()))
            }
            Some(AttributeType::Tensor) => {
                let tensor = proto.t.as_ref().ok_or("does not have the tensor that its type requires")?;
                Some(Attribute::Tensor(Tensor::of(tensor_of(tensors, tensor)?)))
            }
            _ => None,
        })
    }
}
