//! Vectors of four elements of 8 or 16 bits, in the first lanes of a register.
//!
//! They are widened to lanes of 32 bits for arithmetic. The other lanes of the register are unspecified.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use dialects::arith::CmpIPredicate;
use dialects::{OpCode, arith};
use ir::Op;

use crate::form::{Form, form, is_bit, is_half};
use crate::function::Translator;
use crate::memory::{Address, access_flags};

/// Elements of a packed vector.
pub(crate) const PACKED_LANES: usize = 4;

/// A vector of words as large as a packed vector.
fn words(register: Type) -> Type {
    if register == types::I8X16 { types::I32X4 } else { types::I64X2 }
}

/// Whether the operation reads its integers as unsigned numbers.
fn is_unsigned(code: OpCode, predicate: Option<CmpIPredicate>) -> bool {
    matches!(code, arith::EXTUI | arith::UITOFP | arith::INDEX_CASTUI | arith::MINUI | arith::MAXUI | arith::SELECT)
        || predicate.is_some_and(CmpIPredicate::is_unsigned)
}

impl Translator<'_> {
    pub(crate) fn load_packed(&mut self, register: Type, address: Address) -> Value {
        let words = words(register);
        let word = self.builder.ins().load(words.lane_type(), access_flags(), address.base, address.offset);
        let loaded = self.builder.ins().scalar_to_vector(words, word);
        self.reinterpret(register, loaded)
    }

    pub(crate) fn store_packed(&mut self, value: Value, address: Address) {
        let register = self.builder.func.dfg.value_type(value);
        let stored = self.reinterpret(words(register), value);
        let word = self.builder.ins().extractlane(stored, 0);
        self.builder.ins().store(access_flags(), word, address.base, address.offset);
    }

    /// An operation with packed operands or a packed result; `None` if it goes lane by lane.
    pub(crate) fn packed_op(&mut self, op: Op, code: OpCode) -> Option<Value> {
        let unsigned = is_unsigned(code, CmpIPredicate::of(self.body, op));
        let (from, to) = (self.operand_type(op).element().clone(), self.result_type(op).element().clone());
        let mut wide = Vec::new();
        for &operand in self.body.op(op).operands() {
            wide.push(self.wide_operand(operand, unsigned)?);
        }
        let target = form(self.result_type(op))?;
        if code == arith::SELECT {
            let value = self.select_wide(op, &wide)?;
            return self.narrowed(target, value);
        }
        // f16 and bf16 are computed in f32
        let mut floats = wide.clone();
        if is_half(&from) {
            floats = wide.iter().map(|&bits| self.half_register_to_f32(&from, bits)).collect();
        }
        let value = match code {
            arith::EXTUI | arith::EXTSI | arith::TRUNCI if !is_bit(&from) && !is_bit(&to) => wide[0],
            arith::INDEX_CAST | arith::INDEX_CASTUI => return None,
            arith::EXTUI if is_bit(&from) => {
                let one = self.every_lane(1);
                self.builder.ins().band(wide[0], one)
            }
            arith::SITOFP | arith::UITOFP if to == ir::Type::F32 && !is_bit(&from) => {
                self.builder.ins().fcvt_from_sint(types::F32X4, wide[0])
            }
            arith::FPTOSI | arith::FPTOUI if !is_bit(&to) && from != ir::Type::F64 => {
                self.float_register_to_integer(floats[0], &to, code == arith::FPTOSI)?
            }
            arith::EXTF if to == ir::Type::F32 => floats[0],
            arith::TRUNCF if from == ir::Type::F32 => self.f32_register_to_half(&to, wide[0]),
            _ if is_half(&from) => {
                let value = self.float_register_op(op, code, types::F32X4, &floats)?;
                if is_half(&to) { self.f32_register_to_half(&to, value) } else { value }
            }
            arith::ADDI
            | arith::SUBI
            | arith::MULI
            | arith::ANDI
            | arith::ORI
            | arith::XORI
            | arith::MINSI
            | arith::MAXSI
            | arith::MINUI
            | arith::MAXUI
            | arith::CMPI => self.integer_register_op(op, code, types::I32X4, &wide)?,
            _ => return None,
        };
        self.narrowed(target, value)
    }

    /// An operand in lanes of 32 bits, or a scalar.
    fn wide_operand(&mut self, operand: ir::Value, unsigned: bool) -> Option<Value> {
        let value = self.parts(operand).first().copied()?;
        match form(self.body.value_type(operand))? {
            Form::Packed(_) => {
                let signed = !unsigned && !is_half(self.body.value_type(operand).element());
                Some(self.widen_register(value, signed))
            }
            Form::Vector(r#type) => (r#type.lane_count() as usize == PACKED_LANES).then_some(value),
            Form::Scalar(_) => Some(value),
            Form::Lanes(..) => None,
        }
    }

    fn select_wide(&mut self, op: Op, wide: &[Value]) -> Option<Value> {
        let &[condition, x, y] = wide else { return None };
        if let Some(Form::Scalar(_)) = form(self.operand_type(op)) {
            return Some(self.builder.ins().select(condition, x, y));
        }
        Some(self.builder.ins().bitselect(condition, x, y))
    }

    /// Lanes of 32 bits in the form of a result.
    fn narrowed(&mut self, target: Form, value: Value) -> Option<Value> {
        match target {
            Form::Packed(register) => Some(self.narrow_register(register, value)),
            Form::Vector(r#type) => (self.builder.func.dfg.value_type(value) == r#type).then_some(value),
            Form::Scalar(_) | Form::Lanes(..) => None,
        }
    }

    /// The first four lanes with 32 bits each.
    fn widen_register(&mut self, packed: Value, signed: bool) -> Value {
        let mut value = packed;
        while self.builder.func.dfg.value_type(value) != types::I32X4 {
            let ins = self.builder.ins();
            value = if signed { ins.swiden_low(value) } else { ins.uwiden_low(value) };
        }
        value
    }

    /// The low bits of four lanes.
    fn narrow_register(&mut self, register: Type, value: Value) -> Value {
        let width = register.lane_type().bytes() as u8;
        let mask: Vec<u8> = (0..16).map(|byte| byte / width % PACKED_LANES as u8 * 4 + byte % width).collect();
        let bytes = self.reinterpret(types::I8X16, value);
        let mask = self.builder.func.dfg.immediates.push(mask.as_slice().into());
        let narrow = self.builder.ins().shuffle(bytes, bytes, mask);
        self.reinterpret(register, narrow)
    }

    fn every_lane(&mut self, bits: u32) -> Value {
        let bytes: Vec<u8> = std::iter::repeat_n(bits.to_le_bytes(), PACKED_LANES).flatten().collect();
        self.vector_constant(types::I32X4, &bytes)
    }

    /// Saturating, like the scalar conversion.
    fn float_register_to_integer(&mut self, x: Value, to: &ir::Type, signed: bool) -> Option<Value> {
        if self.builder.func.dfg.value_type(x) != types::F32X4 {
            return None;
        }
        let bits = to.bit_width().filter(|&bits| bits <= 32)?;
        let ins = self.builder.ins();
        let integer = match signed {
            true => ins.fcvt_to_sint_sat(types::I32X4, x),
            false => ins.fcvt_to_uint_sat(types::I32X4, x),
        };
        if bits == 32 {
            return Some(integer);
        }
        if !signed {
            let high = self.every_lane((1 << bits) - 1);
            return Some(self.builder.ins().umin(integer, high));
        }
        let (low, high) = (self.every_lane((-1i32 << (bits - 1)) as u32), self.every_lane((1 << (bits - 1)) - 1));
        let raised = self.builder.ins().smax(integer, low);
        Some(self.builder.ins().smin(raised, high))
    }

    /// Widens the low 16 bits of the lanes, as f16 or bf16, to f32.
    fn half_register_to_f32(&mut self, from: &ir::Type, bits: Value) -> Value {
        if *from != ir::Type::F16 {
            let shifted = self.builder.ins().ishl_imm_u(bits, 16);
            return self.reinterpret(types::F32X4, shifted);
        }
        // scaling corrects the exponent's bias, also for subnormal numbers
        let magnitude = self.every_lane(0x7fff);
        let magnitude = self.builder.ins().band(bits, magnitude);
        let shifted = self.builder.ins().ishl_imm_u(magnitude, 13);
        let (scale, shifted) = (self.every_lane((127 + 112) << 23), self.reinterpret(types::F32X4, shifted));
        let scale = self.reinterpret(types::F32X4, scale);
        let scaled = self.builder.ins().fmul(shifted, scale);
        let scaled = self.reinterpret(types::I32X4, scaled);
        let (infinity, exponent) = (self.every_lane(0x7c00), self.every_lane(0x7f80_0000));
        let special = self.builder.ins().icmp(IntCC::SignedGreaterThanOrEqual, magnitude, infinity);
        let special = self.builder.ins().band(special, exponent);
        let number = self.builder.ins().bor(scaled, special);
        let sign = self.builder.ins().bxor(bits, magnitude);
        let sign = self.builder.ins().ishl_imm_u(sign, 16);
        let number = self.builder.ins().bor(number, sign);
        self.reinterpret(types::F32X4, number)
    }

    /// Rounds to f16 or bf16, ties to even.
    fn f32_register_to_half(&mut self, to: &ir::Type, x: Value) -> Value {
        let bits = self.reinterpret(types::I32X4, x);
        if *to == ir::Type::F16 { self.f16_bits(bits) } else { self.bf16_bits(bits) }
    }

    /// Adds the bias that makes truncation at `cut` bits round to nearest, ties to even.
    fn round_at(&mut self, bits: Value, cut: i64) -> Value {
        let (one, less_than_half) = (self.every_lane(1), self.every_lane((1 << (cut - 1)) - 1));
        let odd = self.builder.ins().ushr_imm_u(bits, cut);
        let odd = self.builder.ins().band(odd, one);
        let raised = self.builder.ins().iadd(bits, less_than_half);
        self.builder.ins().iadd(raised, odd)
    }

    fn bf16_bits(&mut self, bits: Value) -> Value {
        let (mask, infinity, quiet) =
            (self.every_lane(0x7fff_ffff), self.every_lane(0x7f80_0000), self.every_lane(0x40));
        let magnitude = self.builder.ins().band(bits, mask);
        let nan = self.builder.ins().icmp(IntCC::SignedGreaterThan, magnitude, infinity);
        let rounded = self.round_at(bits, 16);
        let (rounded, cut) = (self.builder.ins().ushr_imm_u(rounded, 16), self.builder.ins().ushr_imm_u(bits, 16));
        let quieted = self.builder.ins().bor(cut, quiet);
        self.builder.ins().bitselect(nan, quieted, rounded)
    }

    fn f16_bits(&mut self, bits: Value) -> Value {
        /// The bits of 0.5, whose last place is that of the smallest subnormal f16.
        const SUBNORMAL: u32 = 126 << 23;
        let mask = self.every_lane(0x7fff_ffff);
        let magnitude = self.builder.ins().band(bits, mask);
        // normal numbers: the exponent's bias is corrected, the mantissa truncated
        let bias = self.every_lane((112u32 << 23).wrapping_neg());
        let rounded = self.round_at(magnitude, 13);
        let normal = self.builder.ins().iadd(rounded, bias);
        let normal = self.builder.ins().ushr_imm_u(normal, 13);
        // smaller ones are rounded by an addition
        let half = self.every_lane(SUBNORMAL);
        let (addend, float) = (self.reinterpret(types::F32X4, half), self.reinterpret(types::F32X4, magnitude));
        let sum = self.builder.ins().fadd(float, addend);
        let sum = self.reinterpret(types::I32X4, sum);
        let subnormal = self.builder.ins().isub(sum, half);
        let least_normal = self.every_lane(113 << 23);
        let small = self.builder.ins().icmp(IntCC::SignedLessThan, magnitude, least_normal);
        let number = self.builder.ins().bitselect(small, subnormal, normal);
        // values that are too large become infinity, and NaN stays NaN
        let (too_large, infinity) = (self.every_lane((127 + 16) << 23), self.every_lane(0x7f80_0000));
        let large = self.builder.ins().icmp(IntCC::SignedGreaterThanOrEqual, magnitude, too_large);
        let nan = self.builder.ins().icmp(IntCC::SignedGreaterThan, magnitude, infinity);
        let (infinite, missing) = (self.every_lane(0x7c00), self.every_lane(0x7e00));
        let special = self.builder.ins().bitselect(nan, missing, infinite);
        let number = self.builder.ins().bitselect(large, special, number);
        let sign = self.builder.ins().bxor(bits, magnitude);
        let sign = self.builder.ins().ushr_imm_u(sign, 16);
        self.builder.ins().bor(number, sign)
    }

    /// Stores a mask as bytes, in the low bytes of a word: 0 or 1.
    pub(crate) fn store_mask(&mut self, mask: Value, address: Address) {
        let count = self.builder.func.dfg.value_type(mask).lane_count() as u8;
        let picks: Vec<u8> = (0..16).map(|byte| byte % count * (16 / count)).collect();
        let bytes = self.reinterpret(types::I8X16, mask);
        let picks = self.builder.func.dfg.immediates.push(picks.as_slice().into());
        let gathered = self.builder.ins().shuffle(bytes, bytes, picks);
        let ones = self.vector_constant(types::I8X16, &[1; 16]);
        let bits = self.builder.ins().band(gathered, ones);
        let words = self.reinterpret(mask_words(count), bits);
        let stored = if count == 16 { words } else { self.builder.ins().extractlane(words, 0) };
        self.builder.ins().store(access_flags(), stored, address.base, address.offset);
    }

    /// Loads a mask with a byte for each lane of the register type.
    pub(crate) fn load_mask(&mut self, r#type: Type, address: Address) -> Value {
        let count = r#type.lane_count() as u8;
        let words = mask_words(count);
        let loaded = match count {
            16 => self.load_register(words, address),
            _ => {
                let word = self.builder.ins().load(words.lane_type(), access_flags(), address.base, address.offset);
                self.builder.ins().scalar_to_vector(words, word)
            }
        };
        let bytes = self.reinterpret(types::I8X16, loaded);
        let ones = self.vector_constant(types::I8X16, &[1; 16]);
        let bits = self.builder.ins().band(bytes, ones);
        let zeros = self.vector_constant(types::I8X16, &[0; 16]);
        let bytes = self.builder.ins().isub(zeros, bits);
        let spread: Vec<u8> = (0..16).map(|byte| byte / (16 / count)).collect();
        let spread = self.builder.func.dfg.immediates.push(spread.as_slice().into());
        let mask = self.builder.ins().shuffle(bytes, bytes, spread);
        self.reinterpret(r#type, mask)
    }
}

/// A vector of words of as many bytes as a mask has lanes.
fn mask_words(count: u8) -> Type {
    match count {
        2 => types::I16X8,
        4 => types::I32X4,
        8 => types::I64X2,
        _ => types::I8X16,
    }
}
