//! Hyperbolic functions, and the inverses of hyperbolic functions and of sines.

use dialects::arith::CmpFPredicate;
use dialects::math;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, LN_2};

use ir::Value;

use super::{Doubles, SHIFTER};
use crate::low::floats::Floats;

/// The arc tangents of 0, ⅛, … 1, each as the nearest number and the remainder.
const ARCS: [(f64, f64); 9] = [
    (0.0, 0.0),
    (0.124_354_994_546_761_44, -3.125_324_142_453_938_3e-18),
    (0.244_978_663_126_864_14, 1.069_875_561_873_445_1e-17),
    (0.358_770_670_270_572_25, -2.462_381_558_263_863_5e-17),
    (0.463_647_609_000_806_1, 2.269_877_745_296_168_7e-17),
    (0.558_599_315_343_562_4, -5.455_630_548_591_626_4e-18),
    (0.643_501_108_793_284_4, 1.583_478_505_144_428_6e-17),
    (0.718_829_999_621_624_5, -2.147_838_844_445_698_3e-17),
    (FRAC_PI_4, 3.061_616_997_868_383e-17),
];
/// π / 2 as the nearest number and the remainder.
const QUARTER: (f64, f64) = (FRAC_PI_2, 6.123_233_995_736_766e-17);
/// From here on `√(x² ± 1)` is x.
const LARGE: f64 = (1u64 << 28) as f64;
/// From here on `e^-x` is negligible compared with `e^x`.
const FAR: f64 = 22.0;

impl Doubles<'_, '_> {
    /// For t in [0, 1], to which reciprocals reduce larger numbers, and the nearest eighth c: `atan t = atan c + atan
    /// r` with `r = (t - c) / (1 + t c)`, at most 1/16, where the series converges fast.
    pub(super) fn atan(&mut self, x: Value) -> Value {
        let (size, one) = (self.abs(x), self.float(1.0));
        let above = self.compare(CmpFPredicate::Ogt, size, one);
        let reciprocal = self.div(one, size);
        let t = self.select(above, reciprocal, size);
        let (eighths, shifter) = (self.scale(t, 8.0), self.float(SHIFTER));
        let shifted = self.add(eighths, shifter);
        let nearest = self.sub(shifted, shifter);
        let c = self.scale(nearest, 0.125);
        let (above_c, product) = (self.sub(t, c), self.mul(t, c));
        let below = self.add(one, product);
        let r = self.div(above_c, below);
        let square = self.mul(r, r);
        let signs = (1..=7u32).rev().map(|at| (if at % 2 == 0 { 1.0 } else { -1.0 }) / f64::from(2 * at + 1));
        let series = self.polynomial(square, signs);
        let cube = self.mul(square, r);
        let rest = self.mul(cube, series);
        let near = self.add(r, rest);
        let (mut high, mut low) = (self.float(0.0), self.float(0.0));
        for (at, &(arc, left)) in ARCS.iter().enumerate().skip(1) {
            let here = self.compare_constant(CmpFPredicate::Oeq, nearest, at as f64);
            let (arc, left) = (self.float(arc), self.float(left));
            (high, low) = (self.select(here, arc, high), self.select(here, left, low));
        }
        let near = self.add(near, low);
        let y = self.add(high, near);
        let (quarter, left) = (self.float(QUARTER.0), self.float(QUARTER.1));
        let less = self.sub(y, left);
        let complement = self.sub(quarter, less);
        let y = self.select(above, complement, y);
        self.apply(math::COPYSIGN, &[y, x])
    }

    /// `atan(x / √((1 - x)(1 + x)))`
    pub(super) fn asin(&mut self, x: Value) -> Value {
        let one = self.float(1.0);
        let (below, above) = (self.sub(one, x), self.add(one, x));
        let product = self.mul(below, above);
        let root = self.apply(math::SQRT, &[product]);
        let tangent = self.div(x, root);
        self.atan(tangent)
    }

