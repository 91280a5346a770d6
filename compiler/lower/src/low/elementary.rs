//! Expands elementary functions on `f32`, scalars and vectors alike, to arithmetic with an error of at most a few units
//! in the last place.
//!
//! Polynomials are those of [`abi::elementary`]; arguments are reduced with fused multiply-adds.

use dialects::arith::{CmpFPredicate, CmpIPredicate};
use dialects::{arith, func, math, scf, vector};
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4, LN_2, LOG2_E, PI};

use abi::elementary as numbers;
use ir::{Attribute, Builder, Type, Value};

use super::expand::Inline;
use super::floats::Floats;

/// The parts of arc sine and arc cosine.
struct ArcParts {
    /// Whether the argument's magnitude is above ½.
    large: Value,
    /// The arc sine of its magnitude, or half of the angle between that and π/2.
    angle: Value,
}

/// Arithmetic on `f32` and `i32` values of one shape.
pub(super) struct Arithmetic<'a, 'b> {
    pub(super) builder: &'a mut Builder<'b>,
    /// Lanes of the vectors; `None` for scalars.
    pub(super) lanes: Option<i64>,
    /// The functions that are computed inline.
    pub(super) inline: Inline,
}

impl<'b> Floats<'b> for Arithmetic<'_, 'b> {
    fn builder(&mut self) -> &mut Builder<'b> {
        self.builder
    }

    fn lanes(&self) -> Option<i64> {
        self.lanes
    }

    fn float(&mut self, value: f64) -> Value {
        let value = value as f32;
        self.constant(Attribute::f32(value), &value.to_le_bytes(), Type::F32)
    }

    fn compare(&mut self, predicate: CmpFPredicate, a: Value, b: Value) -> Value {
        let r#type = self.shaped(Type::I1);
        self.builder.value(arith::CMPF, &[a, b], r#type, [predicate.attribute()])
    }

    fn exp(&mut self, x: Value) -> Value {
        let x = self.clamp(x, numbers::EXP_RANGE);
        let [n, whole] = self.round_product(x, LOG2_E);
        let [high, low] = numbers::LN2;
        let r = self.fma_constant(n, -high, x);
        let r = self.fma_constant(n, -low, r);
        self.exp_from_parts(x, r, whole)
    }

    fn exp_minus_one_reduced(&mut self, r: Value) -> Value {
        let p = self.polynomial(r, &numbers::EXP);
        let square = self.mul(r, r);
        self.fma(p, square, r)
    }

    fn log(&mut self, x: Value) -> Value {
        let [f, exponent, tail] = self.log_parts(x);
        let [high, low] = numbers::LN2;
        let tail = self.fma_constant(exponent, low, tail);
        let sum = self.add(f, tail);
        let y = self.fma_constant(exponent, high, sum);
        self.log_edges(x, y)
    }
}

impl Arithmetic<'_, '_> {
    pub(super) fn integer(&mut self, value: i32) -> Value {
        self.constant(Attribute::Integer(value as i64, Type::I32), &value.to_le_bytes(), Type::I32)
    }

