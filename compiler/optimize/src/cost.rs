//! The cost model: the roofline, `max(arithmetic, memory) + launch`, in nanoseconds.

use ir::{DimExpr, Type};
use operators::Cost;

use crate::graph::{Graph, is_literal};
use crate::language::{Fact, Node, Source};

/// The estimate for an unknown extent.
const UNKNOWN_EXTENT: f64 = 64.0;
/// Operations per nanosecond.
const PEAK: f64 = 100.0;
/// Bytes per nanosecond.
const BANDWIDTH: f64 = 20.0;
/// The factor for arithmetic that is hidden by memory accesses.
const HIDDEN: f64 = 0.01;
/// Operations per element of an operator without a row.
const UNKNOWN_OPERATIONS: f64 = 10.0;
/// The cost of launching a kernel.
const LAUNCH: f64 = 2000.0;
/// The cost of an operation without a kernel.
pub(crate) const VIEW: f64 = 10.0;
/// The cost of an operation before the first run: nearly nothing, but fewer are better.
const AHEAD: f64 = 1e-3;

/// The cost of a node without its operands.
pub(crate) fn of(graph: &Graph<'_>, class: egg::Id, node: &Node) -> f64 {
    let Source::Op(op) = node.source else { return 0.0 };
    let result = graph.data(class);
    if is_literal(graph.body, op) {
        return AHEAD;
    }
    let known = || result.value.is_some_and(|value| graph.shapes.known_value(value).is_some());
    if result.constant || known() {
        return 2.0 * AHEAD;
    }
    let cost = operators::row_of(graph.body.name(op)).map_or(Cost::PerElement(UNKNOWN_OPERATIONS), |row| row.cost);
    if matches!(cost, Cost::View) {
        return VIEW;
    }
    let operands: Vec<&Fact> = node.children.iter().map(|&child| graph.data(child)).collect();
    let results: Vec<f64> = match result.value {
        Some(_) => vec![elements(result)],
        None => graph.body.op(op).results().iter().map(|&result| count(graph.shapes.shape(result))).collect(),
    };
    let written: f64 = results.iter().sum::<f64>() * width(&result.element);
    let is_first = |at: usize| !operands[..at].iter().any(|&other| std::ptr::eq(other, operands[at]));
    let bytes = |fact: &Fact| elements(fact) * width(&fact.element);
    let read: f64 = (0..operands.len()).filter(|&at| is_first(at)).map(|at| bytes(operands[at])).sum();
    let arithmetic = results.first().copied().unwrap_or(1.0) * per_element(cost, &operands, result) / PEAK;
    f64::max(arithmetic, (read + written) / BANDWIDTH) + HIDDEN * arithmetic + LAUNCH
}

/// Operations per element of the result.
fn per_element(cost: Cost, operands: &[&Fact], result: &Fact) -> f64 {
    let extents = |fact: &Fact| match &fact.shape {
        Some(shape) => shape.iter().map(extent).collect(),
        None => vec![UNKNOWN_EXTENT],
    };
    match cost {
        Cost::View => 0.0,
        Cost::PerElement(operations) => operations,
        Cost::Products(of) => of(&operands.iter().map(|fact| extents(fact)).collect::<Vec<_>>(), &extents(result)),
    }
}

fn elements(fact: &Fact) -> f64 {
    if fact.element == Type::None { 0.0 } else { fact.count }
}

/// The estimated number of elements of a shape.
pub(crate) fn count(shape: Option<&[DimExpr]>) -> f64 {
    shape.map_or(UNKNOWN_EXTENT, |shape| shape.iter().map(extent).product())
}

fn width(element: &Type) -> f64 {
    element.byte_width().unwrap_or(0) as f64
}

/// The estimate of an extent; all symbols are equal.
fn extent(dim: &DimExpr) -> f64 {
    match dim {
        DimExpr::Constant(number) => *number as f64,
        DimExpr::Symbol(_) => UNKNOWN_EXTENT,
        DimExpr::Sum(terms) => terms.iter().map(extent).sum(),
        DimExpr::Product(factors) => factors.iter().map(extent).product(),
        DimExpr::FloorDiv(a, b) | DimExpr::CeilDiv(a, b) => extent(a) / extent(b).max(1.0),
        DimExpr::Mod(_, b) => extent(b),
        DimExpr::Max(parts) | DimExpr::Broadcast(parts) => parts.iter().map(extent).fold(0.0, f64::max),
        DimExpr::Min(parts) => parts.iter().map(extent).fold(f64::MAX, f64::min),
    }
}
