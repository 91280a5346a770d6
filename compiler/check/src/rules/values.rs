//! Attribute values for which an operator is undefined or does not terminate.

use dialects::onnx::schema::Schema;
use proto::{AttributeProto, DataType, NodeProto};
use rustc_hash::FxHashSet;

use crate::walk::Operator;
use crate::{Finder, Part, Rule, Step, Visit, error, violation};

const PAGE: &str = "the operator's page";

pub(super) const RULES: &[Rule] = &[
    error("stride-positive", PAGE, "Strides are 1 or more.", Finder::Attribute(stride)),
    error("dilation-positive", PAGE, "Dilations are 1 or more.", Finder::Attribute(dilation)),
    error(
        "kernel-positive",
        PAGE,
        "The extents of a kernel or pooling window are 1 or more.",
        Finder::Attribute(kernel),
    ),
    error("group-positive", PAGE, "There is at least one group.", Finder::Attribute(group)),
    error("block-positive", PAGE, "The extents of blocks are 1 or more.", Finder::Attribute(block)),
    violation(
        "pads-not-negative",
        PAGE,
        "The padding of a window is not negative.",
        Finder::Operator(pads_not_negative),
    ),
    violation(
        "pads-or-auto",
        PAGE,
        "Padding is given by pads or by auto_pad, not by both.",
        Finder::Operator(pads_or_auto),
    ),
    error("permutation", PAGE, "A permutation of axes contains each axis once.", Finder::Attribute(permutation)),
    error("axes-unique", PAGE, "A list of axes contains each axis at most once.", Finder::Attribute(axes_unique)),
    error(
        "element-type-known",
        PAGE,
        "An element type that an attribute names is one that ONNX defines.",
        Finder::Attribute(element_type),
    ),
    violation(
        "activation-numbers",
        PAGE,
        "A recurrent layer has at most one alpha and one beta for each of its activations.",
        Finder::Operator(activation_numbers),
    ),
    error("constant-one-value", PAGE, "A constant has one value.", Finder::Operator(constant)),
    violation(
        "output-computed",
        "IR, Optional Inputs and Outputs",
        "Outputs that a node does not compute have no name: batch statistics exist only in training mode.",
        Finder::Operator(output_computed),
    ),
];

/// Whether the current attribute is one of these attributes of a known operator.
fn is_one_of(visit: &Visit<'_, '_>, attribute: &AttributeProto, names: &[&str]) -> bool {
    names.contains(&&*attribute.name) && matches!(visit.walk.operator, Operator::Schema(_)) && visit.walk.node.is_some()
}

/// Requires all numbers of an attribute to be at least 1.
fn positive(visit: &mut Visit<'_, '_>, attribute: &AttributeProto, names: &[&str]) {
    if !is_one_of(visit, attribute, names) {
        return;
    }
    if let Some(wrong) = attribute.ints.iter().chain(&attribute.i).find(|&&value| value < 1) {
        visit.found(|| format!("has {wrong}"));
    }
}

fn stride(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    positive(visit, attribute, &["strides"]);
}

fn dilation(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    positive(visit, attribute, &["dilations"]);
}

fn kernel(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    positive(visit, attribute, &["kernel_shape"]);
}

fn group(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    positive(visit, attribute, &["group", "num_groups"]);
}

fn block(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    positive(visit, attribute, &["blocksize"]);
}

fn attribute<'m>(node: &'m NodeProto, name: &str) -> Option<&'m AttributeProto> {
    node.attribute.iter().find(|attribute| attribute.name == name)
}

/// Negative padding, which crops, is only valid for operators that only pad.
fn pads_not_negative(visit: &mut Visit<'_, '_>, node: &NodeProto, schema: &'static Schema) {
    let Some(pads) = attribute(node, "pads").filter(|_| schema.attribute("strides").is_some()) else { return };
    visit.expect(pads.ints.iter().all(|&pad| pad >= 0), || format!("has pads {:?}", pads.ints));
}

fn pads_or_auto(visit: &mut Visit<'_, '_>, node: &NodeProto, schema: &'static Schema) {
    if schema.attribute("auto_pad").is_none() {
        return;
    }
    let is_auto = attribute(node, "auto_pad")
        .and_then(|auto| auto.s.as_ref())
        .is_some_and(|text| !text.is_empty() && text[..] != *b"NOTSET");
    let pads = attribute(node, "pads").filter(|pads| pads.ints.iter().any(|&pad| pad != 0));
    visit.expect(!is_auto || pads.is_none(), || "has pads and auto_pad".into());
}

fn permutation(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    if !is_one_of(visit, attribute, &["perm"]) {
        return;
    }
    let mut sorted = attribute.ints.clone();
    sorted.sort_unstable();
    let is_permutation = sorted.iter().zip(0..).all(|(&axis, at)| axis == at);
    visit.expect(is_permutation, || format!("is {:?}", attribute.ints));
}

fn axes_unique(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    if !is_one_of(visit, attribute, &["axes"]) {
        return;
    }
    let mut known = FxHashSet::default();
    let twice = attribute.ints.iter().find(|&&axis| !known.insert(axis));
    if let Some(axis) = twice {
        visit.found(|| format!("has axis {axis} twice"));
    }
}

fn element_type(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    const NAMES: [&str; 7] =
        ["to", "dtype", "output_datatype", "output_dtype", "precision", "stash_type", "softmax_precision"];
    if !is_one_of(visit, attribute, &NAMES) {
        return;
    }
    let Some(number) = attribute.i else { return };
    // 0 means the type that the operator uses without the attribute
    let is_left = number == 0 && !["to", "output_datatype"].contains(&&*attribute.name);
    let is_type = i32::try_from(number).is_ok_and(|number| DataType::try_from(number).is_ok()) && number != 0;
    visit.expect(is_type || is_left, || format!("is {number}, expected 1 to 28"));
}

fn activation_numbers(visit: &mut Visit<'_, '_>, node: &NodeProto, _: &'static Schema) {
    let Some(activations) = attribute(node, "activations").filter(|list| list.ref_attr_name.is_empty()) else { return };
    let count = activations.strings.len();
    for name in ["activation_alpha", "activation_beta"] {
        if let Some(numbers) = attribute(node, name).filter(|numbers| numbers.floats.len() > count) {
            let step = Step::named(Part::Attribute, &numbers.name);
            visit.found_at(&[step], || format!("has {} values for {count} activations", numbers.floats.len()));
        }
    }
}

fn constant(visit: &mut Visit<'_, '_>, node: &NodeProto, schema: &'static Schema) {
    // before there were alternatives, the only form was required
    if schema.inputs.is_empty() && schema.attribute("value_ints").is_some() {
        let count = node.attribute.len();
        visit.expect(count == 1, || format!("has {count} values"));
    }
}

fn output_computed(visit: &mut Visit<'_, '_>, node: &NodeProto, schema: &'static Schema) {
    let Some(mode) = schema.attribute("training_mode") else { return };
    let is_training =
        attribute(node, mode.name).is_some_and(|mode| mode.i == Some(1) || !mode.ref_attr_name.is_empty());
    let named = node.output.iter().filter(|name| !name.is_empty()).count();
    visit.expect(is_training || named <= 1, || format!("names {named} outputs; without training there is one"));
}
