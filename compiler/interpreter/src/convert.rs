//! Conversions between types: each rounds once, to nearest and ties to even, but an integer that becomes an `f16` or
//! `bf16` is rounded to `f64` before. A float that becomes an integer is truncated and saturates; a NaN becomes 0.

use dialects::{OpCode, arith};
use ir::{FloatType, Type};

use crate::float;
use crate::integer::{low, signed};

/// A conversion of a scalar given by its bits; `None` for other operations and types.
pub(crate) fn compute(code: OpCode, from: &Type, to: &Type, bits: u128) -> Option<u128> {
    let (source, width) = (from.bit_width()?, to.bit_width()?);
    match (code, from, to) {
        (arith::EXTSI | arith::INDEX_CAST, ..) => Some(low(signed(bits, source) as u128, width)),
        (arith::EXTUI | arith::INDEX_CASTUI | arith::TRUNCI, ..) => Some(low(bits, width)),
        (arith::BITCAST, ..) => (source == width).then_some(bits),
        (arith::SITOFP, _, Type::Float(format)) => Some(of_integer(signed(bits, source), *format)),
        (arith::UITOFP, _, Type::Float(format)) => Some(of_integer(bits as i128, *format)),
        (arith::FPTOSI, Type::Float(format), _) => {
            let end = 1 << (width - 1);
            Some(low((float::value(bits, *format) as i128).clamp(-end, end - 1) as u128, width))
        }
        (arith::FPTOUI, Type::Float(format), _) => {
            let end = 1 << width;
            Some((float::value(bits, *format) as i128).clamp(0, end - 1) as u128)
        }
        (arith::EXTF | arith::TRUNCF, Type::Float(from), Type::Float(to)) => {
            Some(float::round(float::value(bits, *from), *to))
        }
        _ => None,
    }
}

fn of_integer(value: i128, format: FloatType) -> u128 {
    match format {
        FloatType::F32 => (value as f32).to_bits().into(),
        _ => float::round(value as f64, format),
    }
}
