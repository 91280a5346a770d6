//! Values: tensors, sequences, maps and optionals.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use onnxc::{ElementType, Input, ValueType};
use ort_sys::{
    ONNXTensorElementDataType, ONNXType, OrtMemoryInfo, OrtSyncStream, OrtTensorTypeAndShapeInfo, OrtTypeInfo, OrtValue,
};

use crate::dense::Dense;
use crate::element;
use crate::env::Env;
use crate::memory::{Allocator, CPU, MemoryInfo};
use crate::raw::{Enum, List, Out, Released, Shared, Space, behind};
use crate::status::{Result, Status};
use crate::strings::Strings;
use crate::tensor_info::TensorInfo;
use crate::type_info::TypeInfo;

/// A value. Clones share the elements.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// A tensor of numbers or booleans.
    Tensor(Arc<Dense>),
    /// A tensor of strings.
    Strings(Arc<Strings>),
    /// A sequence: the element type and the elements.
    Sequence(Arc<(TypeInfo, Vec<Value>)>),
    /// A map: keys and values of equal length.
    Map(Arc<[Value; 2]>),
    /// An empty optional, with its element type. An optional with an element is represented by the element.
    Nothing(TypeInfo),
}

handles! { Value => OrtValue }

impl Value {
    /// Converts a tensor from a run.
    pub(crate) fn of_tensor(tensor: onnxc::Tensor) -> Result<Value> {
        match tensor.element_type() {
            ElementType::String => Strings::of_output(&tensor).map(|strings| Value::Strings(Arc::new(strings))),
            _ => Dense::of_output(tensor).map(|dense| Value::Tensor(Arc::new(dense))),
        }
    }

    /// Converts an output of a run.
    pub(crate) fn of_output(value: onnxc::Value, r#type: &ValueType) -> Result<Value> {
        match (value, r#type) {
            (onnxc::Value::Tensor(tensor), _) => Value::of_tensor(tensor),
            (onnxc::Value::Sequence(values), ValueType::Sequence(held)) => {
                let values = values.into_iter().map(|value| Value::of_output(value, held)).collect::<Result<_>>()?;
                Ok(Value::Sequence(Arc::new((TypeInfo::of(held), values))))
            }
            (onnxc::Value::Optional(None), ValueType::Optional(held)) => Ok(Value::Nothing(TypeInfo::of(held))),
            (onnxc::Value::Optional(Some(value)), ValueType::Optional(held)) => Value::of_output(*value, held),
            (onnxc::Value::Map { keys, values }, _) => {
                Ok(Value::Map(Arc::new([Value::of_tensor(keys)?, Value::of_tensor(values)?])))
            }
            (other, expected) => Err(Status::refused(format!("the run returned {other:?}, expected {expected:?}"))),
        }
    }

