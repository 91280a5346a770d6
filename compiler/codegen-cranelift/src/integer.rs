//! Integer arithmetic, comparison and selection.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use dialects::arith::CmpIPredicate;
use dialects::{OpCode, OpCodes, arith, math, vector};
use ir::Op;

use crate::form::{Form, form, is_bit};
use crate::function::Translator;

/// A comparison in CLIF's terms.
fn condition(predicate: CmpIPredicate) -> IntCC {
    match predicate {
        CmpIPredicate::Eq => IntCC::Equal,
        CmpIPredicate::Ne => IntCC::NotEqual,
        CmpIPredicate::Slt => IntCC::SignedLessThan,
        CmpIPredicate::Sle => IntCC::SignedLessThanOrEqual,
        CmpIPredicate::Sgt => IntCC::SignedGreaterThan,
        CmpIPredicate::Sge => IntCC::SignedGreaterThanOrEqual,
        CmpIPredicate::Ult => IntCC::UnsignedLessThan,
        CmpIPredicate::Ule => IntCC::UnsignedLessThanOrEqual,
        CmpIPredicate::Ugt => IntCC::UnsignedGreaterThan,
        CmpIPredicate::Uge => IntCC::UnsignedGreaterThanOrEqual,
    }
}

impl Translator<'_> {
    /// Scalar integer operations; `None` for other operations.
    pub(crate) fn integer_op(&mut self, op: Op, code: OpCode, arguments: &[Value]) -> Option<Value> {
        if is_bit(self.operand_type(op).element())
            && let Some(value) = self.bit_op(op, code, arguments)
        {
            return Some(value);
        }
        match (code, arguments) {
            (arith::DIVUI, &[x, y]) => Some(self.divide_unsigned(op, x, y)),
            (arith::REMUI, &[x, y]) => Some(self.remainder_unsigned(op, x, y)),
            (arith::DIVSI, &[x, y]) => Some(self.divide_signed(op, x, y)),
            (arith::REMSI, &[x, y]) => Some(self.remainder_signed(op, x, y)),
            _ => self.plain_integer_op(op, code, arguments),
        }
    }

    fn plain_integer_op(&mut self, op: Op, code: OpCode, arguments: &[Value]) -> Option<Value> {
        let predicate = CmpIPredicate::of(self.body, op);
        let ins = self.builder.ins();
        Some(match (code, arguments) {
            (arith::ADDI, &[x, y]) => ins.iadd(x, y),
            (arith::SUBI, &[x, y]) => ins.isub(x, y),
            (arith::MULI, &[x, y]) => ins.imul(x, y),
            (arith::ANDI, &[x, y]) => ins.band(x, y),
            (arith::ORI, &[x, y]) => ins.bor(x, y),
            (arith::XORI, &[x, y]) => ins.bxor(x, y),
            (arith::SHLI, &[x, y]) => ins.ishl(x, y),
            (arith::SHRSI, &[x, y]) => ins.sshr(x, y),
            (arith::SHRUI, &[x, y]) => ins.ushr(x, y),
            (arith::MINSI, &[x, y]) => ins.smin(x, y),
            (arith::MAXSI, &[x, y]) => ins.smax(x, y),
            (arith::MINUI, &[x, y]) => ins.umin(x, y),
            (arith::MAXUI, &[x, y]) => ins.umax(x, y),
            (arith::CMPI, &[x, y]) => ins.icmp(condition(predicate?), x, y),
            (arith::SELECT, &[c, x, y]) => ins.select(c, x, y),
            (math::ABSI, &[x]) => ins.iabs(x),
            (math::CTLZ, &[x]) => ins.clz(x),
            (math::CTPOP, &[x]) => ins.popcnt(x),
            _ => return None,
        })
    }

    /// Operations on `i1`, which is 0 or 1 here but 0 or -1 to signed operations.
    fn bit_op(&mut self, op: Op, code: OpCode, arguments: &[Value]) -> Option<Value> {
        Some(match (code, arguments) {
            (arith::ADDI | arith::SUBI, &[x, y]) => self.builder.ins().bxor(x, y),
            (arith::MULI, &[x, y]) => self.builder.ins().band(x, y),
            (arith::MINSI, &[x, y]) => self.builder.ins().bor(x, y),
            (arith::MAXSI, &[x, y]) => self.builder.ins().band(x, y),
            // the amount counts modulo 1
            (arith::SHLI | arith::SHRSI | arith::SHRUI, &[x, _]) => x,
            (math::CTLZ, &[x]) => self.builder.ins().bxor_imm_u(x, 1),
            (arith::CMPI, &[x, y]) => {
                let condition = condition(CmpIPredicate::of(self.body, op)?);
                let (x, y) = (self.builder.ins().ineg(x), self.builder.ins().ineg(y));
                self.builder.ins().icmp(condition, x, y)
            }
            _ => return None,
        })
    }

    /// Whether the divisor is a constant that can neither trap nor overflow.
    fn harmless_divisor(&self, op: Op) -> bool {
        let divisor = self.constant_integer(self.body.sides(op).1);
        divisor.is_some_and(|divisor| divisor != 0 && divisor != -1)
    }

    /// `divisor`, replaced by 1 if it is zero; and whether it is zero.
    fn guard_zero(&mut self, divisor: Value) -> (Value, Value) {
        let zero = self.builder.ins().icmp_imm_s(IntCC::Equal, divisor, 0);
        let one = self.integer_constant(self.builder.func.dfg.value_type(divisor), 1);
        (self.builder.ins().select(zero, one, divisor), zero)
    }

    /// `divisor`, replaced by 1 if it is 0 or -1; and whether it is -1.
    fn guard_signed(&mut self, divisor: Value) -> (Value, Value) {
        let minus_one = self.builder.ins().icmp_imm_s(IntCC::Equal, divisor, -1);
        let (guarded, _) = self.guard_zero(divisor);
        let one = self.integer_constant(self.builder.func.dfg.value_type(divisor), 1);
        (self.builder.ins().select(minus_one, one, guarded), minus_one)
    }

    fn zero_if(&mut self, condition: Value, value: Value) -> Value {
        let zero = self.integer_constant(self.builder.func.dfg.value_type(value), 0);
        self.builder.ins().select(condition, zero, value)
    }

    fn divide_unsigned(&mut self, op: Op, x: Value, y: Value) -> Value {
        if self.harmless_divisor(op) {
            return self.builder.ins().udiv(x, y);
        }
        let (divisor, by_zero) = self.guard_zero(y);
        let quotient = self.builder.ins().udiv(x, divisor);
        self.zero_if(by_zero, quotient)
    }

    fn remainder_unsigned(&mut self, op: Op, x: Value, y: Value) -> Value {
        let divisor = if self.harmless_divisor(op) { y } else { self.guard_zero(y).0 };
        self.builder.ins().urem(x, divisor)
    }

    fn divide_signed(&mut self, op: Op, x: Value, y: Value) -> Value {
        if self.harmless_divisor(op) {
            return self.builder.ins().sdiv(x, y);
        }
        let (divisor, by_minus_one) = self.guard_signed(y);
        let quotient = self.builder.ins().sdiv(x, divisor);
        let negated = self.builder.ins().ineg(x);
        let quotient = self.builder.ins().select(by_minus_one, negated, quotient);
        let by_zero = self.builder.ins().icmp_imm_s(IntCC::Equal, y, 0);
        self.zero_if(by_zero, quotient)
    }

    fn remainder_signed(&mut self, op: Op, x: Value, y: Value) -> Value {
        let divisor = if self.harmless_divisor(op) { y } else { self.guard_signed(y).0 };
        self.builder.ins().srem(x, divisor)
    }

    /// Integer operations on 128-bit registers, if CLIF has them.
    pub(crate) fn integer_register_op(
        &mut self,
        op: Op,
        code: OpCode,
        r#type: Type,
        arguments: &[Value],
    ) -> Option<Value> {
        let mask = is_bit(self.operand_type(op).element());
        match (code, arguments) {
            (arith::SELECT, &[condition, x, y]) => Some(self.select_register(op, r#type, condition, x, y)),
            (arith::SHLI | arith::SHRSI | arith::SHRUI, &[x, _]) if !mask => self.shift_register(op, code, x),
            (arith::MULI, _) if r#type == types::I8X16 && !mask => None,
            (arith::DIVUI | arith::REMUI | arith::DIVSI | arith::REMSI | math::CTLZ | math::CTPOP, _) => None,
            (arith::ADDI | arith::SUBI, &[x, y]) if mask => Some(self.builder.ins().bxor(x, y)),
            (arith::MULI, &[x, y]) if mask => Some(self.builder.ins().band(x, y)),
            (arith::ANDI | arith::ORI | arith::XORI, _) if mask => self.plain_integer_op(op, code, arguments),
            _ if mask => None,
            _ => self.plain_integer_op(op, code, arguments),
        }
    }

    fn select_register(&mut self, op: Op, r#type: Type, condition: Value, x: Value, y: Value) -> Value {
        if let Some(Form::Scalar(_)) = form(self.operand_type(op)) {
            return self.builder.ins().select(condition, x, y);
        }
        let mask = self.reinterpret(r#type, condition);
        self.builder.ins().bitselect(mask, x, y)
    }

    /// Shifts by a uniform amount, the only ones that CLIF has.
    fn shift_register(&mut self, op: Op, code: OpCode, x: Value) -> Option<Value> {
        let amount = self.uniform_amount(self.body.sides(op).1)?;
        let ins = self.builder.ins();
        Some(match code {
            arith::SHLI => ins.ishl(x, amount),
            arith::SHRSI => ins.sshr(x, amount),
            _ => ins.ushr(x, amount),
        })
    }

    fn uniform_amount(&mut self, amount: ir::Value) -> Option<Value> {
        if let Some(constant) = self.constant_integer(amount) {
            return Some(self.integer_constant(types::I32, constant));
        }
        let op = self.body.defining_op(amount).filter(|&op| self.body.is(op, vector::BROADCAST))?;
        let scalar = self.body.sole_operand(op);
        matches!(form(self.body.value_type(scalar)), Some(Form::Scalar(_))).then(|| self.single(scalar))
    }
}
