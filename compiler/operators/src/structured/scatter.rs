//! TensorScatter and ReverseSequence, seen from the result: each element finds the one that comes there.

use ir::{Op, Type, Value};

use super::blocked::loop_index;
use super::gather::as_index;
use super::reduction::{Shaped, normalize_axis};
use super::scalars::{Comparison, Scalars};
use super::{Lowering, Unsupported};
use dialects::linalg::generic::Input;
use ir::AffineMap;

/// A run of updates along an axis from an index a batch on, in a circle if that is the mode.
pub(super) fn tensor_scatter(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
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
