//! Shared code of Loop and Scan: `scf.while` around the body.
//!
//! Both carry a counter, the condition, the body's carried values, and a tensor for each stacked result, which grows by
//! one element per iteration.

use dialects::{arith, rt, scf, tensor};
use ir::{Block, Type, Value};

use super::scalars::Comparison;
use super::{Lowering, Unsupported, is_container};

/// The common part of Loop and Scan.
pub(crate) struct Repetition {
    /// The body at the graph level.
    pub(crate) body: Block,
    /// The body's arguments for carried values, and their initial values.
    pub(crate) carried: Vec<(Value, Value)>,
    /// The index of the first carried value among those that the body yields; those after the carried ones are stacked.
    pub(crate) first: usize,
    /// The loop's stacked results, and the axis of the final result that they are stacked along.
    pub(crate) stacked: Vec<(Value, usize)>,
    /// The maximum number of iterations.
    pub(crate) limit: Option<Value>,
    /// Whether the first iteration runs.
    pub(crate) enters: Value,
}

impl Repetition {
    /// The values carried out of the loop, then the stacked ones along their first axis. `prepare` binds the body's
    /// other arguments, given the counter and the condition.
    pub(crate) fn lower(
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
        self.check_stacked(lowering)?;
        let mut start = vec![lowering.index(0), self.enters];
        for &(argument, initial) in &self.carried {
            let initial = lowering.value(initial);
            start.push(lowering.cast_like(initial, argument));
        }
        for &(result, axis) in &self.stacked {
            start.push(empty_stack(lowering, result, axis));
        }
        let types: Vec<Type> = start.iter().map(|&value| lowering.body.value_type(value).clone()).collect();
        let new = lowering.emit(scf::WHILE, &start, &types, []);
        let [before, after] = [0, 1].map(|_| {
            let region = lowering.body.add_region(new);
            lowering.body.add_block(region, &types)
        });
        lowering.nested(before, |lowering| self.condition(lowering, before));
        lowering.nested(after, |lowering| self.body(lowering, after, prepare));
        Ok(lowering.body.op(new).results()[2..].to_vec())
    }

    /// Checks that a stacked result has one axis more than the yielded value.
    fn check_stacked(&self, lowering: &Lowering<'_>) -> Result<(), Unsupported> {
        let end = lowering.source.terminator(self.body).expect("a body yields");
        let elements = lowering.source.op(end).operands().iter().skip(self.first + self.carried.len());
        for (&(result, axis), &element) in self.stacked.iter().zip(elements) {
            let [stacked, each] = [result, element].map(|value| lowering.shapes.shape(value).map(<[_]>::len));
            if each.is_none() || stacked != each.map(|rank| rank + 1) || stacked.is_some_and(|rank| axis >= rank) {
                return Err(Unsupported::new("the rank of its body's values does not match a result that stacks them"));
            }
        }
        Ok(())
    }

    /// The loop continues while its condition holds and its limit is not reached.
    fn condition(&self, lowering: &mut Lowering<'_>, block: Block) {
        let values = lowering.body.arguments(block).to_vec();
        let condition = match self.limit {
            None => values[1],
            Some(limit) => lowering.scalars(|s| {
                let below = s.compare(Comparison::Less, values[0], limit);
                s.same(arith::ANDI, &[below, values[1]])
            }),
        };
        lowering.builder().create_from(scf::Condition { condition, args: &values }, &[], []);
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
            // reported, so that this is not read
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
            passed.push(lowering.builder().value_from(rt::Append { tensor: stack, element }, r#type, []));
        }
        lowering.emit(scf::YIELD, &passed, &[], []);
    }
}

/// A tensor without elements with the other extents of a stacked result, as far as they are known before the loop.
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
    lowering.builder().value_from(tensor::Empty { sizes: &sizes }, r#type, [])
}

impl Lowering<'_> {
    /// A tensor cast to the type of a source value.
    pub(crate) fn cast_like(&mut self, tensor: Value, like: Value) -> Value {
        let r#type = self.lowered_type(like);
        match *self.body.value_type(tensor) == r#type {
            true => tensor,
            false => self.builder().value(tensor::CAST, &[tensor], r#type, []),
        }
    }

    /// Binds a result to a tensor whose type may be less specific. The result's type is asserted.
    pub(crate) fn bind_cast(&mut self, result: Value, tensor: Value) {
        let found = self.body.value_type(tensor).shape().unwrap_or_default();
        for (axis, (dim, found)) in self.shape(result).into_iter().zip(found).enumerate() {
            if let (Some(extent), None) = (dim.as_constant(), found) {
                let (known, extent) = (self.index(extent), self.extent(tensor, axis));
                let equal = self.scalars(|s| s.compare(Comparison::Equal, known, extent));
                self.check(equal, format!("extent {axis} of a result differs from the one computed from its operands"));
            }
        }
        let value = self.cast_like(tensor, result);
        self.bind(result, value);
    }
}
