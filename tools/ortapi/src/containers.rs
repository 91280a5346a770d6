//! Sequences and maps.

use std::ffi::c_int;
use std::sync::Arc;

use ort_sys::{ONNXTensorElementDataType, ONNXType, OrtValue};

use crate::memory::Allocator;
use crate::raw::{Enum, List, Out};
use crate::status::{Result, Status};
use crate::tensor_info::TensorInfo;
use crate::type_info::TypeInfo;
use crate::value::Value;

impl Value {
    /// The elements of a sequence, or the keys and values of a map.
    fn held(&self) -> Result<&[Value]> {
        match self {
            Value::Sequence(own) => Ok(&own.1),
            Value::Map(own) => Ok(&**own),
            Value::Tensor(_) | Value::Strings(_) | Value::Nothing(_) => Err(self.is_not("a sequence or a map")),
        }
    }

    /// A sequence of values of one type. An empty sequence has an undefined element type.
    fn sequence(values: Vec<Value>) -> Result<Value> {
        let undefined = ONNXTensorElementDataType::ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
        let untyped = || TypeInfo::Tensor(TensorInfo::of_parts(undefined, None));
        let element = values.first().map_or_else(untyped, without_shape);
        if let Some(other) = values.iter().position(|value| without_shape(value) != element) {
            return Err(Status::invalid(format!("element {other} of a sequence has another type than element 0")));
        }
        Ok(Value::Sequence(Arc::new((element, values))))
    }

    /// A map from a tensor of keys and a tensor of values.
    fn map(values: Vec<Value>) -> Result<Value> {
        let pair: Result<[Value; 2], _> = values.try_into();
        let [keys, values] = pair.map_err(|_| Status::invalid("a map is made of two tensors, keys and values"))?;
        let ((key, key_shape), (_, value_shape)) = (keys.element_and_shape()?, values.element_and_shape()?);
        if key_shape.len() != 1 || key_shape != value_shape {
            return Err(Status::invalid(format!(
                "a map has keys {key_shape:?} and values {value_shape:?}, not two lists of one length"
            )));
        }
        let is_key = [
            ONNXTensorElementDataType::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64,
            ONNXTensorElementDataType::ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING,
        ];
        if !is_key.contains(&key) {
            return Err(Status::invalid("the keys of a map are int64 or strings"));
        }
        Ok(Value::Map(Arc::new([keys, values])))
    }
}

/// The type of a value without its shape, as the elements of a sequence have it.
fn without_shape(value: &Value) -> TypeInfo {
    match value {
        Value::Tensor(_) | Value::Strings(_) => TypeInfo::Tensor(TensorInfo::of_parts(value.element(), None)),
        Value::Sequence(_) | Value::Map(_) | Value::Nothing(_) => value.type_info(),
    }
}

entries! {
    /// Returns the length of a sequence, or 2 for a map.
    fn GetValueCount(value: &Value, out: Out<usize>) { out.set(value.held()?.len()) }

    /// Returns a copy of an element of a sequence. Of a map, index 0 is the keys and index 1 the values.
    fn GetValue(value: &Value, index: c_int, allocator: Allocator, out: Out<*mut OrtValue>) {
        let held = value.held()?;
        let outside = || Status::invalid(format!("index {index} is out of range for {} values", held.len()));
        let at = usize::try_from(index).map_err(|_| outside())?;
        out.give(held.get(at).ok_or_else(outside)?.copied(allocator)?)
    }

    /// Creates a sequence of values, or a map of keys and values. It shares their elements.
    fn CreateValue(
        in_: List<'_, *const OrtValue>, num_values: usize, value_type: Enum<ONNXType>, out: Out<*mut OrtValue>,
    ) {
        let values = in_.handles::<Value>(num_values)?.into_iter().map(|value| value.cloned());
        let values = values.collect::<Option<Vec<Value>>>().ok_or_else(|| Status::invalid("a value is null"))?;
        const SEQUENCE: c_int = ONNXType::ONNX_TYPE_SEQUENCE as c_int;
        const MAP: c_int = ONNXType::ONNX_TYPE_MAP as c_int;
        match value_type.0 {
            SEQUENCE => out.give(Value::sequence(values)?),
            MAP => out.give(Value::map(values)?),
            other => Err(Status::refused(format!("CreateValue makes sequences and maps, not the ONNXType {other}"))),
        }
    }
}
