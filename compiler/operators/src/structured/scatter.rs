//! Scattering, seen from the result: each element looks for the updates that are meant for it.
//!
//! The loops over updates run in order, so the last of several wins. Indices out of bounds are asserted not to occur;
//! they would be meant for no element.

use ir::{AffineExpr, AffineMap, DimExpr, Op, Type, Value};

use super::blocked::loop_index;
use super::gather::{as_index, assert_bounds, assert_component, component_of};
use super::reduction::{Combine, Shaped, normalize_axis};
use super::scalars::{Comparison, Scalars};
use super::{Lowering, Unsupported};
use dialects::linalg::generic::{Input, Iterator};

/// Lowers an operator that places elements by index.
pub(super) fn lower(lowering: &mut Lowering<'_>, op: Op, name: &str) -> Result<(), Unsupported> {
    match name {
        "ScatterElements" => scatter_elements(lowering, op),
        "ScatterND" => scatter_nd(lowering, op),
        _ => tensor_scatter(lowering, op),
    }
}

/// How an update joins the element it is meant for; `None` replaces it.
fn reduction(lowering: &Lowering<'_>, op: Op) -> Option<Combine> {
    match lowering.source.op(op).attributes.str("reduction") {
        Some("add") => Some(Combine::Add),
        Some("mul") => Some(Combine::Mul),
        Some("max") => Some(Combine::Max),
        Some("min") => Some(Combine::Min),
        _ => None,
    }
}

/// The element with an update, if the update is meant for it.
fn updated(s: &mut Scalars<'_, '_>, combine: Option<Combine>, hit: Value, element: Value, update: Value) -> Value {
    let joined = combine.map_or(update, |combine| combine.apply(s, element, update));
    s.select(hit, joined, element)
}

/// Whether an index, counted from the end when negative, is a place.
fn is_place(s: &mut Scalars<'_, '_>, index: Value, extent: Value, place: Value) -> Value {
    let index = as_index(s, index);
    let zero = s.number(0.0, &Type::Index);
    let negative = s.compare(Comparison::Less, index, zero);
    let from_end = s.add(index, extent);
    let index = s.select(negative, from_end, index);
    s.compare(Comparison::Equal, index, place)
}

/// A tensor of which only the extent matters: how far a loop over updates runs.
fn counter(lowering: &mut Lowering<'_>, count: &DimExpr) -> Value {
    lowering.empty(std::slice::from_ref(count), Type::I8)
}

fn scatter_elements(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let (data, indices, updates) = (operation.operands()[0], operation.operands()[1], operation.operands()[2]);
    let (data, picks) = (lowering.shaped(data), lowering.shaped(indices));
    let rank = data.shape.len();
    let axis = normalize_axis(operation.attributes.integer("axis").unwrap_or(0), rank)?;
    assert_bounds(lowering, indices, &data.shape[axis], "ScatterElements");
    let own = lowering.shape(updates);
    for (index, update) in picks.shape.iter().zip(&own) {
        lowering.check_equal(index, update, "indices and updates of ScatterElements differ in shape");
    }
    let updates = lowering.value(updates);
    let element = lowering.element(operation.operands()[0]);
    let unsigned = lowering.is_unsigned(operation.operands()[0]);
    let combine = reduction(lowering, op);
    // without updates nothing is read, whichever axis is empty
    let (count, extent) = (lowering.dim(&DimExpr::product(&picks.shape)), lowering.dim(&picks.shape[axis]));
    let count = lowering.scalars(|s| s.min(count, extent));
    let count = lowering.named_dim(count);
    let limits: Vec<Value> = picks.shape.iter().map(|dim| lowering.dim(dim)).collect();
    let extent = lowering.dim(&data.shape[axis]);
    let inputs = [Input { value: counter(lowering, &count), map: AffineMap::select(rank + 1, &[rank]) }];
    let mut kinds = vec![Iterator::Parallel; rank + 1];
    kinds[rank] = Iterator::Reduction;
    let order: Vec<usize> = (0..rank).collect();
    let output = AffineMap::select(rank + 1, &order);
    let init = lowering.map(&[&data], &data.shape, element.clone(), |_, e| e[0]);
    let index_element = lowering.body.value_type(picks.value).element().clone();
    let value = lowering.generic_onto(&inputs, init.value, output, &kinds, |builder, e| {
        let mut inside: Option<Value> = None;
        let mut at = Vec::new();
        for (d, &limit) in limits.iter().enumerate() {
            if d == axis {
                at.push(loop_index(builder, rank));
                continue;
            }
            let index = loop_index(builder, d);
            let mut s = Scalars { builder, unsigned: false };
            let one = s.number(1.0, &Type::Index);
            let last = s.sub(limit, one);
            at.push(s.min(index, last));
            let below = s.compare(Comparison::Less, index, limit);
            inside = Some(inside.map_or(below, |all| s.same("arith.andi", &[all, below])));
        }
        let read = |tensor: Value| -> Vec<Value> { std::iter::once(tensor).chain(at.iter().copied()).collect() };
        let index = builder.value("tensor.extract", &read(picks.value), index_element, []);
        let update = builder.value("tensor.extract", &read(updates), element, []);
        let place = loop_index(builder, axis);
        let mut s = Scalars { builder, unsigned: false };
        let hit = is_place(&mut s, index, extent, place);
        let hit = inside.map_or(hit, |inside| s.same("arith.andi", &[hit, inside]));
        s.unsigned = unsigned;
        updated(&mut s, combine, hit, e[1], update)
    });
    lowering.bind(operation.results()[0], value);
    Ok(())
}

