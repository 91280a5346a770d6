//! Attributes: how they are written, their types, and which ones operators take. What values they may have: `values.rs`.

use dialects::onnx::schema::{self, AttributeSchema, Kind, Schema};
use proto::{AttributeProto, AttributeType, NodeProto};

use crate::repeats::repeats;
use crate::walk::Operator;
use crate::{Finder, Part, Rule, Step, Visit, error, violation};

const ATTRIBUTES: &str = "IR, Attributes";
const MESSAGE: &str = "onnx.proto, AttributeProto";
const REFERENCE: &str = "onnx.proto, AttributeProto.ref_attr_name";
const NODES: &str = "IR, Nodes";

pub(super) const RULES: &[Rule] = &[
    error("attribute-one-value", ATTRIBUTES, "An attribute has one value.", Finder::Attribute(one_value)),
    error(
        "attribute-value-of-type",
        MESSAGE,
        "An attribute's value is in the field for its type.",
        Finder::Attribute(value_of_type),
    ),
    violation("attribute-type-stated", ATTRIBUTES, "An attribute states its type.", Finder::Attribute(type_stated))
        .from(2),
    error(
        "attribute-type-known",
        MESSAGE,
        "An attribute's type is one that ONNX defines.",
        Finder::Attribute(type_known),
    ),
    error(
        "attribute-type-right",
        NODES,
        "An attribute has the type that its operator declares.",
        Finder::Attribute(type_right),
    ),
    error("attribute-declared", NODES, "A node has attributes that its operator has.", Finder::Attribute(declared)),
    violation(
        "call-attribute-declared",
        NODES,
        "A call of a function has attributes that the function declares.",
        Finder::Attribute(call_declared),
    ),
    error(
        "attribute-unique",
        "IR, Names Within a Graph",
        "No two attributes of a node have the same name.",
        Finder::Node(unique),
    ),
    error(
        "attribute-required",
        NODES,
        "A node has the attributes that its operator requires.",
        Finder::Operator(required),
    ),
    error(
        "attribute-choice",
        "the operator's page",
        "An attribute with a fixed set of string values has one of them.",
        Finder::Attribute(choice),
    ),
    violation(
        "attribute-choice-not-empty",
        "the operator's page",
        "An attribute with a fixed set of string values is not empty; it is omitted to choose the default.",
        Finder::Attribute(choice_not_empty),
    ),
    violation(
        "attribute-flag",
        "the operator's page",
        "An integer attribute that is a flag is 0 or 1.",
        Finder::Attribute(flag),
    ),
    error("attribute-text", ATTRIBUTES, "A string attribute is UTF-8.", Finder::Attribute(text)),
    error(
        "reference-in-function",
        REFERENCE,
        "Only inside functions do attributes refer to attributes of the call.",
        Finder::Attribute(reference_in_function),
    ),
    error(
        "reference-without-value",
        REFERENCE,
        "An attribute that refers to an attribute of the call has no value.",
        Finder::Attribute(reference_without_value),
    ),
    error(
        "reference-declared",
        REFERENCE,
        "An attribute refers to one that the function declares.",
        Finder::Attribute(reference_declared),
    ),
    error(
        "reference-type",
        REFERENCE,
        "An attribute is of the type of the default that it refers to.",
        Finder::Attribute(reference_type),
    ),
];

fn is_reference(attribute: &AttributeProto) -> bool {
    !attribute.ref_attr_name.is_empty()
}

fn one_value(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    visit.expect(is_reference(attribute) || attribute.types_of_values().count() <= 1, || {
        let names: Vec<String> = attribute.types_of_values().map(|field| format!("{field:?}").to_lowercase()).collect();
        format!("has several values: {}", names.join(", "))
    });
}

/// Zeros, empty texts and empty lists may be missing: Protocol Buffers omit defaults.
fn value_of_type(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    use AttributeType::{Graph, SparseTensor, Tensor, TypeProto};
    let Some(stated) = attribute.stated_type().filter(|_| !is_reference(attribute)) else { return };
    if attribute.types_of_values().any(|field| field == stated) {
        return;
    }
    let other = attribute.types_of_values().next();
    let is_default = other.is_none() && !matches!(stated, Graph | SparseTensor | Tensor | TypeProto);
    visit.expect(is_default, || match other {
        Some(other) => format!("states type {stated:?}, but its value is of {other:?}"),
        None => format!("states type {stated:?}, but has no value"),
    });
}

fn type_stated(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    visit.expect(attribute.r#type.unwrap_or_default() != 0, || "does not state its type".into());
}

fn type_known(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    let number = attribute.r#type.unwrap_or_default();
    visit.expect(AttributeType::try_from(number).is_ok(), || format!("is of type {number}, expected 1 to 14"));
}

/// The operator's declaration of an attribute of the current node.
fn known(visit: &Visit<'_, '_>, attribute: &AttributeProto) -> Option<&'static AttributeSchema> {
    match visit.walk.operator {
        Operator::Schema(schema) if visit.walk.node.is_some() => schema.attribute(&attribute.name),
        _ => None,
    }
}

