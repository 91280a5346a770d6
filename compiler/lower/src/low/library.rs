//! Elementary functions as functions of the module, in arithmetic that IEEE 754 defines, where the runtime's would do otherwise:
//! for code that has none, and for results that are the same on every processor.
//!
//! Everything is computed in `f64`, also for `f32`, whose results then are off by little more than their own rounding.

use std::f64::consts::{FRAC_PI_2, LN_2, LOG2_E, SQRT_2};

use ir::{Attribute, Body, Builder, FunctionType, Location, Module, Type, Value};

use super::floats::{Floats, compare};

/// ln 2 in two parts; the first has few enough bits for its products with exponents to be exact.
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// 1.5 · 2⁵²: added to a number, it leaves the nearest whole one in the low bits.
const SHIFTER: f64 = 6_755_399_441_055_744.0;
/// 1 / 2π in words of 32 bits, the first of which is in front of the point.
const TURNS: [i64; 8] = [0, 0x28be_60db, 0x9391_054a, 0x7f09_d5f4, 0x7d4d_3770, 0x36d8_a566, 0x4f10_e410, 0x7f94_58ea];

/// What a function computes of its arguments.
type Define = fn(&mut Scalars<'_, '_>, &[Value]) -> Value;

/// The runtime's functions that are defined here.
const FUNCTIONS: [(&str, Define); 11] = [
    ("rt_exp_f64", |s, x| s.exp(x[0])),
    ("rt_exp2_f64", |s, x| s.exp2(x[0])),
    ("rt_expm1_f64", |s, x| s.expm1(x[0])),
    ("rt_log_f64", |s, x| s.log(x[0])),
    ("rt_log2_f64", |s, x| s.log2(x[0])),
    ("rt_log10_f64", |s, x| s.log10(x[0])),
    ("rt_log1p_f64", |s, x| s.log1p(x[0])),
    ("rt_tanh_f64", |s, x| s.tanh(x[0])),
    ("rt_pow_f32", |s, x| s.pow_single(x[0], x[1])),
    ("rt_sin_f32", |s, x| s.sine_single(x[0], 0)),
    ("rt_cos_f32", |s, x| s.sine_single(x[0], 1)),
];

