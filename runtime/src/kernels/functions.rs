//! Elementary functions of one number, written so that compilers make vectors of a loop over them: choices between values instead
//! of branches, no calls.
//!
//! They compute what generated code does inline where it has no runtime or wider vectors (`lower`'s `elementary.rs`): the same
//! polynomials, arguments reduced in the same way.

use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, LOG2_E, LOG10_E, PI};

/// How a machine adds a product.
pub(super) trait Machine {
    /// Whether a product is not rounded before it is added.
    const FUSES: bool;

    /// `a b + c`, rounded once where the machine does so.
    fn multiply_add(a: f32, b: f32, c: f32) -> f32;
}

/// Any machine of an architecture.
pub(super) struct AnyMachine;

impl Machine for AnyMachine {
    const FUSES: bool = cfg!(target_arch = "aarch64");

    #[inline(always)]
    fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
        if Self::FUSES { a.mul_add(b, c) } else { a * b + c }
    }
}

/// ln 2 in two parts; the first has few enough bits for its products with exponents to be exact.
const LN2_HIGH: f32 = 0.693_359_4;
const LN2_LOW: f32 = -2.121_944_4e-4;
/// The first of the three parts of π/2, of few enough bits for its products with small whole numbers to be exact: 1.570796012878418.
const FRAC_PI_2_HIGH: f32 = f32::from_bits(0x3fc9_0fd8);
/// Where the rational function of the hyperbolic tangent reaches 1.
const TANH_LIMIT: f32 = 7.998_811_7;
/// Where the error function reaches 1.
const ERF_LIMIT: f32 = 3.92;
/// The slope of its rational function at 0: 1.1283791355, near 2 / √π.
const ERF_SLOPE: f32 = f32::from_bits(0x3f90_6eba);
/// tan π/8
const FRAC_PI_8_TANGENT: f32 = 0.414_213_56;
/// Beyond this the reduction of sine's argument is not exact enough; where products are rounded it never is.
pub(super) const fn sine_limit<M: Machine>() -> f32 {
    if M::FUSES { 48_039.0 } else { -1.0 }
}

/// The polynomial in `x` with the given coefficients, the highest power's first.
#[inline(always)]
fn polynomial<M: Machine>(x: f32, coefficients: &[f32]) -> f32 {
    let mut sum = coefficients[0];
    for &coefficient in &coefficients[1..] {
        sum = M::multiply_add(sum, x, coefficient);
    }
    sum
}

