//! Results that grow by one element per iteration of a loop, in memory that is part of the module.
//!
//! The number of iterations has a bound, a constant or one that follows from those of extents, so that the memory of all elements is allocated before the loop: each
//! iteration appends in place.

use dialects::arith::CmpIPredicate;
use dialects::{OpCodes, arith, rt, scf};
use ir::{Body, Diagnostic, Location, Op, Value};

use super::{Host, Memory};

impl Host<'_> {
    /// The words of a loop's operands. Those that grow are in new memory.
    pub(super) fn words_of_start(&mut self, repetition: Op) -> ir::Result<Vec<Value>> {
        let operands = self.source.op(repetition).operands().to_vec();
        let mut words = Vec::new();
        for (at, &operand) in operands.iter().enumerate() {
            match appended(&self.source, repetition, at).filter(|_| self.memory == Memory::Static) {
                Some(append) => words.extend(self.new_stack(repetition, append)?),
                None => words.extend(self.words(&[operand])),
            }
        }
        Ok(words)
    }

    /// The address and the extents of an empty tensor with room for all elements that a loop appends.
    fn new_stack(&mut self, repetition: Op, append: Op) -> ir::Result<Vec<Value>> {
        let location = self.source.op(append).location.clone();
        let most = self.most_iterations(repetition).ok_or_else(|| unbounded(&location))?;
        let element = self.source.value_type(rt::Append::of(&self.source, append).element).clone();
        let shape = element.static_shape().ok_or_else(|| {
            let message = "a result that grows from iteration to iteration has no static memory unless its elements have a fixed shape";
            Diagnostic::unsupported(location.clone(), message)
        })?;
        let size = self.size_of(&element, &[], &location)?;
        let (bytes, most) = (self.checked_bytes(size, &location), self.index(most));
        let bytes = self.pure(arith::MULI, &[bytes, most], ir::Type::Index, []);
        let memory = self.static_bytes(bytes, &location)?;
        let extents = [0].into_iter().chain(shape);
        let mut words = vec![self.address(memory)];
        words.extend(extents.map(|extent| self.index(extent)).collect::<Vec<_>>());
        Ok(words)
    }

    /// Records how many elements the results of a loop that grew can have.
    pub(super) fn record_stacks(&mut self, repetition: Op) {
        let Some(most) = self.most_iterations(repetition).filter(|_| self.memory == Memory::Static) else { return };
        for (at, &result) in self.source.op(repetition).results().to_vec().iter().enumerate() {
            if appended(&self.source, repetition, at).is_some() {
                let count = self.words(&[result])[1];
                self.ranges.insert(count, (0, most));
            }
        }
    }

    /// The greatest number of iterations of a loop, if it has a bound.
    fn most_iterations(&self, repetition: Op) -> Option<i64> {
        let limits = limits_of_iterations(&self.source, repetition)?;
        limits.into_iter().filter_map(|limit| self.greatest_count(limit)).min()
    }

    /// The greatest number of iterations below a limit of the source.
    fn greatest_count(&self, limit: Value) -> Option<i64> {
        let known = ir::constant_integer(&self.source, limit);
        let greatest = || self.range(*self.scalars.get(&limit)?).map(|(_, greatest)| greatest);
        known.or_else(greatest).map(|most| most.max(0))
    }
}

fn unbounded(location: &Location) -> Diagnostic {
    let message = "a result that grows from iteration to iteration has no static memory unless the number of iterations has a bound";
    Diagnostic::unsupported(location.clone(), message)
}

/// The operation that appends to a loop's operand in each iteration, if there is one.
fn appended(body: &Body, repetition: Op, operand: usize) -> Option<Op> {
    let block = body.blocks(body.op(repetition).regions()[1])[0];
    let passed = body.operand(body.terminator(block)?, operand);
    let append = body.defining_op(passed).filter(|&op| body.is(op, rt::APPEND))?;
    (rt::Append::of(body, append).tensor == body.arguments(block)[operand]).then_some(append)
}

/// The limits of the number of iterations of a loop that counts from zero in its first operand.
fn limits_of_iterations(body: &Body, repetition: Op) -> Option<Vec<Value>> {
    let [before, after] = [0, 1].map(|region| body.blocks(body.op(repetition).regions()[region])[0]);
    let next = body.operand(body.terminator(after)?, 0);
    let step = body.defining_op(next).filter(|&op| body.is(op, arith::ADDI))?;
    let (counter, distance) = body.sides(step);
    let adds_one = counter == body.arguments(after)[0] && ir::constant_integer(body, distance) == Some(1);
    let counts = adds_one && ir::constant_integer(body, body.operand(repetition, 0)) == Some(0);
    let end = body.terminator(before).filter(|&op| body.is(op, scf::CONDITION))?;
    let scf::Condition { condition, args } = scf::Condition::of(body, end);
    let passes_on = args.first() == body.arguments(before).first();
    (counts && passes_on).then(|| limits(body, condition, body.arguments(before)[0]))
}

/// The values that a condition requires a counter to be below.
fn limits(body: &Body, condition: Value, counter: Value) -> Vec<Value> {
    let Some(op) = body.defining_op(condition) else { return vec![] };
    match *body.op(op).operands() {
        [left, right] if body.is(op, arith::ANDI) => {
            [limits(body, left, counter), limits(body, right, counter)].concat()
        }
        [left, right] if left == counter && body.is(op, arith::CMPI) => {
            let is_below = CmpIPredicate::of(body, op) == Some(CmpIPredicate::Slt);
            if is_below { vec![right] } else { vec![] }
        }
        _ => vec![],
    }
}
