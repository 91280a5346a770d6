//! Removes roundings between operations that commute with them.
//!
//! Operations on narrow floats are computed in wider ones, and each result is rounded, so that between two of them a
//! value is rounded and widened again. A maximum or minimum with an exactly representable number commutes with
//! rounding, which is monotonic: `max(widen(round(x)), c) = widen(round(max(x, c)))`. So one rounding remains in a
//! chain that ends in such operations.

use dialects::{OpCode, OpCodes, arith, vector};
use ir::floats::{decode, encode};
use ir::{Body, FloatType, OpName, Type, Value, constant_float};

use super::emit::Emitter;

impl Emitter<'_> {
    /// The result of a pure operation with fewer roundings, if possible.
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

/// The operand of a conversion.
fn conversion(body: &Body, code: OpCode, value: Value) -> Option<Value> {
    body.defining_op(value).filter(|&op| body.is(op, code)).map(|op| body.sole_operand(op))
}

/// Whether the type is f16 or bf16, with rounding to nearest and overflow to infinity.
fn is_half(r#type: &Type) -> bool {
    matches!(r#type.element(), Type::Float(FloatType::F16 | FloatType::BF16))
}

/// Whether a value is a constant that the narrower type represents exactly.
fn needs_no_rounding(body: &Body, value: Value, narrow: &Type) -> bool {
    let scalar = conversion(body, vector::BROADCAST, value).unwrap_or(value);
    match (constant_float(body, scalar), narrow.element()) {
        (Some(number), Type::Float(format)) if is_half(narrow) => decode(encode(number, *format), *format) == number,
        _ => false,
    }
}