/// `x` between two numbers; NaN stays.
#[inline(always)]
fn clamp(x: f32, low: f32, high: f32) -> f32 {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// The whole number nearest to `x · factor`, at most 2²² in size, as a float and as an integer: adding 1.5·2²³ leaves it in the
/// low bits.
#[inline(always)]
fn round_product<M: Machine>(x: f32, factor: f32) -> (f32, i32) {
    const SHIFTER: f32 = 12_582_912.0;
    let shifted = M::multiply_add(x, factor, SHIFTER);
    (shifted - SHIFTER, (shifted.to_bits() as i32).wrapping_sub(SHIFTER.to_bits() as i32))
}

/// `2^n · y` for `n` of at most ±252.
#[inline(always)]
fn load_exponent(y: f32, n: i32) -> f32 {
    let power = |n: i32| f32::from_bits((n.wrapping_add(127) << 23) as u32);
    let half = n >> 1;
    y * power(half) * power(n.wrapping_sub(half))
}

/// `e^r - 1` for |r| at most ln 2 / 2.
#[inline(always)]
fn exp_minus_one_reduced<M: Machine>(r: f32) -> f32 {
    let p = polynomial::<M>(r, &[1.987_569_1e-4, 1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5]);
    M::multiply_add(p, r * r, r)
}

/// `e^x`.
#[inline(always)]
pub(super) fn exp<M: Machine>(x: f32) -> f32 {
    let x = clamp(x, -105.0, 89.0);
    let (n, whole) = round_product::<M>(x, LOG2_E);
    let r = M::multiply_add(n, -LN2_HIGH, x);
    let r = M::multiply_add(n, -LN2_LOW, r);
    load_exponent(exp_minus_one_reduced::<M>(r) + 1.0, whole)
}

/// `2^x`.
#[inline(always)]
pub(super) fn exp2<M: Machine>(x: f32) -> f32 {
    let x = clamp(x, -151.0, 129.0);
    let (n, whole) = round_product::<M>(x, 1.0);
    load_exponent(exp_minus_one_reduced::<M>((x - n) * LN_2) + 1.0, whole)
}

/// `e^x - 1`.
#[inline(always)]
pub(super) fn expm1<M: Machine>(x: f32) -> f32 {
    let (near, far) = (exp_minus_one_reduced::<M>(x), exp::<M>(x) - 1.0);
    if x.abs() < 0.34 { near } else { far }
}

/// `x = 2^e · (1 + f)` with 1 + f between √½ and √2: f, e, and `ln(1 + f) - f`.
#[inline(always)]
fn log_parts<M: Machine>(x: f32) -> [f32; 3] {
    const ROOT: i32 = 0x3f35_04f3;
    let tiny = x < f32::MIN_POSITIVE;
    let normal = if tiny { x * 8_388_608.0 } else { x };
    let correction = if tiny { -23.0 } else { 0.0 };
    let bits = normal.to_bits() as i32;
    let exponent = bits.wrapping_sub(ROOT) >> 23;
    let f = f32::from_bits(bits.wrapping_sub(exponent << 23) as u32) - 1.0;
    let p = polynomial::<M>(
        f,
        &[
            7.037_683_6e-2,
            -1.151_461e-1,
            0.116_769_984,
            -1.242_014_1e-1,
            1.424_932_3e-1,
            -1.666_805_8e-1,
            0.200_007_14,
            -2.499_999_4e-1,
            3.333_333e-1,
        ],
    );
    let square = f * f;
    let tail = M::multiply_add(square, -0.5, p * (f * square));
    [f, exponent as f32 + correction, tail]
}

/// Puts a logarithm's values at 0, below 0, at infinity and at NaN in place.
#[inline(always)]
fn log_edges(x: f32, y: f32) -> f32 {
    let y = if x == f32::INFINITY { x } else { y };
    let y = if x < 0.0 { f32::NAN } else { y };
    let y = if x == 0.0 { f32::NEG_INFINITY } else { y };
    if x.is_nan() { x } else { y }
}

/// `ln x`.
#[inline(always)]
pub(super) fn log<M: Machine>(x: f32) -> f32 {
    let [f, exponent, tail] = log_parts::<M>(x);
    let tail = M::multiply_add(exponent, LN2_LOW, tail);
    log_edges(x, M::multiply_add(exponent, LN2_HIGH, f + tail))
}

/// The logarithm to base 2.
#[inline(always)]
pub(super) fn log2<M: Machine>(x: f32) -> f32 {
    let [f, exponent, tail] = log_parts::<M>(x);
    log_edges(x, M::multiply_add(f + tail, LOG2_E, exponent))
}

/// The logarithm to base 10.
#[inline(always)]
pub(super) fn log10<M: Machine>(x: f32) -> f32 {
    log::<M>(x) * LOG10_E
}

/// `log(1 + x)`; what `1 + x` loses in rounding comes back as the factor `x / ((1 + x) - 1)`.
#[inline(always)]
pub(super) fn log1p<M: Machine>(x: f32) -> f32 {
    let sum = x + 1.0;
    let logarithm = log::<M>(sum);
    let y = logarithm * (x / (sum - 1.0));
    let y = if sum == 1.0 { x } else { y };
    // at infinity the ratio is none
    if logarithm.abs() == f32::INFINITY { logarithm } else { y }
}

/// The hyperbolic tangent.
#[inline(always)]
pub(super) fn tanh<M: Machine>(x: f32) -> f32 {
    let bounded = clamp(x, -TANH_LIMIT, TANH_LIMIT);
    let square = bounded * bounded;
    let p = polynomial::<M>(
        square,
        &[
            -2.760_768_4e-16,
            2.000_188e-13,
            -8.604_672e-11,
            5.122_297_3e-8,
            1.485_722_35e-5,
            6.372_619_3e-4,
            4.893_524_6e-3,
        ],
    );
    let q = polynomial::<M>(square, &[1.198_258_4e-6, 1.185_347_1e-4, 2.268_434_7e-3, 4.893_525e-3]);
    let y = p * bounded / q;
    if x.abs() < 0.0004 { x } else { y }
}

/// The error function: `x · P(x²) / Q(x²)`, fitted to the relative error up to where it reaches 1.
#[inline(always)]
pub(super) fn erf<M: Machine>(x: f32) -> f32 {
    let x = clamp(x, -ERF_LIMIT, ERF_LIMIT);
    let square = x * x;
    let p = polynomial::<M>(square, &[2.303_812_2e-4, 3.581_135_6e-3, 5.149_858e-2, 0.189_719_11, ERF_SLOPE]);
    let q = polynomial::<M>(
        square,
        &[-1.122_103_7e-7, 2.315_953_5e-5, 1.053_814_5e-3, 1.442_663e-2, 0.112_799_734, 0.501_466_63, 1.0],
    );
    clamp(p * x / q, -1.0, 1.0)
}

/// The arc tangent, of an argument that is brought to at most tan π/8 in size by one division.
#[inline(always)]
pub(super) fn atan<M: Machine>(x: f32) -> f32 {
    let size = x.abs();
    let (middle, far) = (size > FRAC_PI_8_TANGENT, size > 1.0 / FRAC_PI_8_TANGENT);
    let over = if middle { size - 1.0 } else { size };
    let over = if far { -1.0 } else { over };
    let under = if middle { size + 1.0 } else { 1.0 };
    let under = if far { size } else { under };
    let start = if middle { FRAC_PI_4 } else { 0.0 };
    let start = if far { FRAC_PI_2 } else { start };
    let reduced = over / under;
    let square = reduced * reduced;
    let p = polynomial::<M>(square, &[8.053_744_5e-2, -1.387_768_6e-1, 0.199_777_11, -3.333_295e-1]);
    let y = start + M::multiply_add(p, square * reduced, reduced);
    y.copysign(x)
}

/// Whether |x| is above a half, and the arc sine of |x|, or where it is, half of what that lacks of π/2.
#[inline(always)]
fn arc_parts<M: Machine>(x: f32) -> (bool, f32) {
    let size = x.abs();
    let large = size > 0.5;
    let rest = (1.0 - size) * 0.5;
    let square = if large { rest } else { size * size };
    let sine = if large { rest.sqrt() } else { size };
    let p = polynomial::<M>(square, &[4.216_32e-2, 2.418_131_2e-2, 4.547_002_6e-2, 7.495_300_5e-2, 1.666_675_2e-1]);
    (large, M::multiply_add(p, square * sine, sine))
}

/// The arc sine; NaN above 1, where the root is.
#[inline(always)]
pub(super) fn asin<M: Machine>(x: f32) -> f32 {
    let (large, angle) = arc_parts::<M>(x);
    let complement = M::multiply_add(angle, -2.0, FRAC_PI_2);
    (if large { complement } else { angle }).copysign(x)
}

/// The arc cosine; NaN above 1, where the root is.
#[inline(always)]
pub(super) fn acos<M: Machine>(x: f32) -> f32 {
    let (large, angle) = arc_parts::<M>(x);
    let double = angle + angle;
    let far = if x < 0.0 { PI - double } else { double };
    let near = FRAC_PI_2 - angle.copysign(x);
    if large { far } else { near }
}

/// Sine (`quarters` 0) or cosine (1) of arguments up to [`sine_limit`].
#[inline(always)]
pub(super) fn sine<M: Machine>(x: f32, quarters: i32) -> f32 {
    let (n, quadrant) = round_product::<M>(x, std::f32::consts::FRAC_2_PI);
    let a = M::multiply_add(n, -FRAC_PI_2_HIGH, x);
    let a = M::multiply_add(n, -3.139_164_7e-7, a);
    let a = M::multiply_add(n, -5.390_302_5e-15, a);
    let square = a * a;
    let sine = polynomial::<M>(square, &[2.865_679_6e-6, -1.985_599_2e-4, 8.333_386e-3, -1.666_666_7e-1]);
    let sine = M::multiply_add(sine, a * square, a);
    let cosine = polynomial::<M>(square, &[2.446_770_7e-5, -1.388_773e-3, 4.166_665_7e-2, -0.5, 1.0]);
    let quadrant = quadrant.wrapping_add(quarters);
    let y = if quadrant & 1 == 1 { cosine } else { sine };
    if quadrant & 2 == 2 { -y } else { y }
}
