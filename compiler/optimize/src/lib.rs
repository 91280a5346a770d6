//! Optimises the graph level by equality saturation over ONNX operators.
//!
//! A function's entry block becomes an e-graph, rules add equations ([`rules`](crate), in families), and the cheapest
//! equivalent graph is extracted. Small constants are evaluated here; for larger ones rules build expressions, which
//! the compiler evaluates once, before the first run.
//!
//! Invariants
//! - Both sides of an equation have the same symbolic shape and element type.
//! - By the cost model, the result is never more expensive than the original. It is deterministic.

mod constants;
mod cost;
mod extract;
mod graph;
mod graph_windows;
mod language;
pub mod passes;
mod pattern;
mod rebuild;
mod report;
mod rules;
mod saturate;
mod scalar;

use dialects::{OpCodes, func};
use std::sync::LazyLock;

use dialects::func::MAIN;
use dialects::onnx::YIELD;
use egg::Id;
use ir::{Block, Body, IndexMap, IndexSet, Module, Op, Result, Value};
use operators::shape::{ShapeAnalysis, remarked, warn};

use crate::extract::{Choice, Extractor};
use crate::graph::{Graph, is_literal};
use crate::saturate::Trace;

pub use report::{Gone, Report, RuleReport, Search, Stop};
pub use rules::{Kind, families};

/// The maximum number of operations that are optimised together; larger graphs are split.
const WINDOW: usize = 2500;

/// Names of families of rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Families(pub Vec<&'static str>);

/// Which of the equal graphs that are found is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extraction {
    /// The cheapest, by the cost model.
    #[default]
    Cheapest,
    /// One of costly operations: for tests of rules that rarely win.
    Costliest,
    /// One by random costs, which the seed determines: for tests of rules in company.
    Random(u64),
}

impl std::str::FromStr for Extraction {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Extraction, String> {
        match text {
            "cheapest" => Ok(Extraction::Cheapest),
            "costliest" => Ok(Extraction::Costliest),
            seed => seed
                .parse()
                .map(Extraction::Random)
                .map_err(|_| format!("'{text}' is neither cheapest nor costliest nor a seed")),
        }
    }
}

impl std::fmt::Display for Extraction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Extraction::Cheapest => f.write_str("cheapest"),
            Extraction::Costliest => f.write_str("costliest"),
            Extraction::Random(seed) => seed.fmt(f),
        }
    }
}

/// The allowed rewrites, and their limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Only rules that keep every bit of the results; `saturate.rs` chooses them.
    pub strict_fp: bool,
    /// Names of families of rules that are left out.
    pub without: Families,
    /// Which graph is chosen.
    pub extraction: Extraction,
    /// Whether the report contains the savings of each rule.
    pub explain: bool,
    /// Whether the report contains the fate of operations that were removed.
    pub trace: bool,
    /// The maximum size of the e-graph, as a multiple of the graph's.
    pub node_limit: usize,
    /// The maximum number of rounds of simplification.
    pub iterations: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            strict_fp: false,
            without: Families::default(),
            extraction: Extraction::Cheapest,
            explain: false,
            trace: false,
            node_limit: 6,
            iterations: 8,
        }
    }
}

/// Parses the rules, before a caller waits for them.
pub fn read_rules() {
    LazyLock::force(&rules::RULES);
}

/// Optimises `@main_graph`.
pub fn optimize(module: &mut Module, options: &Options) -> Result<Report> {
    let mut report = Report::default();
    let Some((function, mut body)) = module.take_function(MAIN) else { return Ok(report) };
    let attributes = module.body.op(function).attributes.clone();
    let mut analysed = operators::shape::analyse(&body, &attributes, &IndexMap::default());
    if let (Ok(shapes), Some(entry)) = (&mut analysed, body.entry()) {
        warn(&mut module.attributes, &remarked(&attributes, &body, shapes));
        // egg measures times with a clock that takes milliseconds to calibrate; they are not used
        let (clock, _) = quanta::Clock::mock();
        quanta::with_clock(&clock, || optimize_blocks(&mut body, entry, shapes, options, &mut report));
    }
    module.body.set_isolated(function, body);
    module.update_function_type(function);
    analysed.map(|_| report)
}

