//! Results that grow by one element per iteration of a loop, in memory that is part of the module.
//!
//! The maximum number of iterations is a constant, so that the memory of all elements is allocated before the loop: each
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
        let most = most_iterations(&self.source, repetition).ok_or_else(|| unbounded(&location))?;
        let element = self.source.value_type(rt::Append::of(&self.source, append).element).clone();
        let shape = element.static_shape().ok_or_else(|| unbounded(&location))?;
        let size = self.size_of(&element, &[], &location)?;
        let (bytes, most) = (self.checked_bytes(size, &location), self.index(most));
        let bytes = self.pure(arith::MULI, &[bytes, most], ir::Type::Index, []);
        let memory = self.static_bytes(bytes, &location)?;
        let extents = [0].into_iter().chain(shape);
        let mut words = vec![self.address(memory)];
        words.extend(extents.map(|extent| self.index(extent)).collect::<Vec<_>>());
        Ok(words)
    }
}

fn unbounded(location: &Location) -> Diagnostic {
    let message =
        "a result that grows from iteration to iteration has no static memory unless the number of iterations is known";
    Diagnostic::unsupported(location.clone(), message)
}

/// The operation that appends to a loop's operand in each iteration, if there is one.
fn appended(body: &Body, repetition: Op, operand: usize) -> Option<Op> {
    let block = body.blocks(body.op(repetition).regions()[1])[0];
    let passed = body.operand(body.terminator(block)?, operand);
    let append = body.defining_op(passed).filter(|&op| body.is(op, rt::APPEND))?;
    (rt::Append::of(body, append).tensor == body.arguments(block)[operand]).then_some(append)
}

/// The maximum number of iterations of a loop that counts from zero in its first operand, if it is a constant.
fn most_iterations(body: &Body, repetition: Op) -> Option<i64> {
    let [before, after] = [0, 1].map(|region| body.blocks(body.op(repetition).regions()[region])[0]);
    let next = body.operand(body.terminator(after)?, 0);
    let step = body.defining_op(next).filter(|&op| body.is(op, arith::ADDI))?;
    let (counter, distance) = body.sides(step);
    let adds_one = counter == body.arguments(after)[0] && ir::constant_integer(body, distance) == Some(1);
    let counts = adds_one && ir::constant_integer(body, body.operand(repetition, 0)) == Some(0);
    let end = body.terminator(before).filter(|&op| body.is(op, scf::CONDITION))?;
    let scf::Condition { condition, args } = scf::Condition::of(body, end);
    let passes_on = args.first() == body.arguments(before).first();
    let limit = limit(body, condition, body.arguments(before)[0])?;
    (counts && passes_on).then_some(limit.max(0))
}

/// The constant that a condition requires a counter to be below.
fn limit(body: &Body, condition: Value, counter: Value) -> Option<i64> {
    let op = body.defining_op(condition)?;
    let operands = [0, 1].map(|at| body.op(op).operands().get(at).copied());
    let [Some(left), Some(right)] = operands else { return None };
    if body.is(op, arith::ANDI) {
        return limit(body, left, counter).or_else(|| limit(body, right, counter));
    }
    let is_below = body.is(op, arith::CMPI) && CmpIPredicate::of(body, op) == Some(CmpIPredicate::Slt);
    ir::constant_integer(body, right).filter(|_| is_below && left == counter)
}
