//! Integer arithmetic, comparison and selection.

use dialects::arith::CmpIPredicate;
use dialects::{OpCode, OpCodes, arith, math};
use inkwell::IntPredicate;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{BasicValue, BasicValueEnum, InstructionOpcode};
use ir::Op;

use crate::function::{Failure, Translated, Translator};

/// A comparison in LLVM's terms.
fn predicate(predicate: CmpIPredicate) -> IntPredicate {
    match predicate {
        CmpIPredicate::Eq => IntPredicate::EQ,
        CmpIPredicate::Ne => IntPredicate::NE,
        CmpIPredicate::Slt => IntPredicate::SLT,
        CmpIPredicate::Sle => IntPredicate::SLE,
        CmpIPredicate::Sgt => IntPredicate::SGT,
        CmpIPredicate::Sge => IntPredicate::SGE,
        CmpIPredicate::Ult => IntPredicate::ULT,
        CmpIPredicate::Ule => IntPredicate::ULE,
        CmpIPredicate::Ugt => IntPredicate::UGT,
        CmpIPredicate::Uge => IntPredicate::UGE,
    }
}

fn plain_opcode(code: OpCode) -> Option<InstructionOpcode> {
    Some(match code {
        arith::ADDI => InstructionOpcode::Add,
        arith::SUBI => InstructionOpcode::Sub,
        arith::MULI => InstructionOpcode::Mul,
        arith::ANDI => InstructionOpcode::And,
        arith::ORI => InstructionOpcode::Or,
        arith::XORI => InstructionOpcode::Xor,
        _ => return None,
    })
}

fn shift_opcode(code: OpCode) -> Option<InstructionOpcode> {
    Some(match code {
        arith::SHLI => InstructionOpcode::Shl,
        arith::SHRSI => InstructionOpcode::AShr,
        arith::SHRUI => InstructionOpcode::LShr,
        _ => return None,
    })
}

fn division_opcode(code: OpCode) -> Option<InstructionOpcode> {
    Some(match code {
        arith::DIVSI => InstructionOpcode::SDiv,
        arith::DIVUI => InstructionOpcode::UDiv,
        arith::REMSI => InstructionOpcode::SRem,
        arith::REMUI => InstructionOpcode::URem,
        _ => return None,
    })
}

fn binary_intrinsic(code: OpCode) -> Option<&'static str> {
    Some(match code {
        arith::MINSI => "llvm.smin",
        arith::MAXSI => "llvm.smax",
        arith::MINUI => "llvm.umin",
        arith::MAXUI => "llvm.umax",
        _ => return None,
    })
}

