//! Constants of the elementary functions of `f32`, shared by generated code (inline) and the micro-kernels (on rows).
//! Polynomials list the coefficient of the highest power first.
//!
//! The constants are those of Cephes and MLAS and, for sine and cosine, of N. Juffa. Users round them to `f32`.

use std::f64::consts::SQRT_2;
use std::ops::RangeInclusive;

/// ln 2 in two parts; the first has few enough bits for its products with exponents to be exact.
pub const LN2: [f64; 2] = [0.693_359_375, -2.121_944_400_546_905_8e-4];
/// From the first argument down e^x is 0, from the second up it is infinite.
pub const EXP_RANGE: [f64; 2] = [-105.0, 89.0];
/// The same for 2^x.
pub const EXP2_RANGE: [f64; 2] = [-151.0, 129.0];
/// Bound of the exponent of the last factor of `e^x` and `2^x`; with it every intermediate result is a normal number.
pub const EXP_STEP: i32 = 64;
/// `(e^r - 1 - r) / r²` for |r| at most ln 2 / 2.
pub const EXP: [f64; 6] = [
    1.987_569_150_0e-4,
    1.398_199_950_7e-3,
    8.333_451_907_3e-3,
    4.166_579_589_4e-2,
    1.666_666_545_9e-1,
    5.000_000_120_1e-1,
];
/// Below this magnitude the polynomial alone gives `e^x - 1`.
pub const EXPM1_LIMIT: f64 = 0.34;
/// `(ln(1 + f) - f + f²/2) / f³` for 1 + f between √½ and √2.
pub const LOG: [f64; 9] = [
    7.037_683_629_2e-2,
    -1.151_461_031_0e-1,
    1.167_699_874_0e-1,
    -1.242_014_084_6e-1,
    1.424_932_278_7e-1,
    -1.666_805_766_5e-1,
    2.000_071_476_5e-1,
    -2.499_999_399_3e-1,
    3.333_333_117_4e-1,
];
/// The bits of √½: mantissas from here on belong to the next exponent.
pub const LOG_ROOT: i32 = 0x3f35_04f3;
/// The factor that scales subnormal numbers into the normal range: 2^23.
pub const LOG_LIFT: f64 = 8_388_608.0;

/// The argument at which the rational approximation of tanh reaches 1 if its operations are fused.
pub const TANH_LIMIT: f64 = 7.998_811_721_801_758;
/// The argument at which it reaches 1 if each operation is rounded.
pub const TANH_LIMIT_ROUNDED: f64 = 7.905_311_107_635_498;
/// Up to this magnitude tanh x is x.
pub const TANH_SMALL: f64 = 0.0004;
/// The hyperbolic tangent is `x · P(x²) / Q(x²)`: P.
pub const TANH_OVER: [f64; 7] = [
    -2.760_768_477_423_55e-16,
    2.000_187_904_824_77e-13,
    -8.604_671_522_137_35e-11,
    5.122_297_090_371_14e-8,
    1.485_722_357_179_79e-5,
    6.372_619_288_754_36e-4,
    4.893_524_558_917_86e-3,
];
/// See [`TANH_OVER`]: Q.
pub const TANH_UNDER: [f64; 4] =
    [1.198_258_394_667_02e-6, 1.185_347_056_866_54e-4, 2.268_434_632_439_00e-3, 4.893_525_185_543_85e-3];

/// The argument at which the error function reaches 1.
pub const ERF_LIMIT: f64 = 3.92;
/// The error function is `x · P(x²) / Q(x²)`, fitted to the relative error up to where it reaches 1: P.
pub const ERF_OVER: [f64; 5] = [2.303_812_15e-4, 3.581_135_55e-3, 5.149_858_11e-2, 1.897_191_167e-1, 1.128_379_135_5];
/// See [`ERF_OVER`]: Q.
pub const ERF_UNDER: [f64; 7] =
    [-1.122_103_69e-7, 2.315_953_58e-5, 1.053_814_54e-3, 1.442_663_03e-2, 1.127_997_367e-1, 5.014_666_179e-1, 1.0];

/// tan π/8: the range reduction of the arc tangent brings arguments below it.
pub const FRAC_PI_8_TANGENT: f64 = SQRT_2 - 1.0;
/// `(atan r - r) / r³` as a polynomial in r², for |r| up to tan π/8.
pub const ATAN: [f64; 4] = [8.053_744_494_9e-2, -1.387_768_560_32e-1, 1.997_771_064_78e-1, -3.333_294_915_39e-1];
/// `(asin s - s) / s³` as a polynomial in s², for s up to ½.
pub const ASIN: [f64; 5] =
    [4.216_319_904_8e-2, 2.418_131_104_9e-2, 4.547_002_599_8e-2, 7.495_300_268_6e-2, 1.666_675_242_2e-1];

/// π/2 in three parts; the first has few enough bits for its products with small integers to be exact.
pub const FRAC_PI_2: [f64; 3] = [1.570_796_012_878_418, 3.139_164_732_601_784_6e-7, 5.390_302_529_957_765e-15];
/// Above this magnitude the range reduction of sine is not exact enough, even with fused multiply-adds.
pub const SINE_LIMIT: f64 = 48_039.0;
/// Up to this quotient, the `f64` quotient of two `f32` lies on the same side of each integer as the exact one.
pub const REMAINDER_LIMIT: f64 = (1u64 << 28) as f64;
/// `(sin a - a) / a³` as a polynomial in a², for |a| at most π/4.
pub const SINE: [f64; 4] = [2.865_679_56e-6, -1.985_599_23e-4, 8.333_385_92e-3, -1.666_666_72e-1];
/// `cos a` as a polynomial in a², for |a| at most π/4.
pub const COSINE: [f64; 5] = [2.446_770_67e-5, -1.388_772_97e-3, 4.166_665_67e-2, -0.5, 1.0];

/// Magnitudes of divisors d for which the division x / d may multiply by the reciprocal r, if multiply-adds are fused.
/// With q = x r the remainder x - q d is exact, and q + (x - q d) r is the correctly rounded quotient (Markstein 1990),
/// unless q is tiny and has fewer bits. If that sum is NaN, as for an infinite x, the quotient is q.
pub const EXACT_RECIPROCALS: RangeInclusive<f32> = 1e-27..=1e27;

/// 1.5 · 2²³: added to a number of magnitude at most 2²², it leaves the nearest integer in the low bits.
pub const SHIFTER: f32 = 12_582_912.0;
