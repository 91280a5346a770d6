//! Types: `float[N, 128]`, `seq(int64[])`.

use crate::messages::{
    DataType, Dimension, DimensionValue, TensorShapeProto, TypeMap, TypeOpaque, TypeOptional, TypeProto, TypeSequence,
    TypeSparseTensor, TypeTensor, TypeValue,
};

use super::cursor::{Cursor, Parsed};

/// The keywords of types other than tensors.
const CONTAINERS: [&str; 5] = ["seq", "map", "optional", "sparse_tensor", "opaque"];

/// Whether a type is next.
pub(super) fn sees_type(cursor: &mut Cursor<'_>) -> bool {
    let word = cursor.peek_identifier();
    CONTAINERS.contains(&word) || element_number(word).is_some()
}

fn element_number(name: &str) -> Option<i32> {
    (1..=DataType::Float6e3m2 as i32).find(|&number| crate::type_name(number) == name)
}

fn element(cursor: &mut Cursor<'_>) -> Parsed<i32> {
    match element_number(cursor.peek_identifier()) {
        Some(number) => cursor.identifier().map(|_| number),
        None => cursor.fail("expected an element type"),
    }
}

pub(super) fn type_proto(cursor: &mut Cursor<'_>) -> Parsed<TypeProto> {
    cursor.nested(|cursor| Ok(TypeProto { value: Some(type_value(cursor)?), ..Default::default() }))
}

fn type_value(cursor: &mut Cursor<'_>) -> Parsed<TypeValue> {
    let word = cursor.peek_identifier();
    if !CONTAINERS.contains(&word) {
        return tensor_type(cursor).map(TypeValue::Tensor);
    }
    cursor.identifier()?;
    cursor.expect("(")?;
    let inner = |cursor: &mut Cursor<'_>| type_proto(cursor).map(|inner| Some(Box::new(inner)));
    let value = match word {
        "seq" => TypeValue::Sequence(Box::new(TypeSequence { elem_type: inner(cursor)? })),
        "optional" => TypeValue::Optional(Box::new(TypeOptional { elem_type: inner(cursor)? })),
        "map" => {
            let key_type = element(cursor)?;
            cursor.expect(",")?;
            TypeValue::Map(Box::new(TypeMap { key_type, value_type: inner(cursor)? }))
        }
        "sparse_tensor" => {
            let TypeTensor { elem_type, shape } = tensor_type(cursor)?;
            TypeValue::SparseTensor(TypeSparseTensor { elem_type, shape })
        }
        _ => TypeValue::Opaque(opaque(cursor)?),
    };
    cursor.expect(")")?;
    Ok(value)
}

/// `float` is a scalar, `float[]` of any rank.
fn tensor_type(cursor: &mut Cursor<'_>) -> Parsed<TypeTensor> {
    let elem_type = element(cursor)?;
    if !cursor.takes("[") {
        return Ok(TypeTensor { elem_type, shape: Some(TensorShapeProto::default()) });
    }
    let dim = cursor.list("]", dimension)?;
    Ok(TypeTensor { elem_type, shape: (!dim.is_empty()).then_some(TensorShapeProto { dim }) })
}

fn dimension(cursor: &mut Cursor<'_>) -> Parsed<Dimension> {
    let value = match cursor.takes("?") {
        true => None,
        false => Some(match cursor.optional_name()? {
            Some(name) => DimensionValue::Param(name),
            None => DimensionValue::Value(cursor.whole()?),
        }),
    };
    Ok(Dimension { value, ..Default::default() })
}

/// `opaque()`, `opaque(name)` or `opaque(domain, name)`; a single name may contain dots.
fn opaque(cursor: &mut Cursor<'_>) -> Parsed<TypeOpaque> {
    if cursor.sees(")") {
        return Ok(TypeOpaque::default());
    }
    let mut first = cursor.identifier()?.to_string();
    while cursor.takes(".") {
        first = format!("{first}.{}", cursor.identifier()?);
    }
    Ok(match cursor.takes(",") {
        true => TypeOpaque { domain: first, name: cursor.identifier()?.into() },
        false => TypeOpaque { name: first, ..Default::default() },
    })
}
