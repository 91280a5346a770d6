//! Scopes: which names are visible, and the order of nodes.

use proto::{GraphProto, NodeProto};

use crate::order::schedule;
use crate::{Finder, Part, Reading, Rule, Step, Visit, error, violation};

const NODES: &str = "IR, Nodes";
const GRAPHS: &str = "IR, Graphs";

pub(super) const RULES: &[Rule] = &[
    error(
        "read-defined",
        NODES,
        "An input of a node is an input or initializer of its graph or of an enclosing one, or an output of a node.",
        Finder::Read(read_defined),
    ),
    error(
        "output-defined",
        NODES,
        "An output of a graph or function is one of its values, computed inside.",
        Finder::Read(output_defined),
    ),
    error("nodes-acyclic", GRAPHS, "No node depends on its own outputs.", Finder::Nodes(acyclic)),
    violation(
        "nodes-in-order",
        GRAPHS,
        "A node comes after the nodes whose outputs it or its subgraphs read.",
        Finder::Nodes(in_order),
    ),
    violation(
        "scope-no-shadow",
        NODES,
        "A value of a subgraph does not have the name of a value that is visible from an enclosing graph.",
        Finder::Graph(no_shadow),
    ),
];

fn read_defined(visit: &mut Visit<'_, '_>, name: &str, reading: Option<Reading>) {
    let is_read = visit.walk.part() == Some(Part::Input);
    visit.expect(!is_read || reading.is_some(), || format!("nothing defines '{name}'"));
}

/// A graph in an attribute may return values of the enclosing graph: an If's branch does.
fn output_defined(visit: &mut Visit<'_, '_>, name: &str, reading: Option<Reading>) {
    let is_output = visit.walk.part() == Some(Part::Output);
    visit.expect(!is_output || reading.is_some(), || format!("nothing computes '{name}'"));
}

/// Whether the nodes are in topological order.
fn is_ordered(visit: &Visit<'_, '_>) -> bool {
    visit.walk.names().is_some_and(|names| names.is_ordered)
}

fn acyclic<'m>(visit: &mut Visit<'_, 'm>, nodes: &'m [NodeProto]) {
    if is_ordered(visit) {
        return;
    }
    if let Err(cycle) = schedule(nodes) {
        let first = cycle.iter().copied().min().unwrap_or_default();
        let step = Step::number(Part::Node, first, &nodes[first].name);
        visit.found_at(&[step], || {
            let numbers: Vec<String> = cycle.iter().map(ToString::to_string).collect();
            format!("nodes read each other's outputs in a circle: {}", numbers.join(", "))
        });
    }
}

fn in_order<'m>(visit: &mut Visit<'_, 'm>, nodes: &'m [NodeProto]) {
    if is_ordered(visit) {
        return;
    }
    let Ok(order) = schedule(nodes) else { return };
    if let Some(moved) = order.iter().zip(0..).position(|(&at, place)| at != place) {
        let step = Step::number(Part::Node, moved, &nodes[moved].name);
        visit.found_at(&[step], || format!("reads a value that node {} computes after it", order[moved]));
    }
}

fn no_shadow<'m>(visit: &mut Visit<'_, 'm>, graph: &'m GraphProto) {
    if visit.walk.is_nested() && visit.walk.part() != Some(Part::Algorithm) {
        names_around(visit, graph, |name| format!("'{name}' is also a value of an enclosing graph"));
    }
}

/// Reports definitions of a graph that shadow those of an enclosing one.
pub(super) fn names_around<'m>(visit: &mut Visit<'_, 'm>, graph: &'m GraphProto, message: fn(&str) -> String) {
    let inputs = graph.input.iter().enumerate().map(|(i, v)| (&*v.name, vec![Step::number(Part::Input, i, &v.name)]));
    let constants = graph.initializer.iter().enumerate().filter(|(_, t)| !graph_input(visit, &t.name));
    let constants: Vec<_> =
        constants.map(|(i, t)| (&*t.name, vec![Step::number(Part::Initializer, i, &t.name)])).collect();
    let sparse = graph.sparse_initializer.iter().enumerate().filter_map(|(i, sparse)| {
        let name = &*sparse.values.as_ref()?.name;
        Some((name, vec![Step::number(Part::SparseInitializer, i, name)]))
    });
    let outputs = graph.node.iter().enumerate().flat_map(|(i, node)| {
        let output = move |(o, name): (usize, &'m String)| {
            (&**name, vec![Step::number(Part::Node, i, &node.name), Step::number(Part::Output, o, name)])
        };
        node.output.iter().enumerate().map(output)
    });
    for (name, steps) in inputs.chain(constants).chain(sparse).chain(outputs) {
        if visit.walk.is_visible_around(name) {
            visit.found_at(&steps, || message(name));
        }
    }
}

/// Whether an initializer is also an input, which is a separate finding.
fn graph_input(visit: &Visit<'_, '_>, name: &str) -> bool {
    visit.walk.names().is_some_and(|names| names.has_default(name))
}
