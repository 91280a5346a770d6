//! IR types to `TypeProto`.

use ir::types::DialectType;
use ir::{IndexMap, Type};
use proto::{
    Dimension, DimensionValue, TensorShapeProto, TypeMap, TypeOptional, TypeProto, TypeSequence, TypeTensor, TypeValue,
    ValueInfoProto,
};

/// The number of an element type in ONNX; 0 if it has none.
pub(crate) fn element_number(element: &Type) -> i32 {
    let numbers = 1..=i32::from(u8::MAX);
    numbers
        .into_iter()
        .find(|&number| operators::elements::element(number).as_ref() == Some(element))
        .unwrap_or_default()
}

/// A value's name and type; `dimensions` are the names of symbolic dimensions by axis.
pub(crate) fn value_info(name: &str, r#type: &Type, dimensions: &IndexMap<usize, String>) -> ValueInfoProto {
    ValueInfoProto { name: name.into(), r#type: export_type(r#type, dimensions), ..ValueInfoProto::default() }
}

/// The ONNX type of an IR type; `None` for a type that ONNX does not have.
pub(crate) fn export_type(r#type: &Type, dimensions: &IndexMap<usize, String>) -> Option<TypeProto> {
    let value = match r#type {
        Type::Tensor(tensor) => TypeValue::Tensor(TypeTensor {
            elem_type: element_number(&tensor.element),
            shape: r#type.shape().map(|shape| TensorShapeProto {
                dim: shape
                    .into_iter()
                    .enumerate()
                    .map(|(axis, extent)| dimension(extent, dimensions.get(&axis)))
                    .collect(),
            }),
        }),
        Type::Dialect(container) => of_container(container)?,
        _ => return None,
    };
    Some(TypeProto { value: Some(value), ..TypeProto::default() })
}

fn of_container(container: &DialectType) -> Option<TypeValue> {
    let inner = |at: usize| export_type(container.parameters.get(at)?, &IndexMap::default()).map(Box::new);
    Some(match &*container.name {
        "Seq" => TypeValue::Sequence(Box::new(TypeSequence { elem_type: inner(0) })),
        "Opt" => TypeValue::Optional(Box::new(TypeOptional { elem_type: inner(0) })),
        "Map" => TypeValue::Map(Box::new(TypeMap {
            key_type: element_number(&container.parameters[0]),
            value_type: inner(1),
        })),
        _ => return None,
    })
}

fn dimension(extent: Option<i64>, name: Option<&String>) -> Dimension {
    let value = match (extent, name) {
        (Some(extent), _) => Some(DimensionValue::Value(extent)),
        (None, Some(name)) => Some(DimensionValue::Param(name.clone())),
        (None, None) => None,
    };
    Dimension { value, ..Dimension::default() }
}
