//! Instructions of WebAssembly that LLVM only forms from intrinsics.

use dialects::{OpCode, OpCodes, arith, vector};
use inkwell::FloatPredicate;
use inkwell::values::{BasicValueEnum, VectorValue};
use ir::{Op, Type, Value};

use crate::function::{Translated, Translator};

/// What code for WebAssembly may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WebAssembly {
    /// Multiply-adds that are fused where the processor does that.
    pub(crate) relaxed: bool,
}

/// Products in a pairwise sum, and in one instruction.
const PRODUCTS: u32 = 16;
const AT_ONCE: u32 = 8;

impl<'c> Translator<'_, 'c> {
    /// An operation with a dedicated instruction; `None` for all others.
    pub(crate) fn web_op(
        &self,
        op: Op,
        code: OpCode,
        arguments: &[BasicValueEnum<'c>],
    ) -> Translated<Option<BasicValueEnum<'c>>> {
        let Some(WebAssembly { relaxed }) = self.unit.web else { return Ok(None) };
        match code {
            vector::FMA if relaxed && is_register(self.result_type(op)) => {
                let r#type = arguments[0].get_type();
                self.intrinsic("llvm.wasm.relaxed.madd", &[r#type], arguments).map(Some)
            }
            arith::ADDI => match self.pairwise_factors(op) {
                Some([x, y]) => {
                    self.dot(self.value(x).into_vector_value(), self.value(y).into_vector_value()).map(Some)
                }
                None => Ok(None),
            },
            arith::UITOFP => self.quantized(op).map(|float| self.whole_part(self.value(float))).transpose(),
            _ => Ok(None),
        }
    }

    /// The float, clamped to constant bounds from 0 on, that was converted to an integer of fewer bits, and is converted back.
    fn quantized(&self, op: Op) -> Option<Value> {
        let body = self.body;
        let from = |value: Value, code: OpCode| body.defining_op(value).filter(|&op| body.is(op, code));
        let integer = body.sole_operand(op);
        let bits = body.value_type(integer).element().bit_width()?;
        let converted = from(integer, arith::TRUNCI).map_or(integer, |narrow| body.sole_operand(narrow));
        let float = body.sole_operand(from(converted, arith::FPTOSI)?);
        let [low, high] = self.constant_bounds(float)?;
        let most = ir::floats::power_of_two(bits as i32) - 1.0;
        let same = body.value_type(float) == body.value_type(body.result(op, 0));
        (same && bits < 32 && low >= 0.0 && high <= most).then_some(float)
    }

    /// The whole part of a float that is not negative. As in conversions to integers, a NaN becomes 0, and so does -0.
    fn whole_part(&self, x: BasicValueEnum<'c>) -> Translated<BasicValueEnum<'c>> {
        let zero = x.get_type().const_zero();
        let positive = self.compare_floats(FloatPredicate::OLT, zero, x)?;
        let number = self.select(positive, x, zero)?;
        self.intrinsic("llvm.trunc", &[x.get_type()], &[number])
    }

    /// The 16-bit factors of a sum of neighbouring products: `p[2·i] + p[2·i + 1]` for `p = extsi(x) · extsi(y)`.
    fn pairwise_factors(&self, op: Op) -> Option<[Value; 2]> {
        let body = self.body;
        let from = |value: Value, code: OpCode| body.defining_op(value).filter(|&op| body.is(op, code));
        let of_every_other = |lanes: Value, first: i64| {
            let shuffle = from(lanes, vector::SHUFFLE)?;
            let mask = body.op(shuffle).attributes.integers("mask")?;
            let expected = (0..i64::from(PRODUCTS / 2)).map(|lane| 2 * lane + first);
            mask.iter().copied().eq(expected).then(|| vector::Shuffle::of(body, shuffle).v1)
        };
        let (even, odd) = body.sides(op);
        let products = of_every_other(even, 0).filter(|&even| of_every_other(odd, 1) == Some(even))?;
        let product = from(products, arith::MULI)?;
        let narrow = |factor: Value| {
            let factor = body.sole_operand(from(factor, arith::EXTSI)?);
            let expected = Type::vector(&[PRODUCTS.into()], Type::I16);
            (*body.value_type(factor) == expected).then_some(factor)
        };
        let (left, right) = body.sides(product);
        Some([narrow(left)?, narrow(right)?])
    }

    /// Sums of neighbouring products of 16-bit integers.
    fn dot(&self, x: VectorValue<'c>, y: VectorValue<'c>) -> Translated<BasicValueEnum<'c>> {
        let part = |first: u32| {
            let lanes = self.lane_list(&(first..first + AT_ONCE).collect::<Vec<_>>());
            let halves = [x, y]
                .map(|vector| self.builder.build_shuffle_vector(vector, vector.get_type().get_poison(), lanes, ""));
            let [x, y] = halves;
            self.intrinsic("llvm.wasm.dot", &[], &[x?.into(), y?.into()])
        };
        let (low, high) = (part(0)?.into_vector_value(), part(AT_ONCE)?.into_vector_value());
        let all: Vec<u32> = (0..PRODUCTS / 2).collect();
        Ok(self.builder.build_shuffle_vector(low, high, self.lane_list(&all), "")?.into())
    }
}

/// Whether a type is a register of floats.
fn is_register(r#type: &Type) -> bool {
    [(4, Type::F32), (2, Type::F64)].into_iter().any(|(lanes, element)| *r#type == Type::vector(&[lanes], element))
}
