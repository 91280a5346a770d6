//! Tensors: `float[2] w = {1, 2.5}`, or with external data: `float[2] w = ["location": "w.bin"]`.

use prost::bytes::Bytes;

use crate::messages::{
    DataLocation, DataType, DimensionValue, StringStringEntryProto, TensorProto, TypeProto, TypeValue,
};

use super::cursor::{Cursor, Parsed};

/// A tensor of the given type; its data are next.
pub(super) fn tensor(cursor: &mut Cursor<'_>, name: String, r#type: &TypeProto) -> Parsed<TensorProto> {
    let Some(TypeValue::Tensor(r#type)) = &r#type.value else {
        return cursor.fail("only tensors have data");
    };
    let Some(shape) = &r#type.shape else {
        return cursor.fail("a tensor with data has a shape");
    };
    let extents = shape.dim.iter().map(|dimension| match dimension.value {
        Some(DimensionValue::Value(extent)) => Some(extent),
        _ => None,
    });
    let Some(dims) = extents.collect::<Option<Vec<i64>>>() else {
        return cursor.fail("a tensor's extents are numbers");
    };
    let mut tensor = TensorProto { name, dims, data_type: r#type.elem_type, ..Default::default() };
    if cursor.takes("[") {
        tensor.data_location = DataLocation::External as i32;
        tensor.external_data = cursor.list("]", entry)?;
    } else {
        cursor.expect("{")?;
        elements(cursor, &mut tensor)?;
    }
    Ok(tensor)
}

/// `"key": "value"`
pub(super) fn entry(cursor: &mut Cursor<'_>) -> Parsed<StringStringEntryProto> {
    let key = cursor.text()?;
    cursor.expect(":")?;
    Ok(StringStringEntryProto { key, value: cursor.text()? })
}

/// The values, in the field for their type. Types narrower than 32 bits are written as their bits, and types narrower
/// than a byte as the bytes that they are packed into.
fn elements(cursor: &mut Cursor<'_>, tensor: &mut TensorProto) -> Parsed<()> {
    match DataType::try_from(tensor.data_type).unwrap_or(DataType::Undefined) {
        DataType::Undefined => return cursor.fail("a tensor with data has an element type"),
        DataType::Float | DataType::Complex64 => tensor.float_data = cursor.list("}", Cursor::float)?,
        DataType::Double | DataType::Complex128 => tensor.double_data = cursor.list("}", Cursor::float)?,
        DataType::Int64 => tensor.int64_data = cursor.list("}", Cursor::whole)?,
        DataType::Uint32 | DataType::Uint64 => tensor.uint64_data = cursor.list("}", Cursor::whole)?,
        DataType::String => {
            tensor.string_data = cursor.list("}", |cursor| Ok(Bytes::from(cursor.text()?.into_bytes())))?;
        }
        DataType::Uint8
        | DataType::Int8
        | DataType::Uint16
        | DataType::Int16
        | DataType::Int32
        | DataType::Bool
        | DataType::Float16
        | DataType::Bfloat16
        | DataType::Float8e4m3fn
        | DataType::Float8e4m3fnuz
        | DataType::Float8e5m2
        | DataType::Float8e5m2fnuz
        | DataType::Uint4
        | DataType::Int4
        | DataType::Float4e2m1
        | DataType::Float8e8m0
        | DataType::Uint2
        | DataType::Int2
        | DataType::Float6e2m3
        | DataType::Float6e3m2 => tensor.int32_data = cursor.list("}", Cursor::whole)?,
    }
    Ok(())
}
