//! Scan.

use dialects::tensor;
use std::sync::Arc;

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Op, Type, Value};

use super::batched_scan;
use crate::operator::Operator;
use crate::shape::region::{carried_out, carry, stacked};
use crate::shape::{Answer, Node, normalize_axis};
use crate::structured::channel_blocks::loop_index;
use crate::structured::reduction;
use crate::structured::repetition::Repetition;
use crate::structured::scalars::Scalars;
use crate::structured::{Lowering, Unsupported};

pub(crate) const SCAN: Operator = Operator {
    upgrades: &[(9, batched_scan::scan_9)],
    shapes: Some(shapes),
    lower: Some(lower),
    ..Operator::of(OnnxOp::Scan)
};

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let Some(region) = node.region(0) else { return Ok(vec![]) };
    let Some(block) = node.block(region) else { return Ok(vec![]) };
    let body = node.analyser.body;
    let scan: views::Scan = node.view();
    let operands = scan.initial_state_and_scan_inputs;
    let arguments = body.arguments(block).to_vec();
    let scanned = usize::try_from(scan.num_scan_inputs).unwrap_or(0).min(operands.len());
    let states = operands.len() - scanned;
    if arguments.len() != operands.len() {
        return Err(format!("the body takes {} arguments for {} operands", arguments.len(), operands.len()));
    }
    let input_axes = scan.scan_input_axes.unwrap_or_else(|| vec![0; scanned].into());
    let mut count = None;
    for (at, &argument) in arguments[states..].iter().enumerate() {
        let mut shape = node.shape_of(operands[states + at]);
        if let Some(shape) = &mut shape {
            let axis = normalize_axis(input_axes.get(at).copied().unwrap_or(0), shape.len())?;
            count = Some(shape.remove(axis));
        }
        node.analyser.set_shape(argument, shape);
    }
    let shapes = carry(node, block, &arguments[..states], &operands[..states], 0);
    let mut answer = carried_out(node, shapes);
    let yields = node.yields(region);
    let output_axes = scan.scan_output_axes.unwrap_or_default();
    for index in states..node.result_count() {
        let Some(each) = yields.get(index).and_then(|&value| node.shape_of(value)) else {
            answer.push(None);
            continue;
        };
        let axis = output_axes.get(index - states).copied().unwrap_or(0);
        let axis = normalize_axis(axis, each.len() + 1)?;
        answer.push(Some(stacked(node, index, each, (axis, count.as_ref()))));
    }
    Ok(answer)
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::Scan::of(lowering.source, op);
    let body = lowering.source.blocks(lowering.source.op(op).regions()[0])[0];
    let arguments = lowering.source.arguments(body).to_vec();
    let operands = node.initial_state_and_scan_inputs;
    let states = usize::try_from(node.num_scan_inputs).ok().and_then(|scanned| operands.len().checked_sub(scanned));
    let states = states.filter(|_| arguments.len() == operands.len());
    let states =
        states.ok_or_else(|| Unsupported::invalid("its body's inputs differ from the values that it passes"))?;
    let entry =
        |list: &Option<Arc<[i64]>>, at: usize| list.as_ref().and_then(|list| list.get(at)).copied().unwrap_or(0);
    let mut scanned = Vec::new();
    for (at, &operand) in operands[states..].iter().enumerate() {
        let rank = lowering.shape(operand).len();
        if rank == 0 {
            return Err(Unsupported::invalid("a scanned input is absent or has no axis"));
        }
        let axis = reduction::normalize_axis(entry(&node.scan_input_axes, at), rank)?;
        scanned.push((operand, axis, entry(&node.scan_input_directions, at) == 1));
    }
    let (first, first_axis, _) = *scanned.first().ok_or_else(|| Unsupported::invalid("it has nothing to scan"))?;
    let count = lowering.shape(first)[first_axis].clone();
    for &(operand, axis, _) in &scanned[1..] {
        let other = lowering.shape(operand)[axis].clone();
        lowering.check_equal(&count, &other, "the scanned inputs differ in length");
    }
    let results = lowering.source.op(op).results().to_vec();
    let mut stacked = Vec::new();
    for (at, &result) in results[states..].iter().enumerate() {
        let rank = lowering.shape(result).len();
        stacked.push((result, reduction::normalize_axis(entry(&node.scan_output_axes, at), rank)?));
    }
    let extent = lowering.dim(&count);
    let enters = lowering.number(1.0, &Type::I1);
    let (state, slices) = arguments.split_at(states);
    let carried = state.iter().copied().zip(operands[..states].iter().copied()).collect();
    let repetition = Repetition { body, carried, first: 0, stacked: stacked.clone(), limit: Some(extent), enters };
    let values = repetition.lower(lowering, |lowering, index, _| {
        for (&slice, &(operand, axis, reverse)) in slices.iter().zip(&scanned) {
            let at = if reverse { lowering.scalars(|s| from_end(s, index, extent)) } else { index };
            bind_slice(lowering, slice, operand, axis, at);
        }
    })?;
    let (carried, stacks) = values.split_at(states);
    for (&result, &value) in results.iter().zip(carried) {
        lowering.bind_cast(result, value);
    }
    for (at, (&value, (result, axis))) in stacks.iter().zip(stacked).enumerate() {
        match (axis, entry(&node.scan_output_directions, at) == 1) {
            (0, false) => lowering.bind_cast(result, value),
            (_, reverse) => restack(lowering, result, value, axis, reverse.then_some(extent)),
        }
    }
    Ok(())
}