    /// Converts the value to an input of a type.
    pub(crate) fn input(&self, r#type: &ValueType) -> Result<Input<'_>> {
        match (self, r#type) {
            (Value::Tensor(dense), ValueType::Tensor { .. }) => dense.input(),
            _ => self.copied_for(r#type).map(Input::from),
        }
    }

    /// Copies the value for an input of a type. The run checks the type and names the input in its error.
    fn copied_for(&self, r#type: &ValueType) -> Result<onnxc::Value> {
        match (self, r#type) {
            (Value::Nothing(_), _) => Ok(onnxc::Value::Optional(None)),
            (_, ValueType::Optional(held)) => Ok(onnxc::Value::Optional(Some(Box::new(self.copied_for(held)?)))),
            (Value::Sequence(own), ValueType::Sequence(held)) => {
                own.1.iter().map(|value| value.copied_for(held)).collect::<Result<_>>().map(onnxc::Value::Sequence)
            }
            (Value::Sequence(own), _) => {
                own.1.iter().map(|value| value.copied_for(r#type)).collect::<Result<_>>().map(onnxc::Value::Sequence)
            }
            (Value::Map(own), _) => {
                let [keys, values] = &**own;
                Ok(onnxc::Value::Map { keys: keys.tensor()?, values: values.tensor()? })
            }
            (Value::Tensor(_) | Value::Strings(_), _) => self.tensor().map(onnxc::Value::Tensor),
        }
    }

    /// A copy of the tensor.
    pub(crate) fn tensor(&self) -> Result<onnxc::Tensor> {
        match self {
            Value::Tensor(dense) => dense.tensor(),
            Value::Strings(strings) => strings.tensor(),
            Value::Sequence(_) | Value::Map(_) | Value::Nothing(_) => Err(self.is_not("a tensor")),
        }
    }

    /// A deep copy of a tensor in memory of an allocator; other values are shared.
    pub(crate) fn copied(&self, allocator: Allocator) -> Result<Value> {
        Ok(match self {
            Value::Tensor(dense) => Value::Tensor(Arc::new(dense.copied(allocator)?)),
            Value::Strings(strings) => Value::Strings(Arc::new(strings.copied())),
            Value::Sequence(_) | Value::Map(_) | Value::Nothing(_) => self.clone(),
        })
    }

    /// The dense tensor; an error for other values.
    pub(crate) fn dense(&self) -> Result<&Dense> {
        match self {
            Value::Tensor(dense) => Ok(dense),
            Value::Strings(_) => Err(Status::invalid("the elements are strings, which GetStringTensorElement reads")),
            Value::Sequence(_) | Value::Map(_) | Value::Nothing(_) => Err(self.is_not("a tensor")),
        }
    }

    /// The tensor of strings; an error for other values.
    pub(crate) fn strings(&self) -> Result<&Strings> {
        match self {
            Value::Strings(strings) => Ok(strings),
            Value::Tensor(dense) => Err(Status::invalid(format!("the elements are {}, not strings", dense.element))),
            Value::Sequence(_) | Value::Map(_) | Value::Nothing(_) => Err(self.is_not("a tensor of strings")),
        }
    }

    /// Element type and extents of a tensor; an error for other values.
    pub(crate) fn element_and_shape(&self) -> Result<(ONNXTensorElementDataType, &[i64])> {
        match self {
            Value::Tensor(dense) => Ok((element::code(dense.element), &dense.shape)),
            Value::Strings(strings) => {
                Ok((ONNXTensorElementDataType::ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, &strings.shape))
            }
            Value::Sequence(_) | Value::Map(_) | Value::Nothing(_) => Err(self.is_not("a tensor")),
        }
    }

    /// The type of the value.
    pub(crate) fn type_info(&self) -> TypeInfo {
        let tensor = |element, shape: Option<&[i64]>| TypeInfo::Tensor(TensorInfo::of_parts(element, shape));
        match self {
            Value::Tensor(dense) => tensor(self.element(), Some(&dense.shape)),
            Value::Strings(strings) => tensor(self.element(), Some(&strings.shape)),
            Value::Sequence(own) => TypeInfo::sequence(own.0.clone()),
            Value::Map(own) => TypeInfo::map(own[0].element(), tensor(own[1].element(), None)),
            Value::Nothing(held) => held.clone(),
        }
    }

    /// The element type of a tensor; undefined for other values.
    pub(crate) fn element(&self) -> ONNXTensorElementDataType {
        let undefined = ONNXTensorElementDataType::ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
        self.element_and_shape().map_or(undefined, |(element, _)| element)
    }

    /// The error for a value of another kind.
    pub(crate) fn is_not(&self, expected: &str) -> Status {
        let found = match self {
            Value::Tensor(_) | Value::Strings(_) => "a tensor",
            Value::Sequence(_) => "a sequence",
            Value::Map(_) => "a map",
            Value::Nothing(_) => "an optional that holds nothing",
        };
        Status::invalid(format!("the value is {found}, not {expected}"))
    }
}

entries! {
    /// Allocates a tensor of zeros or empty strings.
    fn CreateTensorAsOrtValue(
        allocator: Allocator, shape: List<'_, i64>, shape_len: usize, type_: Enum<ONNXTensorElementDataType>, out:
        Out<*mut OrtValue>,
    ) {
        let shape = shape.read(shape_len)?;
        out.give(match element::of_number(type_.0)? {
            ElementType::String => Value::Strings(Arc::new(Strings::empty(shape)?)),
            element => Value::Tensor(Arc::new(Dense::allocate(allocator, element, shape)?)),
        })
    }

    /// Creates a tensor in the caller's memory, which is read and written in place.
    fn CreateTensorWithDataAsOrtValue(
        info: &MemoryInfo, p_data: *mut c_void, p_data_len: usize, shape: List<'_, i64>, shape_len: usize, type_:
        Enum<ONNXTensorElementDataType>, out: Out<*mut OrtValue>,
    ) {
        info.expect_cpu()?;
        let (element, shape) = (element::of_number(type_.0)?, shape.read(shape_len)?);
        out.give(Value::Tensor(Arc::new(Dense::borrow(element, shape, p_data, p_data_len, None)?)))
    }

    /// Creates a tensor in the caller's memory, which an allocator frees with the value.
    fn CreateTensorWithDataAndDeleterAsOrtValue(
        deleter: Allocator, p_data: *mut c_void, p_data_len: usize, shape: List<'_, i64>, shape_len: usize, r#type:
        Enum<ONNXTensorElementDataType>, out: Out<*mut OrtValue>,
    ) {
        let (element, shape) = (element::of_number(r#type.0)?, shape.read(shape_len)?);
        out.give(Value::Tensor(Arc::new(Dense::borrow(element, shape, p_data, p_data_len, Some(deleter))?)))
    }

    /// Returns whether a value is a tensor.
    fn IsTensor(value: &Value, out: Out<c_int>) { out.set(c_int::from(value.element_and_shape().is_ok())) }

    /// Returns 0: sparse tensors are not supported.
    fn IsSparseTensor(_value: &Value, out: Out<c_int>) { out.set(0) }

    /// Returns 0 for an empty optional and 1 for other values.
    fn HasValue(value: &Value, out: Out<c_int>) { out.set(c_int::from(!matches!(value, Value::Nothing(_)))) }

    /// Returns the address of the elements of a dense tensor.
    fn GetTensorMutableData(value: &mut Value, out: Out<*mut c_void>) { out.set(value.dense()?.address().cast()) }

    /// Returns the address of the elements of a dense tensor, for reading.
    fn GetTensorData(value: &Value, out: Out<*const c_void>) { out.set(value.dense()?.address().cast_const().cast()) }

    /// Returns the size of a dense tensor in bytes.
    fn GetTensorSizeInBytes(ort_value: &Value, size: Out<usize>) { size.set(ort_value.dense()?.byte_count()) }

    /// Returns the address of an element of a dense tensor.
    fn TensorAt(
        value: &mut Value, location_values: List<'_, i64>, location_values_count: usize, out: Out<*mut c_void>,
    ) {
        out.set(value.dense()?.address_of(location_values.read(location_values_count)?)?.cast())
    }

    /// Returns element type and shape of a tensor.
    fn GetTensorTypeAndShape(value: &Value, out: Out<*mut OrtTensorTypeAndShapeInfo>) {
        let (element, shape) = value.element_and_shape()?;
        out.give(TensorInfo::of_value(element, shape))
    }

    /// Returns element type and extents of a tensor, which are valid as long as the value.
    fn GetTensorElementTypeAndShapeDataReference(
        value: &Value, elem_type: Out<ONNXTensorElementDataType>, shape_data: Out<*const i64>, shape_data_count:
        Out<usize>,
    ) {
        let (element, shape) = value.element_and_shape()?;
        elem_type.set(element)?;
        shape_data.set(shape.as_ptr())?;
        shape_data_count.set(shape.len())
    }

    /// Returns the type of a value.
    fn GetTypeInfo(value: &Value, out: Out<*mut OrtTypeInfo>) { out.give(value.type_info()) }

    /// Returns the kind of a value.
    fn GetValueType(value: &Value, out: Out<ONNXType>) { out.set(value.type_info().kind()) }

    /// Returns the memory of a tensor: that of the CPU.
    fn GetTensorMemoryInfo(value: &Value, mem_info: Out<*const OrtMemoryInfo>) {
        value.element_and_shape()?;
        mem_info.lend(Some(&CPU))
    }

    /// Copies elements between dense tensors of the same size.
    fn CopyTensors(
        _env: Shared<'_, Env>, src_tensors: List<'_, *const OrtValue>, dst_tensors: Space<'_, *const OrtValue>, _stream:
        *mut OrtSyncStream, num_tensors: usize,
    ) {
        let to = dst_tensors.read(num_tensors)?;
        for (from, to) in src_tensors.handles::<Value>(num_tensors)?.into_iter().zip(to) {
            let missing = || Status::invalid("CopyTensors: a tensor is null");
            let (from, to) = (from.ok_or_else(missing)?, behind::<Value>(*to).ok_or_else(missing)?);
            to.dense()?.write(from.dense()?.bytes())?;
        }
        Ok(())
    }

    /// Releases a value.
    fn ReleaseValue(_input: Released<Value>) -> () {} else {}
}
