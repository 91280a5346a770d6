//! Rounding to integers as arithmetic, for processors without instructions for it.
//!
//! A float at least as large as 2²³ (2⁵² for `f64`) is an integer. Below, adding this power of two rounds to nearest, ties to even.

use dialects::{OpCode, math};
use inkwell::FloatPredicate;
use inkwell::values::{BasicValueEnum, InstructionOpcode};

use crate::function::{Translated, Translator};

/// The direction of rounding.
#[derive(Clone, Copy)]
pub(crate) enum Rounding {
    Even,
    Down,
    Up,
    ToZero,
}

impl Rounding {
    /// That of an operation.
    pub(crate) fn of(code: OpCode) -> Option<Rounding> {
        match code {
            math::ROUNDEVEN => Some(Rounding::Even),
            math::FLOOR => Some(Rounding::Down),
            math::CEIL => Some(Rounding::Up),
            math::TRUNC => Some(Rounding::ToZero),
            _ => None,
        }
    }
}

impl<'c> Translator<'_, 'c> {
    /// A number, or each number of a vector, rounded to an integer; zeros keep their sign, also those that numbers round to.
    pub(crate) fn rounded(
        &self,
        rounding: Rounding,
        x: BasicValueEnum<'c>,
        is_double: bool,
    ) -> Translated<BasicValueEnum<'c>> {
        let r#type = x.get_type();
        let size = self.intrinsic("llvm.fabs", &[r#type], &[x])?;
        let limit = self.splat_float(x, if is_double { 52f64 } else { 23f64 }.exp2(), is_double)?;
        let (zero, one) = (self.splat_float(x, 0.0, is_double)?, self.splat_float(x, 1.0, is_double)?);
        let sum = self.binary(InstructionOpcode::FAdd, size, limit)?;
        let near = self.binary(InstructionOpcode::FSub, sum, limit)?;
        let to_size = |excess: FloatPredicate, opcode: InstructionOpcode| {
            let exceeds = self.compare_floats(excess, near, size)?;
            let step = self.select(exceeds, one, zero)?;
            self.binary(opcode, near, step)
        };
        let lower = || to_size(FloatPredicate::OGT, InstructionOpcode::FSub);
        let upper = || to_size(FloatPredicate::OLT, InstructionOpcode::FAdd);
        let by_sign = |negative: BasicValueEnum<'c>, positive: BasicValueEnum<'c>| {
            let is_negative = self.compare_floats(FloatPredicate::OLT, x, zero)?;
            self.select(is_negative, negative, positive)
        };
        let integer = match rounding {
            Rounding::Even => near,
            Rounding::ToZero => lower()?,
            Rounding::Down => by_sign(upper()?, lower()?)?,
            Rounding::Up => by_sign(lower()?, upper()?)?,
        };
        let integer = self.intrinsic("llvm.copysign", &[r#type], &[integer, x])?;
        // false for NaN
        let has_fraction = self.compare_floats(FloatPredicate::OLT, size, limit)?;
        self.select(has_fraction, integer, x)
    }
}
