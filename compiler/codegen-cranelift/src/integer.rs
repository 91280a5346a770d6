//! Integer arithmetic, comparison and selection.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use ir::Op;

use crate::form::{Form, form, is_bit};
use crate::function::Translator;

/// Upstream's numbering of `arith.cmpi` predicates.
fn condition(predicate: i64) -> Option<IntCC> {
    Some(match predicate {
        0 => IntCC::Equal,
        1 => IntCC::NotEqual,
        2 => IntCC::SignedLessThan,
        3 => IntCC::SignedLessThanOrEqual,
        4 => IntCC::SignedGreaterThan,
        5 => IntCC::SignedGreaterThanOrEqual,
        6 => IntCC::UnsignedLessThan,
        7 => IntCC::UnsignedLessThanOrEqual,
        8 => IntCC::UnsignedGreaterThan,
        9 => IntCC::UnsignedGreaterThanOrEqual,
        _ => return None,
    })
}

impl Translator<'_> {
    /// Scalar integer operations; `None` when `name` is none.
    pub(crate) fn integer_op(&mut self, op: Op, name: &str, arguments: &[Value]) -> Option<Value> {
        if is_bit(self.operand_type(op, 0).element())
            && let Some(value) = self.bit_op(op, name, arguments)
        {
            return Some(value);
        }
        match (name, arguments) {
            ("arith.divui", &[x, y]) => Some(self.divide_unsigned(op, x, y)),
            ("arith.remui", &[x, y]) => Some(self.remainder_unsigned(op, x, y)),
            ("arith.divsi", &[x, y]) => Some(self.divide_signed(op, x, y)),
            ("arith.remsi", &[x, y]) => Some(self.remainder_signed(op, x, y)),
            _ => self.plain_integer_op(op, name, arguments),
        }
    }

    fn plain_integer_op(&mut self, op: Op, name: &str, arguments: &[Value]) -> Option<Value> {
        let predicate = self.body.op(op).attributes.integer("predicate");
        let ins = self.builder.ins();
        Some(match (name, arguments) {
            ("arith.addi", &[x, y]) => ins.iadd(x, y),
            ("arith.subi", &[x, y]) => ins.isub(x, y),
            ("arith.muli", &[x, y]) => ins.imul(x, y),
            ("arith.andi", &[x, y]) => ins.band(x, y),
            ("arith.ori", &[x, y]) => ins.bor(x, y),
            ("arith.xori", &[x, y]) => ins.bxor(x, y),
            ("arith.shli", &[x, y]) => ins.ishl(x, y),
            ("arith.shrsi", &[x, y]) => ins.sshr(x, y),
            ("arith.shrui", &[x, y]) => ins.ushr(x, y),
            ("arith.minsi", &[x, y]) => ins.smin(x, y),
            ("arith.maxsi", &[x, y]) => ins.smax(x, y),
            ("arith.minui", &[x, y]) => ins.umin(x, y),
            ("arith.maxui", &[x, y]) => ins.umax(x, y),
            ("arith.cmpi", &[x, y]) => ins.icmp(condition(predicate?)?, x, y),
            ("arith.select", &[c, x, y]) => ins.select(c, x, y),
            ("math.absi", &[x]) => ins.iabs(x),
            ("math.ctlz", &[x]) => ins.clz(x),
            ("math.ctpop", &[x]) => ins.popcnt(x),
            _ => return None,
        })
    }

    /// Operations on `i1`, which is 0 or 1 here but 0 or -1 to signed operations.
    fn bit_op(&mut self, op: Op, name: &str, arguments: &[Value]) -> Option<Value> {
        Some(match (name, arguments) {
            ("arith.addi" | "arith.subi", &[x, y]) => self.builder.ins().bxor(x, y),
            ("arith.muli", &[x, y]) => self.builder.ins().band(x, y),
            ("arith.minsi", &[x, y]) => self.builder.ins().bor(x, y),
            ("arith.maxsi", &[x, y]) => self.builder.ins().band(x, y),
            ("arith.cmpi", &[x, y]) => {
                let condition = condition(self.body.op(op).attributes.integer("predicate")?)?;
                let (x, y) = (self.builder.ins().ineg(x), self.builder.ins().ineg(y));
                self.builder.ins().icmp(condition, x, y)
            }
            _ => return None,
        })
    }

    /// Whether the divisor is a constant that can neither trap nor overflow.
    fn harmless_divisor(&self, op: Op) -> bool {
        let divisor = self.constant_integer(self.body.operand(op, 1));
        divisor.is_some_and(|divisor| divisor != 0 && divisor != -1)
    }

    /// `divisor`, or 1 in its place when it is zero; and whether it is zero.
    fn guard_zero(&mut self, divisor: Value) -> (Value, Value) {
        let zero = self.builder.ins().icmp_imm_s(IntCC::Equal, divisor, 0);
        let one = self.integer_constant(self.builder.func.dfg.value_type(divisor), 1);
        (self.builder.ins().select(zero, one, divisor), zero)
    }

    /// `divisor`, or 1 in its place when it is 0 or -1; and whether it is -1.
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

    /// Integer operations on 128-bit registers, where CLIF has them.
    pub(crate) fn integer_register_op(
        &mut self,
        op: Op,
        name: &str,
        r#type: Type,
        arguments: &[Value],
    ) -> Option<Value> {
        let mask = is_bit(self.operand_type(op, 0).element());
        match (name, arguments) {
            ("arith.select", &[condition, x, y]) => Some(self.select_register(op, r#type, condition, x, y)),
            ("arith.shli" | "arith.shrsi" | "arith.shrui", &[x, _]) => self.shift_register(op, name, x),
            ("arith.muli", _) if r#type == types::I8X16 && !mask => None,
            ("arith.divui" | "arith.remui" | "arith.divsi" | "arith.remsi" | "math.ctlz" | "math.ctpop", _) => None,
            ("arith.addi" | "arith.subi", &[x, y]) if mask => Some(self.builder.ins().bxor(x, y)),
            ("arith.muli", &[x, y]) if mask => Some(self.builder.ins().band(x, y)),
            ("arith.andi" | "arith.ori" | "arith.xori", _) if mask => self.plain_integer_op(op, name, arguments),
            _ if mask => None,
            _ => self.plain_integer_op(op, name, arguments),
        }
    }

    fn select_register(&mut self, op: Op, r#type: Type, condition: Value, x: Value, y: Value) -> Value {
        if let Some(Form::Scalar(_)) = form(self.operand_type(op, 0)) {
            return self.builder.ins().select(condition, x, y);
        }
        let mask = self.reinterpret(r#type, condition);
        self.builder.ins().bitselect(mask, x, y)
    }

    /// Shifts by one amount for all lanes, which is all that CLIF has.
    fn shift_register(&mut self, op: Op, name: &str, x: Value) -> Option<Value> {
        let amount = self.uniform_amount(self.body.operand(op, 1))?;
        let ins = self.builder.ins();
        Some(match name {
            "arith.shli" => ins.ishl(x, amount),
            "arith.shrsi" => ins.sshr(x, amount),
            _ => ins.ushr(x, amount),
        })
    }

    fn uniform_amount(&mut self, amount: ir::Value) -> Option<Value> {
        if let Some(constant) = self.constant_integer(amount) {
            return Some(self.integer_constant(types::I32, constant));
        }
        let op = self.body.defining_op(amount).filter(|&op| self.body.name(op) == "vector.broadcast")?;
        matches!(form(self.operand_type(op, 0)), Some(Form::Scalar(_))).then(|| self.operand(op, 0))
    }
}
