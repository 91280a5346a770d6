//! Sines, cosines and tangents of numbers of any size: range reduction uses as many bits of 1 / 2π as needed.

use dialects::arith;
use dialects::arith::CmpFPredicate;
use std::f64::consts::TAU;

use ir::{Type, Value};

use super::Doubles;
use super::pairs::Pair;
use crate::low::floats::Floats;

/// 1 / 2π in words of 32 bits; the first two are before the binary point.
const TURNS: [i64; 40] = [
    0,
    0,
    0x28be_60db,
    0x9391_054a,
    0x7f09_d5f4,
    0x7d4d_3770,
    0x36d8_a566,
    0x4f10_e410,
    0x7f94_58ea,
    0xf7ae_f158,
    0x6dc9_1b8e,
    0x9093_74b8,
    0x0192_4bba,
    0x8274_6487,
    0x3f87_7ac7,
    0x2c4a_69cf,
    0xba20_8d7d,
    0x4bae_d121,
    0x3a67_1c09,
    0xad17_df90,
    0x4e64_758e,
    0x60d4_ce7d,
    0x2721_17e2,
    0xef7e_4a0e,
    0xc7fe_25ff,
    0xf781_6603,
    0xfbcb_c462,
    0xd682_9b47,
    0xdb4d_9fb3,
    0xc9f2_c26d,
    0xd3d1_8fd9,
    0xa797_fa8b,
    0x5d49_eeb1,
    0xfaf9_7c5e,
    0xcf41_ce7d,
    0xe294_a4ba,
    0x9afe_d7ec,
    0x47e3_5742,
    0x1580_cc11,
    0xbf1e_daea,
];
/// 2π minus the nearest number to it.
const TAU_LEFT: f64 = 2.449_293_598_294_706_4e-16;
/// Below this no range reduction is needed, nor are there enough bits for it.
const SMALL: f64 = 0.75;
/// The weight of a digit of 32 bits after the point.
const DIGIT: f64 = 1.0 / (1u64 << 32) as f64;
/// The low half of a word of 64 bits.
const LOW: i64 = 0xffff_ffff;

/// The function of an angle.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Turning {
    Sine,
    Cosine,
    Tangent,
}

/// An angle of at most π/4, as a pair, and the number of quarter turns.
struct Angle {
    high: Value,
    low: Value,
    quarter: Value,
}

impl Doubles<'_, '_> {
    /// For an `f32`, in `f64`.
    pub(super) fn turning_single(&mut self, x: Value, function: Turning) -> Value {
        let x = self.convert(arith::EXTF, x, Type::F64);
        let y = self.turning(x, function);
        self.convert(arith::TRUNCF, y, Type::F32)
    }

    /// For an `f64`.
    pub(super) fn turning(&mut self, x: Value, function: Turning) -> Value {
        let angle = self.angle(x);
        let (size, level, none) = (self.abs(x), self.float(0.0), self.integer(0));
        let small = self.compare_constant(CmpFPredicate::Olt, size, SMALL);
        let high = self.select(small, size, angle.high);
        let low = self.select(small, level, angle.low);
        let quarter = self.select(small, none, angle.quarter);
        let [sine, cosine] = self.sine_and_cosine(high, low);
        let y = match function {
            Turning::Sine => self.in_quarter(sine, cosine, quarter),
            Turning::Cosine => {
                let next = self.whole(arith::ADDI, quarter, 1);
                self.in_quarter(sine, cosine, next)
            }
            Turning::Tangent => {
                let odd = self.bit(quarter, 1);
                let negated = self.apply(arith::NEGF, &[cosine]);
                let (above, below) = (self.select(odd, negated, sine), self.select(odd, sine, cosine));
                self.div(above, below)
            }
        };
        // the cosine is even, the others are odd; at 0 they have its sign
        let y = match function {
            Turning::Cosine => y,
            Turning::Sine | Turning::Tangent => {
                let (negative, negated) =
                    (self.compare_constant(CmpFPredicate::Olt, x, 0.0), self.apply(arith::NEGF, &[y]));
                let y = self.select(negative, negated, y);
                let nothing = self.compare_constant(CmpFPredicate::Oeq, x, 0.0);
                self.select(nothing, x, y)
            }
        };
        let (finite, none) = (self.compare_constant(CmpFPredicate::Olt, size, f64::INFINITY), self.float(f64::NAN));
        self.select(finite, y, none)
    }

    /// The sine of an angle plus some quarter turns, from the angle's own sine and cosine.
    fn in_quarter(&mut self, sine: Value, cosine: Value, quarter: Value) -> Value {
        let odd = self.bit(quarter, 1);
        let y = self.select(odd, cosine, sine);
        let negated = self.apply(arith::NEGF, &[y]);
        let second = self.bit(quarter, 2);
        self.select(second, negated, y)
    }

    /// Whether a bit of a number is set.
    fn bit(&mut self, number: Value, bit: i64) -> Value {
        let own = self.whole(arith::ANDI, number, bit);
        self.equal(own, bit)
    }

