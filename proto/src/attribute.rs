//! The type of an attribute.

use crate::messages::{AttributeProto, AttributeType};

impl AttributeProto {
    /// The types for which the attribute has a value; more than one only in invalid models.
    pub fn types_of_values(&self) -> impl Iterator<Item = AttributeType> {
        let fields = [
            (self.f.is_some(), AttributeType::Float),
            (self.i.is_some(), AttributeType::Int),
            (self.s.is_some(), AttributeType::String),
            (self.t.is_some(), AttributeType::Tensor),
            (self.g.is_some(), AttributeType::Graph),
            (self.sparse_tensor.is_some(), AttributeType::SparseTensor),
            (self.tp.is_some(), AttributeType::TypeProto),
            (!self.floats.is_empty(), AttributeType::Floats),
            (!self.ints.is_empty(), AttributeType::Ints),
            (!self.strings.is_empty(), AttributeType::Strings),
            (!self.tensors.is_empty(), AttributeType::Tensors),
            (!self.graphs.is_empty(), AttributeType::Graphs),
            (!self.sparse_tensors.is_empty(), AttributeType::SparseTensors),
            (!self.type_protos.is_empty(), AttributeType::TypeProtos),
        ];
        fields.into_iter().filter(|(is_set, _)| *is_set).map(|(_, field)| field)
    }

    /// The type that the attribute states, if it is one that ONNX defines.
    pub fn stated_type(&self) -> Option<AttributeType> {
        let stated = AttributeType::try_from(self.r#type?).ok()?;
        (stated != AttributeType::Undefined).then_some(stated)
    }

    /// The type that the attribute states, or else that of its value: IR version 1 has no types.
    pub fn type_or_that_of_value(&self) -> Option<AttributeType> {
        self.stated_type().or_else(|| self.types_of_values().next())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_is_stated_or_follows_from_the_value() {
        let ints = AttributeProto { ints: vec![1], ..AttributeProto::default() };
        assert_eq!(ints.type_or_that_of_value(), Some(AttributeType::Ints));
        let stated = AttributeProto { r#type: Some(AttributeType::Floats as i32), ..ints.clone() };
        assert_eq!(stated.type_or_that_of_value(), Some(AttributeType::Floats));
        let unknown = AttributeProto { r#type: Some(99), ..ints };
        assert_eq!(unknown.type_or_that_of_value(), Some(AttributeType::Ints));
        assert_eq!(AttributeProto::default().type_or_that_of_value(), None);
    }
}
