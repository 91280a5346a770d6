//! Expands operations of `arith` and `math` that are not legal at the low level.
//!
//! Elementary functions on `f32` become arithmetic, or runtime calls if they are rare; those on `f64` become arithmetic
//! if vectors are wide, and runtime calls otherwise; f16 and bf16 are computed in `f32`.

use dialects::arith::{CmpFPredicate, CmpIPredicate};
use dialects::levels::Level;
use dialects::{arith, math, vector};
use ir::conversion::{ConversionPattern, ConversionPatterns, convert};
use ir::pass::Choice;
use ir::{Attribute, Body, Builder, FloatType, Module, Op, Result, Type, Value};

use super::elementary::Arithmetic;
use super::floats::Floats;
use super::library;
use super::scope::{definitions, with_body};

/// The functions that are computed inline; others are calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inline {
    /// On `f32`, if products may be rounded: not sines, whose range reduction needs fused multiply-adds.
    Rounded,
    /// On `f32`; sines of large arguments need a call.
    #[default]
    Singles,
    /// On `f64`, too, and functions on `f32` that are computed in it.
    Doubles,
}

impl Choice for Inline {
    const CHOICES: &'static [(&'static str, Inline)] =
        &[("rounded", Inline::Rounded), ("singles", Inline::Singles), ("doubles", Inline::Doubles)];
}

/// Expands every operation of `arith` and `math` that is not legal at the low level.
pub(super) fn expand_math(module: &mut Module, inline: Inline) -> Result<()> {
    let patterns = ConversionPatterns::new(["arith.", "math."].map(|root| ConversionPattern {
        root,
        benefit: 1,
        convert: match inline {
            Inline::Rounded => |builder, op| expand_op(builder, op, Inline::Rounded).map(|value| vec![value]),
            Inline::Singles => |builder, op| expand_op(builder, op, Inline::Singles).map(|value| vec![value]),
            Inline::Doubles => |builder, op| expand_op(builder, op, Inline::Doubles).map(|value| vec![value]),
        },
    }));
    let legality = Level::Low.legality();
    let is_legal = |body: &Body, op: Op| {
        let name = &body.op(op).name;
        legality.allows(name.as_str()) || !matches!(name.dialect(), "arith" | "math")
    };
    definitions(module)
        .into_iter()
        .try_for_each(|op| with_body(module, op, |_, body| convert(body, &patterns, is_legal)))
}

