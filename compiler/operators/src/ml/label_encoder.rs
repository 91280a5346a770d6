//! LabelEncoder: maps keys to values; and CategoryMapper, which maps between texts and integers.

use std::sync::Arc;

use dialects::onnx::OnnxOp;
use dialects::onnx::views::View;
use dialects::onnx::views::ml::{CategoryMapper, LabelEncoder};
use ir::{Attribute, Attributes, Op, Type};

use crate::graph::{Emitter, Node, Problem};
use crate::operator::Operator;
use crate::shape::like_first;
use crate::structured::calls::Argument::Tensor;
use crate::structured::strings::{floats, integers, texts};
use crate::structured::{Lowering, Unsupported, is_string};

pub(crate) const LABEL_ENCODER: Operator = Operator {
    upgrades: &[(2, label_encoder_2)],
    types: Some(|node, _| {
        let encoder = LabelEncoder::read(node);
        let element = match (&encoder.values_tensor, &encoder.values_strings, &encoder.values_int64s) {
            (Some(values), _, _) => values.r#type.element().clone(),
            (None, Some(_), _) => text(),
            (None, None, Some(_)) => Type::I64,
            (None, None, None) => Type::F32,
        };
        Some(Type::unranked_tensor(element))
    }),
    shapes: Some(like_first),
    lower: Some(lower),
    ..Operator::of(OnnxOp::MlLabelEncoder)
};

pub(crate) const CATEGORY_MAPPER: Operator = Operator {
    types: Some(|node, _| {
        let mapper = CategoryMapper::read(node);
        let is_text = *node.body.value_type(mapper.x).element() == text();
        Some(Type::unranked_tensor(if is_text { Type::I64 } else { text() }))
    }),
    shapes: Some(like_first),
    compose: Some(|emit, op| {
        let mapper = CategoryMapper::of(&emit.body, op);
        let (Some(texts), Some(numbers)) = (mapper.cats_strings, mapper.cats_int64s) else {
            return Err(Problem::input("lacks its categories"));
        };
        let defaults = (mapper.default_int64, mapper.default_string);
        let attributes = between(emit.element(mapper.x) == text(), &texts, &numbers, defaults);
        Ok(vec![Some(emit.ml("LabelEncoder", &[mapper.x], attributes))])
    }),
    ..Operator::of(OnnxOp::MlCategoryMapper)
};

pub(super) fn text() -> Type {
    Type::dialect("onnx", "String", vec![])
}

/// A LabelEncoder from texts to numbers, or from numbers to texts.
fn between(from_texts: bool, texts: &[Arc<str>], numbers: &[i64], defaults: (i64, String)) -> Attributes {
    let texts = Attribute::Array(texts.iter().map(|text| Attribute::string(text)).collect());
    let numbers = Attribute::integer_list(numbers);
    let (number, text) = (("default_int64", Attribute::i64(defaults.0)), Attribute::string(&defaults.1));
    match from_texts {
        true => [("keys_strings", texts), ("values_int64s", numbers), number].into(),
        false => [("keys_int64s", numbers), ("values_strings", texts), ("default_string", text)].into(),
    }
}

/// Version 1 has one list of texts, which map to their indices.
fn label_encoder_2(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let texts = node.attributes.remove("classes_strings");
    let texts = texts.as_ref().and_then(Attribute::as_array).unwrap_or_default();
    let texts: Vec<Arc<str>> = texts.iter().filter_map(Attribute::as_str).map(Arc::from).collect();
    let numbers: Vec<i64> = (0..texts.len() as i64).collect();
    let number = node.attributes.integer("default_int64").unwrap_or(-1);
    let default = node.attributes.str("default_string").unwrap_or("_Unused").to_string();
    let from_texts = emit.element(node.operands[0]) == text();
    node.attributes = between(from_texts, &texts, &numbers, (number, default));
    Ok(())
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = LabelEncoder::of(lowering.source, op);
    let list = |strings: &Option<Vec<Arc<str>>>, numbers: &Option<Arc<[i64]>>, reals: &Option<Vec<f32>>| match (
        strings, numbers, reals,
    ) {
        (Some(strings), _, _) => Some(texts(strings)),
        (None, Some(numbers), _) => Some(integers(numbers)),
        (None, None, Some(reals)) => Some(floats(reals)),
        (None, None, None) => None,
    };
    let keys = node.keys_tensor.map(|tensor| (*tensor).clone());
    let keys = keys.or_else(|| list(&node.keys_strings, &node.keys_int64s, &node.keys_floats));
    let values = node.values_tensor.map(|tensor| (*tensor).clone());
    let values = values.or_else(|| list(&node.values_strings, &node.values_int64s, &node.values_floats));
    let (Some(keys), Some(values)) = (keys, values) else {
        return Err(Unsupported::invalid("it has no keys or no values"));
    };
    let element = values.r#type.element();
    let default = match node.default_tensor {
        Some(tensor) => (*tensor).clone(),
        None if is_string(element) => texts(&[node.default_string.into()]),
        None if element.is_integer() => integers(&[node.default_int64]),
        None => floats(&[node.default_float as f32]),
    };
    let [keys, values, default] = [keys, values, default].map(|elements| lowering.vector(&elements));
    lowering.call(op, "look_up", &[Tensor(node.x), keys, values, default])
}
