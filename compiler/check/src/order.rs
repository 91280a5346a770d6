//! The topological order of the nodes of a graph.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use indexmap::IndexSet;
use proto::{GraphProto, NodeProto};
use rustc_hash::FxHashMap;

/// The nodes in topological order: that of the file, as far as it is one. The error is a cycle: nodes each of which
/// reads from the next, and the last from the first.
pub fn schedule(nodes: &[NodeProto]) -> Result<Vec<usize>, Vec<usize>> {
    let producers = producers(nodes);
    if stand_in_order(nodes, &producers) {
        return Ok((0..nodes.len()).collect());
    }
    let sources: Vec<IndexSet<usize>> = nodes.iter().map(|node| sources(node, &producers)).collect();
    let mut missing: Vec<usize> = sources.iter().map(IndexSet::len).collect();
    let mut readers = vec![vec![]; nodes.len()];
    for (node, sources) in sources.iter().enumerate() {
        sources.iter().for_each(|&source| readers[source].push(node));
    }
    let mut ready: BinaryHeap<Reverse<usize>> =
        (0..nodes.len()).filter(|&node| missing[node] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(Reverse(node)) = ready.pop() {
        order.push(node);
        for &reader in &readers[node] {
            missing[reader] -= 1;
            if missing[reader] == 0 {
                ready.push(Reverse(reader));
            }
        }
    }
    if order.len() == nodes.len() { Ok(order) } else { Err(cycle(&sources, &missing)) }
}

/// Whether every node comes after those that it reads from: true for nearly all files, and cheaper to determine than an
/// order.
fn stand_in_order(nodes: &[NodeProto], producers: &FxHashMap<&str, usize>) -> bool {
    nodes.iter().enumerate().all(|(at, node)| match held_graphs(node).next() {
        None => node.input.iter().all(|name| producers.get(&**name).is_none_or(|&source| source < at)),
        Some(_) => sources(node, producers).iter().all(|&source| source < at),
    })
}

/// The node that computes each name; the first one if there are several, which is an error reported elsewhere.
fn producers(nodes: &[NodeProto]) -> FxHashMap<&str, usize> {
    let mut producers = FxHashMap::default();
    for (index, node) in nodes.iter().enumerate() {
        for output in node.output.iter().filter(|output| !output.is_empty()) {
            producers.entry(&**output).or_insert(index);
        }
    }
    producers
}

/// The nodes whose outputs a node reads, also inside its graphs.
fn sources(node: &NodeProto, producers: &FxHashMap<&str, usize>) -> IndexSet<usize> {
    let mut sources: IndexSet<usize> = node.input.iter().filter_map(|name| producers.get(&**name).copied()).collect();
    let mut graphs: Vec<&GraphProto> = held_graphs(node).collect();
    while let Some(graph) = graphs.pop() {
        let own: IndexSet<&str> = defined_names(graph).collect();
        let read = graph.node.iter().flat_map(|node| &node.input).chain(graph.output.iter().map(|output| &output.name));
        let outer = read.filter(|name| !own.contains(&***name));
        sources.extend(outer.filter_map(|name| producers.get(&**name).copied()));
        graphs.extend(graph.node.iter().flat_map(held_graphs));
    }
    sources
}

fn held_graphs(node: &NodeProto) -> impl Iterator<Item = &GraphProto> {
    node.attribute.iter().flat_map(|attribute| attribute.g.as_deref().into_iter().chain(&attribute.graphs))
}

fn defined_names(graph: &GraphProto) -> impl Iterator<Item = &str> {
    let inputs = graph.input.iter().map(|input| &*input.name);
    let constants = graph.initializer.iter().map(|tensor| &*tensor.name);
    inputs.chain(constants).chain(graph.node.iter().flat_map(|node| node.output.iter().map(|name| &**name)))
}

/// A cycle of nodes: each one waits for the next.
fn cycle(sources: &[IndexSet<usize>], missing: &[usize]) -> Vec<usize> {
    let mut path: IndexSet<usize> = IndexSet::new();
    let mut node = missing.iter().position(|&count| count > 0).expect("some node was not scheduled");
    while path.insert(node) {
        let next = sources[node].iter().copied().find(|&source| missing[source] > 0);
        node = next.expect("a node that waits reads from one that waits");
    }
    let start = path.get_index_of(&node).expect("the walk came back to it");
    path.into_iter().skip(start).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(inputs: &[&str], output: &str) -> NodeProto {
        let input = inputs.iter().map(|name| name.to_string()).collect();
        NodeProto { input, output: vec![output.into()], ..Default::default() }
    }

    #[test]
    fn a_valid_order_is_kept() {
        let nodes = [node(&["x"], "a"), node(&["x"], "b"), node(&["b", "a"], "c")];
        assert_eq!(schedule(&nodes), Ok(vec![0, 1, 2]));
    }

    #[test]
    fn readers_come_after_their_operands() {
        let nodes = [node(&["c"], "d"), node(&["x"], "a"), node(&["a"], "c"), node(&["x"], "b")];
        assert_eq!(schedule(&nodes), Ok(vec![1, 2, 0, 3]));
    }

    #[test]
    fn graphs_read_what_stands_around_them() {
        let inner = GraphProto { node: vec![node(&["late"], "y")], ..Default::default() };
        let mut outer = node(&["x"], "z");
        outer.attribute.push(proto::AttributeProto { g: Some(Box::new(inner)), ..Default::default() });
        assert_eq!(schedule(&[outer, node(&["x"], "late")]), Ok(vec![1, 0]));
    }

    #[test]
    fn a_cycle_is_found() {
        let nodes = [node(&["x", "c"], "a"), node(&["a"], "b"), node(&["b"], "c"), node(&["c"], "d")];
        assert_eq!(schedule(&nodes), Err(vec![0, 2, 1]));
    }
}
