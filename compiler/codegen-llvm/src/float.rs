//! Floating-point arithmetic and comparison.

use abi::elementary::EXACT_RECIPROCALS;
use dialects::arith::CmpFPredicate;
use dialects::{OpCode, OpCodes, arith, math, vector};
use inkwell::FloatPredicate;
use inkwell::values::{BasicValueEnum, FastMathFlags, InstructionOpcode};
use ir::{Attribute, Op};

use crate::architecture::Extremes;
use crate::extreme::Extreme;
use crate::form::is_half;
use crate::function::{Failure, Translated, Translator};
use crate::rounding::Rounding;

/// A comparison in LLVM's terms.
fn predicate(predicate: CmpFPredicate) -> FloatPredicate {
    match predicate {
        CmpFPredicate::AlwaysFalse => FloatPredicate::PredicateFalse,
        CmpFPredicate::Oeq => FloatPredicate::OEQ,
        CmpFPredicate::Ogt => FloatPredicate::OGT,
        CmpFPredicate::Oge => FloatPredicate::OGE,
        CmpFPredicate::Olt => FloatPredicate::OLT,
        CmpFPredicate::Ole => FloatPredicate::OLE,
        CmpFPredicate::One => FloatPredicate::ONE,
        CmpFPredicate::Ord => FloatPredicate::ORD,
        CmpFPredicate::Ueq => FloatPredicate::UEQ,
        CmpFPredicate::Ugt => FloatPredicate::UGT,
        CmpFPredicate::Uge => FloatPredicate::UGE,
        CmpFPredicate::Ult => FloatPredicate::ULT,
        CmpFPredicate::Ule => FloatPredicate::ULE,
        CmpFPredicate::Une => FloatPredicate::UNE,
        CmpFPredicate::Uno => FloatPredicate::UNO,
        CmpFPredicate::AlwaysTrue => FloatPredicate::PredicateTrue,
    }
}

fn plain_opcode(code: OpCode) -> Option<InstructionOpcode> {
    Some(match code {
        arith::ADDF => InstructionOpcode::FAdd,
        arith::SUBF => InstructionOpcode::FSub,
        arith::MULF => InstructionOpcode::FMul,
        arith::DIVF => InstructionOpcode::FDiv,
        _ => return None,
    })
}

/// Intrinsics with exactly the meaning of the operation; but a product is rounded before the sum if the processor has
/// no fused multiply-add, because the library function takes a hundred times as long.
fn intrinsic(code: OpCode, fused: bool) -> Option<&'static str> {
    Some(match code {
        arith::MAXIMUMF => "llvm.maximum",
        arith::MINIMUMF => "llvm.minimum",
        math::SQRT => "llvm.sqrt",
        math::ABSF => "llvm.fabs",
        math::FLOOR => "llvm.floor",
        math::CEIL => "llvm.ceil",
        math::TRUNC => "llvm.trunc",
        math::ROUNDEVEN => "llvm.roundeven",
        math::COPYSIGN => "llvm.copysign",
        math::FMA | vector::FMA if fused => "llvm.fma",
        math::FMA | vector::FMA => "llvm.fmuladd",
        _ => return None,
    })
}

/// The flags of `#arith.fastmath<…>`.
pub(crate) fn fast_math_flags(attribute: Option<&Attribute>) -> FastMathFlags {
    let Some(Attribute::Dialect(_, text)) = attribute else { return FastMathFlags::empty() };
    let list = text.strip_prefix("fastmath<").and_then(|text| text.strip_suffix('>')).unwrap_or_default();
    let flag = |name: &str| match name.trim() {
        "reassoc" => FastMathFlags::AllowReassoc,
        "nnan" => FastMathFlags::NoNaNs,
        "ninf" => FastMathFlags::NoInfs,
        "nsz" => FastMathFlags::NoSignedZeros,
        "arcp" => FastMathFlags::AllowReciprocal,
        "contract" => FastMathFlags::AllowContract,
        "afn" => FastMathFlags::ApproxFunc,
        "fast" => FastMathFlags::all(),
        _ => FastMathFlags::empty(),
    };
    list.split(',').fold(FastMathFlags::empty(), |flags, name| flags | flag(name))
}

