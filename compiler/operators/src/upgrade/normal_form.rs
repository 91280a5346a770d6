//! One form where the newest schema allows several, and operators that do nothing in inference.

use ir::{Attribute, DenseElements, Type};

use super::{float_list, floats};
use crate::graph::Emitter;
use crate::graph::{Node, Problem};

/// Brings a node of the newest version to the form the compiler reads.
pub(super) fn normalise(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    match &*node.name {
        "Constant" => constant(node),
        "Resize" => resize(node, emit),
        _ => Ok(()),
    }
}

/// Every spelling of a constant becomes `value`.
fn constant(node: &mut Node) -> Result<(), Problem> {
    let text = |strings: &[&str], shape: &[i64]| {
        DenseElements::from_strings(Type::static_tensor(shape, Type::dialect("onnx", "String", vec![])), strings)
    };
    let malformed = || Problem::input("has no value");
    let (name, attribute) = node.attributes.iter().next().ok_or_else(malformed)?;
    let scalar_float = |value: f64| {
        let data = ir::Blob::copy_of(&(value as f32).to_le_bytes());
        DenseElements::new(Type::static_tensor(&[], Type::F32), data)
    };
    let elements = match name {
        "value" => return Ok(()),
        "sparse_value" => attribute.as_dense().map(|elements| (**elements).clone()),
        "value_int" => attribute.as_integer().map(|value| DenseElements::from_i64(&[], &[value])),
        "value_ints" => attribute.as_integers().map(|values| DenseElements::from_i64(&[values.len() as i64], &values)),
        "value_float" => attribute.as_float().map(scalar_float),
        "value_floats" => float_list(attribute).map(|values| floats(&values)),
        "value_string" => attribute.as_str().map(|value| text(&[value], &[])),
        _ => attribute.as_array().map(|strings| {
            let strings: Vec<&str> = strings.iter().filter_map(Attribute::as_str).collect();
            text(&strings, &[strings.len() as i64])
        }),
    };
    node.attributes = [("value", Attribute::dense(elements.ok_or_else(malformed)?))].into();
    Ok(())
}

/// An empty tensor stands for an omitted operand; the region of interest is read in one mode only.
fn resize(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let mode = node.attributes.str("coordinate_transformation_mode");
    if mode != Some("tf_crop_and_resize") && node.operands.len() > 1 {
        node.operands[1] = emit.none;
    }
    for operand in node.operands.iter_mut().skip(1) {
        if emit.body.value_type(*operand).static_shape().is_some_and(|shape| shape == [0]) {
            *operand = emit.none;
        }
    }
    Ok(())
}
