//! Applying rules until nothing new is found, or enough was.

use egg::Id;
use ir::{IndexMap, IndexSet, Location, Op};

use crate::Options;
use crate::graph::Graph;
use crate::language::Node;
use crate::pattern::Bindings;
use crate::report::Stop;
use crate::rules::{Compiled, Kind, Match, RULES};

/// Rounds with the rules that by themselves make nothing better.
const EXPLORING_ROUNDS: usize = 4;

/// One equation put to use.
pub(crate) struct Event {
    pub(crate) rule: &'static str,
    /// The operation at the root of what matched.
    pub(crate) root: Op,
    /// The operations of the original graph behind all that matched.
    pub(crate) origins: Vec<Op>,
    /// The operation at the root of what was built; `None` where that was there already.
    pub(crate) built: Option<Op>,
}

/// What a saturation did.
#[derive(Default)]
pub(crate) struct Trace {
    pub(crate) events: Vec<Event>,
    /// For each operation built, those of the original graph it stands for.
    pub(crate) origins: IndexMap<Op, Vec<Op>>,
    /// How often rules were looked for everywhere.
    pub(crate) rounds: usize,
    pub(crate) stop: Stop,
}

struct Found {
    rule: usize,
    class: Id,
    bindings: Bindings,
}

/// Simplifies, then explores briefly.
pub(crate) fn saturate(graph: &mut Graph<'_>, options: &Options) -> Trace {
    let mut trace = Trace::default();
    let mut seen = IndexSet::default();
    let limit = graph.egraph.total_size() * options.node_limit;
    let mut pending: IndexMap<Id, Wanted> =
        graph.egraph.classes().map(|class| (class.id, Wanted::Simplifying)).collect();
    for (rounds, wanted) in [(options.iterations, Wanted::Simplifying), (EXPLORING_ROUNDS, Wanted::All)] {
        if wanted == Wanted::All {
            // where the first phase has looked at the end, its rules need not be looked for again
            let left = std::mem::take(&mut pending);
            let wanted = |class| if left.contains_key(&class) { Wanted::All } else { Wanted::Exploring };
            pending = graph.egraph.classes().map(|class| (class.id, wanted(class.id))).collect();
        }
        for _ in 0..rounds {
            trace.rounds += 1;
            pending.sort_unstable_keys();
            let found: Vec<Found> =
                pending.iter().flat_map(|(&class, &wanted)| search(graph, class, options, wanted)).collect();
            let (events, places) = (trace.events.len(), graph.places.len());
            let mut touched = Vec::new();
            for found in found {
                let key = (found.rule, found.bindings.ops.clone(), found.bindings.variables.clone());
                if graph.egraph.total_size() > limit {
                    trace.stop = Stop::Size;
                    break;
                }
                if seen.insert(key) && apply(graph, &found, &mut trace) {
                    touched.push(found.class);
                }
            }
            graph.egraph.rebuild();
            if trace.events.len() == events {
                pending.clear();
                break;
            }
            touched.extend(graph.classes_since(places));
            pending = with_readers(graph, touched).into_iter().map(|class| (class, wanted)).collect();
        }
    }
    if trace.stop == Stop::Saturated && !pending.is_empty() {
        trace.stop = Stop::Rounds;
    }
    trace
}

/// Classes, and those whose patterns may reach down to them.
fn with_readers(graph: &Graph<'_>, classes: Vec<Id>) -> IndexSet<Id> {
    let mut all: IndexSet<Id> = classes.into_iter().map(|class| graph.egraph.find(class)).collect();
    let mut first = 0;
    for _ in 0..RULES.depth {
        let level = first..all.len();
        first = all.len();
        for at in level {
            let readers: Vec<Id> = graph.egraph[all[at]].parents().map(|reader| graph.egraph.find(reader)).collect();
            all.extend(readers);
        }
    }
    all
}

/// Which rules are looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Simplifying,
    Exploring,
    All,
}

fn search(graph: &Graph<'_>, class: Id, options: &Options, wanted: Wanted) -> Vec<Found> {
    let mut found = Vec::new();
    // what is constant is computed ahead of the run, however it is spelled
    if graph.data(class).constant {
        return found;
    }
    let allowed = if options.strict_fp { Kind::Exact } else { Kind::Reassoc };
    for node in &graph.egraph[class].nodes {
        for &rule in RULES.rooted_at(node.operator) {
            let Compiled { rule: equation, family, from, .. } = &RULES.all[rule];
            let is_wanted = match wanted {
                Wanted::Simplifying => !equation.explores,
                Wanted::Exploring => equation.explores,
                Wanted::All => true,
            };
            if !is_wanted || equation.kind > allowed || options.without.contains(family) {
                continue;
            }
            graph.match_node(from, node, &mut |bindings| found.push(Found { rule, class, bindings: bindings.clone() }));
        }
    }
    found
}

/// Adds an equation; whether it was news.
fn apply(graph: &mut Graph<'_>, found: &Found, trace: &mut Trace) -> bool {
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
    let Some(result) = result.map(|result| graph.egraph.find(result)) else { return false };
    if result == class || !same_type(graph, class, result) {
        return false;
    }
    let built = graph.egraph[result].nodes.iter().filter_map(Node::op).find(|op| trace.origins.contains_key(op));
    graph.egraph.union(class, result);
    trace.events.push(Event { rule: rule.rule.name, root, origins, built });
    true
}

/// The operations of the original graph behind some operations.
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
