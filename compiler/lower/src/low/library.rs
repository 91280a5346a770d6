//! Elementary functions in IEEE 754 arithmetic: as functions of the module, for code without a runtime and for results
//! that are the same on every processor, and inline, if vectors are wide.
//!
//! Everything is computed in `f64`, also for `f32`, whose results then have an error of little more than one rounding.

mod error;
mod inverse;
mod pairs;
mod turns;

use dialects::arith::{CmpFPredicate, CmpIPredicate};
use dialects::{OpCode, arith, func, math};
use std::f64::consts::{LN_2, LOG2_E, SQRT_2};

use ir::{Attribute, Body, Builder, FunctionType, Location, Module, Registry, Result, Type, Value};

use super::declare::define_from;
use super::floats::Floats;
use turns::Turning;

/// ln 2 in two parts; the first has few enough bits for its products with exponents to be exact.
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// 1.5 · 2⁵²: added to a number, it leaves the nearest integer in the low bits.
const SHIFTER: f64 = 6_755_399_441_055_744.0;
/// The definition of a function.
type Define = fn(&mut Doubles<'_, '_>, &[Value]) -> Value;

/// The runtime's functions that are defined here: those that are short enough to be inlined for vectors,
const SHORT: [(&str, Define); 18] = [
    ("rt_exp_f64", |s, x| s.exp(x[0])),
    ("rt_exp2_f64", |s, x| s.exp2(x[0])),
    ("rt_expm1_f64", |s, x| s.expm1(x[0])),
    ("rt_log_f64", |s, x| s.log(x[0])),
    ("rt_log2_f64", |s, x| s.log2(x[0])),
    ("rt_log10_f64", |s, x| s.log10(x[0])),
    ("rt_log1p_f64", |s, x| s.log1p(x[0])),
    ("rt_tanh_f64", |s, x| s.tanh(x[0])),
    ("rt_sinh_f64", |s, x| s.sinh(x[0])),
    ("rt_cosh_f64", |s, x| s.cosh(x[0])),
    ("rt_asin_f64", |s, x| s.asin(x[0])),
    ("rt_acos_f64", |s, x| s.acos(x[0])),
    ("rt_atan_f64", |s, x| s.atan(x[0])),
    ("rt_asinh_f64", |s, x| s.asinh(x[0])),
    ("rt_acosh_f64", |s, x| s.acosh(x[0])),
    ("rt_atanh_f64", |s, x| s.atanh(x[0])),
    ("rt_pow_f32", |s, x| s.pow_single(x[0], x[1])),
    ("rt_pow_f64", |s, x| s.pow_double(x[0], x[1])),
];
/// and those that are long.
const LONG: [(&str, Define); 7] = [
    ("rt_erf_f64", |s, x| s.erf(x[0])),
    ("rt_sin_f32", |s, x| s.turning_single(x[0], Turning::Sine)),
    ("rt_cos_f32", |s, x| s.turning_single(x[0], Turning::Cosine)),
    ("rt_tan_f32", |s, x| s.turning_single(x[0], Turning::Tangent)),
    ("rt_sin_f64", |s, x| s.turning(x[0], Turning::Sine)),
    ("rt_cos_f64", |s, x| s.turning(x[0], Turning::Cosine)),
    ("rt_tan_f64", |s, x| s.turning(x[0], Turning::Tangent)),
];

/// Those that have loops, as text of the module.
const LOOPS: [&str; 2] = ["rt_fmod_f64", "rt_fmod_f32"];
const LOOPS_TEXT: &str = include_str!("library/fmod.mlir");

/// Inlines a function of the runtime, in each lane, if it is short.
pub(super) fn inline(builder: &mut Builder<'_>, lanes: Option<i64>, name: &str, operands: &[Value]) -> Option<Value> {
    let (_, define) = SHORT.iter().find(|(known, _)| *known == name)?;
    Some(define(&mut Doubles { builder, lanes }, operands))
}