/// `extent - 1 - index`
fn from_end(s: &mut Scalars<'_, '_>, index: Value, extent: Value) -> Value {
    let one = s.number(1.0, &Type::Index);
    let last = s.sub(extent, one);
    s.sub(last, index)
}

/// Binds a body's argument to the slice of a tensor at an index of an axis.
fn bind_slice(lowering: &mut Lowering<'_>, argument: Value, operand: Value, axis: usize, at: Value) {
    let (shape, element) = (lowering.shape(argument), lowering.element(argument));
    let tensor = lowering.value(operand);
    let rank = shape.len();
    let value = lowering.pointwise(&[], &shape, element.clone(), |builder, _| {
        let mut places: Vec<Value> = (0..rank).map(|axis| loop_index(builder, axis)).collect();
        places.insert(axis, at);
        builder.value_from(tensor::Extract { tensor, indices: &places }, element, [])
    });
    lowering.bind(argument, value);
}

/// Binds a result to a tensor whose first axis moves to another position, reversed if it has `reversed` elements.
fn restack(lowering: &mut Lowering<'_>, result: Value, value: Value, axis: usize, reversed: Option<Value>) {
    let (shape, element) = (lowering.shape(result), lowering.element(result));
    let rank = shape.len();
    define_extents(lowering, result, value, axis);
    let value = lowering.pointwise(&[], &shape, element.clone(), |builder, _| {
        let mut places: Vec<Value> = (0..rank).map(|axis| loop_index(builder, axis)).collect();
        let mut place = places.remove(axis);
        if let Some(extent) = reversed {
            place = from_end(&mut Scalars { builder, unsigned: false }, place, extent);
        }
        places.insert(0, place);
        builder.value_from(tensor::Extract { tensor: value, indices: &places }, element, [])
    });
    lowering.bind(result, value);
}

/// Defines the extents of a result that are those of the stacked tensor.
fn define_extents(lowering: &mut Lowering<'_>, result: Value, value: Value, axis: usize) {
    for (at, dim) in lowering.shape(result).into_iter().enumerate() {
        if lowering.is_own_symbol(&dim, result) {
            let from = match at {
                _ if at == axis => 0,
                _ if at < axis => at + 1,
                _ => at,
            };
            let extent = lowering.extent(value, from);
            lowering.define_dim(&dim, extent);
        }
    }
}