fn expand_op(builder: &mut Builder<'_>, op: Op, inline: Inline) -> Option<Value> {
    let body = &*builder.body;
    let name = body.op(op).name.clone();
    let (_, function) = name.as_str().split_once('.')?;
    let operands = body.op(op).operands().to_vec();
    let r#type = body.value_type(operands[0]).clone();
    let lanes = r#type.as_vector().map(|vector| vector.shape[0]);
    let constant = operands.get(1).and_then(|&exponent| vector::constant_float(body, exponent));
    let mut arithmetic = Arithmetic { builder, lanes, inline };
    match r#type.element() {
        Type::Float(FloatType::F32) => arithmetic.single(function, &operands, constant),
        Type::Float(FloatType::F64) => arithmetic.double(function, &operands),
        Type::Float(_) => arithmetic.half(function, &operands, constant, r#type.element()),
        _ => arithmetic.whole(function, &operands, r#type.element()),
    }
}

impl Arithmetic<'_, '_> {
    /// A function on `f32`.
    fn single(&mut self, function: &str, operands: &[Value], constant: Option<f64>) -> Option<Value> {
        let x = operands[0];
        Some(match function {
            "exp" => self.exp(x),
            "exp2" => self.exp2(x),
            "expm1" => self.expm1(x),
            "log" => self.log(x),
            "log2" => self.log2(x),
            "log10" => self.log10(x),
            "log1p" => self.log1p(x),
            "tanh" => self.tanh(x),
            "erf" => self.erf(x),
            "asin" => self.asin(x),
            "acos" => self.acos(x),
            "atan" => self.atan(x),
            "sin" | "cos" if self.inline == Inline::Rounded => {
                self.call(&format!("rt_{function}_f32"), operands, Type::F32)
            }
            "sin" => self.sine(x, 0),
            "cos" => self.sine(x, 1),
            "powf" => self.power(x, operands[1], constant),
            "fpowi" => {
                let exponent = self.convert(arith::SITOFP, operands[1], Type::F32);
                self.call("rt_pow_f32", &[x, exponent], Type::F32)
            }
            "atan2" => self.call("rt_atan2_f32", operands, Type::F32),
            "remf" if self.inline == Inline::Doubles => self.remainder(x, operands[1]),
            "remf" => self.call("rt_fmod_f32", operands, Type::F32),
            "tan" => self.call("rt_tan_f32", operands, Type::F32),
            "acosh" | "asinh" | "atanh" | "cbrt" | "cosh" | "erfc" | "sinh" => {
                let wide = self.convert(arith::EXTF, x, Type::F64);
                let y = self.double(function, &[wide])?;
                self.convert(arith::TRUNCF, y, Type::F32)
            }
            _ => return self.any_float(function, operands),
        })
    }

    /// Functions with the same expansion for all float types.
    fn any_float(&mut self, function: &str, operands: &[Value]) -> Option<Value> {
        let x = operands[0];
        Some(match function {
            "rsqrt" => {
                let (one, root) = (self.float_like(x, 1.0), self.apply(math::SQRT, &[x]));
                self.div(one, root)
            }
            // the largest number below ½, so that the sum does not round up to the next integer
            "round" => {
                let below = if self.is_double(x) { 0.5f64.next_down() } else { 0.5f32.next_down() as f64 };
                let half = self.float_like(x, below);
                let half = self.apply(math::COPYSIGN, &[half, x]);
                let sum = self.add(x, half);
                self.apply(math::TRUNC, &[sum])
            }
            "clampf" => {
                let raised = self.apply(arith::MAXIMUMF, &[x, operands[1]]);
                self.apply(arith::MINIMUMF, &[raised, operands[2]])
            }
            "isnan" => self.compare(CmpFPredicate::Uno, x, x),
            "isinf" | "isfinite" => {
                let (size, infinity) = (self.abs(x), self.float_like(x, f64::INFINITY));
                let predicate = if function == "isinf" { CmpFPredicate::Oeq } else { CmpFPredicate::Olt };
                self.compare(predicate, size, infinity)
            }
            _ => return None,
        })
    }

    fn is_double(&self, value: Value) -> bool {
        *self.builder.body.value_type(value).element() == Type::F64
    }

    pub(super) fn float_like(&mut self, like: Value, value: f64) -> Value {
        if self.is_double(like) {
            return self.constant(Attribute::float(value, Type::F64), &value.to_le_bytes(), Type::F64);
        }
        self.float(value)
    }

    /// `x` to the power of `exponent`; small constant exponents are products and roots.
    fn power(&mut self, x: Value, exponent: Value, constant: Option<f64>) -> Value {
        match constant {
            Some(1.0) => x,
            Some(2.0) => self.mul(x, x),
            Some(3.0) => {
                let square = self.mul(x, x);
                self.mul(square, x)
            }
            Some(4.0) => {
                let square = self.mul(x, x);
                self.mul(square, square)
            }
            Some(-1.0) => {
                let one = self.float(1.0);
                self.div(one, x)
            }
            Some(0.5) => self.square_root_power(x),
            Some(-0.5) => {
                let (root, one) = (self.square_root_power(x), self.float(1.0));
                self.div(one, root)
            }
            _ => self.inline_or_call("rt_pow_f32", &[x, exponent], Type::F32),
        }
    }

    /// One of the runtime's functions, inline or called.
    fn inline_or_call(&mut self, name: &str, operands: &[Value], element: Type) -> Value {
        let inline = match self.inline {
            Inline::Doubles => library::inline(self.builder, self.lanes, name, operands),
            Inline::Rounded | Inline::Singles => None,
        };
        inline.unwrap_or_else(|| self.call(name, operands, element))
    }

    /// `x^½`, which differs from the square root at -0 and at negative infinity.
    fn square_root_power(&mut self, x: Value) -> Value {
        let zero = self.float(0.0);
        let shifted = self.add(x, zero);
        let root = self.apply(math::SQRT, &[shifted]);
        let (lowest, highest) = (self.float(f64::NEG_INFINITY), self.float(f64::INFINITY));
        let edge = self.compare(CmpFPredicate::Oeq, x, lowest);
        self.select(edge, highest, root)
    }

    /// A function on `f64`: one of the runtime's.
    fn double(&mut self, function: &str, operands: &[Value]) -> Option<Value> {
        const CALLS: [&str; 20] = [
            "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan",
            "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf",
        ];
        let call = |name: &str| Some(format!("rt_{name}_f64"));
        let name = match function {
            "powf" => call("pow"),
            "remf" => call("fmod"),
            "atan2" | "cbrt" => call(function),
            "fpowi" => {
                let exponent = self.convert(arith::SITOFP, operands[1], Type::F64);
                return Some(self.call("rt_pow_f64", &[operands[0], exponent], Type::F64));
            }
            "erfc" => {
                let error = self.call("rt_erf_f64", operands, Type::F64);
                let one = self.float_like(error, 1.0);
                return Some(self.sub(one, error));
            }
            _ => CALLS.contains(&function).then(|| call(function)).flatten(),
        };
        match name {
            Some(name) => Some(self.inline_or_call(&name, operands, Type::F64)),
            None => self.any_float(function, operands),
        }
    }

    /// A function on `f16` or `bf16`, computed in `f32`.
    fn half(&mut self, function: &str, operands: &[Value], constant: Option<f64>, element: &Type) -> Option<Value> {
        let wide: Vec<Value> = operands
            .iter()
            .map(|&operand| match self.builder.body.value_type(operand).element().is_float() {
                true => self.convert(arith::EXTF, operand, Type::F32),
                false => operand,
            })
            .collect();
        let y = self.single(function, &wide, constant)?;
        let single = *self.builder.body.value_type(y).element() == Type::F32;
        Some(if single { self.convert(arith::TRUNCF, y, element.clone()) } else { y })
    }

    /// A function on integers.
    fn whole(&mut self, function: &str, operands: &[Value], element: &Type) -> Option<Value> {
        let x = operands[0];
        Some(match function {
            "cttz" => {
                let (one, all) = (self.whole_constant(1, element), self.whole_constant(-1, element));
                let below = self.apply(arith::SUBI, &[x, one]);
                let inverted = self.apply(arith::XORI, &[x, all]);
                let trailing = self.apply(arith::ANDI, &[below, inverted]);
                self.apply(math::CTPOP, &[trailing])
            }
            "ipowi" => {
                let wide = |arithmetic: &mut Self, value: Value| match element.bit_width() {
                    Some(64) if *element != Type::Index => value,
                    _ if *element == Type::Index => arithmetic.convert(arith::INDEX_CAST, value, Type::I64),
                    _ => arithmetic.convert(arith::EXTSI, value, Type::I64),
                };
                let (base, exponent) = (wide(self, x), wide(self, operands[1]));
                let power = self.call("rt_pow_i64", &[base, exponent], Type::I64);
                match element.bit_width() {
                    Some(64) if *element != Type::Index => power,
                    _ if *element == Type::Index => self.convert(arith::INDEX_CAST, power, Type::Index),
                    _ => self.convert(arith::TRUNCI, power, element.clone()),
                }
            }
            "ceildivui" => {
                let (zero, one) = (self.whole_constant(0, element), self.whole_constant(1, element));
                let less = self.apply(arith::SUBI, &[x, one]);
                let quotient = self.apply(arith::DIVUI, &[less, operands[1]]);
                let more = self.apply(arith::ADDI, &[quotient, one]);
                let none = self.compare_whole(CmpIPredicate::Eq, x, zero);
                self.select(none, zero, more)
            }
            "floordivsi" | "ceildivsi" => self.rounded_quotient(function == "ceildivsi", x, operands[1], element),
            _ => return None,
        })
    }

    fn whole_constant(&mut self, value: i64, element: &Type) -> Value {
        let width = element.byte_width().unwrap_or(8);
        self.constant(Attribute::Integer(value, element.clone()), &value.to_le_bytes()[..width], element.clone())
    }

    fn compare_whole(&mut self, predicate: CmpIPredicate, a: Value, b: Value) -> Value {
        let r#type = self.shaped(Type::I1);
        self.builder.value(arith::CMPI, &[a, b], r#type, [predicate.attribute()])
    }

    /// The quotient rounded towards zero, adjusted by one if the remainder is not zero and the exact quotient is on the
    /// other side.
    fn rounded_quotient(&mut self, up: bool, x: Value, y: Value, element: &Type) -> Value {
        let (zero, one) = (self.whole_constant(0, element), self.whole_constant(1, element));
        let quotient = self.apply(arith::DIVSI, &[x, y]);
        let product = self.apply(arith::MULI, &[quotient, y]);
        let remainder = self.apply(arith::SUBI, &[x, product]);
        let signs = self.apply(arith::XORI, &[remainder, y]);
        let inexact = self.compare_whole(CmpIPredicate::Ne, remainder, zero);
        let beyond = self.compare_whole(if up { CmpIPredicate::Sge } else { CmpIPredicate::Slt }, signs, zero);
        let moves = self.apply(arith::ANDI, &[inexact, beyond]);
        let moved = self.apply(if up { arith::ADDI } else { arith::SUBI }, &[quotient, one]);
        self.select(moves, moved, quotient)
    }
}