/// Whether a block contains only operators and its terminator.
fn is_graph(body: &Body, block: Block) -> bool {
    let Some((end, mut operators)) = body.ops(block).split_last() else { return false };
    (body.is(end, func::RETURN) || body.name(end) == YIELD) && operators.all(|op| body.op(op).name.dialect() == "onnx")
}

/// Optimises a block, then the bodies of its operations.
fn optimize_blocks(body: &mut Body, entry: Block, shapes: &mut ShapeAnalysis, options: &Options, report: &mut Report) {
    let mut pending = vec![entry];
    while let Some(block) = pending.pop() {
        if !is_graph(body, block) {
            continue;
        }
        optimize_block(body, block, shapes, options, report);
        let regions = body.ops(block).flat_map(|op| body.op(op).regions());
        pending.extend(regions.flat_map(|&region| body.blocks(region)));
    }
}

fn optimize_block(body: &mut Body, block: Block, shapes: &mut ShapeAnalysis, options: &Options, report: &mut Report) {
    let end = body.terminator(block).expect("the block has been looked at");
    let (literals, operators): (Vec<Op>, Vec<Op>) =
        body.ops(block).filter(|&op| op != end).partition(|&op| is_literal(body, op));
    let mut order = Vec::new();
    for window in graph_windows::windows(body, &operators, WINDOW) {
        order.extend(optimize_window(body, shapes, window, options, report));
    }
    for op in body.ops(block).to_vec().into_iter().rev() {
        body.detach(op);
    }
    let all: IndexSet<Op> = literals.iter().copied().chain(order.iter().copied()).chain([end]).collect();
    for &op in &all {
        body.append(block, op);
    }
    for op in literals.into_iter().rev() {
        if body.uses(body.result(op, 0)).is_empty() {
            body.erase(op);
        }
    }
}

/// Optimises some operations, and returns their replacements, in order; new ones are not attached.
fn optimize_window(
    body: &mut Body,
    shapes: &mut ShapeAnalysis,
    window: &[Op],
    options: &Options,
    report: &mut Report,
) -> Vec<Op> {
    let wanted = values_wanted_outside(body, window);
    let mut graph = Graph::new(body, shapes, window);
    let roots: Vec<Id> = wanted.iter().map(|&value| graph.class(value)).collect();
    let before = Extractor::new(&graph, &roots, Extraction::Cheapest);
    report.cost_before += before.cost(&original(&graph, &before, window)).map_or(0.0, |(cost, _)| cost);
    report.operations_before += graph.count_running(window);
    let trace = saturate::saturate(&mut graph, options);
    report.searches.push(Search {
        operations: window.len(),
        nodes: graph.egraph.total_size(),
        rounds: trace.rounds,
        stop: trace.stop,
    });
    let extractor = Extractor::new(&graph, &roots, options.extraction);
    let all: Vec<Op> = graph.places.keys().copied().collect();
    let Some(choice) = extractor.best(original(&graph, &extractor, window)) else {
        erase(body, all.into_iter().skip(window.len()).collect());
        return window.to_vec();
    };
    report.cost_after += extractor.cost(&choice).map_or(0.0, |(cost, _)| cost);
    let rebuilt = rebuild::rebuild(&mut graph, &extractor, &choice, &roots);
    let kept: IndexSet<Op> = rebuilt.ops.iter().copied().collect();
    report.operations_after += graph.count_running(&rebuilt.ops);
    explain(&graph, &trace, &kept, options, report);
    if options.trace {
        report.gone.extend(window.iter().filter(|op| !kept.contains(*op)).map(|&op| gone(&graph, &trace, &kept, op)));
    }
    for (&old, &new) in wanted.iter().zip(&rebuilt.values) {
        body.replace_all_uses(old, new);
    }
    erase(body, all.into_iter().filter(|op| !kept.contains(op)).collect());
    rebuilt.ops
}

