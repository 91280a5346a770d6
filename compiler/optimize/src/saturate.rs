//! Applies rules until saturation or a limit.

use std::rc::Rc;

use egg::Id;
use ir::{IndexMap, IndexSet, Location, Op};

use crate::Options;
use crate::graph::Graph;
use crate::language::{Fact, Node};
use crate::pattern::Bindings;
use crate::report::Stop;
use crate::rules::{Compiled, Kind, Match, RULES};

/// An equation that was added.
pub(crate) struct Event {
    pub(crate) rule: &'static str,
    /// The operation at the root of the match.
    pub(crate) root: Op,
    /// The operations of the original graph that the match derives from.
    pub(crate) origins: Vec<Op>,
    /// The operation at the root of the right side; `None` if it existed already.
    pub(crate) built: Option<Op>,
}

/// The record of a saturation.
#[derive(Default)]
pub(crate) struct Trace {
    pub(crate) events: Vec<Event>,
    /// For each operation built, those of the original graph that it derives from.
    pub(crate) origins: IndexMap<Op, Vec<Op>>,
    /// The number of rounds over the whole graph.
    pub(crate) rounds: usize,
    pub(crate) stop: Stop,
}

struct Found {
    rule: usize,
    class: Id,
    bindings: Rc<Bindings>,
}

/// Applies the rules until nothing new is found, or up to a limit.
pub(crate) fn saturate(graph: &mut Graph<'_>, options: &Options) -> Trace {
    let mut trace = Trace::default();
    let mut seen = IndexSet::default();
    let limit = graph.egraph.total_size() * options.node_limit;
    // classes to search, each with its distance from a changed one
    let mut pending: IndexMap<Id, usize> = graph.egraph.classes().map(|class| (class.id, 0)).collect();
    for _ in 0..options.iterations {
        trace.rounds += 1;
        pending.sort_unstable_keys();
        let mut found = Vec::new();
        pending.iter().for_each(|(&class, &distance)| search(graph, class, options, distance, &mut found));
        let events = trace.events.len();
        graph.egraph.analysis.changed.clear();
        for found in found {
            if graph.egraph.total_size() > limit {
                trace.stop = Stop::Size;
                break;
            }
            if seen.insert((found.rule, found.bindings.clone())) {
                apply(graph, &found, &mut trace);
            }
        }
        graph.egraph.rebuild();
        if trace.events.len() == events {
            return trace;
        }
        pending = with_readers(graph);
    }
    if trace.stop == Stop::Saturated && !pending.is_empty() {
        trace.stop = Stop::Rounds;
    }
    trace
}

/// Changed classes, and those whose patterns may reach down to them, each with its distance.
fn with_readers(graph: &Graph<'_>) -> IndexMap<Id, usize> {
    let changed = graph.egraph.analysis.changed.iter();
    let mut all: IndexMap<Id, usize> = changed.map(|&class| (graph.egraph.find(class), 0)).collect();
    let mut at = 0;
    while let Some((&class, &distance)) = all.get_index(at) {
        if distance < RULES.depth {
            for reader in graph.egraph[class].parents() {
                all.entry(graph.egraph.find(reader)).or_insert(distance + 1);
            }
        }
        at += 1;
    }
    all
}

/// Finds the matches in a class. A rule whose depth does not reach down to a changed class, `distance` below this one,
/// finds nothing new.
fn search(graph: &Graph<'_>, class: Id, options: &Options, distance: usize, found: &mut Vec<Found>) {
    // constants are evaluated before the run, in any form
    if graph.data(class).constant {
        return;
    }
    let allowed = if options.strict_fp { Kind::Exact } else { Kind::Reassoc };
    for node in &graph.egraph[class].nodes {
        let rules = RULES.rooted_at(node.operator);
        if rules.is_empty() {
            continue;
        }
        let operands: Vec<&Fact> = node.children.iter().map(|&child| graph.data(child)).collect();
        let is_commutative = graph.symbols.is_commutative(node.operator);
        for &rule in rules {
            let Compiled { rule: equation, family, from, depth, .. } = &RULES.all[rule];
            if *depth >= distance
                && equation.kind <= allowed
                && from.is_plausible(&operands, is_commutative)
                && !options.without.0.contains(family)
            {
                let mut keep =
                    |bindings: &Bindings| found.push(Found { rule, class, bindings: bindings.clone().into() });
                graph.match_node(from, node, &mut keep);
            }
        }
    }
}

/// Adds an equation, if it is new.
fn apply(graph: &mut Graph<'_>, found: &Found, trace: &mut Trace) {
    let (rule, bindings) = (&RULES.all[found.rule], &found.bindings);
    let class = graph.egraph.find(found.class);
    let root = bindings.ops[0];
    graph.place = graph.places.get(&root).copied().unwrap_or(0);
    graph.location = Location::fuse(bindings.ops.iter().rev().map(|&op| graph.body.op(op).location.clone()));
    let first_built = graph.places.len();
    let result = Match::new(graph, rule, class, bindings).rewrite();
    let origins = origins(trace, &bindings.ops);
    for at in first_built..graph.places.len() {
        let (&op, _) = graph.places.get_index(at).expect("places are only added");
        trace.origins.insert(op, origins.clone());
    }
    let Some(result) = result.map(|result| graph.egraph.find(result)) else { return };
    if result == class || !same_type(graph, class, result) {
        return;
    }
    let built = graph.egraph[result].nodes.iter().filter_map(Node::op).find(|op| trace.origins.contains_key(op));
    graph.egraph.union(class, result);
    trace.events.push(Event { rule: rule.rule.name, root, origins, built });
}

/// The operations of the original graph that some operations derive from.
fn origins(trace: &Trace, ops: &[Op]) -> Vec<Op> {
    let mut all: IndexSet<Op> = IndexSet::default();
    for op in ops {
        match trace.origins.get(op) {
            Some(origins) => all.extend(origins),
            None => {
                all.insert(*op);
            }
        }
    }
    all.into_iter().collect()
}

fn same_type(graph: &Graph<'_>, a: Id, b: Id) -> bool {
    let (a, b) = (graph.data(a), graph.data(b));
    a.shape.is_some() && a.shape == b.shape && a.element == b.element
}