/// Gives a body to every declaration of a function that is defined here.
pub(super) fn define_functions(module: &mut Module, registry: &Registry) -> Result<()> {
    let declared = module.functions().filter(|function| function.body.entry().is_none());
    let known = |name: &str| SHORT.iter().chain(&LONG).find(|(known, _)| *known == name).map(|&(_, define)| define);
    let missing: Vec<_> =
        declared.filter_map(|function| Some((function.op, function.r#type.clone(), known(function.name)?))).collect();
    for (op, r#type, define) in missing {
        *module.function_body_mut(op).expect("a function owns its body") = definition(&r#type, define);
    }
    let missing: Vec<&str> = LOOPS.into_iter().filter(|name| module.symbol(name).is_some()).collect();
    if !missing.is_empty() {
        let mut definitions = ir::parse_module(LOOPS_TEXT, "fmod.mlir", Some(registry))?;
        missing.into_iter().for_each(|name| define_from(module, &mut definitions, name.to_string()));
    }
    Ok(())
}

fn definition(r#type: &FunctionType, define: Define) -> Body {
    let mut body = Body::new();
    let entry = body.add_block(body.root(), &r#type.inputs);
    let arguments = body.arguments(entry).to_vec();
    let mut builder = Builder::at_end(&mut body, entry).with_location(Location::Unknown);
    let result = define(&mut Doubles { builder: &mut builder, lanes: None }, &arguments);
    builder.create(func::RETURN, &[result], &[], []);
    body
}

/// Arithmetic on `f64` and `i64` values of one shape.
struct Doubles<'a, 'b> {
    builder: &'a mut Builder<'b>,
    /// Lanes of the vectors; `None` for scalars.
    lanes: Option<i64>,
}

impl<'b> Floats<'b> for Doubles<'_, 'b> {
    fn builder(&mut self) -> &mut Builder<'b> {
        self.builder
    }

    fn lanes(&self) -> Option<i64> {
        self.lanes
    }

    fn float(&mut self, value: f64) -> Value {
        self.constant(Attribute::float(value, Type::F64), &value.to_le_bytes(), Type::F64)
    }

    fn compare(&mut self, predicate: CmpFPredicate, a: Value, b: Value) -> Value {
        let r#type = self.shaped(Type::I1);
        self.builder.value(arith::CMPF, &[a, b], r#type, [predicate.attribute()])
    }

    fn exp(&mut self, x: Value) -> Value {
        let x = self.clamp(x, [-746.0, 710.0]);
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

    /// By the series of `ln(1 + f)` in `s = f / (2 + f)`.
    fn log(&mut self, x: Value) -> Value {
        let [k, mantissa] = self.exponent_and_mantissa(x);
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

impl Doubles<'_, '_> {
    fn integer(&mut self, value: i64) -> Value {
        self.constant(Attribute::Integer(value, Type::I64), &value.to_le_bytes(), Type::I64)
    }

    fn equal(&mut self, a: Value, b: i64) -> Value {
        let b = self.integer(b);
        let r#type = self.shaped(Type::I1);
        self.builder.value(arith::CMPI, &[a, b], r#type, [CmpIPredicate::Eq.attribute()])
    }

    /// An operation on an integer and a constant.
    fn whole(&mut self, code: OpCode, a: Value, b: i64) -> Value {
        let b = self.integer(b);
        self.apply(code, &[a, b])
    }

    /// The polynomial in `x` with the given coefficients, highest power first.
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

    /// The integer nearest to `x · factor`, as a float and as an integer.
    fn round_product(&mut self, x: Value, factor: f64) -> [Value; 2] {
        let (product, shifter) = (self.scale(x, factor), self.float(SHIFTER));
        let shifted = self.add(product, shifter);
        let n = self.sub(shifted, shifter);
        let bits = self.convert(arith::BITCAST, shifted, Type::I64);
        [n, self.whole(arith::SUBI, bits, SHIFTER.to_bits() as i64)]
    }

    /// `2^n · e^r`, in two steps so that neither power overflows if the product does not.
    fn exp_from_parts(&mut self, r: Value, n: Value) -> Value {
        let (less_one, one) = (self.exp_minus_one_reduced(r), self.float(1.0));
        let y = self.add(less_one, one);
        let half = self.whole(arith::SHRSI, n, 1);
        let rest = self.apply(arith::SUBI, &[n, half]);
        [half, rest].into_iter().fold(y, |y, part| {
            let biased = self.whole(arith::ADDI, part, 1023);
            let bits = self.whole(arith::SHLI, biased, 52);
            let power = self.convert(arith::BITCAST, bits, Type::F64);
            self.mul(y, power)
        })
    }

    fn exp2(&mut self, x: Value) -> Value {
        let x = self.clamp(x, [-1076.0, 1025.0]);
        let [n, whole] = self.round_product(x, 1.0);
        let fraction = self.sub(x, n);
        let r = self.scale(fraction, LN_2);
        self.exp_from_parts(r, whole)
    }

    /// `t / (t + 2)` with `t = e^2|x| - 1`.
    fn tanh(&mut self, x: Value) -> Value {
        let size = self.abs(x);
        let double = self.scale(size, 2.0);
        // above this the result is 1
        let double = self.clamp(double, [0.0, 44.0]);
        let (t, two) = (self.expm1(double), self.float(2.0));
        let sum = self.add(t, two);
        let y = self.div(t, sum);
        self.apply(math::COPYSIGN, &[y, x])
    }

    // ---- logarithms

    /// `x = 2^k · m` with m between √½ and √2.
    fn exponent_and_mantissa(&mut self, x: Value) -> [Value; 2] {
        let tiny = self.compare_constant(CmpFPredicate::Olt, x, f64::MIN_POSITIVE);
        let raised = self.scale(x, (1u64 << 54) as f64);
        let normal = self.select(tiny, raised, x);
        let bits = self.convert(arith::BITCAST, normal, Type::I64);
        let above = self.whole(arith::SUBI, bits, (SQRT_2 / 2.0).to_bits() as i64);
        let exponent = self.whole(arith::SHRSI, above, 52);
        let in_place = self.whole(arith::SHLI, exponent, 52);
        let mantissa = self.apply(arith::SUBI, &[bits, in_place]);
        let mantissa = self.convert(arith::BITCAST, mantissa, Type::F64);
        let (lowered, level) = (self.integer(-54), self.integer(0));
        let correction = self.select(tiny, lowered, level);
        let exponent = self.apply(arith::ADDI, &[exponent, correction]);
        let k = self.convert(arith::SITOFP, exponent, Type::F64);
        [k, mantissa]
    }

    fn log2(&mut self, x: Value) -> Value {
        let natural = self.log(x);
        self.scale(natural, LOG2_E)
    }

    // ---- functions on f32

    fn pow_single(&mut self, x: Value, y: Value) -> Value {
        let [x, y] = [x, y].map(|value| self.convert(arith::EXTF, value, Type::F64));
        let size = self.abs(x);
        let logarithm = self.log(size);
        let product = self.mul(y, logarithm);
        let power = self.exp(product);
        let power = self.power_edges(x, y, power);
        self.convert(arith::TRUNCF, power, Type::F32)
    }

    /// Gives a power of |x| its sign as a power of x, and replaces the special cases.
    fn power_edges(&mut self, x: Value, y: Value, power: Value) -> Value {
        let (size, one) = (self.abs(x), self.float(1.0));
        // also for infinite powers
        let unit = self.compare_constant(CmpFPredicate::Oeq, size, 1.0);
        let stays = self.compare(CmpFPredicate::Oeq, y, y);
        let unit = self.apply(arith::ANDI, &[unit, stays]);
        let power = self.select(unit, one, power);
        // an odd power has the sign of x; a power that is not an integer is NaN if x is negative
        let half = self.scale(y, 0.5);
        let [is_whole, is_even] = [y, half].map(|value| {
            let whole = self.apply(math::TRUNC, &[value]);
            self.compare(CmpFPredicate::Oeq, value, whole)
        });
        let signed = self.apply(math::COPYSIGN, &[power, x]);
        let by_parity = self.select(is_even, power, signed);
        let power = self.select(is_whole, by_parity, power);
        let (below, lowest) = (
            self.compare_constant(CmpFPredicate::Olt, x, 0.0),
            self.compare_constant(CmpFPredicate::Ogt, x, f64::NEG_INFINITY),
        );
        let negative = self.apply(arith::ANDI, &[below, lowest]);
        let none = self.float(f64::NAN);
        let fraction = self.select(negative, none, power);
        let power = self.select(is_whole, power, fraction);
        let nothing = self.compare_constant(CmpFPredicate::Oeq, y, 0.0);
        let is_one = self.compare_constant(CmpFPredicate::Oeq, x, 1.0);
        let fixed = self.apply(arith::ORI, &[nothing, is_one]);
        self.select(fixed, one, power)
    }
}
