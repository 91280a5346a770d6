//! ONNX's element types and tensors in the IR.

use ir::{DenseElements, FloatType, Type};
use proto::{DataType, Dense, TensorValue};

/// The IR type for an ONNX element type.
pub fn element(number: i32) -> Option<Type> {
    of_data_type(DataType::try_from(number).ok()?)
}

fn of_data_type(element: DataType) -> Option<Type> {
    Some(match element {
        DataType::Undefined => return None,
        DataType::Float => Type::F32,
        DataType::Uint8 => Type::unsigned(8),
        DataType::Int8 => Type::I8,
        DataType::Uint16 => Type::unsigned(16),
        DataType::Int16 => Type::I16,
        DataType::Int32 => Type::I32,
        DataType::Int64 => Type::I64,
        DataType::String => Type::dialect("onnx", "String", vec![]),
        DataType::Bool => Type::I1,
        DataType::Float16 => Type::F16,
        DataType::Double => Type::F64,
        DataType::Uint32 => Type::unsigned(32),
        DataType::Uint64 => Type::unsigned(64),
        DataType::Complex64 => Type::Complex(FloatType::F32),
        DataType::Complex128 => Type::Complex(FloatType::F64),
        DataType::Bfloat16 => Type::Float(FloatType::BF16),
        DataType::Float8e4m3fn => Type::Float(FloatType::F8E4M3FN),
        DataType::Float8e4m3fnuz => Type::Float(FloatType::F8E4M3FNUZ),
        DataType::Float8e5m2 => Type::Float(FloatType::F8E5M2),
        DataType::Float8e5m2fnuz => Type::Float(FloatType::F8E5M2FNUZ),
        DataType::Uint4 => Type::unsigned(4),
        DataType::Int4 => Type::integer(4),
        DataType::Float4e2m1 => Type::Float(FloatType::F4E2M1FN),
        DataType::Float8e8m0 => Type::Float(FloatType::F8E8M0FNU),
        DataType::Float6e2m3 => Type::Float(FloatType::F6E2M3FN),
        DataType::Float6e3m2 => Type::Float(FloatType::F6E3M2FN),
        DataType::Uint2 => Type::unsigned(2),
        DataType::Int2 => Type::integer(2),
    })
}

/// A tensor's contents as a constant, which shares its bytes.
pub fn constant(value: TensorValue) -> DenseElements {
    match value {
        TensorValue::Dense(Dense { element, shape, data }) => {
            let element = of_data_type(element).expect("dense elements have a type");
            DenseElements::new(Type::static_tensor(&shape, element), data)
        }
        TensorValue::Strings(shape, strings) => {
            let r#type = Type::static_tensor(&shape, Type::dialect("onnx", "String", vec![]));
            DenseElements::from_strings(r#type, &strings)
        }
    }
}
