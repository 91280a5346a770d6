//! The error function.

use dialects::arith::CmpFPredicate;
use dialects::{arith, math};
use std::f64::consts::FRAC_2_SQRT_PI;

use ir::Value;

use super::Doubles;
use crate::low::floats::Floats;

/// Below this the series needs few terms; above it the continued fraction does.
const MIDDLE: f64 = 2.5;
/// Terms of the series: the remainder at [`MIDDLE`] is below 2⁻⁶⁰ of it.
const TERMS: u32 = 50;
/// Levels of the continued fraction: its relative error at [`MIDDLE`] is below 2⁻⁴⁵, where it is 4·10⁻⁴ of the result.
const LEVELS: u32 = 24;
/// From here on the function is 1.
const ONE_FROM: f64 = 6.0;

impl Doubles<'_, '_> {
    /// `2/√π e^-x² x (1 + 2x²/3 (1 + 2x²/5 (…)))`, a sum of positive terms; for larger numbers
    /// `1 - e^-x²/√π / (x + ½ / (x + 1 / (x + 3/2 / …)))`.
    pub(super) fn erf(&mut self, x: Value) -> Value {
        let size = self.abs(x);
        let size = self.clamp(size, [0.0, ONE_FROM]);
        let [square, left] = self.exact_product(size, size);
        let (negative, one) = (self.apply(arith::NEGF, &[square]), self.float(1.0));
        let power = self.exp(negative);
        // e^-(a + b) = e^-a (1 - b) for a small b
        let factor = self.sub(one, left);
        let power = self.mul(power, factor);
        let double = self.scale(square, 2.0);
        let sum = (1..=TERMS).rev().fold(one, |sum, at| {
            let product = self.mul(double, sum);
            let next = self.scale(product, 1.0 / f64::from(2 * at + 1));
            self.add(one, next)
        });
        let product = self.mul(size, power);
        let product = self.mul(product, sum);
        let near = self.scale(product, FRAC_2_SQRT_PI);
        let fraction = (1..=LEVELS).rev().fold(size, |below, at| {
            let above = self.float(f64::from(at) / 2.0);
            let quotient = self.div(above, below);
            self.add(size, quotient)
        });
        let ratio = self.div(power, fraction);
        let rest = self.scale(ratio, FRAC_2_SQRT_PI / 2.0);
        let far = self.sub(one, rest);
        let is_near = self.compare_constant(CmpFPredicate::Olt, size, MIDDLE);
        let y = self.select(is_near, near, far);
        let missing = self.compare(CmpFPredicate::Uno, x, x);
        let y = self.select(missing, x, y);
        self.apply(math::COPYSIGN, &[y, x])
    }
}
