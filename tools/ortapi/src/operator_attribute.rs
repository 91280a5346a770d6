//! Attributes of nodes, for shape inference.

use std::ffi::{CString, c_char, c_void};

use onnxc::Attribute;
use ort_sys::{OrtOpAttrType, OrtValue};

use crate::raw::{Enum, Out, Space};
use crate::status::{Result, Status, c_text};
use crate::value::Value;

/// An attribute with its name.
#[derive(Clone, Debug)]
pub(crate) struct OperatorAttribute {
    name: CString,
    value: Attribute,
}

handles! { OperatorAttribute => OrtOpAttr }

impl OperatorAttribute {
    pub(crate) fn new(name: &str, value: &Attribute) -> OperatorAttribute {
        OperatorAttribute { name: c_text(name), value: value.clone() }
    }

    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.name.to_bytes() == name.as_bytes()
    }

    fn kind(&self) -> OrtOpAttrType {
        match self.value {
            Attribute::Integer(_) => OrtOpAttrType::ORT_OP_ATTR_INT,
            Attribute::Integers(_) => OrtOpAttrType::ORT_OP_ATTR_INTS,
            Attribute::Float(_) => OrtOpAttrType::ORT_OP_ATTR_FLOAT,
            Attribute::Floats(_) => OrtOpAttrType::ORT_OP_ATTR_FLOATS,
            Attribute::String(_) => OrtOpAttrType::ORT_OP_ATTR_STRING,
            Attribute::Strings(_) => OrtOpAttrType::ORT_OP_ATTR_STRINGS,
            _ => OrtOpAttrType::ORT_OP_ATTR_UNDEFINED,
        }
    }

    /// The value as `ReadOpAttr` returns it: numbers in their representation in memory, strings with terminators.
    fn bytes(&self) -> Result<Vec<u8>> {
        let terminated = |text: &Vec<u8>| [text, &[0][..]].concat();
        Ok(match &self.value {
            Attribute::Integer(value) => value.to_ne_bytes().to_vec(),
            Attribute::Integers(values) => values.iter().flat_map(|value| value.to_ne_bytes()).collect(),
            Attribute::Float(value) => value.to_ne_bytes().to_vec(),
            Attribute::Floats(values) => values.iter().flat_map(|value| value.to_ne_bytes()).collect(),
            Attribute::String(text) => terminated(text),
            Attribute::Strings(texts) => texts.iter().flat_map(terminated).collect(),
            _ => return Err(Status::invalid(format!("attribute {:?} is not a number or a string", self.name))),
        })
    }
}

entries! {
    /// Returns the value of an attribute of a type, and its size in bytes.
    fn ReadOpAttr(
        op_attr: &OperatorAttribute, type_: Enum<OrtOpAttrType>, data: Space<'_, c_void>, len: usize, out: Out<usize>,
    ) {
        if type_.0 != op_attr.kind() as i32 {
            return Err(Status::invalid(format!("attribute {:?} has another type", op_attr.name)));
        }
        let bytes = op_attr.bytes()?;
        out.set(bytes.len())?;
        if bytes.len() > len {
            return Err(Status::invalid(format!("the value takes {} bytes, the memory has {len}", bytes.len())));
        }
        data.write_bytes(&bytes)
    }

    /// Returns the type of an attribute.
    fn OpAttr_GetType(attribute: &OperatorAttribute, r#type: Out<OrtOpAttrType>) { r#type.set(attribute.kind()) }

    /// Returns the name of an attribute, which is valid as long as the attribute.
    fn OpAttr_GetName(attribute: &OperatorAttribute, name: Out<*const c_char>) { name.set(attribute.name.as_ptr()) }

    /// Returns a copy of the tensor of an attribute.
    fn OpAttr_GetTensorAttributeAsOrtValue(attribute: &OperatorAttribute, attr_tensor: Out<*mut OrtValue>) {
        match &attribute.value {
            Attribute::Tensor(tensor) => attr_tensor.give(Value::of_tensor(tensor.clone())?),
            _ => Err(Status::invalid(format!("attribute {:?} is not a tensor", attribute.name))),
        }
    }
}
