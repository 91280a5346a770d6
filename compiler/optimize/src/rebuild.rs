//! Turns the chosen nodes into operations of the body, in an order close to the original one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use egg::Id;
use ir::{Body, IndexMap, IndexSet, Op, Value};

use crate::extract::{Choice, Extractor};
use crate::graph::{Graph, captured};
use crate::language::Source;

/// The replacement of a window.
pub(crate) struct Rebuilt {
    /// Its operations in order.
    pub(crate) ops: Vec<Op>,
    /// The new value of each root.
    pub(crate) values: Vec<Value>,
}

/// Connects the chosen operations with one another.
pub(crate) fn rebuild(graph: &mut Graph<'_>, extractor: &Extractor, choice: &Choice, roots: &[Id]) -> Rebuilt {
    let (_, order) = extractor.cost(choice).expect("the choice has been followed before");
    let mut values: IndexMap<Id, Value> = IndexMap::default();
    let mut chosen: IndexSet<Op> = IndexSet::default();
    for place in order {
        let class = extractor.class(place);
        let node = extractor.chosen(graph, choice, class).clone();
        let child = |graph: &Graph<'_>, at: usize| graph.egraph.find(node.children[at]);
        match node.source {
            Source::Leaf(value) => {
                values.insert(class, value);
            }
            Source::Result(index) => {
                let tuple = extractor.chosen(graph, choice, child(graph, 0));
                let op = tuple.op().expect("results are an operation's");
                values.insert(class, graph.body.result(op, index as usize));
            }
            Source::Op(op) => {
                let inputs: Vec<Value> = (0..node.children.len()).map(|at| values[&child(graph, at)]).collect();
                set_inputs(graph.body, op, &inputs);
                if graph.places.contains_key(&op) {
                    chosen.insert(op);
                }
                if let [result] = *graph.body.op(op).results() {
                    values.insert(class, result);
                }
            }
        }
    }
    let values = roots.iter().map(|&root| values[&graph.egraph.find(root)]).collect();
    Rebuilt { ops: in_order(graph, &chosen), values }
}

/// Sets the operands of an operation and the values that its regions capture.
fn set_inputs(body: &mut Body, op: Op, inputs: &[Value]) {
    let old = captured(body, op);
    let (operands, captures) = inputs.split_at(inputs.len() - old.len());
    let nested: Vec<Op> = body.op(op).regions().iter().flat_map(|&region| body.walk(region)).collect();
    for inner in nested {
        for (index, operand) in body.op(inner).operands().to_vec().into_iter().enumerate() {
            if let Some(at) = old.iter().position(|&value| value == operand) {
                body.set_operand(inner, index, captures[at]);
            }
        }
    }
    if body.op(op).operands() != operands {
        body.set_operands(op, operands);
    }
}

/// Operands before readers, otherwise in the order of the original operations.
fn in_order(graph: &Graph<'_>, chosen: &IndexSet<Op>) -> Vec<Op> {
    let key = |op: Op| Reverse((graph.places[&op], chosen.get_index_of(&op)));
    let mut waiting: IndexMap<Op, usize> = IndexMap::default();
    let mut readers: IndexMap<Op, Vec<Op>> = IndexMap::default();
    let mut ready = BinaryHeap::new();
    for &op in chosen {
        let inputs: IndexSet<Op> = graph
            .inputs(op)
            .into_iter()
            .filter_map(|value| graph.body.defining_op(value))
            .filter(|source| chosen.contains(source))
            .collect();
        for &source in &inputs {
            readers.entry(source).or_default().push(op);
        }
        match inputs.len() {
            0 => ready.push(key(op)),
            count => {
                waiting.insert(op, count);
            }
        }
    }
    let mut order = Vec::new();
    while let Some(Reverse((_, at))) = ready.pop() {
        let op = chosen[at.expect("only chosen operations wait")];
        order.push(op);
        for &reader in readers.get(&op).map(Vec::as_slice).unwrap_or_default() {
            let count = &mut waiting[&reader];
            *count -= 1;
            if *count == 0 {
                ready.push(key(reader));
            }
        }
    }
    order
}
