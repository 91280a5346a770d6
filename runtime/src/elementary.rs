//! Elementary functions and conversions that generated code calls instead of expanding.

#![allow(unsafe_code, reason = "exported C symbols")]

use half::{bf16, f16};

macro_rules! unary {
    ($($symbol:ident: $r#type:ty = $function:expr, $summary:literal;)*) => {
        $(
            #[doc = $summary]
            #[unsafe(no_mangle)]
            pub extern "C" fn $symbol(x: $r#type) -> $r#type {
                let function: fn($r#type) -> $r#type = $function;
                function(x)
            }
        )*
    };
}

unary! {
    rt_exp_f64: f64 = f64::exp, "e to the power of `x`.";
    rt_exp2_f64: f64 = f64::exp2, "2 to the power of `x`.";
    rt_expm1_f64: f64 = f64::exp_m1, "`exp(x) - 1`, exact near 0.";
    rt_log_f64: f64 = f64::ln, "Natural logarithm.";
    rt_log2_f64: f64 = f64::log2, "Binary logarithm.";
    rt_log10_f64: f64 = f64::log10, "Decimal logarithm.";
    rt_log1p_f64: f64 = f64::ln_1p, "`log(1 + x)`, exact near 0.";
    rt_sin_f64: f64 = f64::sin, "Sine.";
    rt_cos_f64: f64 = f64::cos, "Cosine.";
    rt_tan_f64: f64 = f64::tan, "Tangent.";
    rt_asin_f64: f64 = f64::asin, "Inverse sine.";
    rt_acos_f64: f64 = f64::acos, "Inverse cosine.";
    rt_atan_f64: f64 = f64::atan, "Inverse tangent.";
    rt_sinh_f64: f64 = f64::sinh, "Hyperbolic sine.";
    rt_cosh_f64: f64 = f64::cosh, "Hyperbolic cosine.";
    rt_tanh_f64: f64 = f64::tanh, "Hyperbolic tangent.";
    rt_asinh_f64: f64 = libm::asinh, "Inverse hyperbolic sine.";
    rt_acosh_f64: f64 = acosh, "Inverse hyperbolic cosine.";
    rt_atanh_f64: f64 = libm::atanh, "Inverse hyperbolic tangent.";
    rt_erf_f64: f64 = libm::erf, "Error function.";
    rt_cbrt_f64: f64 = f64::cbrt, "Cube root.";
    rt_sin_f32: f32 = f32::sin, "Sine, for arguments too large to be reduced inline.";
    rt_cos_f32: f32 = f32::cos, "Cosine, for arguments too large to be reduced inline.";
    rt_tan_f32: f32 = f32::tan, "Tangent, for arguments too large to be reduced inline.";
    rt_ceil_f32: f32 = f32::ceil, "Smallest integral value not below `x`.";
    rt_floor_f32: f32 = f32::floor, "Largest integral value not above `x`.";
    rt_trunc_f32: f32 = f32::trunc, "`x` without its fraction.";
    rt_roundeven_f32: f32 = f32::round_ties_even, "Nearest integral value, ties to even.";
    rt_ceil_f64: f64 = f64::ceil, "Smallest integral value not below `x`.";
    rt_floor_f64: f64 = f64::floor, "Largest integral value not above `x`.";
    rt_trunc_f64: f64 = f64::trunc, "`x` without its fraction.";
    rt_roundeven_f64: f64 = f64::round_ties_even, "Nearest integral value, ties to even.";
}

/// The function of `libm` is wrong below -2.
fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

macro_rules! binary {
    ($($symbol:ident: $r#type:ty = $function:expr, $summary:literal;)*) => {
        $(
            #[doc = $summary]
            #[unsafe(no_mangle)]
            pub extern "C" fn $symbol(x: $r#type, y: $r#type) -> $r#type {
                let function: fn($r#type, $r#type) -> $r#type = $function;
                function(x, y)
            }
        )*
    };
}

binary! {
    rt_pow_f32: f32 = f32::powf, "`x` to the power of `y`.";
    rt_pow_f64: f64 = f64::powf, "`x` to the power of `y`.";
    rt_fmod_f32: f32 = libm::fmodf, "Remainder with the sign of `x`. C libraries divide bit by bit.";
    rt_fmod_f64: f64 = libm::fmod, "Remainder with the sign of `x`.";
    rt_atan2_f32: f32 = f32::atan2, "Angle of the point (`y`, `x`).";
    rt_atan2_f64: f64 = f64::atan2, "Angle of the point (`y`, `x`).";
}

/// `x·y + z` with one rounding.
#[unsafe(no_mangle)]
pub extern "C" fn rt_fma_f32(x: f32, y: f32, z: f32) -> f32 {
    x.mul_add(y, z)
}

/// `x·y + z` with one rounding.
#[unsafe(no_mangle)]
pub extern "C" fn rt_fma_f64(x: f64, y: f64, z: f64) -> f64 {
    x.mul_add(y, z)
}

/// The value of the `f16` in the low half of `bits`.
#[unsafe(no_mangle)]
pub extern "C" fn rt_f16_to_f32(bits: i32) -> f32 {
    f16::from_bits(bits as u16).to_f32()
}

/// The bits of the `f16` nearest to `x`.
#[unsafe(no_mangle)]
pub extern "C" fn rt_f32_to_f16(x: f32) -> i32 {
    f16::from_f32(x).to_bits() as i32
}

/// The bits of the `f16` nearest to `x`, rounded once.
#[unsafe(no_mangle)]
pub extern "C" fn rt_f64_to_f16(x: f64) -> i32 {
    nearest_f16(x).to_bits() as i32
}

/// The bits of the `bf16` nearest to `x`.
#[unsafe(no_mangle)]
pub extern "C" fn rt_f32_to_bf16(x: f32) -> i32 {
    bf16::from_f32(x).to_bits() as i32
}

/// The bits of the `bf16` nearest to `x`, rounded once.
#[unsafe(no_mangle)]
pub extern "C" fn rt_f64_to_bf16(x: f64) -> i32 {
    nearest_bf16(x).to_bits() as i32
}

/// The `f16` nearest to `x`, ties to even. `half` does not look at the lower half of an `f64`.
pub(crate) fn nearest_f16(x: f64) -> f16 {
    f16::from_f32(rounded_to_odd(x))
}

/// The `bf16` nearest to `x`, ties to even.
pub(crate) fn nearest_bf16(x: f64) -> bf16 {
    bf16::from_f32(rounded_to_odd(x))
}

/// Towards zero, with the last bit set if that is not exact. Rounding the result to a format whose precision is smaller by more
/// than two bits is the same as rounding once (Boldo and Melquiond 2008).
fn rounded_to_odd(x: f64) -> f32 {
    let nearest = x as f32;
    let widened = f64::from(nearest);
    if widened == x || x.is_nan() {
        return nearest;
    }
    let truncated = nearest.to_bits() - u32::from(widened.abs() > x.abs());
    f32::from_bits(truncated | 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_f64_are_rounded_once() {
        let (below, above) =
            (f64::from_bits(65520f64.to_bits() - 1), f64::from_bits((1.0 + 0.5f64.powi(11)).to_bits() + 1));
        assert_eq!([below, 65520.0, -below].map(|x| nearest_f16(x).to_f64()), [65504.0, f64::INFINITY, -65504.0]);
        assert_eq!([1.0 + 0.5f64.powi(11), above].map(|x| nearest_f16(x).to_f64()), [1.0, 1.0 + 0.5f64.powi(10)]);
        let tiny = f64::from_bits(0.5f64.powi(25).to_bits() + 1);
        assert_eq!([0.5f64.powi(25), tiny].map(|x| nearest_f16(x).to_f64()), [0.0, 0.5f64.powi(24)]);
        let tie = 1.0 + 0.5f64.powi(8);
        let above = f64::from_bits(tie.to_bits() + 1);
        assert_eq!([tie, above].map(|x| nearest_bf16(x).to_f64()), [1.0, 1.0 + 0.5f64.powi(7)]);
        assert_eq!([1e300, -0.0, 5e-324].map(|x| nearest_bf16(x).to_bits()), [0x7f80, 0x8000, 0]);
        assert!(nearest_f16(f64::NAN).is_nan() && nearest_bf16(f64::NAN).is_nan());
    }

    #[test]
    fn erf_has_known_values() {
        assert_eq!(rt_erf_f64(0.0), 0.0);
        assert!((rt_erf_f64(1.0) - 0.842_700_792_949_714_9).abs() < 1e-15);
    }

    #[test]
    fn halves_round_to_even() {
        assert_eq!(rt_f32_to_f16(1.0 + 1.0 / 2048.0), 0x3c00);
        assert_eq!(rt_f16_to_f32(0x3c01), 1.0 + 1.0 / 1024.0);
        assert_eq!(rt_f32_to_bf16(1.0 + 1.0 / 256.0), 0x3f80);
    }
}
