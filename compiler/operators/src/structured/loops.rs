//! Loop and Scan: `scf.while` around the body.
//!
//! Both carry a counter, whether to go on, the values of the body's own, and a tensor for each stacked result, which
//! grows by one element an iteration.

use dialects::onnx::views::{self, View};
use ir::{Block, Op, Type, Value};

use super::blocked::loop_index;
use super::reduction::normalize_axis;
use super::scalars::{Comparison, Scalars};
use super::{Lowering, Unsupported, is_container};

/// A loop as far as Loop and Scan are alike.
struct Repetition {
    /// The body at the graph level.
    body: Block,
    /// The body's arguments for carried values, and what those are at first.
    carried: Vec<(Value, Value)>,
    /// Place of the first carried value among what the body yields; those behind the carried ones are stacked.
    first: usize,
    /// The loop's results that are stacked, and the axis they are stacked along in the end.
    stacked: Vec<(Value, usize)>,
    /// How often the body runs at most.
    limit: Option<Value>,
    /// Whether it runs at all.
    enters: Value,
}

/// Lowers `Loop`.
pub(super) fn lower_loop(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::Loop::of(lowering.source, op);
    let body = lowering.source.blocks(lowering.source.op(op).regions()[0])[0];
    let arguments = lowering.source.arguments(body).to_vec();
    let [counter, condition, carried @ ..] = &arguments[..] else {
        return Err(Unsupported::new("its body takes fewer than two values"));
    };
    let limit = node.m.map(|most| lowering.scalar_index(most));
    let enters = match node.cond {
        Some(condition) => lowering.only_element(condition),
        None => lowering.number(1.0, &Type::I1),
    };
    let results = lowering.source.op(op).results().to_vec();
    let stacked = results[node.v_initial.len()..].iter().map(|&result| (result, 0)).collect();
    let carried = carried.iter().copied().zip(node.v_initial).collect();
    let repetition = Repetition { body, carried, first: 1, stacked, limit, enters };
    let values = repetition.lower(lowering, |lowering, index, goes_on| {
        fill(lowering, *counter, index);
        fill(lowering, *condition, goes_on);
    })?;
    for (&result, value) in results.iter().zip(values) {
        lowering.bind_cast(result, value);
    }
    Ok(())
}

/// Binds a body's argument to a tensor of one number.
fn fill(lowering: &mut Lowering<'_>, argument: Value, number: Value) {
    let (shape, element) = (lowering.shape(argument), lowering.element(argument));
    let number = match lowering.body.value_type(number) {
        Type::Index => lowering.builder().value("arith.index_cast", &[number], element.clone(), []),
        _ => number,
    };
    let value = lowering.pointwise(&[], &shape, element, |_, _| number);
    lowering.bind(argument, value);
}

/// Lowers `Scan`.
pub(super) fn lower_scan(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::Scan::of(lowering.source, op);
    let body = lowering.source.blocks(lowering.source.op(op).regions()[0])[0];
    let arguments = lowering.source.arguments(body).to_vec();
    let operands = node.initial_state_and_scan_inputs;
    let states = usize::try_from(node.num_scan_inputs).ok().and_then(|scanned| operands.len().checked_sub(scanned));
    let states = states.filter(|_| arguments.len() == operands.len());
    let states = states.ok_or_else(|| Unsupported::new("its body takes other values than it is given"))?;
    let entry = |list: &Option<Vec<i64>>, at: usize| list.as_ref().and_then(|list| list.get(at)).copied().unwrap_or(0);
    let mut scanned = Vec::new();
    for (at, &operand) in operands[states..].iter().enumerate() {
        let axis = normalize_axis(entry(&node.scan_input_axes, at), lowering.shape(operand).len())?;
        scanned.push((operand, axis, entry(&node.scan_input_directions, at) == 1));
    }
    let (first, first_axis, _) = *scanned.first().ok_or_else(|| Unsupported::new("it has nothing to scan"))?;
    let count = lowering.shape(first)[first_axis].clone();
    for &(operand, axis, _) in &scanned[1..] {
        let other = lowering.shape(operand)[axis].clone();
        lowering.check_equal(&count, &other, "what is scanned differs in length");
    }
    let results = lowering.source.op(op).results().to_vec();
    let mut stacked = Vec::new();
    for (at, &result) in results[states..].iter().enumerate() {
        let rank = lowering.shape(result).len();
        stacked.push((result, normalize_axis(entry(&node.scan_output_axes, at), rank)?));
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

/// Binds a body's argument to the slice of a tensor at a place along an axis.
fn bind_slice(lowering: &mut Lowering<'_>, argument: Value, operand: Value, axis: usize, at: Value) {
    let (shape, element) = (lowering.shape(argument), lowering.element(argument));
    let tensor = lowering.value(operand);
    let rank = shape.len();
    let value = lowering.pointwise(&[], &shape, element.clone(), |builder, _| {
        let mut places: Vec<Value> = (0..rank).map(|axis| loop_index(builder, axis)).collect();
        places.insert(axis, at);
        let operands: Vec<Value> = std::iter::once(tensor).chain(places).collect();
        builder.value("tensor.extract", &operands, element, [])
    });
    lowering.bind(argument, value);
}

/// Binds a result to a tensor whose first axis is to be another one, from its end on if it has `reversed` elements.
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
        let operands: Vec<Value> = [value, place].into_iter().chain(places).collect();
        builder.value("tensor.extract", &operands, element, [])
    });
    lowering.bind(result, value);
}

/// Says what extents of a result are that only the stacked tensor tells.
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