fn scatter_nd(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let data = lowering.shaped(operation.operands()[0]);
    let picks = lowering.shaped(operation.operands()[1]);
    let updates = lowering.shaped(operation.operands()[2]);
    let element = lowering.element(operation.operands()[0]);
    let unsigned = lowering.is_unsigned(operation.operands()[0]);
    let combine = reduction(lowering, op);
    let (rank, outer) = (data.shape.len(), picks.shape.len() - 1);
    let depth = picks.shape[outer].as_constant();
    let depth = depth.ok_or_else(|| Unsupported::new("the length of its index tuples is not known"))? as usize;
    let wanted = picks.shape[..outer].iter().chain(&data.shape[depth..]);
    for (own, wanted) in updates.shape.iter().zip(wanted) {
        lowering.check_equal(own, wanted, "the updates of ScatterND do not fit its indices and data");
    }
    for component in 0..depth {
        let part = component_of(lowering, &picks, component);
        assert_component(lowering, &part, &data.shape[component], "ScatterND");
    }
    let extents: Vec<Value> = data.shape[..depth].iter().map(|dim| lowering.dim(dim)).collect();
    let loops = rank + outer;
    let dim = |index: usize| AffineExpr::Dim(index as u32);
    let tuple = |last: AffineExpr| (rank..loops).map(dim).chain([last]).collect();
    let mut inputs: Vec<Input> = (0..depth)
        .map(|component| {
            let map = AffineMap::new(loops as u32, tuple(AffineExpr::Constant(component as i64)));
            Input { value: picks.value, map }
        })
        .collect();
    let update: Vec<AffineExpr> = (rank..loops).chain(depth..rank).map(dim).collect();
    inputs.push(Input { value: updates.value, map: AffineMap::new(loops as u32, update) });
    let mut kinds = vec![Iterator::Parallel; loops];
    kinds[rank..].fill(Iterator::Reduction);
    let order: Vec<usize> = (0..rank).collect();
    let init = lowering.map(&[&data], &data.shape, element, |_, e| e[0]);
    let output = AffineMap::select(loops, &order);
    let value = lowering.generic_onto(&inputs, init.value, output, &kinds, |builder, e| {
        let mut hit: Option<Value> = None;
        for component in 0..depth {
            let place = loop_index(builder, component);
            let mut s = Scalars { builder, unsigned: false };
            let here = is_place(&mut s, e[component], extents[component], place);
            hit = Some(hit.map_or(here, |all| s.same("arith.andi", &[all, here])));
        }
        let mut s = Scalars { builder, unsigned };
        match hit {
            Some(hit) => updated(&mut s, combine, hit, e[depth + 1], e[depth]),
            None => combine.map_or(e[depth], |combine| combine.apply(&mut s, e[depth + 1], e[depth])),
        }
    });
    lowering.bind(operation.results()[0], value);
    Ok(())
}

