//! The element types of results: by the schema's constraints, or by the operators' rules.

use dialects::onnx::schema::{Mode, Parameter, Schema};
use dialects::onnx::views::Reader;
use ir::{FloatType, Type};

use crate::elements;

/// The type of result `index` as far as operand types and attributes determine it; tensors have no shape.
pub fn result_type(schema: &Schema, index: usize, node: &Reader<'_>) -> Option<Type> {
    if let Some(rule) = crate::table::row_of(&schema.op_name()).and_then(|row| row.types) {
        return rule(node, index);
    }
    let operands: Vec<Type> = node.operands.iter().map(|&value| node.body.value_type(value).clone()).collect();
    by_constraint(schema, schema.output(index)?, &operands)
}

/// A tensor, of any shape, of the element type with an ONNX number.
pub fn tensor_of(number: i64) -> Option<Type> {
    element_type(number as i32).ok().map(Type::unranked_tensor)
}

/// The type of an operand under the same constraint, or the only type the constraint allows.
fn by_constraint(schema: &Schema, output: &Parameter, operands: &[Type]) -> Option<Type> {
    if output.mode == Mode::Mixed {
        return None;
    }
    let tied = operands.iter().enumerate().find(|(index, r#type)| {
        **r#type != Type::None && schema.input(*index).is_some_and(|input| input.r#type == output.r#type)
    });
    match (tied, schema.allowed_types(output)) {
        (Some((_, r#type)), _) => Some(without_shape(r#type)),
        (None, [only]) => type_by_name(only),
        _ => None,
    }
}

/// A type in the syntax of the schemas: `float`, `seq:float`, `seq:map:int64,float`.
fn type_by_name(name: &str) -> Option<Type> {
    if let Some(element) = name.strip_prefix("seq:") {
        return Some(Type::dialect("onnx", "Seq", vec![type_by_name(element)?]));
    }
    if let Some(element) = name.strip_prefix("optional:") {
        return Some(Type::dialect("onnx", "Opt", vec![type_by_name(element)?]));
    }
    if let Some((key, value)) = name.strip_prefix("map:").and_then(|pair| pair.split_once(',')) {
        return Some(Type::dialect("onnx", "Map", vec![element_by_name(key)?, type_by_name(value)?]));
    }
    element_by_name(name).map(Type::unranked_tensor)
}

/// The element type of an ONNX name such as `float` or `uint8`.
pub fn element_by_name(name: &str) -> Option<Type> {
    (1..=proto::DataType::Float6e3m2 as i32)
        .find(|&number| proto::type_name(number) == name)
        .and_then(elements::element)
}

/// The IR type of an ONNX element type number.
pub fn element_type(number: i32) -> Result<Type, String> {
    elements::element(number).ok_or_else(|| format!("has element type {number}, which ONNX does not define"))
}

/// The ONNX number of an element type.
pub fn element_number(element: &Type) -> Option<i64> {
    let number =
        (1..=proto::DataType::Float6e3m2 as i32).find(|&number| elements::element(number).as_ref() == Some(element));
    number.map(i64::from)
}

/// The same type without its shape, for values with unknown extents.
pub fn without_shape(r#type: &Type) -> Type {
    match r#type {
        Type::Tensor(tensor) => Type::unranked_tensor(tensor.element.clone()),
        Type::Dialect(dialect) => {
            let parameters = dialect.parameters.iter().map(without_shape).collect();
            Type::dialect(&dialect.dialect, &dialect.name, parameters)
        }
        other => other.clone(),
    }
}

/// The same type with the same rank and dynamic extents.
pub fn without_extents(r#type: &Type) -> Type {
    match r#type {
        Type::Tensor(tensor) => match &tensor.shape {
            Some(shape) => Type::tensor(vec![None; shape.len()], tensor.element.clone()),
            None => r#type.clone(),
        },
        Type::Dialect(dialect) => {
            let parameters = dialect.parameters.iter().map(without_extents).collect();
            Type::dialect(&dialect.dialect, &dialect.name, parameters)
        }
        other => other.clone(),
    }
}

/// The element type of a sequence or optional.
pub fn contained<'a>(r#type: &'a Type, container: &str) -> Option<&'a Type> {
    match r#type {
        Type::Dialect(dialect) if *dialect.dialect == *"onnx" && *dialect.name == *container => {
            dialect.parameters.first()
        }
        _ => None,
    }
}

/// The types of a map's keys and of its values.
pub fn map_types(r#type: &Type) -> Option<(&Type, &Type)> {
    match r#type {
        Type::Dialect(dialect) if *dialect.dialect == *"onnx" && *dialect.name == *"Map" => {
            Some((dialect.parameters.first()?, dialect.parameters.get(1)?))
        }
        _ => None,
    }
}

/// The type that elements are computed in: f32 for f16, bf16 and types that are not floats.
pub(crate) fn computed_in(element: &Type) -> Type {
    match element {
        Type::Float(FloatType::F32 | FloatType::F64) => element.clone(),
        _ => Type::F32,
    }
}

/// The number ONNX gives an element type.
pub(crate) fn type_number(element: &Type) -> i64 {
    (1..=proto::DataType::Float6e3m2 as i32)
        .find(|&number| element_type(number).is_ok_and(|found| found == *element))
        .map_or(0, i64::from)
}
