//! Double-double arithmetic, and powers, whose logarithms need twice the digits.

use dialects::arith;
use dialects::arith::CmpFPredicate;
use std::f64::consts::LOG2_E;

use ir::{Type, Value};

use super::{Doubles, LN2_HIGH, LN2_LOW};
use crate::low::floats::Floats;

/// A number as the nearest `f64` and the remainder.
pub(super) type Pair = [Value; 2];

/// ⅓ as a pair.
const THIRD: [f64; 2] = [1.0 / 3.0, 1.850_371_707_708_594e-17];
/// A mask of the high bits of a number, whose product with another such number is exact.
const UPPER: i64 = !0x7ff_ffff;

impl Doubles<'_, '_> {
    /// The exact sum of two terms; the exponent of the second is not larger than that of the first.
    pub(super) fn exact_sum(&mut self, a: Value, b: Value) -> Pair {
        let sum = self.add(a, b);
        let taken = self.sub(sum, a);
        [sum, self.sub(b, taken)]
    }

    /// The exact product, if neither it nor its parts overflow.
    pub(super) fn exact_product(&mut self, a: Value, b: Value) -> Pair {
        let product = self.mul(a, b);
        let [[a_high, a_low], [b_high, b_low]] = [a, b].map(|value| self.halves(value));
        let highs = self.mul(a_high, b_high);
        let left = self.sub(highs, product);
        let left = [(a_high, b_low), (a_low, b_high), (a_low, b_low)].into_iter().fold(left, |left, (a, b)| {
            let part = self.mul(a, b);
            self.add(left, part)
        });
        [product, left]
    }

    /// A number as the sum of two with half the digits each.
    fn halves(&mut self, x: Value) -> Pair {
        let bits = self.convert(arith::BITCAST, x, Type::I64);
        let upper = self.whole(arith::ANDI, bits, UPPER);
        let high = self.convert(arith::BITCAST, upper, Type::F64);
        [high, self.sub(x, high)]
    }

    /// The logarithm of a positive number: `k ln 2 + 2 s (1 + s²/3 + s⁴/5 + …)`, with pairs for the first terms.
    fn log_pair(&mut self, x: Value) -> Pair {
        let [k, mantissa] = self.exponent_and_mantissa(x);
        let one = self.float(1.0);
        let f = self.sub(mantissa, one);
        let [below, below_left] = self.exact_sum(one, mantissa);
        let s = self.div(f, below);
        let [product, left] = self.exact_product(s, below);
        let rest = self.sub(f, product);
        let rest = self.sub(rest, left);
        let part = self.mul(s, below_left);
        let rest = self.sub(rest, part);
        let s_left = self.div(rest, below);
        let [square, left] = self.exact_product(s, s);
        let cross = self.mul(s, s_left);
        let cross = self.scale(cross, 2.0);
        let square_left = self.add(left, cross);
        let [third, third_left] = THIRD.map(|part| self.float(part));
        let [leading, left] = self.exact_product(square, third);
        let (a, b) = (self.mul(square, third_left), self.mul(square_left, third));
        let left = self.add(left, a);
        let left = self.add(left, b);
        let series = self.polynomial(square, (2..=12u32).rev().map(|at| 1.0 / f64::from(2 * at + 1)));
        let fourth = self.mul(square, square);
        let tail = self.mul(fourth, series);
        let left = self.add(left, tail);
        let [more, more_left] = self.exact_sum(leading, left);
        let [product, left] = self.exact_product(s, more);
        let (a, b) = (self.mul(s, more_left), self.mul(s_left, more));
        let left = self.add(left, a);
        let left = self.add(left, b);
        let left = self.add(left, s_left);
        let [half, half_left] = self.exact_sum(s, product);
        let half_left = self.add(half_left, left);
        let [high, low] = [half, half_left].map(|value| self.scale(value, 2.0));
        let (k_high, k_low) = (self.scale(k, LN2_HIGH), self.scale(k, LN2_LOW));
        let [sum, left] = self.exact_sum(k_high, high);
        let left = self.add(left, low);
        let left = self.add(left, k_low);
        self.exact_sum(sum, left)
    }

    /// `e^(y ln x)`, where the exponent is a pair.
    pub(super) fn pow_double(&mut self, x: Value, y: Value) -> Value {
        let size = self.abs(x);
        let [logarithm, left] = self.log_pair(size);
        let logarithm = self.log_edges(size, logarithm);
        let [exponent, lost] = self.exact_product(y, logarithm);
        let part = self.mul(y, left);
        let lost = self.add(lost, part);
        // beyond this the power is infinite or 0, and the remainder may be NaN
        let extent = self.abs(exponent);
        let (inside, none) = (self.compare_constant(CmpFPredicate::Olt, extent, 800.0), self.float(0.0));
        let lost = self.select(inside, lost, none);
        let clamped = self.clamp(exponent, [-746.0, 710.0]);
        let [n, whole] = self.round_product(clamped, LOG2_E);
        let (high, low) = (self.scale(n, LN2_HIGH), self.scale(n, LN2_LOW));
        let r = self.sub(clamped, high);
        let lost = self.sub(lost, low);
        let r = self.add(r, lost);
        let power = self.exp_from_parts(r, whole);
        self.power_edges(x, y, power)
    }
}