impl Repetition {
    /// The values carried out of the loop, then the stacked ones along their first axis. `prepare` binds the body's
    /// other arguments to what it is given: the counter, and whether the loop goes on.
    fn lower(
        &self,
        lowering: &mut Lowering<'_>,
        prepare: impl FnOnce(&mut Lowering<'_>, Value, Value),
    ) -> Result<Vec<Value>, Unsupported> {
        let is_known = |argument: Value| {
            is_container(lowering.source.value_type(argument)) || lowering.shapes.shape(argument).is_some()
        };
        if !self.carried.iter().all(|&(argument, _)| is_known(argument)) {
            return Err(Unsupported::new("the rank of a value it carries round is not known"));
        }
        let mut start = vec![lowering.index(0), self.enters];
        for &(argument, initial) in &self.carried {
            let initial = lowering.value(initial);
            start.push(lowering.cast_like(initial, argument));
        }
        for &(result, axis) in &self.stacked {
            start.push(empty_stack(lowering, result, axis));
        }
        let types: Vec<Type> = start.iter().map(|&value| lowering.body.value_type(value).clone()).collect();
        let new = lowering.emit("scf.while", &start, &types, []);
        let [before, after] = [0, 1].map(|_| {
            let region = lowering.body.add_region(new);
            lowering.body.add_block(region, &types)
        });
        lowering.nested(before, |lowering| self.condition(lowering, before));
        lowering.nested(after, |lowering| self.body(lowering, after, prepare));
        Ok(lowering.body.op(new).results()[2..].to_vec())
    }

    /// The loop goes on while it is told to and its limit is not reached.
    fn condition(&self, lowering: &mut Lowering<'_>, block: Block) {
        let values = lowering.body.arguments(block).to_vec();
        let goes_on = match self.limit {
            None => values[1],
            Some(limit) => lowering.scalars(|s| {
                let below = s.compare(Comparison::Less, values[0], limit);
                s.same("arith.andi", &[below, values[1]])
            }),
        };
        let operands: Vec<Value> = std::iter::once(goes_on).chain(values).collect();
        lowering.emit("scf.condition", &operands, &[], []);
    }

    fn body(&self, lowering: &mut Lowering<'_>, block: Block, prepare: impl FnOnce(&mut Lowering<'_>, Value, Value)) {
        let values = lowering.body.arguments(block).to_vec();
        let (index, goes_on) = (values[0], values[1]);
        let (carried, stacks) = values[2..].split_at(self.carried.len());
        for (&(argument, _), &value) in self.carried.iter().zip(carried) {
            lowering.bind(argument, value);
        }
        prepare(lowering, index, goes_on);
        let end = lowering.source.terminator(self.body).expect("a body yields");
        lowering.block(self.body);
        let yields = lowering.source.op(end).operands().to_vec();
        if yields.iter().any(|&value| lowering.is_lost(value)) {
            // reported, so that nobody looks at this
            return;
        }
        let next = lowering.scalars(|s| {
            let one = s.number(1.0, &Type::Index);
            s.add(index, one)
        });
        let goes_on = if self.first == 1 { lowering.only_element(yields[0]) } else { goes_on };
        let mut passed = vec![next, goes_on];
        let (carried, elements) = yields[self.first..].split_at(self.carried.len());
        for (&(argument, _), &value) in self.carried.iter().zip(carried) {
            let value = lowering.value(value);
            passed.push(lowering.cast_like(value, argument));
        }
        for (&stack, &element) in stacks.iter().zip(elements) {
            let element = lowering.value(element);
            let r#type = lowering.body.value_type(stack).clone();
            passed.push(lowering.builder().value("rt.append", &[stack, element], r#type, []));
        }
        lowering.emit("scf.yield", &passed, &[], []);
    }
}

/// A tensor without elements that has the other extents of a stacked result, as far as they are known before the loop.
fn empty_stack(lowering: &mut Lowering<'_>, result: Value, axis: usize) -> Value {
    let mut shape = lowering.shape(result);
    shape.remove(axis);
    let mut extents = vec![None];
    let mut sizes = vec![lowering.index(0)];
    for dim in &shape {
        extents.push(dim.as_constant());
        if dim.as_constant().is_none() {
            sizes.push(if lowering.is_own_symbol(dim, result) { lowering.index(0) } else { lowering.dim(dim) });
        }
    }
    let r#type = Type::tensor(extents, lowering.element(result));
    lowering.builder().value("tensor.empty", &sizes, r#type, [])
}

impl Lowering<'_> {
    /// A tensor under the type that a value of the source has.
    fn cast_like(&mut self, tensor: Value, like: Value) -> Value {
        let r#type = self.lowered_type(like);
        match *self.body.value_type(tensor) == r#type {
            true => tensor,
            false => self.builder().value("tensor.cast", &[tensor], r#type, []),
        }
    }

    /// Binds a result to a tensor that may say less of its shape. What the type says is asserted.
    fn bind_cast(&mut self, result: Value, tensor: Value) {
        let found = self.body.value_type(tensor).shape().unwrap_or_default();
        for (axis, (dim, found)) in self.shape(result).into_iter().zip(found).enumerate() {
            if let (Some(extent), None) = (dim.as_constant(), found) {
                let (known, extent) = (self.index(extent), self.extent(tensor, axis));
                let equal = self.scalars(|s| s.compare(Comparison::Equal, known, extent));
                self.check(equal, format!("extent {axis} of a result is not what its operands say"));
            }
        }
        let value = self.cast_like(tensor, result);
        self.bind(result, value);
    }
}
