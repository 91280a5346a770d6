//! Conversions of `f16` as integer arithmetic, for processors without instructions for them: without functions of a library, and
//! in vectors.
//!
//! The exponent of an `f16` is moved to that of an `f32` by an addition; floating-point additions align the bits of subnormal
//! numbers, and round to them.

use inkwell::IntPredicate;
use inkwell::values::{BasicValueEnum, InstructionOpcode};
use ir::Type;

use crate::function::{Translated, Translator};

/// Bits by which the mantissa of `f32` is longer.
const SHIFT: i64 = 13;
/// All bits of an `f16` but the sign, and its exponent.
const MAGNITUDE: i64 = 0x7fff;
const EXPONENT: i64 = 0x7c00;
const QUIET: i64 = 0x0200;
/// The difference of the exponents' biases, in `f32`.
const REBIAS: i64 = (127 - 15) << 23;
/// The smallest normal `f16`, 2⁻¹⁴, and the smallest power of two that is too large, 2¹⁶, as bits of `f32`.
const SMALLEST_NORMAL: i64 = (127 - 14) << 23;
const TOO_LARGE: i64 = (127 + 16) << 23;
/// The power of two whose unit in the last place is the smallest subnormal `f16`, as bits of `f32`.
const ALIGNED: i64 = (127 - 24 + 23) << 23;
const SIGN: i64 = 1 << 31;
const INFINITY: i64 = 0xff << 23;

impl<'c> Translator<'_, 'c> {
    /// The `f32` equal to an `f16` given by its bits.
    pub(crate) fn f32_of_f16_bits(&self, bits: BasicValueEnum<'c>) -> Translated<BasicValueEnum<'c>> {
        let word = self.lanes_of(bits, &Type::I32)?;
        let constant = |value| self.splat_constant(word, value);
        let with = |opcode, x, value| self.binary(opcode, x, constant(value)?);
        let wide = self.cast(InstructionOpcode::ZExt, bits, word)?;
        let magnitude = with(InstructionOpcode::And, wide, MAGNITUDE)?;
        let shifted = with(InstructionOpcode::Shl, magnitude, SHIFT)?;
        let normal = with(InstructionOpcode::Add, shifted, REBIAS)?;
        let special = with(InstructionOpcode::Add, shifted, 2 * REBIAS)?;
        let subnormal = with(InstructionOpcode::Add, shifted, SMALLEST_NORMAL)?;
        let subnormal = self.add_floats(subnormal, InstructionOpcode::FSub, SMALLEST_NORMAL)?;
        let is_special = self.compare_integers(IntPredicate::UGE, magnitude, constant(EXPONENT)?)?;
        let is_small = self.compare_integers(IntPredicate::ULT, magnitude, constant(1 << 10)?)?;
        let finite = self.select(is_small, subnormal, normal)?;
        let value = self.select(is_special, special, finite)?;
        let sign = self.binary(InstructionOpcode::Sub, wide, magnitude)?;
        let sign = with(InstructionOpcode::Shl, sign, 16)?;
        let value = self.binary(InstructionOpcode::Or, value, sign)?;
        self.cast(InstructionOpcode::BitCast, value, self.lanes_of(bits, &Type::F32)?)
    }

    /// The bits of the `f16` nearest to an `f32`, ties to even; a NaN stays a quiet NaN.
    pub(crate) fn f16_bits_of_f32(&self, x: BasicValueEnum<'c>) -> Translated<BasicValueEnum<'c>> {
        let word = self.lanes_of(x, &Type::I32)?;
        let constant = |value| self.splat_constant(word, value);
        let with = |opcode, x, value| self.binary(opcode, x, constant(value)?);
        let bits = self.cast(InstructionOpcode::BitCast, x, word)?;
        let magnitude = with(InstructionOpcode::And, bits, !SIGN)?;
        let subnormal = self.add_floats(magnitude, InstructionOpcode::FAdd, ALIGNED)?;
        let subnormal = with(InstructionOpcode::Sub, subnormal, ALIGNED)?;
        let shifted = with(InstructionOpcode::LShr, magnitude, SHIFT)?;
        let odd = with(InstructionOpcode::And, shifted, 1)?;
        let biased = with(InstructionOpcode::Sub, magnitude, REBIAS - ((1 << (SHIFT - 1)) - 1))?;
        let rounded = self.binary(InstructionOpcode::Add, biased, odd)?;
        let normal = with(InstructionOpcode::LShr, rounded, SHIFT)?;
        let payload = with(InstructionOpcode::And, shifted, QUIET - 1)?;
        let missing = with(InstructionOpcode::Or, payload, EXPONENT | QUIET)?;
        let is_nan = self.compare_integers(IntPredicate::UGT, magnitude, constant(INFINITY)?)?;
        let special = self.select(is_nan, missing, constant(EXPONENT)?)?;
        let is_special = self.compare_integers(IntPredicate::UGE, magnitude, constant(TOO_LARGE)?)?;
        let is_small = self.compare_integers(IntPredicate::ULT, magnitude, constant(SMALLEST_NORMAL)?)?;
        let finite = self.select(is_small, subnormal, normal)?;
        let value = self.select(is_special, special, finite)?;
        let sign = with(InstructionOpcode::LShr, bits, 16)?;
        let sign = with(InstructionOpcode::And, sign, MAGNITUDE + 1)?;
        let value = self.binary(InstructionOpcode::Or, value, sign)?;
        self.cast(InstructionOpcode::Trunc, value, self.lanes_of(x, &Type::I16)?)
    }

    /// The bits of a sum or difference with a constant, for floats given by their bits.
    fn add_floats(
        &self,
        bits: BasicValueEnum<'c>,
        opcode: InstructionOpcode,
        constant: i64,
    ) -> Translated<BasicValueEnum<'c>> {
        let (word, single) = (bits.get_type(), self.lanes_of(bits, &Type::F32)?);
        let constant = self.cast(InstructionOpcode::BitCast, self.splat_constant(word, constant)?, single)?;
        let value = self.cast(InstructionOpcode::BitCast, bits, single)?;
        self.cast(InstructionOpcode::BitCast, self.binary(opcode, value, constant)?, word)
    }
}
