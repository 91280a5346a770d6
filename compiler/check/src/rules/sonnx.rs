//! The restrictions of SONNX, the safety profile, that ONNX does not have. Its other demands on graphs are rules of
//! ONNX already: identifiers are unique (`T02a`) and assigned once (`T05e`), every node refers to an operator (`T03a`),
//! all inputs of a node come to be initialized and an order of evaluation exists (`T05a`–`T05d`), functions are not
//! recursive.

use dialects::onnx::schema::{Mode, Parameter, Schema};
use operators::row_of;
use proto::{AttributeProto, FunctionProto, GraphProto, NodeProto, ValueInfoProto};
use rustc_hash::FxHashSet;

use crate::{Finder, Part, Profile, Reading, Rule, Step, Visit, violation};

const RESTRICTIONS: &str = "SONNX graph, Restrictions";

pub(super) const RULES: &[Rule] = &[
    violation(
        "sonnx-r1-operator",
        "SONNX graph, [R1], [T03b]",
        "A node binds every input and output of its operator, the optional ones too.",
        Finder::Operator(all_ports),
    )
    .of(Profile::SonnxWithCaptures),
    violation(
        "sonnx-r1-function",
        "SONNX graph, [R1], [T03b]",
        "A node binds every input and output of the function it calls.",
        Finder::Call(all_function_ports),
    )
    .of(Profile::SonnxWithCaptures),
    violation(
        "sonnx-r2",
        "SONNX graph, [R2]",
        "Every output of a node is an input of another node or an output of the graph.",
        Finder::Nodes(no_dead_output),
    )
    .of(Profile::SonnxWithCaptures),
    violation(
        "sonnx-r3",
        "SONNX graph, [R3]",
        "A graph has deterministic operators only.",
        Finder::Operator(deterministic),
    )
    .of(Profile::SonnxWithCaptures),
    violation(
        "sonnx-t04a",
        "SONNX graph, [T04a]",
        "An operator, and so a function, has an output.",
        Finder::Function(function_has_output),
    )
    .of(Profile::SonnxWithCaptures),
    violation(
        "sonnx-branches",
        "SONNX graph, The if operator",
        "The branches of an If have the same number of outputs, of the same types.",
        Finder::Node(branches_alike),
    )
    .of(Profile::SonnxWithCaptures),
    violation(
        "sonnx-captures",
        "SONNX graph, The if operator: \"do we accept such capture?\"",
        "A graph in an attribute reads no value of the graphs around it.",
        Finder::Read(no_capture),
    )
    .of(Profile::Sonnx),
];

/// Reports the optional parameters that a node leaves out.
fn omitted<'p>(
    visit: &mut Visit<'_, '_>,
    part: Part,
    names: &[String],
    parameters: impl Iterator<Item = (&'p str, bool)>,
) {
    for (index, (parameter, _)) in parameters.enumerate().filter(|(_, (_, required))| *required) {
        if names.get(index).is_none_or(String::is_empty) {
            let what = part.name();
            visit.found(|| {
                format!("{what} {index}, the operator's '{parameter}', is left out; {RESTRICTIONS} forbid it")
            });
        }
    }
}

fn all_ports(visit: &mut Visit<'_, '_>, node: &NodeProto, schema: &'static Schema) {
    // variadic parameters may have no values
    let bound = |parameter: &Parameter| (parameter.name, parameter.mode != Mode::Variadic);
    omitted(visit, Part::Input, &node.input, schema.inputs.iter().map(bound));
    omitted(visit, Part::Output, &node.output, schema.outputs.iter().map(bound));
}

fn all_function_ports<'m>(visit: &mut Visit<'_, 'm>, node: &'m NodeProto, function: &'m FunctionProto) {
    omitted(visit, Part::Input, &node.input, function.input.iter().map(|name| (&**name, true)));
    omitted(visit, Part::Output, &node.output, function.output.iter().map(|name| (&**name, true)));
}

fn graphs_of(attribute: &AttributeProto) -> impl Iterator<Item = &GraphProto> {
    attribute.g.as_deref().into_iter().chain(&attribute.graphs)
}

/// The values that the graphs of a node read, and those that they define.
fn read_inside<'m>(node: &'m NodeProto, read: &mut FxHashSet<&'m str>) {
    let mut pending: Vec<&GraphProto> = node.attribute.iter().flat_map(graphs_of).collect();
    while let Some(graph) = pending.pop() {
        read.extend(graph.output.iter().map(|output| &*output.name));
        for inner in &graph.node {
            read.extend(inner.input.iter().map(|name| &**name));
            pending.extend(inner.attribute.iter().flat_map(graphs_of));
        }
    }
}

fn no_dead_output<'m>(visit: &mut Visit<'_, 'm>, nodes: &'m [NodeProto]) {
    let mut read: FxHashSet<&str> = FxHashSet::default();
    for node in nodes {
        read.extend(node.input.iter().map(|name| &**name));
        read_inside(node, &mut read);
    }
    // a function's outputs are those of its nodes, not of a graph
    let own = visit.walk.function.filter(|_| visit.walk.graph().is_none());
    let is_output =
        |name: &String| visit.walk.is_output(name) || own.is_some_and(|function| function.output.contains(name));
    let mut dead = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        for (at, name) in node.output.iter().enumerate() {
            if !name.is_empty() && !read.contains(&**name) && !is_output(name) {
                dead.push([Step::number(Part::Node, index, &node.name), Step::number(Part::Output, at, name)]);
            }
        }
    }
    for steps in dead {
        visit.found_at(&steps, || "is neither read by a node nor an output of the graph".into());
    }
}

fn deterministic(visit: &mut Visit<'_, '_>, node: &NodeProto, schema: &'static Schema) {
    if let Some(reason) = row_of(&format!("onnx.{}", schema.name)).and_then(|row| row.undetermined) {
        visit.found(|| format!("{} is not deterministic: {reason}", node.op_type));
    }
}

fn function_has_output(visit: &mut Visit<'_, '_>, function: &FunctionProto) {
    visit.expect(!function.output.is_empty(), || "has no output".into());
}

fn branches_alike(visit: &mut Visit<'_, '_>, node: &NodeProto) {
    let branches: Vec<&GraphProto> = node.attribute.iter().filter_map(|attribute| attribute.g.as_deref()).collect();
    let &[first, second] = &branches[..] else { return };
    if first.output.len() != second.output.len() {
        let counts = (first.output.len(), second.output.len());
        return visit.found(|| format!("one branch has {} outputs, the other {}", counts.0, counts.1));
    }
    let differ =
        |(a, b): &(&ValueInfoProto, &ValueInfoProto)| a.r#type.is_some() && b.r#type.is_some() && a.r#type != b.r#type;
    if let Some(index) = first.output.iter().zip(&second.output).position(|pair| differ(&pair)) {
        visit.found(|| format!("output {index} of one branch has another type than that of the other one"));
    }
}

fn no_capture(visit: &mut Visit<'_, '_>, name: &str, reading: Option<Reading>) {
    let captured = reading.is_some_and(|reading| reading.outwards > 0) && visit.walk.is_nested();
    visit.expect(!captured, || {
        format!("'{name}' belongs to a graph around this one; whether that is accepted is an open question of the document (--sonnx-captures)")
    });
}
