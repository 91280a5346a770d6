//! Names: their form, and their uniqueness.

use proto::{AttributeProto, GraphProto, NodeProto, TensorProto, ValueInfoProto};

use crate::repeats::repeats;
use crate::{Definition, Finder, Part, Rule, Step, Visit, error, violation};

const NAMES: &str = "IR, Names Within a Graph";
const GRAPHS: &str = "IR, Graphs";
const NODES: &str = "IR, Nodes";

pub(super) const RULES: &[Rule] = &[
    violation(
        "names-identifier",
        NAMES,
        "A name is a C90 identifier: it consists of letters, digits and _, and does not begin with a digit.",
        Finder::Name(identifier),
    ),
    violation("graph-named", GRAPHS, "A graph has a name.", Finder::Graph(graph_named)),
    violation(
        "graph-name-unique",
        NAMES,
        "No two graphs of a model, including subgraphs, have the same name.",
        Finder::Graph(graph_name_unique),
    ),
    violation(
        "node-name-unique",
        NAMES,
        "No two nodes of a graph have the same name.",
        Finder::Nodes(node_name_unique),
    ),
    error(
        "value-named",
        "onnx.proto, ValueInfoProto.name",
        "A ValueInfoProto has the name of its value.",
        Finder::Value(value_named),
    ),
    error(
        "initializer-named",
        "onnx.proto, GraphProto.initializer",
        "An initializer has a name.",
        Finder::Tensor(initializer_named),
    ),
    error("node-operator-named", NODES, "A node names the operator it calls.", Finder::Node(operator_named)),
    error("input-unique", NODES, "No two inputs of a graph have the same name.", Finder::Graph(input_unique)),
    error(
        "initializer-unique",
        "onnx.proto, GraphProto.initializer",
        "No two initializers of a graph, including sparse ones, have the same name.",
        Finder::Graph(initializer_unique),
    ),
    error(
        "value-assigned-once",
        GRAPHS,
        "A value is computed by one output of one node, and is neither an input nor an initializer (single static assignment).",
        Finder::Nodes(value_assigned_once),
    ),
    violation(
        "attribute-name-distinct",
        "IR, Attributes",
        "An attribute does not have the name of an input or output of its node.",
        Finder::Attribute(attribute_name_distinct),
    ),
    error("attribute-named", "IR, Attributes", "An attribute has a name.", Finder::Attribute(attribute_named)),
];

/// Whether a text is an identifier of C90.
pub(super) fn is_identifier(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.bytes().all(is_word) && text.bytes().next().is_some_and(|first| !first.is_ascii_digit())
}

fn identifier(visit: &mut Visit<'_, '_>, name: &str) {
    visit.expect(is_identifier(name), || {
        format!(
            "'{name}' is not an identifier, which consists of letters, digits and _, and does not begin with a digit"
        )
    });
}

fn graph_named(visit: &mut Visit<'_, '_>, graph: &GraphProto) {
    visit.expect(!graph.name.is_empty(), || "has no name".into());
}

fn graph_name_unique(visit: &mut Visit<'_, '_>, graph: &GraphProto) {
    let before = visit.walk.has_met_graph(&graph.name);
    visit.expect(!before, || format!("another graph of the model is also called '{}'", graph.name));
}

fn node_name_unique<'m>(visit: &mut Visit<'_, 'm>, nodes: &'m [NodeProto]) {
    for (index, first) in repeats(nodes, |node| &node.name) {
        let step = Step::number(Part::Node, index, &nodes[index].name);
        visit.found_at(&[step], || format!("is called like node {first}"));
    }
}

fn value_named(visit: &mut Visit<'_, '_>, value: &ValueInfoProto) {
    visit.expect(!value.name.is_empty(), || "has no name".into());
}

fn initializer_named(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    let is_initializer = match visit.walk.part() {
        Some(Part::Initializer) => true,
        Some(Part::Values) => visit.walk.holder() == Some(Part::SparseInitializer),
        _ => false,
    };
    visit.expect(!is_initializer || !tensor.name.is_empty(), || "has no name".into());
}

fn operator_named(visit: &mut Visit<'_, '_>, node: &NodeProto) {
    visit.expect(!node.op_type.is_empty(), || "has no op_type".into());
}

fn attribute_named(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    visit.expect(!attribute.name.is_empty(), || "has no name".into());
}

/// Reports repeated definitions of names by one kind of part.
fn again<'m>(
    visit: &mut Visit<'_, 'm>,
    is_meant: fn(Part) -> bool,
    steps: impl Fn(&'m str, Definition) -> Vec<Step<&'m str>>,
) {
    let walk = visit.walk;
    let Some(names) = walk.names() else { return };
    for &(name, definition) in names.again.iter().filter(|(_, definition)| is_meant(definition.by)) {
        visit.found_at(&steps(name, definition), || format!("'{name}' is defined already"));
    }
}

fn input_unique(visit: &mut Visit<'_, '_>, _: &GraphProto) {
    again(visit, |by| by == Part::Input, |name, at| vec![Step::number(at.by, at.index, name)]);
}

fn initializer_unique(visit: &mut Visit<'_, '_>, _: &GraphProto) {
    let is_meant = |by| matches!(by, Part::Initializer | Part::SparseInitializer);
    again(visit, is_meant, |name, at| vec![Step::number(at.by, at.index, name)]);
}

fn value_assigned_once<'m>(visit: &mut Visit<'_, 'm>, nodes: &'m [NodeProto]) {
    let steps = |name, at: Definition| {
        vec![Step::number(Part::Node, at.index, &nodes[at.index].name), Step::number(Part::Output, at.output, name)]
    };
    again(visit, |by| by == Part::Node, steps);
}

fn attribute_name_distinct(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    let Some(node) = visit.walk.node else { return };
    let is_value = node.input.iter().chain(&node.output).any(|name| *name == attribute.name && !name.is_empty());
    visit.expect(!is_value, || "is called like an input or output of the node".into());
}