/// The original graph: in each class the first of its operations. Equal nodes are merged, and a built operation may
/// have replaced an original one.
fn original(graph: &Graph<'_>, extractor: &Extractor, window: &[Op]) -> Choice {
    let rank = |node: &language::Node| match node.op().and_then(|op| Some((op, *graph.places.get(&op)?))) {
        Some((op, place)) if window.get(place) == Some(&op) => place + 1,
        Some(_) => usize::MAX,
        None => 0,
    };
    let mut choice = Vec::new();
    for place in 0..extractor.len() {
        let nodes = &graph.egraph[extractor.class(place)].nodes;
        choice.push((0..nodes.len()).min_by_key(|&index| rank(&nodes[index])));
    }
    choice
}

/// Results of the window that are read outside of it.
fn values_wanted_outside(body: &Body, window: &[Op]) -> Vec<Value> {
    let inside: IndexSet<Op> = window.iter().copied().collect();
    let outside = |op: Op| !std::iter::successors(Some(op), |&op| body.parent_op(op)).any(|op| inside.contains(&op));
    let results = window.iter().flat_map(|&op| body.op(op).results());
    results.copied().filter(|&value| body.uses(value).iter().any(|reader| outside(reader.op))).collect()
}

/// Erases operations that are only read by one another.
fn erase(body: &mut Body, doomed: Vec<Op>) {
    for &op in &doomed {
        let nested: Vec<Op> = body.op(op).regions().iter().flat_map(|&region| body.walk(region)).collect();
        nested.into_iter().chain([op]).for_each(|op| body.set_operands(op, &[]));
    }
    doomed.into_iter().for_each(|op| body.erase(op));
}

/// Counts the equations that rules found, and those that were chosen.
fn explain(graph: &Graph<'_>, trace: &Trace, kept: &IndexSet<Op>, options: &Options, report: &mut Report) {
    let cost = |op: Op| {
        let class = graph.body.op(op).results().first().and_then(|&result| graph.known_class(result));
        class.map_or(0.0, |class| graph.cost_of(class, op))
    };
    let mut counted: IndexSet<Op> = IndexSet::default();
    for event in &trace.events {
        let rule = report.rules.entry(event.rule).or_default();
        rule.fired += 1;
        let chosen = event.built.map_or(!kept.contains(&event.root), |built| kept.contains(&built));
        if !chosen || !options.explain {
            continue;
        }
        rule.chosen += 1;
        let origin = |op: Op| trace.origins.get(&op).cloned().unwrap_or_else(|| vec![op]);
        for gone in origin(event.built.unwrap_or(event.root)) {
            if !kept.contains(&gone) && counted.insert(gone) {
                rule.saved += cost(gone);
            }
        }
        if let Some(built) = event.built.filter(|&built| counted.insert(built)) {
            rule.saved -= cost(built);
        }
    }
}

/// The fate of an operation that was removed.
fn gone(graph: &Graph<'_>, trace: &Trace, kept: &IndexSet<Op>, op: Op) -> Gone {
    let matching = trace.events.iter().filter(|event| event.origins.contains(&op));
    let rules: IndexSet<&'static str> = matching.map(|event| event.rule).collect();
    let class = graph.body.op(op).results().first().and_then(|&result| graph.known_class(result));
    let equal = class
        .and_then(|class| graph.egraph[class].nodes.iter().find_map(|node| node.op().filter(|op| kept.contains(op))));
    let names = |op: Op| graph.body.op(op).location.names();
    Gone { nodes: names(op), rules: rules.into_iter().collect(), instead: equal.map(names).unwrap_or_default() }
}

#[cfg(test)]
mod tests;
