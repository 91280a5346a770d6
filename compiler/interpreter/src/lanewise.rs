//! Operations that work lane by lane, and constants.

use dialects::arith::{CmpFPredicate, CmpIPredicate};
use dialects::{OpCode, arith, vector};
use ir::{Attribute, FloatType, Op, Type, Value};
use smallvec::{SmallVec, smallvec};

use crate::function::{Executed, Frame, lane, lane_count};
use crate::integer::low;
use crate::{Bits, float, integer};

impl Frame<'_, '_> {
    /// Applies a function to the bits of each lane, given the type of the first operand's lanes; a scalar is in every
    /// lane.
    pub(crate) fn lanewise(&self, op: Op, apply: impl Fn(&Type, &[u128]) -> Option<u128>) -> Executed<Bits> {
        let operands = self.body.op(op).operands();
        let from = lane(self.body.value_type(operands[0]));
        let one = |at: usize| {
            let bits = |&value: &Value| {
                let bits = self.bits(value);
                if bits.len() == 1 { bits[0] } else { bits[at] }
            };
            let x: SmallVec<[u128; 3]> = operands.iter().map(bits).collect();
            apply(from, &x)
        };
        (0..self.result_lanes(op)).map(one).collect::<Option<Bits>>().ok_or_else(|| self.unknown(op))
    }

    pub(crate) fn arithmetic(&self, op: Op, code: OpCode) -> Executed<Bits> {
        self.lanewise(op, |from, x| compute(code, from, x))
    }

    /// A minimum or maximum; for two zeros, a bound that is a constant is not the result.
    pub(crate) fn extreme(&self, op: Op, code: OpCode) -> Executed<Bits> {
        let operands = self.body.op(op).operands();
        let is_bound = |&at: &usize| vector::constant_float(self.body, operands[at]).is_some_and(|x| !x.is_nan());
        let Some(bound) = [1, 0].into_iter().find(is_bound) else { return self.arithmetic(op, code) };
        let wins = if code == arith::MAXIMUMF { CmpFPredicate::Ogt } else { CmpFPredicate::Olt };
        self.lanewise(op, |from, x| {
            let (bound, other) = (x[bound], x[1 - bound]);
            let format = format(from)?;
            let bound_wins = float::compare(wins, float::value(bound, format), float::value(other, format));
            Some(if bound_wins { bound } else { other })
        })
    }

    pub(crate) fn compare_integers(&self, op: Op) -> Executed<Bits> {
        let predicate = CmpIPredicate::of(self.body, op).ok_or_else(|| self.broken(op, "has no predicate"))?;
        self.lanewise(op, |from, x| Some(integer::compare(predicate, from.bit_width()?, x[0], x[1]).into()))
    }

    pub(crate) fn compare_floats(&self, op: Op) -> Executed<Bits> {
        let predicate = CmpFPredicate::of(self.body, op).ok_or_else(|| self.broken(op, "has no predicate"))?;
        self.lanewise(op, |from, x| {
            let [x, y] = [x[0], x[1]].map(|bits| Some(float::value(bits, format(from)?)));
            Some(float::compare(predicate, x?, y?).into())
        })
    }

    pub(crate) fn constant(&self, op: Op) -> Executed<Bits> {
        let r#type = self.result_type(op);
        let width = lane(r#type).bit_width().ok_or_else(|| self.unknown(op))?;
        let bits = match self.body.attribute(op, "value") {
            Some(Attribute::Dense(elements)) => {
                let bits = |at: usize| low(little_endian(elements.element_bytes(at)), width);
                Some((0..lane_count(r#type)).map(bits).collect())
            }
            Some(Attribute::Float(bits, _)) => {
                format(r#type).map(|format| smallvec![float::round(f64::from_bits(*bits), format)])
            }
            Some(other) => other.as_integer().map(|value| smallvec![low(value as u128, width)]),
            None => None,
        };
        bits.ok_or_else(|| self.broken(op, "has no value of its type"))
    }
}

/// An operation on the bits of scalars of one type; `None` if they do not have it.
pub(crate) fn compute(code: OpCode, r#type: &Type, x: &[u128]) -> Option<u128> {
    match r#type {
        Type::Float(format) => float::compute(code, *format, x),
        _ => integer::compute(code, r#type.bit_width()?, x),
    }
}

/// The format of floats.
fn format(r#type: &Type) -> Option<FloatType> {
    if let Type::Float(format) = r#type.element() { Some(*format) } else { None }
}

fn little_endian(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u128::from(byte))
}
