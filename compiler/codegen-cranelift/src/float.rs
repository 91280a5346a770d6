//! Floating-point arithmetic and comparison.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use dialects::arith::CmpFPredicate;
use dialects::{OpCode, OpCodes, arith, math, vector};
use ir::Op;

use crate::form::is_half;
use crate::function::{Translated, Translator};

/// A comparison in CLIF's terms; a constant for the two predicates that ignore their operands.
fn condition(predicate: CmpFPredicate) -> Result<FloatCC, bool> {
    Ok(match predicate {
        CmpFPredicate::AlwaysFalse => return Err(false),
        CmpFPredicate::Oeq => FloatCC::Equal,
        CmpFPredicate::Ogt => FloatCC::GreaterThan,
        CmpFPredicate::Oge => FloatCC::GreaterThanOrEqual,
        CmpFPredicate::Olt => FloatCC::LessThan,
        CmpFPredicate::Ole => FloatCC::LessThanOrEqual,
        CmpFPredicate::One => FloatCC::OrderedNotEqual,
        CmpFPredicate::Ord => FloatCC::Ordered,
        CmpFPredicate::Ueq => FloatCC::UnorderedOrEqual,
        CmpFPredicate::Ugt => FloatCC::UnorderedOrGreaterThan,
        CmpFPredicate::Uge => FloatCC::UnorderedOrGreaterThanOrEqual,
        CmpFPredicate::Ult => FloatCC::UnorderedOrLessThan,
        CmpFPredicate::Ule => FloatCC::UnorderedOrLessThanOrEqual,
        CmpFPredicate::Une => FloatCC::NotEqual,
        CmpFPredicate::Uno => FloatCC::Unordered,
        CmpFPredicate::AlwaysTrue => return Err(true),
    })
}

