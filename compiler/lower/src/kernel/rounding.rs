//! Roundings between functions that commute with them.
//!
//! Operations on narrow floats are computed in wide ones, and each result is rounded, so that between two of them a value is rounded
//! and widened again. Choosing the larger or the smaller of it and a number that needs no rounding may come first, as rounding
//! keeps the order: `max(widen(round(x)), c) = widen(round(max(x, c)))`. Of a chain of operations that end so one rounding is left.

use dialects::{OpCode, OpCodes, arith, vector};
use ir::floats::{decode, encode};
use ir::{Body, FloatType, OpName, Type, Value, constant_float};

use super::emit::Emitter;

impl Emitter<'_> {
    /// What a pure operation gives, if fewer roundings lead to it than its name says.
    pub(super) fn round_later(&mut self, name: &OpName, operands: &[Value], result: &Type) -> Option<Value> {
        match (OpCode::of_name(name)?, operands) {
            // round(widen(x)) = x
            (arith::TRUNCF, &[wide]) => conversion(&self.body, arith::EXTF, wide)
                .filter(|&x| self.body.value_type(x) == result && is_half(result)),
            // max(widen(round(x)), c) = widen(round(max(x, c)))
            (arith::MAXIMUMF | arith::MINIMUMF, &[rounded, bound]) => {
                let narrow = conversion(&self.body, arith::EXTF, rounded)?;
                let x = conversion(&self.body, arith::TRUNCF, narrow)?;
                let narrow = self.body.value_type(narrow).clone();
                if self.body.value_type(x) != result || !needs_no_rounding(&self.body, bound, &narrow) {
                    return None;
                }
                let chosen = self.pure(name.clone(), &[x, bound], result.clone(), []);
                let rounded = self.pure(arith::TRUNCF, &[chosen], narrow, []);
                Some(self.pure(arith::EXTF, &[rounded], result.clone(), []))
            }
            _ => None,
        }
    }
}

/// The operand of the conversion that a value is.
fn conversion(body: &Body, code: OpCode, value: Value) -> Option<Value> {
    body.defining_op(value).filter(|&op| body.is(op, code)).map(|op| body.operand(op, 0))
}

/// Whether elements are rounded to the nearest, out of range to infinity.
fn is_half(r#type: &Type) -> bool {
    matches!(r#type.element(), Type::Float(FloatType::F16 | FloatType::BF16))
}

/// Whether a value is a number that the elements of a narrower type have, too.
fn needs_no_rounding(body: &Body, value: Value, narrow: &Type) -> bool {
    let scalar = conversion(body, vector::BROADCAST, value).unwrap_or(value);
    match (constant_float(body, scalar), narrow.element()) {
        (Some(number), Type::Float(format)) if is_half(narrow) => decode(encode(number, *format), *format) == number,
        _ => false,
    }
}
