//! Conversions between types. Float to integer saturates and maps NaN to 0; nothing traps.

use dialects::{OpCode, OpCodes, arith};
use inkwell::FloatPredicate;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{BasicValueEnum, InstructionOpcode};
use ir::Op;

use crate::architecture::Conversions;
use crate::form::{is_half, scalar_type, with_scalar};
use crate::function::{Failure, Translated, Translator};

impl<'c> Translator<'_, 'c> {
    /// Conversions; `None` for other operations.
    pub(crate) fn convert_op(
        &self,
        op: Op,
        code: OpCode,
        arguments: &[BasicValueEnum<'c>],
    ) -> Translated<Option<BasicValueEnum<'c>>> {
        let &[x] = arguments else { return Ok(None) };
        let (from, to) = (self.operand_type(op).element(), self.result_type(op).element());
        let target = self.held(self.result_type(op))?;
        Ok(Some(match code {
            arith::EXTSI | arith::INDEX_CAST => self.resize(x, target, InstructionOpcode::SExt)?,
            arith::EXTUI | arith::INDEX_CASTUI | arith::TRUNCI => self.resize(x, target, InstructionOpcode::ZExt)?,
            arith::SITOFP => self.integer_to_float(InstructionOpcode::SIToFP, x, to)?,
            arith::UITOFP => self.integer_to_float(InstructionOpcode::UIToFP, x, to)?,
            arith::FPTOSI | arith::FPTOUI => {
                let float = if is_half(from) { self.half_to_f32(from, x)? } else { x };
                let bounds = self.constant_bounds(self.body.sole_operand(op));
                self.float_to_integer((float, *from == ir::Type::F64), bounds, target, code == arith::FPTOSI)?
            }
            arith::EXTF | arith::TRUNCF => self.float_to_float(x, from, to)?,
            arith::BITCAST => self.cast(InstructionOpcode::BitCast, x, target)?,
            _ => return Ok(None),
        }))
    }

    /// An integer at another width.
    fn resize(
        &self,
        x: BasicValueEnum<'c>,
        to: BasicTypeEnum<'c>,
        extend: InstructionOpcode,
    ) -> Translated<BasicValueEnum<'c>> {
        let (from_bits, to_bits) = (integer_bits(x.get_type())?, integer_bits(to)?);
        match from_bits.cmp(&to_bits) {
            std::cmp::Ordering::Equal => Ok(x),
            std::cmp::Ordering::Less => self.cast(extend, x, to),
            std::cmp::Ordering::Greater => self.cast(InstructionOpcode::Trunc, x, to),
        }
    }

    /// Unsigned integers of fewer bits are widened first: for vectors of some of them LLVM has no conversion on some processors, and goes
    /// lane by lane. Of signed ones it undoes the widening.
    fn integer_to_float(
        &self,
        opcode: InstructionOpcode,
        x: BasicValueEnum<'c>,
        to: &ir::Type,
    ) -> Translated<BasicValueEnum<'c>> {
        let (opcode, x) = match opcode {
            InstructionOpcode::UIToFP if integer_bits(x.get_type())? < 32 => {
                (InstructionOpcode::SIToFP, self.cast(InstructionOpcode::ZExt, x, self.lanes_of(x, &ir::Type::I32)?)?)
            }
            opcode => (opcode, x),
        };
        if is_half(to) {
            let double = self.cast(opcode, x, self.lanes_of(x, &ir::Type::F64)?)?;
            return self.f64_to_half(to, double);
        }
        self.cast(opcode, x, self.lanes_of(x, to)?)
    }

    /// Saturates by clamping, which vectors support, unless processors do: LLVM's own saturating conversion of vectors goes
    /// lane by lane then. Values with known bounds inside the integer's range are not clamped again.
    fn float_to_integer(
        &self,
        (x, double): (BasicValueEnum<'c>, bool),
        bounds: Option<[f64; 2]>,
        target: BasicTypeEnum<'c>,
        signed: bool,
    ) -> Translated<BasicValueEnum<'c>> {
        let bits = integer_bits(target)?;
        // integers lie in [low, end)
        let magnitude = ir::floats::power_of_two(bits as i32 - i32::from(signed));
        let (low, end) = (if signed { -magnitude } else { 0.0 }, magnitude);
        let precision = if double { f64::MANTISSA_DIGITS } else { f32::MANTISSA_DIGITS };
        // the largest float before the end
        let exact = precision >= bits;
        let high = if exact {
            end - 1.0
        } else {
            end - ir::floats::power_of_two(bits as i32 - i32::from(signed) - precision as i32)
        };
        let constant = |value: f64| self.splat_float(x, value, double);
        let wide = if bits < 32 { self.lanes_of(x, &ir::Type::I32)? } else { target };
        let opcode = if signed || bits < 32 { InstructionOpcode::FPToSI } else { InstructionOpcode::FPToUI };
        // if a NaN becomes zero in the end, it need not be replaced before
        let fits = signed && bounds.is_some_and(|[least, most]| low <= least && most <= high);
        if self.unit.architecture.saturates {
            let name = if opcode == InstructionOpcode::FPToSI { "llvm.fptosi.sat" } else { "llvm.fptoui.sat" };
            let integer = self.intrinsic(name, &[wide, x.get_type()], &[x])?;
            if bits >= 32 {
                return Ok(integer);
            }
            let clamp = |name: &str, integer, bound: f64| {
                self.intrinsic(name, &[wide], &[integer, self.splat_constant(wide, bound as i64)?])
            };
            let integer = match fits {
                true => integer,
                false => clamp("llvm.smin", clamp("llvm.smax", integer, low)?, high)?,
            };
            return self.cast(InstructionOpcode::Trunc, integer, target);
        }
        let clamped = if fits {
            x
        } else {
            // a NaN becomes `low`
            let above = self.compare_floats(FloatPredicate::OGT, x, constant(low)?)?;
            let raised = self.select(above, x, constant(low)?)?;
            let below = self.compare_floats(FloatPredicate::OLT, raised, constant(high)?)?;
            self.select(below, raised, constant(high)?)?
        };
        let mut integer = self.cast(opcode, clamped, wide)?;
        if !exact && !fits {
            let most = if signed { i64::MAX >> (64 - bits) } else { -1 };
            let beyond = self.compare_floats(FloatPredicate::OGE, x, constant(end)?)?;
            integer = self.select(beyond, self.splat_constant(wide, most)?, integer)?;
        }
        if signed {
            let missing = self.compare_floats(FloatPredicate::UNO, x, x)?;
            integer = self.select(missing, self.splat_constant(wide, 0)?, integer)?;
        }
        if bits < 32 { self.cast(InstructionOpcode::Trunc, integer, target) } else { Ok(integer) }
    }

    /// A constant in every lane of a float like `x`.
    pub(crate) fn splat_float(
        &self,
        x: BasicValueEnum<'c>,
        value: f64,
        double: bool,
    ) -> Translated<BasicValueEnum<'c>> {
        let (bits, integer) = match double {
            true => (value.to_bits() as i64, ir::Type::I64),
            false => ((value as f32).to_bits() as i64, ir::Type::I32),
        };
        let constant = self.splat_constant(self.lanes_of(x, &integer)?, bits)?;
        self.cast(InstructionOpcode::BitCast, constant, x.get_type())
    }

    /// The type with the lanes of `like` and the given elements.
    pub(crate) fn lanes_of(&self, like: BasicValueEnum<'c>, element: &ir::Type) -> Translated<BasicTypeEnum<'c>> {
        let scalar = scalar_type(self.unit.context, element).ok_or(Failure::Unknown)?;
        Ok(with_scalar(like.get_type(), scalar))
    }

    fn float_to_float(&self, x: BasicValueEnum<'c>, from: &ir::Type, to: &ir::Type) -> Translated<BasicValueEnum<'c>> {
        if is_half(to) {
            if *from == ir::Type::F64 {
                return self.f64_to_half(to, x);
            }
            let single = if is_half(from) { self.half_to_f32(from, x)? } else { x };
            return self.f32_to_half(to, single);
        }
        let (x, from) = if is_half(from) { (self.half_to_f32(from, x)?, &ir::Type::F32) } else { (x, from) };
        let target = self.lanes_of(x, to)?;
        match (*from == ir::Type::F64, *to == ir::Type::F64) {
            (false, true) => self.cast(InstructionOpcode::FPExt, x, target),
            (true, false) => self.cast(InstructionOpcode::FPTrunc, x, target),
            _ => Ok(x),
        }
    }

    /// Whether the processor has instructions that convert `f16`.
    fn converts_f16(&self) -> bool {
        match self.unit.architecture.f16 {
            Conversions::Always => true,
            Conversions::WithFused => self.fused,
            Conversions::Never => false,
        }
    }

    /// The value of an `f16` or `bf16` given by its bits.
    pub(crate) fn half_to_f32(&self, from: &ir::Type, bits: BasicValueEnum<'c>) -> Translated<BasicValueEnum<'c>> {
        let single = self.lanes_of(bits, &ir::Type::F32)?;
        if *from == ir::Type::F16 && !self.converts_f16() {
            return self.f32_of_f16_bits(bits);
        }
        if *from == ir::Type::F16 {
            let half = with_scalar(bits.get_type(), self.unit.context.f16_type().into());
            let half = self.cast(InstructionOpcode::BitCast, bits, half)?;
            let value = self.cast(InstructionOpcode::FPExt, half, single)?;
            // otherwise LLVM would compare in f16 or bf16, lane by lane if the processor has no such arithmetic
            return self.intrinsic("llvm.arithmetic.fence", &[single], &[value]);
        }
        let wide = self.cast(InstructionOpcode::ZExt, bits, self.lanes_of(bits, &ir::Type::I32)?)?;
        let sixteen = self.splat_constant(wide.get_type(), 16)?;
        let shifted = self.binary(InstructionOpcode::Shl, wide, sixteen)?;
        self.cast(InstructionOpcode::BitCast, shifted, single)
    }

    /// The bits of the `f16` or `bf16` nearest to an `f32`.
    pub(crate) fn f32_to_half(&self, to: &ir::Type, x: BasicValueEnum<'c>) -> Translated<BasicValueEnum<'c>> {
        let bits = self.lanes_of(x, &ir::Type::I16)?;
        if *to == ir::Type::F16 && !self.converts_f16() {
            return self.f16_bits_of_f32(x);
        }
        if *to == ir::Type::F16 {
            let half = with_scalar(x.get_type(), self.unit.context.f16_type().into());
            let half = self.cast(InstructionOpcode::FPTrunc, x, half)?;
            return self.cast(InstructionOpcode::BitCast, half, bits);
        }
        let wide = self.cast(InstructionOpcode::BitCast, x, self.lanes_of(x, &ir::Type::I32)?)?;
        let upper = self.round_to_upper_half(x, wide)?;
        self.cast(InstructionOpcode::Trunc, upper, bits)
    }

    /// The upper 16 bits of an `f32`, rounded to nearest, ties to even; a NaN stays a quiet NaN.
    fn round_to_upper_half(&self, x: BasicValueEnum<'c>, bits: BasicValueEnum<'c>) -> Translated<BasicValueEnum<'c>> {
        let constant = |value| self.splat_constant(bits.get_type(), value);
        let sixteen = constant(16)?;
        let truncated = self.binary(InstructionOpcode::LShr, bits, sixteen)?;
        let odd = self.binary(InstructionOpcode::And, truncated, constant(1)?)?;
        let bias = self.binary(InstructionOpcode::Add, odd, constant(0x7fff)?)?;
        let biased = self.binary(InstructionOpcode::Add, bits, bias)?;
        let rounded = self.binary(InstructionOpcode::LShr, biased, sixteen)?;
        let quiet = self.binary(InstructionOpcode::Or, truncated, constant(0x40)?)?;
        let is_nan = self.compare_floats(FloatPredicate::UNO, x, x)?;
        self.select(is_nan, quiet, rounded)
    }

    /// Through `f32`, rounded to odd: towards zero, with the last bit set if it is not exact. It has more than two bits more than
    /// the result, so that this is the same as rounding once (Boldo and Melquiond 2008).
    fn f64_to_half(&self, to: &ir::Type, x: BasicValueEnum<'c>) -> Translated<BasicValueEnum<'c>> {
        let (single, word) = (self.lanes_of(x, &ir::Type::F32)?, self.lanes_of(x, &ir::Type::I32)?);
        let size = |x: BasicValueEnum<'c>| self.intrinsic("llvm.fabs", &[x.get_type()], &[x]);
        let constant = |value| self.splat_constant(word, value);
        let nearest = self.cast(InstructionOpcode::FPTrunc, x, single)?;
        let widened = self.cast(InstructionOpcode::FPExt, nearest, x.get_type())?;
        let is_away = self.compare_floats(FloatPredicate::OGT, size(widened)?, size(x)?)?;
        let is_inexact = self.compare_floats(FloatPredicate::ONE, widened, x)?;
        let bits = self.cast(InstructionOpcode::BitCast, nearest, word)?;
        let below = self.binary(InstructionOpcode::Sub, bits, constant(1)?)?;
        let truncated = self.select(is_away, below, bits)?;
        let odd = self.binary(InstructionOpcode::Or, truncated, constant(1)?)?;
        let rounded = self.select(is_inexact, odd, bits)?;
        self.f32_to_half(to, self.cast(InstructionOpcode::BitCast, rounded, single)?)
    }
}

fn integer_bits(r#type: BasicTypeEnum<'_>) -> Translated<u32> {
    match r#type {
        BasicTypeEnum::IntType(r#type) => Ok(r#type.get_bit_width()),
        BasicTypeEnum::VectorType(vector) => integer_bits(vector.get_element_type()),
        _ => Err(Failure::Broken("needs integers")),
    }
}