impl Translator<'_> {
    /// Scalar floating point operations; `None` for other operations. Half formats are computed in `f32`.
    pub(crate) fn float_op(&mut self, op: Op, code: OpCode, arguments: &[Value]) -> Translated<Option<Value>> {
        let element = self.operand_type(op).element().clone();
        if !element.is_float() {
            return Ok(None);
        }
        if !is_half(&element) {
            return Ok(self.single_or_double_op(op, code, arguments));
        }
        if matches!(code, arith::BITCAST | arith::EXTF | arith::TRUNCF) {
            return Ok(None);
        }
        let mut wide = Vec::with_capacity(arguments.len());
        for &argument in arguments {
            wide.push(self.half_to_f32(op, &element, argument)?);
        }
        let Some(result) = self.single_or_double_op(op, code, &wide) else { return Ok(None) };
        if is_half(self.result_type(op).element()) {
            return self.f32_to_half(op, &element, result).map(Some);
        }
        Ok(Some(result))
    }

    fn single_or_double_op(&mut self, op: Op, code: OpCode, arguments: &[Value]) -> Option<Value> {
        match (code, arguments) {
            (math::COPYSIGN, &[x, y]) => Some(self.builder.ins().fcopysign(x, y)),
            _ => self.plain_float_op(op, code, arguments),
        }
    }

    /// Operations that CLIF has for scalars and registers alike.
    fn plain_float_op(&mut self, op: Op, code: OpCode, arguments: &[Value]) -> Option<Value> {
        if let Some(value) = self.bounded(op, code, arguments) {
            return Some(value);
        }
        if let Some(value) = self.extreme(code, arguments) {
            return Some(value);
        }
        let ins = self.builder.ins();
        Some(match (code, arguments) {
            (arith::ADDF, &[x, y]) => ins.fadd(x, y),
            (arith::SUBF, &[x, y]) => ins.fsub(x, y),
            (arith::MULF, &[x, y]) => ins.fmul(x, y),
            (arith::DIVF, &[x, y]) => ins.fdiv(x, y),
            (arith::NEGF, &[x]) => ins.fneg(x),
            (arith::MAXIMUMF, &[x, y]) => ins.fmax(x, y),
            (arith::MINIMUMF, &[x, y]) => ins.fmin(x, y),
            (arith::MAXNUMF, &[x, y]) => self.number_or_other(FloatCC::GreaterThan, x, y),
            (arith::MINNUMF, &[x, y]) => self.number_or_other(FloatCC::LessThan, x, y),
            (arith::CMPF, &[x, y]) => return self.compare(op, x, y),
            (math::SQRT, &[x]) => ins.sqrt(x),
            (math::ABSF, &[x]) => ins.fabs(x),
            (math::FLOOR, &[x]) => ins.floor(x),
            (math::CEIL, &[x]) => ins.ceil(x),
            (math::TRUNC, &[x]) => ins.trunc(x),
            (math::ROUNDEVEN, &[x]) => ins.nearest(x),
            (math::FMA | vector::FMA, &[x, y, z]) => ins.fma(x, y, z),
            _ => return None,
        })
    }

    /// A minimum or maximum with a constant, written so that it becomes one instruction: NaN stays NaN because the
    /// instruction returns its second operand if the operands are unordered. For two zeros it returns the other
    /// operand.
    fn bounded(&mut self, op: Op, code: OpCode, arguments: &[Value]) -> Option<Value> {
        let &[x, y] = arguments else { return None };
        let minimum = match code {
            arith::MINIMUMF => true,
            arith::MAXIMUMF => false,
            _ => return None,
        };
        // a reduction combines lanes, not its operands
        if !self.body.is(op, code) {
            return None;
        }
        let known = |index| {
            vector::constant_float(self.body, self.body.operand(op, index)).is_some_and(|value| !value.is_nan())
        };
        let (bound, value) = match (known(0), known(1)) {
            (_, true) => (y, x),
            (true, false) => (x, y),
            (false, false) => return None,
        };
        let bound_wins = match minimum {
            true => self.builder.ins().fcmp(FloatCC::LessThan, bound, value),
            false => self.builder.ins().fcmp(FloatCC::LessThan, value, bound),
        };
        Some(self.choose(bound_wins, bound, value))
    }

    /// The minimum or maximum of two registers' lanes. The processor's instruction returns its second operand if one is
    /// NaN or both are zeros: with the operands in both orders, the results differ only in these cases. For two zeros
    /// the bits of both determine the result, and a NaN is all ones.
    fn extreme(&mut self, code: OpCode, arguments: &[Value]) -> Option<Value> {
        let &[x, y] = arguments else { return None };
        let r#type = self.builder.func.dfg.value_type(x);
        let (better, is_largest) = match code {
            _ if !r#type.is_vector() => return None,
            arith::MAXIMUMF => (FloatCC::GreaterThan, true),
            arith::MINIMUMF => (FloatCC::LessThan, false),
            _ => return None,
        };
        let [one, other] = [(x, y), (y, x)].map(|(x, y)| {
            let is_better = self.builder.ins().fcmp(better, x, y);
            self.choose(is_better, x, y)
        });
        let ins = self.builder.ins();
        let both = if is_largest { ins.band(one, other) } else { ins.bor(one, other) };
        let missing = self.builder.ins().fcmp(FloatCC::Unordered, x, y);
        let missing = self.reinterpret(r#type, missing);
        Some(self.builder.ins().bor(both, missing))
    }

    /// The larger or smaller of two numbers; if one is NaN, the other operand.
    fn number_or_other(&mut self, better: FloatCC, x: Value, y: Value) -> Value {
        let x_better = self.builder.ins().fcmp(better, x, y);
        let chosen = self.choose(x_better, x, y);
        let y_missing = self.builder.ins().fcmp(FloatCC::Unordered, y, y);
        self.choose(y_missing, x, chosen)
    }

    fn choose(&mut self, condition: Value, x: Value, y: Value) -> Value {
        let r#type = self.builder.func.dfg.value_type(x);
        if !r#type.is_vector() {
            return self.builder.ins().select(condition, x, y);
        }
        let mask = self.reinterpret(r#type, condition);
        self.builder.ins().bitselect(mask, x, y)
    }

    fn compare(&mut self, op: Op, x: Value, y: Value) -> Option<Value> {
        let r#type = self.builder.func.dfg.value_type(x);
        let condition = match condition(CmpFPredicate::of(self.body, op)?) {
            Ok(condition) => condition,
            Err(holds) => {
                return Some(match r#type.is_vector() {
                    true => self.vector_constant(r#type.as_truthy(), &[if holds { 0xff } else { 0 }; 16]),
                    false => self.integer_constant(types::I8, holds as i64),
                });
            }
        };
        let (first, second) = match condition {
            FloatCC::OrderedNotEqual => (FloatCC::LessThan, FloatCC::GreaterThan),
            FloatCC::UnorderedOrEqual => (FloatCC::Unordered, FloatCC::Equal),
            _ => return Some(self.builder.ins().fcmp(condition, x, y)),
        };
        let first = self.builder.ins().fcmp(first, x, y);
        let second = self.builder.ins().fcmp(second, x, y);
        Some(self.builder.ins().bor(first, second))
    }

    /// Floating-point operations on 128-bit registers, if CLIF has them.
    pub(crate) fn float_register_op(
        &mut self,
        op: Op,
        code: OpCode,
        r#type: Type,
        arguments: &[Value],
    ) -> Option<Value> {
        match (code, arguments) {
            (math::COPYSIGN, &[x, y]) => {
                let sign = self.sign_mask(r#type);
                Some(self.builder.ins().bitselect(sign, y, x))
            }
            _ => self.plain_float_op(op, code, arguments),
        }
    }

    /// The sign bit of every lane.
    fn sign_mask(&mut self, r#type: Type) -> Value {
        let mut bytes = [0; 16];
        let width = r#type.lane_type().bytes() as usize;
        bytes.iter_mut().skip(width - 1).step_by(width).for_each(|byte| *byte = 0x80);
        self.vector_constant(r#type, &bytes)
    }
}
