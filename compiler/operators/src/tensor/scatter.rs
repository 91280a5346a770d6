//! ScatterElements and ScatterND: writes updates by index; later ones overwrite earlier ones, or they are combined.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, ScatterReduction, View};
use ir::{Op, Value};

use super::gather_elements::expect_places;
use crate::graph::{self, Emitter, Problem};
use crate::operator::{Demand, Operator, Rank};
use crate::shape::{Answer, Node, Reading};
use crate::structured::calls::Argument::{self, Index, Lowered, Moved, Tensor};
use crate::structured::reduction::normalize_axis;
use crate::structured::{Lowering, Unsupported};
use crate::upgrade::sum_in_f32;

/// Sums and products of many updates are rounded once.
fn reduced_in_f32(node: &mut graph::Node, emit: &mut Emitter) -> Result<(), Problem> {
    match node.attributes.str("reduction") {
        Some("add" | "mul") => sum_in_f32(node, emit),
        _ => Ok(()),
    }
}

pub(crate) const SCATTER_ELEMENTS: Operator = Operator {
    formerly: Some(("Scatter", &[])),
    normalize: Some(reduced_in_f32),
    shapes: Some(elements_shape),
    lower: Some(lower_elements),
    ..Operator::of(OnnxOp::ScatterElements)
};

pub(crate) const SCATTER_ND: Operator = Operator {
    normalize: Some(reduced_in_f32),
    demands: Some(tuples_demand),
    shapes: Some(tuples_shape),
    lower: Some(lower_tuples),
    ..Operator::of(OnnxOp::ScatterND)
};

/// Each tuple of indices selects a slice with the rank of the remaining axes.
fn tuples_demand(reading: &Reading<'_>, operand: usize) -> Demand {
    let scatter: views::ScatterND = reading.view();
    let updates = || {
        let axes = reading.rank(scatter.data)? + reading.rank(scatter.indices)?;
        axes.checked_sub(1 + reading.last_extent(scatter.indices)?).map(Rank::Exactly)
    };
    match operand {
        0 => Demand::SAME,
        2 => Demand { rank: updates(), ..Demand::default() },
        _ => Demand::default(),
    }
}

fn elements_shape(node: &mut Node<'_, '_>) -> Answer {
    let scatter: views::ScatterElements = node.view();
    expect_places(node, scatter.data, scatter.indices, scatter.axis)?;
    if let Some(indices) = node.shape_of(scatter.indices) {
        node.expect_shape(Some(scatter.updates), &indices, "the updates")?;
    }
    Ok(vec![node.shape_of(scatter.data)])
}

fn tuples_shape(node: &mut Node<'_, '_>) -> Answer {
    let scatter: views::ScatterND = node.view();
    let (Some(shape), Some(indices)) = (node.shape_of(scatter.data), node.shape_of(scatter.indices)) else {
        return Ok(vec![]);
    };
    let Some((last, places)) = indices.split_last() else { return Err("the indices have rank 0".to_string()) };
    if let Some(depth) = last.as_constant() {
        let rest = usize::try_from(depth).ok().and_then(|depth| shape.get(depth..));
        let rest = rest.ok_or_else(|| format!("{depth} indices for rank {}", shape.len()))?;
        node.expect_shape(Some(scatter.updates), &[places, rest].concat(), "the updates")?;
    }
    Ok(vec![Some(shape)])
}

/// The number of a reduction in routines.
fn number(reduction: ScatterReduction) -> i64 {
    match reduction {
        ScatterReduction::None => 0,
        ScatterReduction::Add => 1,
        ScatterReduction::Mul => 2,
        ScatterReduction::Max => 3,
        ScatterReduction::Min => 4,
    }
}

/// The elements of a scatter: without a reduction they are only moved.
fn scattered(reduction: ScatterReduction) -> fn(Value) -> Argument {
    if reduction == ScatterReduction::None { Moved } else { Tensor }
}

/// The initial contents of a scatter: for a uniform tensor the routine takes a single element.
fn data(lowering: &mut Lowering<'_>, data: Value, reduction: ScatterReduction) -> Result<Argument, Unsupported> {
    let Some(element) = lowering.repeated_element(data) else { return Ok(scattered(reduction)(data)) };
    let kind = match reduction {
        ScatterReduction::None => lowering.storage_kind(data)?,
        _ => lowering.kind(data)?,
    };
    Ok(Lowered(element, kind))
}

fn lower_elements(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::ScatterElements::of(lowering.source, op);
    let axis = normalize_axis(node.axis, lowering.shape(node.data).len())?;
    let (axis, reduction) = (lowering.index(axis as i64), lowering.index(number(node.reduction)));
    let data = data(lowering, node.data, node.reduction)?;
    let updates = scattered(node.reduction)(node.updates);
    lowering.call(op, "scatter_elements", &[data, Tensor(node.indices), updates, Index(axis), Index(reduction)])
}

fn lower_tuples(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::ScatterND::of(lowering.source, op);
    let reduction = lowering.index(number(node.reduction));
    let data = data(lowering, node.data, node.reduction)?;
    let updates = scattered(node.reduction)(node.updates);
    lowering.call(op, "scatter_nd", &[data, Tensor(node.indices), updates, Index(reduction)])
}