    /// `2 atan(√((1 - x) / (1 + x)))`
    pub(super) fn acos(&mut self, x: Value) -> Value {
        let one = self.float(1.0);
        let (below, above) = (self.sub(one, x), self.add(one, x));
        let ratio = self.div(below, above);
        let root = self.apply(math::SQRT, &[ratio]);
        let half = self.atan(root);
        self.scale(half, 2.0)
    }

    /// `log(1 + u)` with `u = |x| + x² / (1 + √(1 + x²))`
    pub(super) fn asinh(&mut self, x: Value) -> Value {
        let (size, one) = (self.abs(x), self.float(1.0));
        let square = self.mul(x, x);
        let sum = self.add(square, one);
        let root = self.apply(math::SQRT, &[sum]);
        let below = self.add(root, one);
        let more = self.div(square, below);
        let u = self.add(size, more);
        let near = self.log1p(u);
        let y = self.log_double_above(LARGE, size, near);
        self.apply(math::COPYSIGN, &[y, x])
    }

    /// `log(1 + u)` with `u = t + √(t (t + 2))` and `t = x - 1`
    pub(super) fn acosh(&mut self, x: Value) -> Value {
        let (one, two) = (self.float(1.0), self.float(2.0));
        let t = self.sub(x, one);
        let sum = self.add(t, two);
        let product = self.mul(t, sum);
        let root = self.apply(math::SQRT, &[product]);
        let u = self.add(t, root);
        let near = self.log1p(u);
        let y = self.log_double_above(LARGE, x, near);
        let (outside, none) = (self.compare(CmpFPredicate::Olt, x, one), self.float(f64::NAN));
        self.select(outside, none, y)
    }

    /// `½ log(1 + 2x / (1 - x))`
    pub(super) fn atanh(&mut self, x: Value) -> Value {
        let (size, one) = (self.abs(x), self.float(1.0));
        let (double, below) = (self.scale(size, 2.0), self.sub(one, size));
        let ratio = self.div(double, below);
        let logarithm = self.log1p(ratio);
        let y = self.scale(logarithm, 0.5);
        self.apply(math::COPYSIGN, &[y, x])
    }

    /// `log(2 x)` if x is at least `bound`, otherwise `near`.
    fn log_double_above(&mut self, bound: f64, x: Value, near: Value) -> Value {
        let (logarithm, more) = (self.log(x), self.float(LN_2));
        let far = self.add(logarithm, more);
        let below = self.compare_constant(CmpFPredicate::Olt, x, bound);
        self.select(below, near, far)
    }

    /// `½ (t + t / (t + 1))` with `t = e^|x| - 1`
    pub(super) fn sinh(&mut self, x: Value) -> Value {
        let (size, one) = (self.abs(x), self.float(1.0));
        let t = self.expm1(size);
        let power = self.add(t, one);
        let less = self.div(t, power);
        let sum = self.add(t, less);
        let near = self.scale(sum, 0.5);
        let y = self.half_exp_above(size, near);
        self.apply(math::COPYSIGN, &[y, x])
    }

    /// `½ (e^|x| + e^-|x|)`
    pub(super) fn cosh(&mut self, x: Value) -> Value {
        let (size, one) = (self.abs(x), self.float(1.0));
        let power = self.exp(size);
        let inverse = self.div(one, power);
        let sum = self.add(power, inverse);
        let near = self.scale(sum, 0.5);
        self.half_exp_above(size, near)
    }

    /// `½ e^x` if `e^-x` is negligible, also if `e^x` alone overflows, otherwise `near`.
    fn half_exp_above(&mut self, x: Value, near: Value) -> Value {
        let half = self.scale(x, 0.5);
        let root = self.exp(half);
        let less = self.scale(root, 0.5);
        let far = self.mul(less, root);
        let below = self.compare_constant(CmpFPredicate::Olt, x, FAR);
        self.select(below, near, far)
    }
}