/// A run of updates along an axis from an index a batch on, in a circle if that is the mode.
fn tensor_scatter(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let past = lowering.shaped(operation.operands()[0]);
    let updates = lowering.shaped(operation.operands()[1]);
    let rank = past.shape.len();
    let axis = normalize_axis(operation.attributes.integer("axis").unwrap_or(-2), rank)?;
    let circular = operation.attributes.str("mode") == Some("circular");
    for (_, (own, wanted)) in updates.shape.iter().zip(&past.shape).enumerate().filter(|(at, _)| *at != axis) {
        lowering.check_equal(own, wanted, "update and cache of TensorScatter differ in shape");
    }
    let element = lowering.element(operation.operands()[0]);
    let starts = lowering.operand(op, 2).map(|starts| lowering.value(starts));
    let (extent, count) = (lowering.dim(&past.shape[axis]), lowering.dim(&updates.shape[axis]));
    let some = lowering.scalars(|s| {
        let zero = s.number(0.0, &Type::Index);
        s.compare(Comparison::Greater, count, zero)
    });
    lowering.check(some, "the update of TensorScatter is empty");
    let mut inputs = vec![Input { value: past.value, map: AffineMap::identity(rank) }];
    inputs.extend(starts.map(|value| Input { value, map: AffineMap::select(rank, &[0]) }));
    let value = lowering.pointwise(&inputs, &past.shape, element.clone(), |builder, e| {
        let mut at: Vec<Value> = (0..rank).map(|axis| loop_index(builder, axis)).collect();
        let mut s = Scalars { builder, unsigned: false };
        let zero = s.number(0.0, &Type::Index);
        let start = e.get(1).map_or(zero, |&start| as_index(&mut s, start));
        let mut position = s.sub(at[axis], start);
        if circular {
            let rest = s.same("arith.remsi", &[position, extent]);
            let negative = s.compare(Comparison::Less, rest, zero);
            let wrapped = s.add(rest, extent);
            position = s.select(negative, wrapped, rest);
        }
        let (from, to) =
            (s.compare(Comparison::GreaterOrEqual, position, zero), s.compare(Comparison::Less, position, count));
        let hit = s.same("arith.andi", &[from, to]);
        let (one, past) = (s.number(1.0, &Type::Index), e[0]);
        let last = s.sub(count, one);
        let capped = s.min(position, last);
        at[axis] = s.max(capped, zero);
        let operands: Vec<Value> = std::iter::once(updates.value).chain(at).collect();
        let update = s.builder.value("tensor.extract", &operands, element, []);
        s.select(hit, update, past)
    });
    lowering.bind(operation.results()[0], value);
    Ok(())
}

/// Lowers `ReverseSequence`: the first elements of each batch in reverse order.
pub(super) fn reverse_sequence(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let input: Shaped = lowering.shaped(operation.operands()[0]);
    let lengths = lowering.value(operation.operands()[1]);
    let rank = input.shape.len();
    let batch = normalize_axis(operation.attributes.integer("batch_axis").unwrap_or(1), rank)?;
    let time = normalize_axis(operation.attributes.integer("time_axis").unwrap_or(0), rank)?;
    let own = lowering.shape(operation.operands()[1]);
    lowering.check_equal(&own[0], &input.shape[batch], "ReverseSequence needs one length for each batch");
    let element = lowering.element(operation.operands()[0]);
    let extent = lowering.dim(&input.shape[time]);
    let inputs = [Input { value: lengths, map: AffineMap::select(rank, &[batch]) }];
    let value = lowering.pointwise(&inputs, &input.shape, element.clone(), |builder, e| {
        let mut at: Vec<Value> = (0..rank).map(|axis| loop_index(builder, axis)).collect();
        let mut s = Scalars { builder, unsigned: false };
        let (zero, one) = (s.number(0.0, &Type::Index), s.number(1.0, &Type::Index));
        let length = as_index(&mut s, e[0]);
        let length = s.min(length, extent);
        let reversed = s.compare(Comparison::Less, at[time], length);
        let last = s.sub(length, one);
        let mirrored = s.sub(last, at[time]);
        let mirrored = s.max(mirrored, zero);
        at[time] = s.select(reversed, mirrored, at[time]);
        let operands: Vec<Value> = std::iter::once(input.value).chain(at).collect();
        s.builder.value("tensor.extract", &operands, element, [])
    });
    lowering.bind(operation.results()[0], value);
    Ok(())
}
