//! Optionals: handles of values that the run keeps. A value of another type is accepted as an optional with this value.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Op, Type, Value};

use crate::operator::Operator;
use crate::shape::{Answer, Node};
use crate::structured::calls::Argument::{Handle, Tensor};
use crate::structured::{Lowering, Unsupported, is_container};
use crate::types::{contained, without_shape};

pub(crate) const OPERATORS: &[&Operator] = &[&OPTIONAL, &OPTIONAL_GET_ELEMENT, &OPTIONAL_HAS_ELEMENT];

const OPTIONAL: Operator = Operator {
    types: Some(|node, _| {
        let optional = views::Optional::read(node);
        let held = || optional.input.map(|value| without_shape(node.body.value_type(value)));
        Some(Type::dialect("onnx", "Opt", vec![optional.r#type.or_else(held)?]))
    }),
    lower: Some(make),
    ..Operator::of(OnnxOp::Optional)
};

const OPTIONAL_HAS_ELEMENT: Operator = Operator {
    shapes: Some(|_| Ok(vec![Some(vec![])])),
    lower: Some(has_element),
    ..Operator::of(OnnxOp::OptionalHasElement)
};

const OPTIONAL_GET_ELEMENT: Operator = Operator {
    types: Some(|node, _| {
        let value = node.body.value_type(views::OptionalGetElement::read(node).input);
        Some(without_shape(contained(value, "Opt").unwrap_or(value)))
    }),
    shapes: Some(held),
    lower: Some(get_element),
    ..Operator::of(OnnxOp::OptionalGetElement)
};

/// The value of an optional; a tensor is its own value.
fn held(node: &mut Node<'_, '_>) -> Answer {
    let value = node.view::<views::OptionalGetElement>().input;
    let body = node.analyser.body;
    let Some(inner) = contained(body.value_type(value), "Opt") else { return Ok(vec![node.shape_of(value)]) };
    let made = body.defining_op(value).filter(|&op| OnnxOp::from_name(body.name(op)) == Some(OnnxOp::Optional));
    let rank = match made.and_then(|op| node.shape_of(views::Optional::of(body, op).input?)) {
        Some(shape) => Some(shape.len()),
        None => inner.rank(),
    };
    let rank = rank.or_else(|| node.any_demanded_rank(0));
    Ok(vec![rank.map(|rank| (0..rank).map(|axis| node.fresh(0, axis)).collect())])
}

fn make(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let source = lowering.source;
    match views::Optional::of(source, op).input {
        None => lowering.call(op, "optional_none", &[]),
        Some(value) if is_container(source.value_type(value)) => {
            lowering.call(op, "optional_of_value", &[Handle(value)])
        }
        Some(tensor) => lowering.call(op, "optional_of_tensor", &[Tensor(tensor)]),
    }
}

fn is_optional(lowering: &Lowering<'_>, value: Value) -> bool {
    contained(lowering.source.value_type(value), "Opt").is_some()
}

fn has_element(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    match views::OptionalHasElement::of(lowering.source, op).input {
        Some(value) if is_optional(lowering, value) => lowering.call(op, "optional_has_value", &[Handle(value)]),
        value => {
            let result = lowering.source.op(op).results()[0];
            lowering.fill(result, value.is_some() as i64 as f64);
            Ok(())
        }
    }
}

fn get_element(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let value = views::OptionalGetElement::of(lowering.source, op).input;
    let result = lowering.source.op(op).results()[0];
    if !is_optional(lowering, value) {
        let value = lowering.value(value);
        lowering.bind(result, value);
        return Ok(());
    }
    let routine = match is_container(lowering.source.value_type(result)) {
        true => "optional_value",
        false => "optional_tensor",
    };
    lowering.call(op, routine, &[Handle(value)])
}