/// Gives a body to every declaration of a function that is known here.
pub(super) fn define_functions(module: &mut Module) {
    let declared = module.functions().filter(|function| function.body.entry().is_none());
    let known = |name: &str| FUNCTIONS.iter().find(|(known, _)| *known == name).map(|&(_, define)| define);
    let missing: Vec<_> =
        declared.filter_map(|function| Some((function.op, function.r#type.clone(), known(function.name)?))).collect();
    for (op, r#type, define) in missing {
        *module.function_body_mut(op).expect("a function owns its body") = definition(&r#type, define);
    }
}

fn definition(r#type: &FunctionType, define: Define) -> Body {
    let mut body = Body::new();
    let entry = body.add_block(body.root(), &r#type.inputs);
    let arguments = body.arguments(entry).to_vec();
    let mut builder = Builder::at_end(&mut body, entry).with_location(Location::Unknown);
    let result = define(&mut Scalars { builder: &mut builder }, &arguments);
    builder.create("func.return", &[result], &[], []);
    body
}

/// Arithmetic on `f64` and `i64`.
struct Scalars<'a, 'b> {
    builder: &'a mut Builder<'b>,
}

impl<'b> Floats<'b> for Scalars<'_, 'b> {
    fn builder(&mut self) -> &mut Builder<'b> {
        self.builder
    }

    fn float(&mut self, value: f64) -> Value {
        self.builder.constant(Attribute::float(value, Type::F64), Type::F64)
    }

    fn compare(&mut self, predicate: i64, a: Value, b: Value) -> Value {
        self.builder.value("arith.cmpf", &[a, b], Type::I1, [("predicate", Attribute::i64(predicate))])
    }

    fn exp(&mut self, x: Value) -> Value {
        let x = self.clamp(x, -746.0, 710.0);
        let [n, whole] = self.round_product(x, LOG2_E);
        let (high, low) = (self.scale(n, LN2_HIGH), self.scale(n, LN2_LOW));
        let r = self.sub(x, high);
        let r = self.sub(r, low);
        self.exp_from_parts(r, whole)
    }

    fn exp_minus_one_reduced(&mut self, r: Value) -> Value {
        let coefficients = (2..=14u32).rev().map(|power| 1.0 / (1..=power).map(f64::from).product::<f64>());
        let p = self.polynomial(r, coefficients);
        let square = self.mul(r, r);
        let tail = self.mul(square, p);
        self.add(r, tail)
    }

    /// `x = 2^e · (1 + f)` with 1 + f between √½ and √2; `s = f / (2 + f)`, of which `ln(1 + f)` is a series.
    fn log(&mut self, x: Value) -> Value {
        let tiny = self.compare_constant(compare::LESS, x, f64::MIN_POSITIVE);
        let raised = self.scale(x, (1u64 << 54) as f64);
        let normal = self.select(tiny, raised, x);
        let bits = self.convert("arith.bitcast", normal, Type::I64);
        let above = self.whole("arith.subi", bits, (SQRT_2 / 2.0).to_bits() as i64);
        let exponent = self.whole("arith.shrsi", above, 52);
        let in_place = self.whole("arith.shli", exponent, 52);
        let mantissa = self.apply("arith.subi", &[bits, in_place]);
        let mantissa = self.convert("arith.bitcast", mantissa, Type::F64);
        let (lowered, level) = (self.integer(-54), self.integer(0));
        let correction = self.select(tiny, lowered, level);
        let exponent = self.apply("arith.addi", &[exponent, correction]);
        let k = self.convert("arith.sitofp", exponent, Type::F64);
        let (one, two) = (self.float(1.0), self.float(2.0));
        let f = self.sub(mantissa, one);
        let sum = self.add(two, f);
        let s = self.div(f, sum);
        let z = self.mul(s, s);
        let series = self.polynomial(z, (1..=12u32).rev().map(|at| 2.0 / f64::from(2 * at + 1)));
        let rest = self.mul(z, series);
        let square = self.mul(f, f);
        let half = self.scale(square, 0.5);
        let inner = self.add(half, rest);
        let inner = self.mul(s, inner);
        let low = self.scale(k, LN2_LOW);
        let inner = self.add(inner, low);
        let tail = self.sub(half, inner);
        let tail = self.sub(tail, f);
        let high = self.scale(k, LN2_HIGH);
        let y = self.sub(high, tail);
        self.log_edges(x, y)
    }
}

impl Scalars<'_, '_> {
    fn integer(&mut self, value: i64) -> Value {
        self.builder.constant(Attribute::Integer(value, Type::I64), Type::I64)
    }

    fn convert(&mut self, name: &'static str, value: Value, r#type: Type) -> Value {
        self.builder.value(name, &[value], r#type, [])
    }

    fn equal(&mut self, a: Value, b: i64) -> Value {
        let b = self.integer(b);
        self.builder.value("arith.cmpi", &[a, b], Type::I1, [("predicate", Attribute::i64(0))])
    }

    /// An operation on an integer and a constant.
    fn whole(&mut self, name: &'static str, a: Value, b: i64) -> Value {
        let b = self.integer(b);
        self.apply(name, &[a, b])
    }

    /// The polynomial in `x` with the given coefficients, the highest power's first.
    fn polynomial(&mut self, x: Value, coefficients: impl IntoIterator<Item = f64>) -> Value {
        let mut coefficients = coefficients.into_iter();
        let mut sum = self.float(coefficients.next().unwrap_or(0.0));
        for coefficient in coefficients {
            let (product, coefficient) = (self.mul(sum, x), self.float(coefficient));
            sum = self.add(product, coefficient);
        }
        sum
    }

    // ---- exponentials

    /// The whole number nearest to `x · factor`, as a float and as an integer.
    fn round_product(&mut self, x: Value, factor: f64) -> [Value; 2] {
        let (product, shifter) = (self.scale(x, factor), self.float(SHIFTER));
        let shifted = self.add(product, shifter);
        let n = self.sub(shifted, shifter);
        let bits = self.convert("arith.bitcast", shifted, Type::I64);
        [n, self.whole("arith.subi", bits, SHIFTER.to_bits() as i64)]
    }

    /// `2^n · e^r`, in two steps so that neither power overflows where the product does not.
    fn exp_from_parts(&mut self, r: Value, n: Value) -> Value {
        let (less_one, one) = (self.exp_minus_one_reduced(r), self.float(1.0));
        let y = self.add(less_one, one);
        let half = self.whole("arith.shrsi", n, 1);
        let rest = self.apply("arith.subi", &[n, half]);
        [half, rest].into_iter().fold(y, |y, part| {
            let biased = self.whole("arith.addi", part, 1023);
            let bits = self.whole("arith.shli", biased, 52);
            let power = self.convert("arith.bitcast", bits, Type::F64);
            self.mul(y, power)
        })
    }

    fn exp2(&mut self, x: Value) -> Value {
        let x = self.clamp(x, -1076.0, 1025.0);
        let [n, whole] = self.round_product(x, 1.0);
        let fraction = self.sub(x, n);
        let r = self.scale(fraction, LN_2);
        self.exp_from_parts(r, whole)
    }

    /// `t / (t + 2)` with `t = e^2|x| - 1`.
    fn tanh(&mut self, x: Value) -> Value {
        let size = self.abs(x);
        let double = self.scale(size, 2.0);
        // what is above is 1
        let double = self.clamp(double, 0.0, 44.0);
        let (t, two) = (self.expm1(double), self.float(2.0));
        let sum = self.add(t, two);
        let y = self.div(t, sum);
        self.apply("math.copysign", &[y, x])
    }

    // ---- logarithms

    fn log2(&mut self, x: Value) -> Value {
        let natural = self.log(x);
        self.scale(natural, LOG2_E)
    }

    // ---- functions on f32

    fn pow_single(&mut self, x: Value, y: Value) -> Value {
        let [x, y] = [x, y].map(|value| self.convert("arith.extf", value, Type::F64));
        let (size, one) = (self.abs(x), self.float(1.0));
        let logarithm = self.log(size);
        let product = self.mul(y, logarithm);
        let power = self.exp(product);
        // also for infinite powers
        let unit = self.compare_constant(compare::EQUAL, size, 1.0);
        let stays = self.compare(compare::EQUAL, y, y);
        let unit = self.apply("arith.andi", &[unit, stays]);
        let power = self.select(unit, one, power);
        // an odd power has the sign of x, one that is not whole is none where x is negative
        let half = self.scale(y, 0.5);
        let [is_whole, is_even] = [y, half].map(|value| {
            let whole = self.apply("math.trunc", &[value]);
            self.compare(compare::EQUAL, value, whole)
        });
        let signed = self.apply("math.copysign", &[power, x]);
        let by_parity = self.select(is_even, power, signed);
        let power = self.select(is_whole, by_parity, power);
        let (below, lowest) = (
            self.compare_constant(compare::LESS, x, 0.0),
            self.compare_constant(compare::GREATER, x, f64::NEG_INFINITY),
        );
        let negative = self.apply("arith.andi", &[below, lowest]);
        let none = self.float(f64::NAN);
        let fraction = self.select(negative, none, power);
        let power = self.select(is_whole, power, fraction);
        let nothing = self.compare_constant(compare::EQUAL, y, 0.0);
        let is_one = self.compare_constant(compare::EQUAL, x, 1.0);
        let fixed = self.apply("arith.ori", &[nothing, is_one]);
        let power = self.select(fixed, one, power);
        self.convert("arith.truncf", power, Type::F32)
    }

    /// Sine (`quarters` 0) or cosine (1) of numbers of any size: their turns are counted with as many bits of 1 / 2π as tell the
    /// last one.
    fn sine_single(&mut self, x: Value, quarters: i64) -> Value {
        let bits = self.convert("arith.bitcast", x, Type::I32);
        let bits = self.convert("arith.extui", bits, Type::I64);
        let mantissa = self.whole("arith.andi", bits, 0x7f_ffff);
        let mantissa = self.whole("arith.ori", mantissa, 0x80_0000);
        let mantissa = self.whole("arith.shli", mantissa, 8);
        let exponent = self.whole("arith.shrui", bits, 23);
        let exponent = self.whole("arith.andi", exponent, 0xff);
        // |x| is the mantissa times 2^(exponent - 32)
        let exponent = self.whole("arith.subi", exponent, 126);
        let first = self.whole("arith.shrsi", exponent, 5);
        let shift = self.whole("arith.andi", exponent, 31);
        let words: [Value; 4] = std::array::from_fn(|at| {
            (1..=4).fold(self.integer(TURNS[at]), |word, start| {
                let (other, here) = (self.integer(TURNS[start + at]), self.equal(first, start as i64));
                self.select(here, other, word)
            })
        });
        let [high, middle, low] = std::array::from_fn(|at| {
            let upper = self.whole("arith.shli", words[at], 32);
            let both = self.apply("arith.ori", &[upper, words[at + 1]]);
            let moved = self.apply("arith.shli", &[both, shift]);
            self.whole("arith.shrui", moved, 32)
        });
        // the last turn in units of 2^-64
        let [high, middle, low] = [high, middle, low].map(|word| self.apply("arith.muli", &[mantissa, word]));
        let high = self.whole("arith.shli", high, 32);
        let low = self.whole("arith.shrui", low, 32);
        let turn = self.apply("arith.addi", &[high, middle]);
        let turn = self.apply("arith.addi", &[turn, low]);
        let rounded = self.whole("arith.addi", turn, 1 << 61);
        let quarter = self.whole("arith.shrui", rounded, 62);
        let whole = self.whole("arith.shli", quarter, 62);
        let rest = self.apply("arith.subi", &[turn, whole]);
        let rest = self.convert("arith.sitofp", rest, Type::F64);
        let angle = self.scale(rest, FRAC_PI_2 / (1u64 << 62) as f64);
        let (wide, none) = (self.convert("arith.extf", x, Type::F64), self.integer(0));
        // below, nothing is to be counted, nor are there bits enough
        let size = self.abs(wide);
        let small = self.compare_constant(compare::LESS, size, 0.75);
        let angle = self.select(small, size, angle);
        let quarter = self.select(small, none, quarter);
        let y = self.quadrant(angle, quarter, quarters);
        // the sine is odd, the cosine even
        let negative = self.compare_constant(compare::LESS, wide, 0.0);
        let negated = self.apply("arith.negf", &[y]);
        let y = if quarters == 0 { self.select(negative, negated, y) } else { y };
        let finite = self.compare_constant(compare::LESS, size, f64::INFINITY);
        let none = self.float(f64::NAN);
        let y = self.select(finite, y, none);
        self.convert("arith.truncf", y, Type::F32)
    }

    /// The sine of an angle of at most π/4 and some quarters of a turn.
    fn quadrant(&mut self, angle: Value, quarter: Value, more: i64) -> Value {
        let square = self.mul(angle, angle);
        // the series of both, the highest power's coefficient first
        let series = |from: u32| {
            (0..8u32).rev().map(move |at| {
                let factorial = (1..=2 * at + from).map(f64::from).product::<f64>();
                if at % 2 == 0 { 1.0 / factorial } else { -1.0 / factorial }
            })
        };
        let sine = self.polynomial(square, series(1));
        let sine = self.mul(sine, angle);
        let cosine = self.polynomial(square, series(0));
        let quarter = self.whole("arith.addi", quarter, more);
        let odd = self.whole("arith.andi", quarter, 1);
        let odd = self.equal(odd, 1);
        let y = self.select(odd, cosine, sine);
        let negated = self.apply("arith.negf", &[y]);
        let second = self.whole("arith.andi", quarter, 2);
        let second = self.equal(second, 2);
        self.select(second, negated, y)
    }
}
