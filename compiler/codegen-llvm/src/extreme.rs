//! Minimum and maximum of floats, for processors whose instructions differ from IEEE 754.
//!
//! The x86 instruction returns its second operand if one is NaN or both are zeros. With the operands in both orders,
//! the results differ only in these cases: for two zeros the bits of both determine the result, and a NaN is inserted.
//! No comparison depends on the result of another one, so that the latency in a chain is short.

use dialects::{OpCode, arith, vector};
use inkwell::FloatPredicate;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{BasicValueEnum, InstructionOpcode, VectorValue};

use crate::function::{Failure, Translated, Translator};

/// Minimum or maximum.
#[derive(Clone, Copy)]
pub(crate) enum Extreme {
    Largest,
    Smallest,
}

impl Extreme {
    /// That of an operation.
    pub(crate) fn of(code: OpCode) -> Option<Extreme> {
        match code {
            arith::MAXIMUMF => Some(Extreme::Largest),
            arith::MINIMUMF => Some(Extreme::Smallest),
            _ => None,
        }
    }

    /// That of a kind of reduction.
    pub(crate) fn of_kind(kind: &str) -> Option<Extreme> {
        Extreme::of(vector::combining_operation(kind, true)?)
    }
}

impl<'c> Translator<'_, 'c> {
    /// The extreme of two numbers or, lane by lane, of two vectors: NaN if one is, and -0 is smaller than 0.
    pub(crate) fn extreme(
        &self,
        extreme: Extreme,
        x: BasicValueEnum<'c>,
        y: BasicValueEnum<'c>,
    ) -> Translated<BasicValueEnum<'c>> {
        let r#type = x.get_type();
        let (better, join) = match extreme {
            Extreme::Largest => (FloatPredicate::OGT, InstructionOpcode::And),
            Extreme::Smallest => (FloatPredicate::OLT, InstructionOpcode::Or),
        };
        let (x_better, y_better) = (self.compare_floats(better, x, y)?, self.compare_floats(better, y, x)?);
        let (one, other) = (self.select(x_better, x, y)?, self.select(y_better, y, x)?);
        let bits = self.bits_of(r#type)?;
        let one = self.cast(InstructionOpcode::BitCast, one, bits)?;
        let other = self.cast(InstructionOpcode::BitCast, other, bits)?;
        let both = self.binary(join, one, other)?;
        let both = self.cast(InstructionOpcode::BitCast, both, r#type)?;
        let missing = self.compare_floats(FloatPredicate::UNO, x, y)?;
        self.select(missing, self.not_a_number(r#type)?, both)
    }

    /// The extreme of all lanes: of the two halves, repeatedly.
    pub(crate) fn extreme_lane(&self, extreme: Extreme, vector: VectorValue<'c>) -> Translated<BasicValueEnum<'c>> {
        let mut lanes = vector;
        while lanes.get_type().get_size() > 1 {
            let count = lanes.get_type().get_size();
            let half = count.div_ceil(2);
            // for an odd number of lanes both halves contain the middle one
            let [low, high] = [0, count - half].map(|first| (first..first + half).collect::<Vec<_>>());
            let part = |numbers: &[u32]| self.builder.build_shuffle_vector(lanes, lanes, self.lane_list(numbers), "");
            let (low, high) = (part(&low)?, part(&high)?);
            let BasicValueEnum::VectorValue(next) = self.extreme(extreme, low.into(), high.into())? else {
                return Err(Failure::Broken("needs a vector"));
            };
            lanes = next;
        }
        self.lane(lanes.into(), 0)
    }

    /// Integers of the width and the number of some floats.
    fn bits_of(&self, r#type: BasicTypeEnum<'c>) -> Translated<BasicTypeEnum<'c>> {
        let integer = |float: inkwell::types::FloatType<'c>| match float.get_bit_width() {
            64 => self.unit.context.i64_type(),
            _ => self.unit.context.i32_type(),
        };
        match r#type {
            BasicTypeEnum::FloatType(float) => Ok(integer(float).into()),
            BasicTypeEnum::VectorType(vector) => {
                Ok(integer(vector.get_element_type().into_float_type()).vec_type(vector.get_size()).into())
            }
            _ => Err(Failure::Broken("needs floats")),
        }
    }

    fn not_a_number(&self, r#type: BasicTypeEnum<'c>) -> Translated<BasicValueEnum<'c>> {
        match r#type {
            BasicTypeEnum::FloatType(float) => Ok(float.const_float(f64::NAN).into()),
            BasicTypeEnum::VectorType(vector) => {
                let lane = vector.get_element_type().into_float_type().const_float(f64::NAN);
                Ok(inkwell::types::VectorType::const_vector(&vec![lane; vector.get_size() as usize]).into())
            }
            _ => Err(Failure::Broken("needs floats")),
        }
    }
}
