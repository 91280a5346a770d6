//! Quantization: computations between dequantized operands and a quantized result become integer operators.

use std::rc::Rc;

use egg::Id;
use ir::{Attribute, FloatType, Type};
use operators::literal::pairwise;

use super::{Match, Rule, reassoc_by};
use crate::graph::Graph;

pub(super) const RULES: &[Rule] = &[
    // the sums are exact, and rounded once to the result's quantum, as sums of floats are
    reassoc_by(
        "quantized-conv",
        "QuantizeLinear:q(Conv:n(DequantizeLinear:d(x, s, z), DequantizeLinear:e(w, t, y), _), v, o)",
        |m| convolution(m, false),
    ),
    reassoc_by(
        "quantized-conv-bias",
        "QuantizeLinear:q(Conv:n(DequantizeLinear:d(x, s, z), DequantizeLinear:e(w, t, y), b), v, o)",
        |m| convolution(m, true),
    ),
    reassoc_by(
        "quantized-matmul",
        "QuantizeLinear:q(MatMul(DequantizeLinear:d(x, s, z), DequantizeLinear:e(w, t, y)), v, o)",
        |m| {
            let last = m.rank("w")?.checked_sub(1)?;
            is_quantized(m, last).then(|| {
                let operands = ["x", "s", "z", "w", "t", "y", "v", "o"].map(|name| m.get(name));
                m.op("QLinearMatMul", &operands, [])
            })?
        },
    ),
];

/// Whether all tensors are int8 or uint8, with one scale and zero point each, those of the weights possibly per index
/// of an axis.
fn is_quantized(m: &Match<'_, '_>, axis: usize) -> bool {
    let are_bytes = ["x", "w", "o"].iter().all(|name| m.element(name).bit_width() == Some(8) && !m.is_float(name));
    let are_floats = ["s", "t", "v"].iter().all(|name| m.element(name) == Type::Float(FloatType::F32));
    let is_plain = |label: &str| {
        let attributes = m.attributes(label);
        ["block_size", "output_dtype", "precision"].iter().all(|name| attributes.integer(name).unwrap_or(0) == 0)
    };
    let is_single = |name: &str| matches!(m.extents(name).as_deref(), Some([] | [1]));
    let along = m.attributes("e").integer("axis").unwrap_or(1);
    let rank = m.rank("w").unwrap_or(0) as i64;
    let is_along = if along < 0 { along + rank } else { along } == axis as i64;
    let is_list = |name: &str| m.rank(name) == Some(1) && is_along;
    are_bytes
        && are_floats
        && ["d", "e", "q"].iter().all(|label| is_plain(label))
        && ["s", "z", "v", "o"].iter().all(|name| is_single(name))
        && ["t", "y"].iter().all(|name| is_single(name) || is_list(name))
}

fn convolution(m: &mut Match<'_, '_>, has_bias: bool) -> Option<Id> {
    if !is_quantized(m, 0) || !m.is_constant("w") {
        return None;
    }
    let attributes = m.attributes("n");
    let mut operands = ["x", "s", "z", "w", "t", "y", "v", "o"].map(|name| m.get(name)).to_vec();
    if has_bias {
        operands.push(bias(m)?);
    }
    m.op("QLinearConv", &operands, attributes)
}

/// The maximum error of a rounded bias, relative to the result's quantum.
const BIAS_ERROR: f64 = 1.0 / 16.0;

/// A constant bias in units of the sums, rounded to `i32`: `round(b / (s t))`, if it fits and its error is below the
/// result's quantum.
fn bias(m: &mut Match<'_, '_>) -> Option<Id> {
    if !m.is_constant("b") || m.element("b") != Type::Float(FloatType::F32) {
        return None;
    }
    let numbers = |name: &str| m.graph.numbers(m.get(name));
    let bias = numbers("b").or_else(|| dequantized(m.graph, m.get("b")))?;
    let units = pairwise(&numbers("s")?, &numbers("t")?, |s, t| s * t)?;
    let limit = BIAS_ERROR * m.scalar("v")?;
    // with the margin that dot products need in `i32`
    let is_held = |b: f64, unit: f64| {
        let rounded = (b / unit).round();
        rounded.abs() <= f64::from(i32::MAX / 2) && (rounded * unit - b).abs() <= limit
    };
    if !pairwise(&bias, &units, is_held)?.iter().all(|&held| held) {
        return None;
    }
    let (b, s, t) = (m.get("b"), m.get("s"), m.get("t"));
    let unit = m.op("Mul", &[s, t], [])?;
    let quotient = m.op("Div", &[b, unit], [])?;
    let rounded = m.op("Round", &[quotient], [])?;
    m.op("Cast", &[rounded], [("to", Attribute::i64(INT32))])
}

/// The elements of a dequantized constant vector: `(x - z) s`.
fn dequantized(graph: &Graph<'_>, class: Id) -> Option<Rc<[f64]>> {
    let nodes = &graph.egraph[class].nodes;
    let children = nodes.iter().find_map(|node| {
        let is_dequantized = graph.body.name(node.op()?) == "onnx.DequantizeLinear";
        (is_dequantized && graph.data(class).shape.as_ref()?.len() <= 1).then_some(&node.children)
    })?;
    let scaled = pairwise(&integers(graph, children[0])?, &graph.numbers(children[1])?, |x, s| x * s)?;
    match children.get(2).filter(|&&zero| !graph.data(zero).is_absent()) {
        Some(&zero) => integers(graph, zero)?.iter().all(|&zero| zero == 0.0).then(|| scaled.into()),
        None => Some(scaled.into()),
    }
}

/// The elements of a literal of integers.
fn integers(graph: &Graph<'_>, class: Id) -> Option<Vec<f64>> {
    let literal = graph.egraph[class].nodes.iter().find_map(|node| graph.literal(node))?;
    Some(literal.integers()?.into_iter().map(|number| number as f64).collect())
}

/// The number of int32 among ONNX's element types.
const INT32: i64 = 6;