/// The kind of attributes of a type; `None` for types that no operator has.
pub fn attribute_kind(r#type: AttributeType) -> Option<Kind> {
    Some(match r#type {
        AttributeType::Float => Kind::Float,
        AttributeType::Floats => Kind::Floats,
        AttributeType::Int => Kind::Int,
        AttributeType::Ints => Kind::Ints,
        AttributeType::String => Kind::String,
        AttributeType::Strings => Kind::Strings,
        AttributeType::Tensor => Kind::Tensor,
        AttributeType::Graph => Kind::Graph,
        AttributeType::SparseTensor => Kind::SparseTensor,
        AttributeType::TypeProto => Kind::TypeProto,
        _ => return None,
    })
}

fn type_right(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    let (Some(known), Some(found)) = (known(visit, attribute), attribute.type_or_that_of_value()) else { return };
    visit.expect(attribute_kind(found) == Some(known.kind), || {
        format!("is of type {found:?}, but it must be {:?}", known.kind)
    });
}

fn declared(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    let (Operator::Schema(schema), Some(_)) = (visit.walk.operator, visit.walk.node) else { return };
    let is_known = attribute.name.is_empty() || schema.attribute(&attribute.name).is_some();
    visit
        .expect(is_known, || format!("{} (opset {}) has no attribute '{}'", schema.name, schema.since, attribute.name));
}

fn call_declared(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    let (Operator::Function(function), Some(_)) = (visit.walk.operator, visit.walk.node) else { return };
    let is_known = function.attribute.contains(&attribute.name)
        || function.attribute_proto.iter().any(|default| default.name == attribute.name);
    visit.expect(is_known, || format!("the function has no attribute '{}'", attribute.name));
}

fn unique(visit: &mut Visit<'_, '_>, node: &NodeProto) {
    for (index, _) in repeats(&node.attribute, |attribute| &attribute.name) {
        let step = Step::named(Part::Attribute, &node.attribute[index].name);
        visit.found_at(&[step], || "occurs twice".into());
    }
}

fn required(visit: &mut Visit<'_, '_>, node: &NodeProto, schema: &'static Schema) {
    for required in schema.attributes.iter().filter(|attribute| attribute.required) {
        let is_there = node.attribute.iter().any(|attribute| attribute.name == required.name);
        visit.expect(is_there, || format!("lacks attribute '{}'", required.name));
    }
}

/// The enumeration of an attribute: that of the newest version, if it has the default of an older one.
fn enumeration(visit: &Visit<'_, '_>, attribute: &AttributeProto) -> Option<&'static str> {
    let known = known(visit, attribute)?;
    if known.enumeration.is_some() || known.kind != Kind::String {
        return known.enumeration;
    }
    let node = visit.walk.node?;
    let enumeration = schema::newest(&node.domain, &node.op_type)?.attribute(known.name)?.enumeration?;
    schema::choices(enumeration).contains(&known.default?).then_some(enumeration)
}

/// The enumeration of an attribute and its value, if it is an enumeration of texts.
fn chosen<'a>(visit: &Visit<'_, '_>, attribute: &'a AttributeProto) -> Option<(&'static str, &'a str)> {
    let enumeration = enumeration(visit, attribute)?;
    Some((enumeration, std::str::from_utf8(attribute.s.as_ref()?).ok()?))
}

fn choice(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    let Some((enumeration, text)) = chosen(visit, attribute).filter(|(_, text)| !text.is_empty()) else { return };
    let choices = schema::choices(enumeration);
    visit.expect(choices.contains(&text), || format!("is '{text}'; it may be {}", choices.join(", ")));
}

fn choice_not_empty(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    let Some((_, text)) = chosen(visit, attribute) else { return };
    visit.expect(!text.is_empty(), || "is an empty text".into());
}

fn flag(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    let Some(number) = attribute.i.filter(|_| known(visit, attribute).is_some_and(AttributeSchema::is_flag)) else {
        return;
    };
    visit.expect([0, 1].contains(&number), || format!("is {number}, which is read as 1; it may be 0 or 1"));
}

fn text(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    let is_text = |bytes: &proto::Bytes| std::str::from_utf8(bytes).is_ok();
    let holds = attribute.s.iter().chain(&attribute.strings).all(is_text);
    visit.expect(holds, || "holds a text that is not UTF-8".into());
}

fn reference_in_function(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    visit.expect(visit.walk.function.is_some() || !is_reference(attribute), || {
        format!("refers to attribute '{}' of a call, but is in no function", attribute.ref_attr_name)
    });
}

fn reference_without_value(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    let has_value = attribute.types_of_values().next().is_some();
    let is_inside = visit.walk.function.is_some() && is_reference(attribute);
    visit.expect(!is_inside || !has_value, || format!("refers to '{}', but also has a value", attribute.ref_attr_name));
}

fn reference_declared(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    let Some(function) = visit.walk.function.filter(|_| is_reference(attribute)) else { return };
    let name = &attribute.ref_attr_name;
    let is_known = function.attribute.contains(name) || function.attribute_proto.iter().any(|own| own.name == *name);
    visit.expect(is_known, || format!("refers to '{name}', which the function does not declare"));
}

fn reference_type(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    let Some(function) = visit.walk.function.filter(|_| is_reference(attribute)) else { return };
    let default = function.attribute_proto.iter().find(|own| own.name == attribute.ref_attr_name);
    let (Some(right), Some(found)) = (default.and_then(AttributeProto::type_or_that_of_value), attribute.stated_type())
    else {
        return;
    };
    visit.expect(right == found, || format!("is of type {found:?}, but refers to an attribute of type {right:?}"));
}
