//! Conversions between types. Float to integer saturates and maps NaN to 0; nothing traps.

use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use dialects::{OpCode, arith};
use ir::{FloatType, Op};

use crate::form::{Form, form, is_bit, is_half, scalar_type};
use crate::function::{Translated, Translator};

impl Translator<'_> {
    /// Scalar conversions; `None` for other operations.
    pub(crate) fn convert_op(&mut self, op: Op, code: OpCode, arguments: &[Value]) -> Translated<Option<Value>> {
        let &[x] = arguments else { return Ok(None) };
        let from = self.operand_type(op).element().clone();
        let to = self.result_type(op).element().clone();
        let target = scalar_type(&to).ok_or_else(|| self.unknown(op))?;
        Ok(Some(match code {
            arith::EXTSI | arith::INDEX_CAST => self.resize(x, &from, &to, true),
            arith::EXTUI | arith::INDEX_CASTUI | arith::TRUNCI => self.resize(x, &from, &to, false),
            arith::SITOFP | arith::UITOFP => {
                let signed = code == arith::SITOFP;
                let integer = self.widen(x, &from, signed);
                return self.integer_to_float(op, integer, signed, &to).map(Some);
            }
            arith::FPTOSI | arith::FPTOUI => {
                let float = if is_half(&from) { self.half_to_f32(op, &from, x)? } else { x };
                self.float_to_integer(float, &to, code == arith::FPTOSI)
            }
            arith::EXTF | arith::TRUNCF => return self.float_to_float(op, x, &from, &to).map(Some),
            arith::BITCAST => self.reinterpret(target, x),
            _ => return Ok(None),
        }))
    }

    /// An integer at another width.
    fn resize(&mut self, x: Value, from: &ir::Type, to: &ir::Type, signed: bool) -> Value {
        let x = if is_bit(from) && signed { self.builder.ins().ineg(x) } else { x };
        let source = self.builder.func.dfg.value_type(x);
        let target = scalar_type(to).expect("checked by the caller");
        let resized = match (target.bits().cmp(&source.bits()), signed) {
            (std::cmp::Ordering::Equal, _) => x,
            (std::cmp::Ordering::Less, _) => self.builder.ins().ireduce(target, x),
            (std::cmp::Ordering::Greater, true) => self.builder.ins().sextend(target, x),
            (std::cmp::Ordering::Greater, false) => self.builder.ins().uextend(target, x),
        };
        if is_bit(to) { self.builder.ins().band_imm_u(resized, 1) } else { resized }
    }

    /// An integer of at least 32 bits.
    fn widen(&mut self, x: Value, from: &ir::Type, signed: bool) -> Value {
        let wide = if from.bit_width().is_some_and(|bits| bits < 32) { &ir::Type::I32 } else { from };
        self.resize(x, from, wide, signed)
    }

    fn integer_to_float(&mut self, op: Op, x: Value, signed: bool, to: &ir::Type) -> Translated<Value> {
        if !is_half(to) {
            let target = scalar_type(to).ok_or_else(|| self.unknown(op))?;
            let ins = self.builder.ins();
            return Ok(if signed { ins.fcvt_from_sint(target, x) } else { ins.fcvt_from_uint(target, x) });
        }
        let ins = self.builder.ins();
        let double = if signed { ins.fcvt_from_sint(types::F64, x) } else { ins.fcvt_from_uint(types::F64, x) };
        self.f64_to_half(op, to, double)
    }

    fn float_to_integer(&mut self, x: Value, to: &ir::Type, signed: bool) -> Value {
        let target = scalar_type(to).expect("checked by the caller");
        let narrow = to.bit_width().filter(|&bits| bits < 32);
        let wide = if narrow.is_some() { types::I32 } else { target };
        let ins = self.builder.ins();
        let integer = if signed { ins.fcvt_to_sint_sat(wide, x) } else { ins.fcvt_to_uint_sat(wide, x) };
        let Some(bits) = narrow else { return integer };
        let clamped = if signed {
            let low = self.builder.ins().iconst(wide, (-1i64 << (bits - 1)) & 0xffff_ffff);
            let high = self.builder.ins().iconst(wide, (1i64 << (bits - 1)) - 1);
            let raised = self.builder.ins().smax(integer, low);
            self.builder.ins().smin(raised, high)
        } else {
            let high = self.builder.ins().iconst(wide, (1i64 << bits) - 1);
            self.builder.ins().umin(integer, high)
        };
        let reduced = self.builder.ins().ireduce(target, clamped);
        if is_bit(to) { self.builder.ins().band_imm_u(reduced, 1) } else { reduced }
    }

    fn float_to_float(&mut self, op: Op, x: Value, from: &ir::Type, to: &ir::Type) -> Translated<Value> {
        let double = |r#type: &ir::Type| *r#type == ir::Type::F64;
        if is_half(to) {
            if double(from) {
                return self.f64_to_half(op, to, x);
            }
            let single = if is_half(from) { self.half_to_f32(op, from, x)? } else { x };
            return self.f32_to_half(op, to, single);
        }
        let x = if is_half(from) { self.half_to_f32(op, from, x)? } else { x };
        Ok(match (double(from), double(to)) {
            (false, true) => self.builder.ins().fpromote(types::F64, x),
            (true, false) => self.builder.ins().fdemote(types::F32, x),
            (true, true) | (false, false) => x,
        })
    }

    /// The value of an `f16` or `bf16` given by its bits.
    pub(crate) fn half_to_f32(&mut self, op: Op, from: &ir::Type, bits: Value) -> Translated<Value> {
        let wide = self.builder.ins().uextend(types::I32, bits);
        if *from == ir::Type::Float(FloatType::BF16) {
            let shifted = self.builder.ins().ishl_imm_u(wide, 16);
            return Ok(self.reinterpret(types::F32, shifted));
        }
        self.runtime_call(op, "rt_f16_to_f32", &[ir::Type::I32], ir::Type::F32, &[wide])
    }

    /// The bits of the `f16` or `bf16` nearest to an `f32`.
    pub(crate) fn f32_to_half(&mut self, op: Op, to: &ir::Type, x: Value) -> Translated<Value> {
        let name = if *to == ir::Type::F16 { "rt_f32_to_f16" } else { "rt_f32_to_bf16" };
        let bits = self.runtime_call(op, name, &[ir::Type::F32], ir::Type::I32, &[x])?;
        Ok(self.builder.ins().ireduce(types::I16, bits))
    }

    fn f64_to_half(&mut self, op: Op, to: &ir::Type, x: Value) -> Translated<Value> {
        let name = if *to == ir::Type::F16 { "rt_f64_to_f16" } else { "rt_f64_to_bf16" };
        let bits = self.runtime_call(op, name, &[ir::Type::F64], ir::Type::I32, &[x])?;
        Ok(self.builder.ins().ireduce(types::I16, bits))
    }

    /// Conversions between 128-bit registers, if CLIF has them.
    pub(crate) fn convert_register_op(
        &mut self,
        op: Op,
        code: OpCode,
        r#type: Type,
        arguments: &[Value],
    ) -> Option<Value> {
        let &[x] = arguments else { return None };
        let Some(Form::Vector(source)) = form(self.operand_type(op)) else { return None };
        let mask_in = is_bit(self.operand_type(op).element());
        let mask_out = is_bit(self.result_type(op).element());
        let same_lanes = source.lane_count() == r#type.lane_count();
        let whole = source == types::I32X4 && r#type == types::F32X4 && !mask_in;
        Some(match code {
            arith::SITOFP if whole => self.builder.ins().fcvt_from_sint(r#type, x),
            arith::UITOFP if whole => self.builder.ins().fcvt_from_uint(r#type, x),
            arith::UITOFP if mask_in && r#type == types::F32X4 => {
                let ones: Vec<u8> = std::iter::repeat_n(1f32.to_le_bytes(), 4).flatten().collect();
                let (ones, mask) = (self.vector_constant(r#type, &ones), self.reinterpret(r#type, x));
                self.builder.ins().band(mask, ones)
            }
            arith::FPTOSI if r#type == types::I32X4 && !mask_out => self.builder.ins().fcvt_to_sint_sat(r#type, x),
            arith::FPTOUI if r#type == types::I32X4 && !mask_out => self.builder.ins().fcvt_to_uint_sat(r#type, x),
            arith::INDEX_CAST | arith::INDEX_CASTUI if source == r#type && !mask_in && !mask_out => x,
            arith::EXTSI if mask_in && same_lanes => x,
            arith::EXTUI if mask_in && same_lanes => {
                let zero = self.vector_constant(r#type, &[0; 16]);
                self.builder.ins().isub(zero, x)
            }
            arith::BITCAST if !mask_in && !mask_out => self.reinterpret(r#type, x),
            _ => return None,
        })
    }
}
