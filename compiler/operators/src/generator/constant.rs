//! Constant.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Attribute, DenseElements, DimExpr, Op, Type};

use crate::graph::{self, Problem};
use crate::operator::Operator;
use crate::shape::elements::constants;
use crate::shape::{Answer, Node};
use crate::structured::{Lowering, Unsupported, signless};
use crate::upgrade::{float_list, floats};

pub(crate) const CONSTANT: Operator = Operator {
    normalize: Some(|node, _| one_spelling(node)),
    types: Some(|node, _| views::Constant::read(node).value.map(|value| value.r#type.clone())),
    shapes: Some(shapes),
    elements: Some(|node, _| constants(value(node)?)),
    lower: Some(lower),
    ..Operator::of(OnnxOp::Constant)
};

/// Converts every spelling of a constant to `value`.
fn one_spelling(node: &mut graph::Node) -> Result<(), Problem> {
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

/// The value, in the only remaining spelling.
fn value<'b>(node: &Node<'_, 'b>) -> Option<&'b DenseElements> {
    node.attribute("value")?.as_dense().map(|dense| &**dense)
}

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let shape = value(node).and_then(|dense| dense.r#type.static_shape());
    Ok(vec![shape.map(|shape| shape.into_iter().map(DimExpr::Constant).collect())])
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let views::Constant { value: dense, .. } = View::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    let dense = dense.ok_or_else(|| Unsupported::new("its value is not a dense tensor"))?;
    if let Some(texts) = dense.strings() {
        let shape = dense.r#type.static_shape().unwrap_or_default();
        let constant = lowering.string_tensor(&texts, &shape);
        lowering.bind(result, constant);
        return Ok(());
    }
    let r#type = dense.r#type.with_element(signless(dense.r#type.element()));
    if r#type.element().byte_width().is_none() {
        return Err(Unsupported::new(format!("elements of type {} cannot be computed with", r#type.element())));
    }
    let value = DenseElements { r#type: r#type.clone(), ..(*dense).clone() };
    let constant = lowering.builder().constant(Attribute::dense(value), r#type);
    lowering.bind(result, constant);
    Ok(())
}
