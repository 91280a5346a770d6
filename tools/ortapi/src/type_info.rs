//! Types of values: tensors, sequences, maps, optionals.

use std::ffi::c_char;

use onnxc::ValueType;
use ort_sys::{
    ONNXTensorElementDataType, ONNXType, OrtMapTypeInfo, OrtOptionalTypeInfo, OrtSequenceTypeInfo,
    OrtTensorTypeAndShapeInfo, OrtTypeInfo,
};

use crate::element;
use crate::raw::{Out, Released};
use crate::tensor_info::TensorInfo;

/// The type of a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TypeInfo {
    Tensor(TensorInfo),
    Sequence(SequenceInfo),
    Map(MapInfo),
    Optional(OptionalInfo),
}

/// A sequence type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SequenceInfo(Box<TypeInfo>);

/// A map type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MapInfo {
    key: ONNXTensorElementDataType,
    value: Box<TypeInfo>,
}

/// An optional type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OptionalInfo(Box<TypeInfo>);

handles! {
    TypeInfo => OrtTypeInfo,
    SequenceInfo => OrtSequenceTypeInfo,
    MapInfo => OrtMapTypeInfo,
    OptionalInfo => OrtOptionalTypeInfo,
}

impl TypeInfo {
    /// The type of an input or an output.
    pub(crate) fn of(r#type: &ValueType) -> TypeInfo {
        match r#type {
            ValueType::Tensor { element, shape } => TypeInfo::Tensor(TensorInfo::of_type(*element, shape.as_deref())),
            ValueType::Sequence(held) => TypeInfo::sequence(TypeInfo::of(held)),
            ValueType::Optional(held) => TypeInfo::optional(TypeInfo::of(held)),
            ValueType::Map { key, value } => TypeInfo::map(element::code(*key), TypeInfo::of(value)),
        }
    }

    /// A sequence type.
    pub(crate) fn sequence(element: TypeInfo) -> TypeInfo {
        TypeInfo::Sequence(SequenceInfo(Box::new(element)))
    }

    /// An optional type.
    pub(crate) fn optional(held: TypeInfo) -> TypeInfo {
        TypeInfo::Optional(OptionalInfo(Box::new(held)))
    }

    /// A map type.
    pub(crate) fn map(key: ONNXTensorElementDataType, value: TypeInfo) -> TypeInfo {
        TypeInfo::Map(MapInfo { key, value: Box::new(value) })
    }

    /// The kind of the type.
    pub(crate) fn kind(&self) -> ONNXType {
        match self {
            TypeInfo::Tensor(_) => ONNXType::ONNX_TYPE_TENSOR,
            TypeInfo::Sequence(_) => ONNXType::ONNX_TYPE_SEQUENCE,
            TypeInfo::Map(_) => ONNXType::ONNX_TYPE_MAP,
            TypeInfo::Optional(_) => ONNXType::ONNX_TYPE_OPTIONAL,
        }
    }
}

entries! {
    /// The kind of the type.
    fn GetOnnxTypeFromTypeInfo(type_info: &TypeInfo, out: Out<ONNXType>) { out.set(type_info.kind()) }

    /// Returns the tensor type in `type_info`; null for other kinds.
    fn CastTypeInfoToTensorInfo(type_info: &TypeInfo, out: Out<*const OrtTensorTypeAndShapeInfo>) {
        match type_info {
            TypeInfo::Tensor(info) => out.lend(Some(info)),
            TypeInfo::Sequence(_) | TypeInfo::Map(_) | TypeInfo::Optional(_) => out.lend::<TensorInfo>(None),
        }
    }

    /// Returns the map type in `type_info`; null for other kinds.
    fn CastTypeInfoToMapTypeInfo(type_info: &TypeInfo, out: Out<*const OrtMapTypeInfo>) {
        match type_info {
            TypeInfo::Map(info) => out.lend(Some(info)),
            TypeInfo::Sequence(_) | TypeInfo::Tensor(_) | TypeInfo::Optional(_) => out.lend::<MapInfo>(None),
        }
    }

    /// Returns the sequence type in `type_info`; null for other kinds.
    fn CastTypeInfoToSequenceTypeInfo(type_info: &TypeInfo, out: Out<*const OrtSequenceTypeInfo>) {
        match type_info {
            TypeInfo::Sequence(info) => out.lend(Some(info)),
            TypeInfo::Map(_) | TypeInfo::Tensor(_) | TypeInfo::Optional(_) => out.lend::<SequenceInfo>(None),
        }
    }

    /// Returns the optional type in `type_info`; null for other kinds.
    fn CastTypeInfoToOptionalTypeInfo(type_info: &TypeInfo, out: Out<*const OrtOptionalTypeInfo>) {
        match type_info {
            TypeInfo::Optional(info) => out.lend(Some(info)),
            TypeInfo::Map(_) | TypeInfo::Tensor(_) | TypeInfo::Sequence(_) => out.lend::<OptionalInfo>(None),
        }
    }

    /// Returns an empty string: denotations are not supported.
    fn GetDenotationFromTypeInfo(_type_info: &TypeInfo, denotation: Out<*const c_char>, len: Out<usize>) {
        denotation.set(c"".as_ptr())?;
        len.set(0)
    }

    /// Returns the element type of a map's keys.
    fn GetMapKeyType(map_type_info: &MapInfo, out: Out<ONNXTensorElementDataType>) { out.set(map_type_info.key) }

    /// Returns the type of a map's values.
    fn GetMapValueType(map_type_info: &MapInfo, type_info: Out<*mut OrtTypeInfo>) {
        type_info.give(TypeInfo::clone(&map_type_info.value))
    }

    /// Returns the type of a sequence's elements.
    fn GetSequenceElementType(sequence_type_info: &SequenceInfo, type_info: Out<*mut OrtTypeInfo>) {
        type_info.give(TypeInfo::clone(&sequence_type_info.0))
    }

    /// Returns the type of an optional's element.
    fn GetOptionalContainedTypeInfo(optional_type_info: &OptionalInfo, out: Out<*mut OrtTypeInfo>) {
        out.give(TypeInfo::clone(&optional_type_info.0))
    }

    /// Releases a type.
    fn ReleaseTypeInfo(_input: Released<TypeInfo>) -> () {} else {}

    /// Releases a map type.
    fn ReleaseMapTypeInfo(_input: Released<MapInfo>) -> () {} else {}

    /// Releases a sequence type.
    fn ReleaseSequenceTypeInfo(_input: Released<SequenceInfo>) -> () {} else {}
}
