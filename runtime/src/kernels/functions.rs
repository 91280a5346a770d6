//! Elementary functions of one scalar, written so that compilers vectorise a loop over them: selects instead of
//! branches, no calls.
//!
//! They compute the same as the inline expansion of generated code (`lower`'s `elementary.rs`), with the same
//! polynomials and range reductions.

use std::f32::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4, LN_2, LOG2_E, LOG10_E, PI};

use abi::elementary as numbers;

/// How a machine computes `a b + c`.
pub(super) trait Machine {
    /// Whether the product is not rounded.
    const FUSES: bool;

    /// `a b + c`, rounded once if the machine fuses.
    fn multiply_add(a: f32, b: f32, c: f32) -> f32;
}

/// The portable implementation.
pub(super) struct AnyMachine;

impl Machine for AnyMachine {
    const FUSES: bool = cfg!(target_arch = "aarch64");

    #[inline(always)]
    fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
        if Self::FUSES { a.mul_add(b, c) } else { a * b + c }
    }
}

/// Above this the range reduction of sine is not exact enough; without fused operations it never is.
pub(super) const fn sine_limit<M: Machine>() -> f32 {
    if M::FUSES { numbers::SINE_LIMIT as f32 } else { -1.0 }
}

/// The polynomial in `x` with the given coefficients, highest power first.
#[inline(always)]
fn polynomial<M: Machine>(x: f32, coefficients: &[f64]) -> f32 {
    let mut sum = coefficients[0] as f32;
    for &coefficient in &coefficients[1..] {
        sum = M::multiply_add(sum, x, coefficient as f32);
    }
    sum
}

