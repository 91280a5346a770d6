//! Floats: `f32` and `f64` by the processor's arithmetic (IEEE 754), `f16` and `bf16` in `f32`, rounded once more.
//!
//! The bits of a NaN are unspecified.

use std::cmp::Ordering;

use dialects::arith::CmpFPredicate;
use dialects::{OpCode, arith, math, vector};
use ir::FloatType;
use ir::floats::{decode, encode};
use smallvec::SmallVec;

/// The value of a float given by its bits.
pub(crate) fn value(bits: u128, format: FloatType) -> f64 {
    match format {
        FloatType::F32 => f32::from_bits(bits as u32).into(),
        _ => decode(bits as u64, format),
    }
}

/// The bits of the nearest float, ties to even.
pub(crate) fn round(value: f64, format: FloatType) -> u128 {
    match format {
        FloatType::F32 => (value as f32).to_bits().into(),
        _ => encode(value, format).into(),
    }
}

/// An operation on floats of one format, given by their bits; `None` for other operations.
pub(crate) fn compute(code: OpCode, format: FloatType, x: &[u128]) -> Option<u128> {
    match format {
        FloatType::F64 => {
            let x: SmallVec<[f64; 3]> = x.iter().map(|&bits| f64::from_bits(bits as u64)).collect();
            double(code, &x).map(|y| y.to_bits().into())
        }
        FloatType::F32 | FloatType::F16 | FloatType::BF16 => {
            let x: SmallVec<[f32; 3]> = x.iter().map(|&bits| value(bits, format) as f32).collect();
            single(code, &x).map(|y| round(y.into(), format))
        }
        _ => None,
    }
}

macro_rules! arithmetic {
    ($name:ident, $float:ident) => {
        fn $name(code: OpCode, x: &[$float]) -> Option<$float> {
            Some(match (code, x) {
                (arith::ADDF, &[x, y]) => x + y,
                (arith::SUBF, &[x, y]) => x - y,
                (arith::MULF, &[x, y]) => x * y,
                (arith::DIVF, &[x, y]) => x / y,
                (arith::NEGF, &[x]) => -x,
                (arith::MAXIMUMF | arith::MINIMUMF, &[x, y]) if x.is_nan() || y.is_nan() => x + y,
                // -0 is smaller than 0
                (arith::MAXIMUMF, &[x, y]) if x.total_cmp(&y) == Ordering::Greater => x,
                (arith::MINIMUMF, &[x, y]) if x.total_cmp(&y) == Ordering::Less => x,
                (arith::MAXNUMF, &[x, y]) if x > y || y.is_nan() => x,
                (arith::MINNUMF, &[x, y]) if x < y || y.is_nan() => x,
                (arith::MAXIMUMF | arith::MINIMUMF | arith::MAXNUMF | arith::MINNUMF, &[_, y]) => y,
                (math::SQRT, &[x]) => x.sqrt(),
                (math::ABSF, &[x]) => x.abs(),
                (math::FLOOR, &[x]) => x.floor(),
                (math::CEIL, &[x]) => x.ceil(),
                (math::TRUNC, &[x]) => x.trunc(),
                (math::ROUNDEVEN, &[x]) => x.round_ties_even(),
                (math::COPYSIGN, &[x, y]) => x.copysign(y),
                (math::FMA | vector::FMA, &[x, y, z]) => x.mul_add(y, z),
                _ => return None,
            })
        }
    };
}

arithmetic!(single, f32);
arithmetic!(double, f64);

/// Whether two floats satisfy a predicate.
pub(crate) fn compare(predicate: CmpFPredicate, x: f64, y: f64) -> bool {
    let order = x.partial_cmp(&y);
    match predicate {
        CmpFPredicate::AlwaysFalse => false,
        CmpFPredicate::Oeq => order == Some(Ordering::Equal),
        CmpFPredicate::Ogt => order == Some(Ordering::Greater),
        CmpFPredicate::Oge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        CmpFPredicate::Olt => order == Some(Ordering::Less),
        CmpFPredicate::Ole => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        CmpFPredicate::One => matches!(order, Some(Ordering::Less | Ordering::Greater)),
        CmpFPredicate::Ord => order.is_some(),
        CmpFPredicate::Ueq => matches!(order, None | Some(Ordering::Equal)),
        CmpFPredicate::Ugt => matches!(order, None | Some(Ordering::Greater)),
        CmpFPredicate::Uge => order != Some(Ordering::Less),
        CmpFPredicate::Ult => matches!(order, None | Some(Ordering::Less)),
        CmpFPredicate::Ule => order != Some(Ordering::Greater),
        CmpFPredicate::Une => order != Some(Ordering::Equal),
        CmpFPredicate::Uno => order.is_none(),
        CmpFPredicate::AlwaysTrue => true,
    }
}
