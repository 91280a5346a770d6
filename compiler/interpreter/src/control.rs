//! Branches, calls and parallel loops.

use dialects::{OpCode, cf, func, rt};
use ir::{FloatType, Op, Type, Value};
use smallvec::smallvec;

use crate::Bits;
use crate::function::{Executed, Frame, Next, lane};
use crate::integer::low;
use crate::machine::{self, Arguments};

impl<'m> Frame<'_, 'm> {
    pub(crate) fn terminator(&self, op: Op, code: OpCode) -> Executed<Next> {
        let (operands, successors) = (self.body.op(op).operands(), self.body.op(op).successors());
        let next = |successor: usize, arguments: &[Value]| {
            Ok(Next::Block(successors[successor], arguments.iter().map(|&value| self.bits(value).clone()).collect()))
        };
        if code == cf::BR {
            return next(0, operands);
        }
        if code == func::RETURN {
            return Ok(Next::Return(operands.first().map(|&value| self.bits(value).clone())));
        }
        let [&[chooser], first, second] = self.segments(op, "operandSegmentSizes", operands)?[..] else {
            return Err(self.broken(op, "needs three operand segments"));
        };
        if code == cf::COND_BR {
            return if self.word(chooser) == 1 { next(0, first) } else { next(1, second) };
        }
        let cases = self.body.attribute(op, "case_values").and_then(|values| values.as_dense()?.integers());
        let arguments = self.segments(op, "case_operand_segments", second)?;
        let width = lane(self.body.value_type(chooser)).bit_width().unwrap_or(u64::BITS);
        let is_taken = |case: &i64| low(*case as u128, width) == self.bits(chooser)[0];
        match cases.unwrap_or_default().iter().position(is_taken) {
            Some(case) => next(case + 1, arguments[case]),
            None => next(0, first),
        }
    }

    /// Values in segments of the sizes that an attribute has.
    fn segments(&self, op: Op, sizes: &str, mut values: &'m [Value]) -> Executed<Vec<&'m [Value]>> {
        let sizes = self.body.op(op).attributes.integers(sizes).unwrap_or_default();
        let segment = |&size: &i64| values.split_off(..usize::try_from(size).ok()?);
        let segments: Option<_> = sizes.iter().map(segment).collect();
        segments.ok_or_else(|| self.broken(op, "has segments that do not match its operands"))
    }

    pub(crate) fn function_call(&mut self, op: Op) -> Executed<Option<Bits>> {
        let name = self.symbol(op, "callee")?;
        match self.call.interpreter.body(name) {
            Some(body) => {
                let operands = self.body.op(op).operands();
                let arguments: Vec<Bits> = operands.iter().map(|&value| self.bits(value).clone()).collect();
                self.call.function(body, &arguments)
            }
            None => self.runtime_call(op, self.address(op, name)?),
        }
    }

    /// Calls a function of the runtime; small integers are extended by zeros.
    fn runtime_call(&self, op: Op, function: usize) -> Executed<Option<Bits>> {
        let mut arguments = Arguments::default();
        let (mut floats, mut words) = (arguments.floats.iter_mut(), arguments.words.iter_mut());
        for &value in self.body.op(op).operands() {
            let r#type = self.body.value_type(value);
            let is_scalar = r#type.as_vector().is_none() && lane(r#type).bit_width().is_some_and(|bits| bits <= 64);
            let bits = self.word(value);
            let slot = match is_register_float(r#type) {
                true => floats.next().map(|float| *float = f64::from_bits(bits)),
                false => words.next().map(|word| *word = bits),
            };
            slot.filter(|()| is_scalar).ok_or_else(|| self.broken(op, "has arguments that the C ABI does not take"))?;
        }
        let Some(&result) = self.body.op(op).results().first() else {
            machine::call(function, &arguments);
            return Ok(None);
        };
        let r#type = self.body.value_type(result);
        let bits = match is_register_float(r#type) {
            true => machine::call_for_float(function, &arguments),
            false => machine::call(function, &arguments),
        };
        let width = lane(r#type).bit_width().ok_or_else(|| self.unknown(op))?;
        Ok(Some(smallvec![low(bits.into(), width)]))
    }

    /// The second half of the iterations, then the first: results depend neither on the ranges nor on their order.
    pub(crate) fn parallel_for(&mut self, op: Op) -> Executed<Option<Bits>> {
        let name = self.symbol(op, "callee")?;
        let body = self.call.interpreter.body(name).ok_or_else(|| self.broken(op, "has no callee"))?;
        let rt::ParallelFor { environment, count, .. } = rt::ParallelFor::of(self.body, op);
        let (environment, count) = (self.bits(environment).clone(), self.word(count) as i64);
        for [begin, end] in [[count / 2, count], [0, count / 2]] {
            if begin < end {
                let [begin, end] = [begin, end].map(|index| smallvec![index as u128]);
                self.call.function(body, &[environment.clone(), begin, end])?;
            }
        }
        Ok(None)
    }
}

/// Whether the C ABI has values of this type in registers for floats.
fn is_register_float(r#type: &Type) -> bool {
    matches!(r#type, Type::Float(FloatType::F32 | FloatType::F64))
}