impl<'c> Translator<'_, 'c> {
    /// Floating point operations; `None` for other operations. Half formats are computed in `f32`.
    pub(crate) fn float_op(
        &self,
        op: Op,
        code: OpCode,
        arguments: &[BasicValueEnum<'c>],
    ) -> Translated<Option<BasicValueEnum<'c>>> {
        let element = self.operand_type(op).element();
        if !element.is_float() {
            return Ok(None);
        }
        if !is_half(element) {
            return self.single_or_double_op(op, code, arguments);
        }
        if matches!(code, arith::BITCAST | arith::EXTF | arith::TRUNCF | arith::FPTOSI | arith::FPTOUI) {
            return Ok(None);
        }
        let wide: Vec<BasicValueEnum<'c>> =
            arguments.iter().map(|&argument| self.half_to_f32(element, argument)).collect::<Translated<_>>()?;
        match self.single_or_double_op(op, code, &wide)? {
            Some(result) if is_half(self.result_type(op).element()) => self.f32_to_half(element, result).map(Some),
            result => Ok(result),
        }
    }

    fn single_or_double_op(
        &self,
        op: Op,
        code: OpCode,
        arguments: &[BasicValueEnum<'c>],
    ) -> Translated<Option<BasicValueEnum<'c>>> {
        let value = match (code, arguments) {
            (arith::DIVF, &[x, y]) if let Some(divisor) = self.rounded_divisor(op) => {
                self.quotient_by_reciprocal(x, y, divisor)?
            }
            (_, &[x, y]) if plain_opcode(code).is_some() => {
                self.binary(plain_opcode(code).ok_or(Failure::Unknown)?, x, y)?
            }
            (arith::CMPF, &[x, y]) => {
                let asked = CmpFPredicate::of(self.body, op).ok_or(Failure::Broken("has no predicate"))?;
                self.compare_floats(predicate(asked), x, y)?
            }
            (_, &[x, y])
                if let Some((wins, bound)) = self.bound(op).filter(|(_, bound)| !self.is_quick(op, *bound)) =>
            {
                let (bound, value) = if bound == 0 { (x, y) } else { (y, x) };
                let bound_wins = self.compare_floats(wins, value, bound)?;
                self.select(bound_wins, bound, value)?
            }
            (_, &[x, y])
                if let Some(extreme) =
                    Extreme::of(code).filter(|_| self.unit.architecture.extremes == Extremes::Compared) =>
            {
                self.extreme(extreme, x, y)?
            }
            (_, &[x]) if let Some(rounding) = Rounding::of(code).filter(|_| !self.unit.architecture.rounds) => {
                self.rounded(rounding, x, *self.operand_type(op).element() == ir::Type::F64)?
            }
            (arith::MAXNUMF, &[x, y]) => self.number_or_other(FloatPredicate::OGT, x, y)?,
            (arith::MINNUMF, &[x, y]) => self.number_or_other(FloatPredicate::OLT, x, y)?,
            (arith::NEGF, &[x]) => self.negate(x)?,
            (_, &[x, ..]) => match intrinsic(code, self.fused) {
                Some(intrinsic) => self.intrinsic(intrinsic, &[x.get_type()], arguments)?,
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        self.flag_fast_math(op, value);
        Ok(Some(value))
    }

    /// Sets the operation's fast-math flags on the instruction.
    pub(crate) fn flag_fast_math(&self, op: Op, value: BasicValueEnum<'c>) {
        let flags = fast_math_flags(self.body.attribute(op, "fastmath"));
        let instruction = match value {
            BasicValueEnum::FloatValue(value) => value.as_instruction(),
            BasicValueEnum::VectorValue(value) => value.as_instruction(),
            _ => None,
        };
        if let Some(instruction) = instruction.filter(|instruction| instruction.can_use_fast_math_flags())
            && !flags.is_empty()
        {
            instruction.set_fast_math_flags(flags).expect("just asked");
        }
    }

    /// A comparison of two floats or of two vectors of them.
    pub(crate) fn compare_floats(
        &self,
        predicate: FloatPredicate,
        x: BasicValueEnum<'c>,
        y: BasicValueEnum<'c>,
    ) -> Translated<BasicValueEnum<'c>> {
        use BasicValueEnum::{FloatValue, VectorValue};
        match (x, y) {
            (FloatValue(x), FloatValue(y)) => Ok(self.builder.build_float_compare(predicate, x, y, "")?.into()),
            (VectorValue(x), VectorValue(y)) => Ok(self.builder.build_float_compare(predicate, x, y, "")?.into()),
            _ => Err(Failure::Broken("compares values that are not floats")),
        }
    }

    /// The uniform divisor of f32 vectors, if multiplication by the reciprocal is as good, and the quotients are
    /// rounded to integers, so that the rounding of tiny ones does not matter.
    fn rounded_divisor(&self, op: Op) -> Option<f32> {
        let result = self.body.result(op, 0);
        let is_vector =
            self.body.value_type(result).as_vector().is_some() && *self.operand_type(op).element() == ir::Type::F32;
        let mut users = self.body.uses(result).iter();
        let is_rounded = users.all(|user| self.body.is(user.op, math::ROUNDEVEN));
        let (_, divisor) = self.body.sides(op);
        let divisor = vector::constant_float(self.body, divisor).filter(|_| self.fused && is_vector && is_rounded)?;
        Some(divisor as f32).filter(|divisor| EXACT_RECIPROCALS.contains(&divisor.abs()))
    }

    /// `x / y` without a division, see [`EXACT_RECIPROCALS`]; multiplication is many times as fast as division.
    fn quotient_by_reciprocal(
        &self,
        x: BasicValueEnum<'c>,
        y: BasicValueEnum<'c>,
        divisor: f32,
    ) -> Translated<BasicValueEnum<'c>> {
        let fused = |a, b, c| self.intrinsic("llvm.fma", &[x.get_type()], &[a, b, c]);
        let reciprocal = self.splat_float(x, divisor.recip().into(), false)?;
        let near = self.binary(InstructionOpcode::FMul, x, reciprocal)?;
        let rest = fused(self.negate(near)?, y, x)?;
        let quotient = fused(rest, reciprocal, near)?;
        let is_missing = self.compare_floats(FloatPredicate::UNO, quotient, quotient)?;
        self.select(is_missing, near, quotient)
    }

    /// The index of a minimum's or maximum's operand that is a constant other than NaN, and the predicate for which it
    /// is the result. A comparison and a select suffice then, for which processors have one instruction: it is false
    /// for NaN, and for two zeros returns the operand that is not constant.
    fn bound(&self, op: Op) -> Option<(FloatPredicate, usize)> {
        let wins = match self.body.code(op) {
            Some(arith::MAXIMUMF) => FloatPredicate::OLT,
            Some(arith::MINIMUMF) => FloatPredicate::OGT,
            // a reduction, whose steps use the name of an operation
            _ => return None,
        };
        let is_number = |&index: &usize| {
            vector::constant_float(self.body, self.body.operand(op, index)).is_some_and(|x| !x.is_nan())
        };
        [1, 0].into_iter().find(is_number).map(|bound| (wins, bound))
    }

    /// Whether an instruction has the same result as [`Translator::bound`]: for all bounds but zeros.
    fn is_quick(&self, op: Op, bound: usize) -> bool {
        let bound = vector::constant_float(self.body, self.body.operand(op, bound));
        self.unit.architecture.extremes == Extremes::Quick && bound != Some(0.0)
    }

    /// The constant bounds that a value is clamped to, unless it is NaN.
    pub(crate) fn constant_bounds(&self, value: ir::Value) -> Option<[f64; 2]> {
        let bounded = |value: ir::Value, code: OpCode| {
            let op = self.body.defining_op(value).filter(|&op| self.body.is(op, code))?;
            let (_, bound) = self.bound(op)?;
            let bounds = vector::constant_float(self.body, self.body.operand(op, bound))?;
            Some((bounds, self.body.operand(op, 1 - bound)))
        };
        let (high, raised) = bounded(value, arith::MINIMUMF)?;
        let (low, _) = bounded(raised, arith::MAXIMUMF)?;
        Some([low, high])
    }

    /// The larger or smaller of two numbers; if one is NaN, the other operand.
    fn number_or_other(
        &self,
        better: FloatPredicate,
        x: BasicValueEnum<'c>,
        y: BasicValueEnum<'c>,
    ) -> Translated<BasicValueEnum<'c>> {
        let x_better = self.compare_floats(better, x, y)?;
        let chosen = self.select(x_better, x, y)?;
        let y_missing = self.compare_floats(FloatPredicate::UNO, y, y)?;
        self.select(y_missing, x, chosen)
    }

    fn negate(&self, x: BasicValueEnum<'c>) -> Translated<BasicValueEnum<'c>> {
        match x {
            BasicValueEnum::FloatValue(x) => Ok(self.builder.build_float_neg(x, "")?.into()),
            BasicValueEnum::VectorValue(x) => Ok(self.builder.build_float_neg(x, "")?.into()),
            _ => Err(Failure::Broken("negates a value that is not a float")),
        }
    }
}
