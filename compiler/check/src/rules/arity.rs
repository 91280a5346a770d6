//! The numbers of inputs and outputs of nodes.

use dialects::onnx::schema::{Mode, Schema};
use proto::{FunctionProto, NodeProto};

use crate::{Finder, Part, Rule, Step, Visit, error, violation};

const NODES: &str = "IR, Nodes";
const OPTIONAL: &str = "IR, Optional Inputs and Outputs";
const VARIADIC: &str = "IR, Variadic Inputs and Outputs";

pub(super) const RULES: &[Rule] = &[
    error(
        "input-count",
        NODES,
        "The number of a node's inputs is one that its operator accepts.",
        Finder::Operator(input_count),
    ),
    error(
        "output-count",
        NODES,
        "The number of a node's outputs is one that its operator allows.",
        Finder::Operator(output_count),
    ),
    error(
        "input-not-omitted",
        OPTIONAL,
        "An input is omitted only if the operator declares it optional.",
        Finder::Operator(input_not_omitted),
    ),
    violation(
        "output-not-omitted",
        OPTIONAL,
        "An output is omitted only if the operator declares it optional.",
        Finder::Operator(output_not_omitted),
    ),
    violation("input-variadic-named", VARIADIC, "No variadic input is omitted.", Finder::Operator(variadic_named)),
    violation("node-has-output", "IR, Graphs", "A node has an output.", Finder::Node(has_output)),
    error(
        "call-input-count",
        NODES,
        "A call has no more inputs than the function that it calls.",
        Finder::Call(call_inputs),
    ),
    error(
        "call-output-count",
        NODES,
        "A call has no more outputs than the function that it calls.",
        Finder::Call(call_outputs),
    ),
];

fn count(visit: &mut Visit<'_, '_>, what: &str, count: usize, (minimum, maximum): (usize, usize)) {
    visit.expect((minimum..=maximum).contains(&count), || {
        let expected = match maximum {
            _ if minimum == maximum => format!("{minimum}"),
            usize::MAX => format!("at least {minimum}"),
            _ => format!("{minimum} to {maximum}"),
        };
        format!("has {count} {what}, but its operator has {expected}")
    });
}

fn input_count(visit: &mut Visit<'_, '_>, node: &NodeProto, schema: &'static Schema) {
    count(visit, "inputs", node.input.len(), schema.input_count());
}

fn output_count(visit: &mut Visit<'_, '_>, node: &NodeProto, schema: &'static Schema) {
    if !node.output.is_empty() {
        count(visit, "outputs", node.output.len(), schema.output_count());
    }
}

fn input_not_omitted(visit: &mut Visit<'_, '_>, node: &NodeProto, schema: &'static Schema) {
    for (index, _) in node.input.iter().enumerate().filter(|(_, name)| name.is_empty()) {
        if let Some(input) = schema.input(index).filter(|input| input.mode == Mode::Single) {
            visit.found_at(&[Step::number(Part::Input, index, "")], || format!("'{}' must be given", input.name));
        }
    }
}

fn output_not_omitted(visit: &mut Visit<'_, '_>, node: &NodeProto, schema: &'static Schema) {
    for (index, _) in node.output.iter().enumerate().filter(|(_, name)| name.is_empty()) {
        if let Some(output) = schema.output(index).filter(|output| output.mode == Mode::Single) {
            visit.found_at(&[Step::number(Part::Output, index, "")], || format!("'{}' must have a name", output.name));
        }
    }
}

fn variadic_named(visit: &mut Visit<'_, '_>, node: &NodeProto, schema: &'static Schema) {
    for (index, _) in node.input.iter().enumerate().filter(|(_, name)| name.is_empty()) {
        // of variadic operands of different types, such as a loop's, some may be left out
        if schema.input(index).is_some_and(|input| input.mode == Mode::Variadic) {
            visit.found_at(&[Step::number(Part::Input, index, "")], || "is left out, but it is one of many".into());
        }
    }
}

fn has_output(visit: &mut Visit<'_, '_>, node: &NodeProto) {
    visit.expect(!node.output.is_empty(), || "has no output".into());
}

fn call_inputs(visit: &mut Visit<'_, '_>, node: &NodeProto, function: &FunctionProto) {
    let (found, right) = (node.input.len(), function.input.len());
    visit.expect(found <= right, || format!("has {found} inputs, but the function {right}"));
}

fn call_outputs(visit: &mut Visit<'_, '_>, node: &NodeProto, function: &FunctionProto) {
    let (found, right) = (node.output.len(), function.output.len());
    visit.expect(found <= right, || format!("has {found} outputs, but the function {right}"));
}
