//! Roundings between functions that commute with them.
//!
//! Operations on narrow floats are computed in wide ones, and each result is rounded, so that between two of them a value is rounded
//! and widened again. Choosing the larger or the smaller of it and a number that needs no rounding may come first, as rounding
//! keeps the order: `max(widen(round(x)), c) = widen(round(max(x, c)))`. Of a chain of operations that end so one rounding is left.

use ir::floats::{decode, encode};
use ir::{Body, FloatType, OpName, Type, Value, constant_float};

use super::emit::Emitter;

impl Emitter<'_> {
    /// What a pure operation gives, if fewer roundings lead to it than its name says.
    pub(super) fn round_later(&mut self, name: &OpName, operands: &[Value], result: &Type) -> Option<Value> {
        match (name.as_str(), operands) {
            // round(widen(x)) = x
            ("arith.truncf", &[wide]) => conversion(&self.body, "arith.extf", wide)
                .filter(|&x| self.body.value_type(x) == result && is_half(result)),
            // max(widen(round(x)), c) = widen(round(max(x, c)))
            ("arith.maximumf" | "arith.minimumf", &[rounded, bound]) => {
                let narrow = conversion(&self.body, "arith.extf", rounded)?;
                let x = conversion(&self.body, "arith.truncf", narrow)?;
                let narrow = self.body.value_type(narrow).clone();
                if self.body.value_type(x) != result || !needs_no_rounding(&self.body, bound, &narrow) {
                    return None;
                }
                let chosen = self.pure(name.clone(), &[x, bound], result.clone(), []);
                let rounded = self.pure("arith.truncf", &[chosen], narrow, []);
                Some(self.pure("arith.extf", &[rounded], result.clone(), []))
            }
            _ => None,
        }
    }
}

/// The operand of the conversion that a value is.
fn conversion(body: &Body, name: &str, value: Value) -> Option<Value> {
    body.defining_op(value).filter(|&op| body.name(op) == name).map(|op| body.operand(op, 0))
}

/// Whether elements are rounded to the nearest, out of range to infinity.
fn is_half(r#type: &Type) -> bool {
    matches!(r#type.element(), Type::Float(FloatType::F16 | FloatType::BF16))
}

/// Whether a value is a number that the elements of a narrower type have, too.
fn needs_no_rounding(body: &Body, value: Value, narrow: &Type) -> bool {
    let scalar = conversion(body, "vector.broadcast", value).unwrap_or(value);
    match (constant_float(body, scalar), narrow.element()) {
        (Some(number), Type::Float(format)) if is_half(narrow) => decode(encode(number, *format), *format) == number,
        _ => false,
    }
}