    fn fma(&mut self, a: Value, b: Value, c: Value) -> Value {
        let r#type = self.builder.body.value_type(a).clone();
        self.builder.value_from(math::Fma { a, b, c }, r#type, [])
    }

    fn fma_constant(&mut self, a: Value, factor: f64, c: Value) -> Value {
        let factor = self.float(factor);
        self.fma(a, factor, c)
    }

    /// The polynomial in `x` with the given coefficients, highest power first.
    fn polynomial(&mut self, x: Value, coefficients: &[f64]) -> Value {
        let mut sum = self.float(coefficients[0]);
        for &coefficient in &coefficients[1..] {
            let coefficient = self.float(coefficient);
            sum = self.fma(sum, x, coefficient);
        }
        sum
    }

    pub(super) fn exp2(&mut self, x: Value) -> Value {
        let x = self.clamp(x, numbers::EXP2_RANGE);
        let [n, whole] = self.round_product(x, 1.0);
        let fraction = self.sub(x, n);
        let r = self.scale(fraction, LN_2);
        self.exp_from_parts(x, r, whole)
    }

    /// The integer nearest to `x · factor`, of magnitude at most 2²², as a float and as an integer: adding 1.5·2²³
    /// leaves it in the low bits.
    fn round_product(&mut self, x: Value, factor: f64) -> [Value; 2] {
        let shifter = self.float(numbers::SHIFTER as f64);
        let shifted = self.fma_constant(x, factor, shifter);
        let n = self.sub(shifted, shifter);
        let bits = self.convert(arith::BITCAST, shifted, Type::I32);
        let offset = self.integer(numbers::SHIFTER.to_bits() as i32);
        let whole = self.apply(arith::SUBI, &[bits, offset]);
        [n, whole]
    }

    /// `2^n e^r` for an integer `n` in `i32` with the sign of `x` and magnitude at most 190: multiplied by two powers
    /// of two, the first of which is exact.
    fn exp_from_parts(&mut self, x: Value, r: Value, n: Value) -> Value {
        let less_one = self.exp_minus_one_reduced(r);
        let negative = self.compare_constant(CmpFPredicate::Olt, x, 0.0);
        let [above, below] = [127 + numbers::EXP_STEP, 127 - numbers::EXP_STEP].map(|e| self.integer(e << 23));
        let (bias, shift) = (self.select(negative, above, below), self.integer(23));
        let exponent = self.apply(arith::SHLI, &[n, shift]);
        let bits = self.apply(arith::ADDI, &[exponent, bias]);
        let power = self.convert(arith::BITCAST, bits, Type::F32);
        let near = self.fma(less_one, power, power);
        let [above, below] = [numbers::EXP_STEP, -numbers::EXP_STEP].map(|e| self.float(ir::floats::power_of_two(e)));
        let rest = self.select(negative, below, above);
        self.mul(near, rest)
    }

    /// `x = 2^e · (1 + f)` with 1 + f between √½ and √2: f, e as a float, and `ln(1 + f) - f`.
    fn log_parts(&mut self, x: Value) -> [Value; 3] {
        let smallest = self.float(f32::MIN_POSITIVE as f64);
        let tiny = self.compare(CmpFPredicate::Olt, x, smallest);
        let raised = self.scale(x, numbers::LOG_LIFT);
        let normal = self.select(tiny, raised, x);
        let (lowered, level) = (self.float(-23.0), self.float(0.0));
        let correction = self.select(tiny, lowered, level);
        let bits = self.convert(arith::BITCAST, normal, Type::I32);
        let (root, shift) = (self.integer(numbers::LOG_ROOT), self.integer(23));
        let above = self.apply(arith::SUBI, &[bits, root]);
        let exponent = self.apply(arith::SHRSI, &[above, shift]);
        let in_place = self.apply(arith::SHLI, &[exponent, shift]);
        let mantissa = self.apply(arith::SUBI, &[bits, in_place]);
        let mantissa = self.convert(arith::BITCAST, mantissa, Type::F32);
        let one = self.float(1.0);
        let f = self.sub(mantissa, one);
        let exponent = self.convert(arith::SITOFP, exponent, Type::F32);
        let exponent = self.add(exponent, correction);
        let p = self.polynomial(f, &numbers::LOG);
        let square = self.mul(f, f);
        let cube = self.mul(f, square);
        let tail = self.mul(p, cube);
        let tail = self.fma_constant(square, -0.5, tail);
        [f, exponent, tail]
    }

    pub(super) fn log2(&mut self, x: Value) -> Value {
        let [f, exponent, tail] = self.log_parts(x);
        let sum = self.add(f, tail);
        let y = self.fma_constant(sum, LOG2_E, exponent);
        self.log_edges(x, y)
    }

    pub(super) fn tanh(&mut self, x: Value) -> Value {
        let limit = match self.inline {
            Inline::Rounded => numbers::TANH_LIMIT_ROUNDED,
            Inline::Singles | Inline::Doubles => numbers::TANH_LIMIT,
        };
        let bounded = self.clamp(x, [-limit, limit]);
        let square = self.mul(bounded, bounded);
        let p = self.polynomial(square, &numbers::TANH_OVER);
        let numerator = self.mul(p, bounded);
        let denominator = self.polynomial(square, &numbers::TANH_UNDER);
        let y = self.div(numerator, denominator);
        let (size, limit) = (self.abs(x), self.float(numbers::TANH_SMALL));
        let small = self.compare(CmpFPredicate::Olt, size, limit);
        self.select(small, x, y)
    }

    /// `x · P(x²) / Q(x²)`, fitted to the relative error up to where the function reaches 1.
    pub(super) fn erf(&mut self, x: Value) -> Value {
        let x = self.clamp(x, [-numbers::ERF_LIMIT, numbers::ERF_LIMIT]);
        let square = self.mul(x, x);
        let p = self.polynomial(square, &numbers::ERF_OVER);
        let numerator = self.mul(p, x);
        let denominator = self.polynomial(square, &numbers::ERF_UNDER);
        let y = self.div(numerator, denominator);
        self.clamp(y, [-1.0, 1.0])
    }

    /// `atan x`; one division reduces the argument to at most tan π/8.
    pub(super) fn atan(&mut self, x: Value) -> Value {
        let (size, one, none) = (self.abs(x), self.float(1.0), self.float(0.0));
        let middle = self.compare_constant(CmpFPredicate::Ogt, size, numbers::FRAC_PI_8_TANGENT);
        let far = self.compare_constant(CmpFPredicate::Ogt, size, 1.0 / numbers::FRAC_PI_8_TANGENT);
        let (less, more) = (self.sub(size, one), self.add(size, one));
        let minus_one = self.float(-1.0);
        let over = self.select(middle, less, size);
        let over = self.select(far, minus_one, over);
        let under = self.select(middle, more, one);
        let under = self.select(far, size, under);
        let reduced = self.div(over, under);
        let (quarter, half) = (self.float(FRAC_PI_4), self.float(FRAC_PI_2));
        let start = self.select(middle, quarter, none);
        let start = self.select(far, half, start);
        let square = self.mul(reduced, reduced);
        let p = self.polynomial(square, &numbers::ATAN);
        let cube = self.mul(square, reduced);
        let y = self.fma(p, cube, reduced);
        let y = self.add(start, y);
        self.apply(math::COPYSIGN, &[y, x])
    }

    /// The arc sine of |x|, or if |x| is above ½, half of π/2 - asin |x|.
    fn arc_parts(&mut self, x: Value) -> ArcParts {
        let size = self.abs(x);
        let (one, half) = (self.float(1.0), self.float(0.5));
        let large = self.compare(CmpFPredicate::Ogt, size, half);
        let rest = self.sub(one, size);
        let rest = self.mul(rest, half);
        let root = self.apply(math::SQRT, &[rest]);
        let square = self.mul(size, size);
        let square = self.select(large, rest, square);
        let sine = self.select(large, root, size);
        let p = self.polynomial(square, &numbers::ASIN);
        let cube = self.mul(square, sine);
        ArcParts { large, angle: self.fma(p, cube, sine) }
    }

    /// `asin x`; above 1 the square root makes it NaN.
    pub(super) fn asin(&mut self, x: Value) -> Value {
        let ArcParts { large, angle } = self.arc_parts(x);
        let (minus_two, right) = (self.float(-2.0), self.float(FRAC_PI_2));
        let complement = self.fma(angle, minus_two, right);
        let y = self.select(large, complement, angle);
        self.apply(math::COPYSIGN, &[y, x])
    }

    /// `acos x`; above 1 the square root makes it NaN.
    pub(super) fn acos(&mut self, x: Value) -> Value {
        let ArcParts { large, angle } = self.arc_parts(x);
        let (right, straight) = (self.float(FRAC_PI_2), self.float(PI));
        let double = self.add(angle, angle);
        let negative = self.compare_constant(CmpFPredicate::Olt, x, 0.0);
        let opposite = self.sub(straight, double);
        let far = self.select(negative, opposite, double);
        let signed = self.apply(math::COPYSIGN, &[angle, x]);
        let near = self.sub(right, signed);
        self.select(large, far, near)
    }

    /// Sine (`quarters` 0) or cosine (1) of arguments up to [`numbers::SINE_LIMIT`].
    fn sine_reduced(&mut self, x: Value, quarters: i32) -> Value {
        let [n, quadrant] = self.round_product(x, FRAC_2_PI);
        let a = numbers::FRAC_PI_2.iter().fold(x, |a, part| self.fma_constant(n, -part, a));
        let square = self.mul(a, a);
        let cube = self.mul(a, square);
        let sine = self.polynomial(square, &numbers::SINE);
        let sine = self.fma(sine, cube, a);
        // the polynomial loses the sign of a zero
        let none = self.compare_constant(CmpFPredicate::Oeq, square, 0.0);
        let sine = self.select(none, a, sine);
        let cosine = self.polynomial(square, &numbers::COSINE);
        let (turn, one, two) = (self.integer(quarters), self.integer(1), self.integer(2));
        let quadrant = self.apply(arith::ADDI, &[quadrant, turn]);
        let odd = self.bit_set(quadrant, one);
        let y = self.select(odd, cosine, sine);
        let flipped = self.apply(arith::NEGF, &[y]);
        let lower = self.bit_set(quadrant, two);
        self.select(lower, flipped, y)
    }

    fn bit_set(&mut self, value: Value, bit: Value) -> Value {
        let masked = self.apply(arith::ANDI, &[value, bit]);
        let r#type = self.shaped(Type::I1);
        self.builder.value(arith::CMPI, &[masked, bit], r#type, [CmpIPredicate::Eq.attribute()])
    }

    /// Sine (`quarters` 0) or cosine (1); if a lane is too large for inline range reduction, the runtime computes it.
    pub(super) fn sine(&mut self, x: Value, quarters: i32) -> Value {
        let size = self.abs(x);
        let name = if quarters == 0 { "rt_sin_f32" } else { "rt_cos_f32" };
        self.call_beyond(numbers::SINE_LIMIT, size, (name, &[x]), |arithmetic| arithmetic.sine_reduced(x, quarters))
    }

    /// `x - y · trunc(x / y)`, whose steps are exact in `f64` while the quotient is small.
    pub(super) fn remainder(&mut self, x: Value, y: Value) -> Value {
        let [dividend, divisor] = [x, y].map(|value| self.convert(arith::EXTF, value, Type::F64));
        // infinite quotients are out of range like large ones
        let [lowest, highest] = [f64::MIN, f64::MAX].map(|bound| self.float_like(divisor, bound));
        let divisor = self.apply(arith::MAXIMUMF, &[divisor, lowest]);
        let divisor = self.apply(arith::MINIMUMF, &[divisor, highest]);
        let quotient = self.div(dividend, divisor);
        let whole = self.apply(math::TRUNC, &[quotient]);
        let narrow = self.convert(arith::TRUNCF, quotient, Type::F32);
        let size = self.abs(narrow);
        self.call_beyond(numbers::REMAINDER_LIMIT, size, ("rt_fmod_f32", &[x, y]), |arithmetic| {
            let product = arithmetic.mul(whole, divisor);
            let rest = arithmetic.sub(dividend, product);
            let rest = arithmetic.convert(arith::TRUNCF, rest, Type::F32);
            arithmetic.apply(math::COPYSIGN, &[rest, x])
        })
    }

    /// The result of `inline`; if a lane's magnitude is above a limit, that of a function of the runtime.
    fn call_beyond(
        &mut self,
        limit: f64,
        size: Value,
        (name, operands): (&str, &[Value]),
        inline: impl Fn(&mut Arithmetic<'_, '_>) -> Value,
    ) -> Value {
        let bound = self.float(limit);
        let far = self.compare(CmpFPredicate::Ogt, size, bound);
        let is_any_far = match self.lanes {
            Some(_) => {
                let kind = Attribute::Dialect("vector".into(), "kind<or>".into());
                self.builder.value_from(vector::Reduction { vector: far, acc: &[] }, Type::I1, [("kind", kind)])
            }
            None => far,
        };
        let r#type = self.shaped(Type::F32);
        let choice = self.builder.create(scf::IF, &[is_any_far], &[r#type], []);
        let (lanes, functions) = (self.lanes, self.inline);
        let (_, then) = self.builder.region_with_block(choice, &[]);
        self.builder.within(then, |builder| {
            let mut arithmetic = Arithmetic { builder, lanes, inline: functions };
            let exact = arithmetic.call(name, operands, Type::F32);
            // the result of a lane does not depend on the other lanes
            let near = inline(&mut arithmetic);
            let y = arithmetic.select(far, exact, near);
            builder.create(scf::YIELD, &[y], &[], []);
        });
        let (_, otherwise) = self.builder.region_with_block(choice, &[]);
        self.builder.within(otherwise, |builder| {
            let y = inline(&mut Arithmetic { builder, lanes, inline: functions });
            builder.create(scf::YIELD, &[y], &[], []);
        });
        self.builder.body.result(choice, 0)
    }

    /// Calls a function of the runtime in every lane.
    pub(super) fn call(&mut self, name: &str, operands: &[Value], result: Type) -> Value {
        let callee = || ("callee", Attribute::symbol(name));
        let Some(lanes) = self.lanes else { return self.builder.value(func::CALL, operands, result, [callee()]) };
        let columns: Vec<Value> = (0..lanes)
            .map(|lane| {
                let scalars: Vec<Value> = operands.iter().map(|&operand| self.extract(operand, lane)).collect();
                self.builder.value(func::CALL, &scalars, result.clone(), [callee()])
            })
            .collect();
        self.builder.value(vector::FROM_ELEMENTS, &columns, Type::vector(&[lanes], result), [])
    }

    fn extract(&mut self, source: Value, lane: i64) -> Value {
        let element = self.builder.body.value_type(source).element().clone();
        let position = ("static_position", Attribute::i64_dense_array(&[lane]));
        self.builder.value_from(vector::Extract { source, dynamic_position: &[] }, element, [position])
    }
}