/// `x` clamped to a range; NaN stays.
#[inline(always)]
fn clamp(x: f32, range: [f64; 2]) -> f32 {
    let [low, high] = range.map(|bound| bound as f32);
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// The integer nearest to `x · factor`, of magnitude at most 2²², as a float and as an integer: adding 1.5·2²³ leaves
/// it in the low bits.
#[inline(always)]
fn round_product<M: Machine>(x: f32, factor: f32) -> (f32, i32) {
    let shifted = M::multiply_add(x, factor, numbers::SHIFTER);
    (shifted - numbers::SHIFTER, (shifted.to_bits() as i32).wrapping_sub(numbers::SHIFTER.to_bits() as i32))
}

/// `e^r - 1` for |r| at most ln 2 / 2.
#[inline(always)]
fn exp_minus_one_reduced<M: Machine>(r: f32) -> f32 {
    let p = polynomial::<M>(r, &numbers::EXP);
    M::multiply_add(p, r * r, r)
}

/// `2^n e^r` for an integer `n` with the sign of `x` and magnitude at most 190: multiplied by two powers of two, the
/// first of which is exact.
#[inline(always)]
fn exp_from_parts<M: Machine>(x: f32, r: f32, n: i32) -> f32 {
    const POWERS: [f32; 2] = [(1u128 << numbers::EXP_STEP) as f32, 1.0 / (1u128 << numbers::EXP_STEP) as f32];
    let (bias, rest) = match x < 0.0 {
        true => (127 + numbers::EXP_STEP, POWERS[1]),
        false => (127 - numbers::EXP_STEP, POWERS[0]),
    };
    let power = f32::from_bits((n << 23).wrapping_add(bias << 23) as u32);
    M::multiply_add(exp_minus_one_reduced::<M>(r), power, power) * rest
}

/// `e^x`.
#[inline(always)]
pub(super) fn exp<M: Machine>(x: f32) -> f32 {
    let x = clamp(x, numbers::EXP_RANGE);
    let (n, whole) = round_product::<M>(x, LOG2_E);
    let r = numbers::LN2.into_iter().fold(x, |r, part| M::multiply_add(n, -part as f32, r));
    exp_from_parts::<M>(x, r, whole)
}

/// `1 / (1 + e^-x)`.
#[inline(always)]
pub(super) fn sigmoid<M: Machine>(x: f32) -> f32 {
    1.0 / (1.0 + exp::<M>(0.0 - x))
}

/// `x sigmoid(x)`.
#[inline(always)]
pub(super) fn swish<M: Machine>(x: f32) -> f32 {
    x * sigmoid::<M>(x)
}

/// `2^x`.
#[inline(always)]
pub(super) fn exp2<M: Machine>(x: f32) -> f32 {
    let x = clamp(x, numbers::EXP2_RANGE);
    let (n, whole) = round_product::<M>(x, 1.0);
    exp_from_parts::<M>(x, (x - n) * LN_2, whole)
}

/// `e^x - 1`.
#[inline(always)]
pub(super) fn expm1<M: Machine>(x: f32) -> f32 {
    let (near, far) = (exp_minus_one_reduced::<M>(x), exp::<M>(x) - 1.0);
    if x.abs() < numbers::EXPM1_LIMIT as f32 { near } else { far }
}

/// `x = 2^e · (1 + f)` with 1 + f between √½ and √2: f, e, and `ln(1 + f) - f`.
#[inline(always)]
fn log_parts<M: Machine>(x: f32) -> [f32; 3] {
    let tiny = x < f32::MIN_POSITIVE;
    let normal = if tiny { x * numbers::LOG_LIFT as f32 } else { x };
    let correction = if tiny { -23.0 } else { 0.0 };
    let bits = normal.to_bits() as i32;
    let exponent = bits.wrapping_sub(numbers::LOG_ROOT) >> 23;
    let f = f32::from_bits(bits.wrapping_sub(exponent << 23) as u32) - 1.0;
    let p = polynomial::<M>(f, &numbers::LOG);
    let square = f * f;
    let tail = M::multiply_add(square, -0.5, p * (f * square));
    [f, exponent as f32 + correction, tail]
}

/// Replaces a logarithm's values at 0, below 0, at infinity and at NaN.
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
    let [high, low] = numbers::LN2.map(|part| part as f32);
    log_edges(x, M::multiply_add(exponent, high, f + M::multiply_add(exponent, low, tail)))
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

/// `log(1 + x)`; the rounding error of `1 + x` is corrected by the factor `x / ((1 + x) - 1)`.
#[inline(always)]
pub(super) fn log1p<M: Machine>(x: f32) -> f32 {
    let sum = x + 1.0;
    let logarithm = log::<M>(sum);
    let y = logarithm * (x / (sum - 1.0));
    let y = if sum == 1.0 { x } else { y };
    // at infinity the ratio is NaN
    if logarithm.abs() == f32::INFINITY { logarithm } else { y }
}

/// The hyperbolic tangent.
#[inline(always)]
pub(super) fn tanh<M: Machine>(x: f32) -> f32 {
    let bounded = clamp(x, [-numbers::TANH_LIMIT, numbers::TANH_LIMIT]);
    let square = bounded * bounded;
    let p = polynomial::<M>(square, &numbers::TANH_OVER);
    let q = polynomial::<M>(square, &numbers::TANH_UNDER);
    let y = p * bounded / q;
    if x.abs() < numbers::TANH_SMALL as f32 { x } else { y }
}

/// The error function: `x · P(x²) / Q(x²)`, fitted to the relative error up to where it reaches 1.
#[inline(always)]
pub(super) fn erf<M: Machine>(x: f32) -> f32 {
    let x = clamp(x, [-numbers::ERF_LIMIT, numbers::ERF_LIMIT]);
    let square = x * x;
    let p = polynomial::<M>(square, &numbers::ERF_OVER);
    let q = polynomial::<M>(square, &numbers::ERF_UNDER);
    clamp(p * x / q, [-1.0, 1.0])
}

/// The arc tangent; one division reduces the argument to at most tan π/8.
#[inline(always)]
pub(super) fn atan<M: Machine>(x: f32) -> f32 {
    let size = x.abs();
    let [middle, far] = [numbers::FRAC_PI_8_TANGENT, 1.0 / numbers::FRAC_PI_8_TANGENT].map(|bound| size > bound as f32);
    let over = if middle { size - 1.0 } else { size };
    let over = if far { -1.0 } else { over };
    let under = if middle { size + 1.0 } else { 1.0 };
    let under = if far { size } else { under };
    let start = if middle { FRAC_PI_4 } else { 0.0 };
    let start = if far { FRAC_PI_2 } else { start };
    let reduced = over / under;
    let square = reduced * reduced;
    let p = polynomial::<M>(square, &numbers::ATAN);
    let y = start + M::multiply_add(p, square * reduced, reduced);
    y.copysign(x)
}

/// Whether |x| > ½; and asin |x|, or, if so, half of π/2 - asin |x|.
#[inline(always)]
fn arc_parts<M: Machine>(x: f32) -> (bool, f32) {
    let size = x.abs();
    let large = size > 0.5;
    let rest = (1.0 - size) * 0.5;
    let square = if large { rest } else { size * size };
    let sine = if large { rest.sqrt() } else { size };
    let p = polynomial::<M>(square, &numbers::ASIN);
    (large, M::multiply_add(p, square * sine, sine))
}

/// The arc sine; above 1 the square root makes it NaN.
#[inline(always)]
pub(super) fn asin<M: Machine>(x: f32) -> f32 {
    let (large, angle) = arc_parts::<M>(x);
    let complement = M::multiply_add(angle, -2.0, FRAC_PI_2);
    (if large { complement } else { angle }).copysign(x)
}

/// The arc cosine; above 1 the square root makes it NaN.
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
    let (n, quadrant) = round_product::<M>(x, FRAC_2_PI);
    let a = numbers::FRAC_PI_2.into_iter().fold(x, |a, part| M::multiply_add(n, -part as f32, a));
    let square = a * a;
    let sine = polynomial::<M>(square, &numbers::SINE);
    let sine = M::multiply_add(sine, a * square, a);
    // the polynomial loses the sign of a zero
    let sine = if square == 0.0 { a } else { sine };
    let cosine = polynomial::<M>(square, &numbers::COSINE);
    let quadrant = quadrant.wrapping_add(quarters);
    let y = if quadrant & 1 == 1 { cosine } else { sine };
    if quadrant & 2 == 2 { -y } else { y }
}