impl<'c> Translator<'_, 'c> {
    /// Integer operations; `None` for other operations.
    pub(crate) fn integer_op(
        &self,
        op: Op,
        code: OpCode,
        arguments: &[BasicValueEnum<'c>],
    ) -> Translated<Option<BasicValueEnum<'c>>> {
        Ok(Some(match *arguments {
            [x, y] => {
                if let Some(opcode) = plain_opcode(code) {
                    self.binary(opcode, x, y)?
                } else if let Some(opcode) = shift_opcode(code) {
                    let amount = self.shift_amount(op, y)?;
                    self.binary(opcode, x, amount)?
                } else if let Some(opcode) = division_opcode(code) {
                    self.divide(op, opcode, x, y)?
                } else if let Some(intrinsic) = binary_intrinsic(code) {
                    self.intrinsic(intrinsic, &[x.get_type()], &[x, y])?
                } else if code == arith::CMPI {
                    let asked = CmpIPredicate::of(self.body, op).ok_or(Failure::Broken("has no predicate"))?;
                    self.compare_integers(predicate(asked), x, y)?
                } else {
                    return Ok(None);
                }
            }
            [condition, x, y] if code == arith::SELECT => self.select(condition, x, y)?,
            [x] => match code {
                math::ABSI => self.intrinsic("llvm.abs", &[x.get_type()], &[x, self.flag(false)])?,
                math::CTLZ => self.intrinsic("llvm.ctlz", &[x.get_type()], &[x, self.flag(false)])?,
                math::CTPOP => self.intrinsic("llvm.ctpop", &[x.get_type()], &[x])?,
                _ => return Ok(None),
            },
            _ => return Ok(None),
        }))
    }

    fn flag(&self, value: bool) -> BasicValueEnum<'c> {
        self.unit.context.bool_type().const_int(value as u64, false).into()
    }

    /// A binary instruction on two scalars or two vectors.
    pub(crate) fn binary(
        &self,
        opcode: InstructionOpcode,
        x: BasicValueEnum<'c>,
        y: BasicValueEnum<'c>,
    ) -> Translated<BasicValueEnum<'c>> {
        Ok(self.builder.build_binop(opcode, x, y, "")?)
    }

    /// A comparison of two integers or of two vectors of them.
    pub(crate) fn compare_integers(
        &self,
        predicate: IntPredicate,
        x: BasicValueEnum<'c>,
        y: BasicValueEnum<'c>,
    ) -> Translated<BasicValueEnum<'c>> {
        use BasicValueEnum::{IntValue, VectorValue};
        match (x, y) {
            (IntValue(x), IntValue(y)) => Ok(self.builder.build_int_compare(predicate, x, y, "")?.into()),
            (VectorValue(x), VectorValue(y)) => Ok(self.builder.build_int_compare(predicate, x, y, "")?.into()),
            _ => Err(Failure::Broken("compares values that are not integers")),
        }
    }

    /// A choice between two values, or lane by lane.
    pub(crate) fn select(
        &self,
        condition: BasicValueEnum<'c>,
        x: BasicValueEnum<'c>,
        y: BasicValueEnum<'c>,
    ) -> Translated<BasicValueEnum<'c>> {
        match condition {
            BasicValueEnum::IntValue(condition) => Ok(self.builder.build_select(condition, x, y, "")?),
            BasicValueEnum::VectorValue(condition) => Ok(self.builder.build_select(condition, x, y, "")?),
            _ => Err(Failure::Broken("needs a condition of i1")),
        }
    }

    /// The same integer in every lane of a type.
    pub(crate) fn splat_constant(&self, r#type: BasicTypeEnum<'c>, value: i64) -> Translated<BasicValueEnum<'c>> {
        match r#type {
            BasicTypeEnum::IntType(r#type) => Ok(r#type.const_int(value as u64, true).into()),
            BasicTypeEnum::VectorType(vector) => {
                let lane = self.splat_constant(vector.get_element_type(), value)?;
                Ok(inkwell::types::VectorType::const_vector(&vec![lane; vector.get_size() as usize]).into())
            }
            _ => Err(Failure::Broken("needs integers")),
        }
    }

    /// The amount of a shift, reduced modulo the width: larger ones would be undefined.
    fn shift_amount(&self, op: Op, amount: BasicValueEnum<'c>) -> Translated<BasicValueEnum<'c>> {
        let width = i64::from(self.operand_type(op).element().bit_width().unwrap_or(64));
        let constant = self.constant_integer(self.body.sides(op).1);
        if constant.is_some_and(|amount| (0..width).contains(&amount)) {
            return Ok(amount);
        }
        let mask = self.splat_constant(amount.get_type(), width - 1)?;
        self.binary(InstructionOpcode::And, amount, mask)
    }

    /// Division that never traps: a quotient by zero is 0, a remainder that of division by 1.
    fn divide(
        &self,
        op: Op,
        opcode: InstructionOpcode,
        x: BasicValueEnum<'c>,
        y: BasicValueEnum<'c>,
    ) -> Translated<BasicValueEnum<'c>> {
        let divisor = self.constant_integer(self.body.sides(op).1);
        if divisor.is_some_and(|divisor| divisor != 0 && divisor != -1) {
            return self.binary(opcode, x, y);
        }
        let (zero, one) = (self.splat_constant(y.get_type(), 0)?, self.splat_constant(y.get_type(), 1)?);
        let by_zero = self.compare_integers(IntPredicate::EQ, y, zero)?;
        let mut guarded = self.select(by_zero, one, y)?;
        let signed = matches!(opcode, InstructionOpcode::SDiv | InstructionOpcode::SRem);
        let by_minus_one = match signed {
            true => Some(self.compare_integers(IntPredicate::EQ, y, self.splat_constant(y.get_type(), -1)?)?),
            false => None,
        };
        if let Some(by_minus_one) = by_minus_one {
            guarded = self.select(by_minus_one, one, guarded)?;
        }
        let mut result = self.binary(opcode, x, guarded)?;
        if let (InstructionOpcode::SDiv, Some(by_minus_one)) = (opcode, by_minus_one) {
            let negated = self.binary(InstructionOpcode::Sub, zero, x)?;
            result = self.select(by_minus_one, negated, result)?;
        }
        match opcode {
            InstructionOpcode::SDiv | InstructionOpcode::UDiv => self.select(by_zero, zero, result),
            _ => Ok(result),
        }
    }

    /// Converts with one instruction, keeping the lanes.
    pub(crate) fn cast(
        &self,
        opcode: InstructionOpcode,
        x: impl BasicValue<'c>,
        to: BasicTypeEnum<'c>,
    ) -> Translated<BasicValueEnum<'c>> {
        Ok(self.builder.build_cast(opcode, x.as_basic_value_enum(), to, "")?)
    }
}