    /// Sine and cosine of an angle of at most π/4, which is a pair.
    fn sine_and_cosine(&mut self, angle: Value, left: Value) -> [Value; 2] {
        let square = self.mul(angle, angle);
        // coefficients 1 / from! - 1 / (from + 2)! + …, highest power first
        let series = |from: u32, terms: u32| {
            (0..terms).rev().map(move |at| {
                let factorial = (1..=2 * at + from).map(f64::from).product::<f64>();
                if at % 2 == 0 { 1.0 / factorial } else { -1.0 / factorial }
            })
        };
        let one = self.float(1.0);
        let half = self.scale(square, 0.5);
        // sin(a + b) = a - (a³ (1/3! - …) - b (1 - a²/2))
        let p = self.polynomial(square, series(3, 8));
        let cube = self.mul(square, angle);
        let less = self.mul(cube, p);
        let slope = self.sub(one, half);
        let more = self.mul(left, slope);
        let less = self.sub(less, more);
        let sine = self.sub(angle, less);
        // cos(a + b) = (1 - a²/2) + (its rounding error + a⁴ (1/4! - …) - a b)
        let p = self.polynomial(square, series(4, 8));
        let fourth = self.mul(square, square);
        let more = self.mul(fourth, p);
        let taken = self.sub(one, slope);
        let lost = self.sub(taken, half);
        let product = self.mul(angle, left);
        let more = self.sub(more, product);
        let more = self.add(lost, more);
        [sine, self.add(slope, more)]
    }

    /// The angle |x| modulo full turns: x is an integer times a power of two, whose turns are a window of [`TURNS`].
    fn angle(&mut self, x: Value) -> Angle {
        let size = self.abs(x);
        let bits = self.convert(arith::BITCAST, size, Type::I64);
        let exponent = self.whole(arith::SHRUI, bits, 52);
        let fraction = self.whole(arith::ANDI, bits, (1 << 52) - 1);
        let mantissa = self.whole(arith::ORI, fraction, 1 << 52);
        let (upper, lower) = (self.whole(arith::SHRUI, mantissa, 32), self.whole(arith::ANDI, mantissa, LOW));
        // the magnitude is the mantissa times 2^(exponent - 1075), and the point is after 64 bits
        let start = self.whole(arith::SUBI, exponent, 1075 - 64);
        let words = self.turns_from(start);
        let [uppers, lowers] = [upper, lower].map(|half| words.map(|word| self.apply(arith::MULI, &[half, word])));
        // digits of 32 bits after the point; those before it are full turns
        let mut digits = [self.integer(0); 5];
        let mut carry = self.integer(0);
        for (at, digit) in digits.iter_mut().enumerate().rev() {
            let parts =
                [self.low(lowers[at]), self.high(lowers[at + 1]), self.low(uppers[at + 1]), self.high(uppers[at + 2])];
            let sum = parts.into_iter().fold(carry, |sum, part| self.apply(arith::ADDI, &[sum, part]));
            (*digit, carry) = (self.low(sum), self.high(sum));
        }
        let upper = self.whole(arith::SHLI, digits[0], 32);
        let turn = self.apply(arith::ORI, &[upper, digits[1]]);
        let rounded = self.whole(arith::ADDI, turn, 1 << 61);
        let quarter = self.whole(arith::SHRUI, rounded, 62);
        let whole = self.whole(arith::SHLI, quarter, 62);
        let rest = self.apply(arith::SUBI, &[turn, whole]);
        let [high, low] = self.radians(rest, [digits[2], digits[3]]);
        Angle { high, low, quarter }
    }

    /// An angle in radians, given in units of 2^-64 turns, and the next two digits of 32 bits.
    fn radians(&mut self, turns: Value, below: [Value; 2]) -> Pair {
        let (upper, lower) = (self.whole(arith::ANDI, turns, !LOW), self.low(turns));
        let [upper, lower, third, fourth] =
            [upper, lower, below[0], below[1]].map(|part| self.convert(arith::SITOFP, part, Type::F64));
        let [sum, left] = self.exact_sum(upper, lower);
        let (third, fourth) = (self.scale(third, DIGIT), self.scale(fourth, DIGIT * DIGIT));
        let below = self.add(third, fourth);
        let left = self.add(left, below);
        let [high, low] = self.exact_sum(sum, left);
        let tau = self.float(TAU);
        let [angle, left] = self.exact_product(high, tau);
        let (a, b) = (self.scale(high, TAU_LEFT), self.scale(low, TAU));
        let left = self.add(left, a);
        let left = self.add(left, b);
        let [angle, left] = self.exact_sum(angle, left);
        [angle, left].map(|part| self.scale(part, DIGIT * DIGIT))
    }

    /// Seven words of [`TURNS`] from some bit on.
    fn turns_from(&mut self, start: Value) -> [Value; 7] {
        let (skipped, shift) = (self.whole(arith::SHRUI, start, 5), self.whole(arith::ANDI, start, 31));
        let mut words = TURNS.map(|word| self.integer(word)).to_vec();
        for stride in [32, 16, 8, 4, 2, 1] {
            let skips = self.bit(skipped, stride as i64);
            // one more word than needed, because its bits are shifted in
            let next = (0..7 + stride).map(|at| match words.get(at + stride) {
                Some(&later) => self.select(skips, later, words[at]),
                None => words[at],
            });
            words = next.collect();
        }
        std::array::from_fn(|at| {
            let upper = self.whole(arith::SHLI, words[at], 32);
            let both = self.apply(arith::ORI, &[upper, words[at + 1]]);
            let moved = self.apply(arith::SHLI, &[both, shift]);
            self.high(moved)
        })
    }

    fn low(&mut self, word: Value) -> Value {
        self.whole(arith::ANDI, word, LOW)
    }

    fn high(&mut self, word: Value) -> Value {
        self.whole(arith::SHRUI, word, 32)
    }
}
