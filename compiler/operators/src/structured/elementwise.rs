//! Elementwise operators: one scalar expression each.

use ir::{Attribute, Attributes, FloatType, Op, Type, Value};

use super::scalars::{Comparison, Scalars};
use super::{Lowering, Unsupported};

/// Whether an operator is elementwise with broadcasting, computed by `scalar`.
pub(super) fn is_elementwise(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "Abs",
        "Acos",
        "Acosh",
        "Add",
        "And",
        "Asin",
        "Asinh",
        "Atan",
        "Atanh",
        "BitCast",
        "BitShift",
        "BitwiseAnd",
        "BitwiseNot",
        "BitwiseOr",
        "BitwiseXor",
        "Cast",
        "CastLike",
        "Ceil",
        "Celu",
        "Clip",
        "Cos",
        "Cosh",
        "Div",
        "Dropout",
        "Elu",
        "Equal",
        "Erf",
        "Exp",
        "Floor",
        "Gelu",
        "Greater",
        "GreaterOrEqual",
        "HardSigmoid",
        "HardSwish",
        "Identity",
        "IsInf",
        "IsNaN",
        "LeakyRelu",
        "Less",
        "LessOrEqual",
        "Log",
        "Max",
        "Mean",
        "Min",
        "Mish",
        "Mod",
        "Mul",
        "Neg",
        "Not",
        "Or",
        "PRelu",
        "Pow",
        "Reciprocal",
        "Relu",
        "Round",
        "Selu",
        "Shrink",
        "Sigmoid",
        "Sign",
        "Sin",
        "Sinh",
        "Softplus",
        "Softsign",
        "Sqrt",
        "Sub",
        "Sum",
        "Swish",
        "Tan",
        "Tanh",
        "ThresholdedRelu",
        "Where",
        "Xor",
    ];
    NAMES.binary_search(&name).is_ok()
}

/// The operator's result for one element of each operand. `None` operands were omitted.
fn scalar(
    s: &mut Scalars<'_, '_>,
    name: &str,
    attributes: &Attributes,
    x: &[Option<Value>],
    result: &Type,
    kinds: &[bool],
) -> Option<Value> {
    let get = |index: usize| x.get(index).copied().flatten();
    let a = get(0)?;
    let float = |name: &str, default: f64| attributes.float(name).unwrap_or(default);
    let fold = |s: &mut Scalars<'_, '_>, f: fn(&mut Scalars<'_, '_>, Value, Value) -> Value| {
        x.iter().flatten().copied().reduce(|p, q| f(s, p, q)).unwrap_or(a)
    };
    Some(match name {
        "Identity" | "Dropout" => a,
        "Add" | "Sum" => fold(s, |s, p, q| s.add(p, q)),
        "Mean" => {
            let sum = fold(s, |s, p, q| s.add(p, q));
            let count = s.like(x.len() as f64, sum);
            s.div(sum, count)
        }
        "Sub" => s.sub(a, get(1)?),
        "Mul" => s.mul(a, get(1)?),
        "Div" => s.div(a, get(1)?),
        "Max" => fold(s, |s, p, q| s.max(p, q)),
        "Min" => fold(s, |s, p, q| s.min(p, q)),
        "Pow" => power(s, a, get(1)?, kinds.first().copied().unwrap_or(false)),
        "Mod" => modulo(s, a, get(1)?, attributes.integer("fmod") == Some(1)),
        "Equal" => s.compare(Comparison::Equal, a, get(1)?),
        "Less" => s.compare(Comparison::Less, a, get(1)?),
        "LessOrEqual" => s.compare(Comparison::LessOrEqual, a, get(1)?),
        "Greater" => s.compare(Comparison::Greater, a, get(1)?),
        "GreaterOrEqual" => s.compare(Comparison::GreaterOrEqual, a, get(1)?),
        "And" | "BitwiseAnd" => s.same("arith.andi", &[a, get(1)?]),
        "Or" | "BitwiseOr" => s.same("arith.ori", &[a, get(1)?]),
        "Xor" | "BitwiseXor" => s.same("arith.xori", &[a, get(1)?]),
        "Not" => s.not(a),
        "BitwiseNot" => {
            let ones = s.like(-1.0, a);
            s.same("arith.xori", &[a, ones])
        }
        "BitCast" => match s.type_of(a) {
            from if from == *result => a,
            from if from == Type::I1 || *result == Type::I1 => s.cast(a, result, true, true),
            _ => s.builder.value("arith.bitcast", &[a], result.clone(), []),
        },
        "BitShift" => {
            let left = attributes.str("direction") == Some("LEFT");
            shift(s, a, get(1)?, left)
        }
        "Where" => s.select(a, get(1)?, get(2)?),
        "Cast" | "CastLike" => {
            let value = s.cast(a, result, kinds[0], kinds[kinds.len() - 1]);
            if attributes.integer("saturate") == Some(0)
                && let Some(op) = s.builder.body.defining_op(value)
            {
                s.builder.body.op_mut(op).attributes.set("saturate", Attribute::Bool(false));
            }
            value
        }
        "Clip" => {
            let low = get(1).map_or(a, |low| s.max(a, low));
            get(2).map_or(low, |high| s.min(low, high))
        }
        "Abs" => match result {
            Type::Float(_) => s.same("math.absf", &[a]),
            _ if s.unsigned => a,
            _ => s.same("math.absi", &[a]),
        },
        "Neg" => match result {
            Type::Float(_) => s.same("arith.negf", &[a]),
            _ => {
                let zero = s.like(0.0, a);
                s.sub(zero, a)
            }
        },
        "Reciprocal" => {
            let one = s.like(1.0, a);
            s.div(one, a)
        }
        "Sqrt" => s.same("math.sqrt", &[a]),
        "Exp" => s.same("math.exp", &[a]),
        "Log" => s.same("math.log", &[a]),
        "Sin" => s.same("math.sin", &[a]),
        "Cos" => s.same("math.cos", &[a]),
        "Tan" => s.same("math.tan", &[a]),
        "Asin" => s.same("math.asin", &[a]),
        "Acos" => s.same("math.acos", &[a]),
        "Atan" => s.same("math.atan", &[a]),
        "Sinh" => s.same("math.sinh", &[a]),
        "Cosh" => s.same("math.cosh", &[a]),
        "Asinh" => s.same("math.asinh", &[a]),
        "Acosh" => s.same("math.acosh", &[a]),
        "Atanh" => s.same("math.atanh", &[a]),
        "Tanh" => s.same("math.tanh", &[a]),
        "Erf" => s.same("math.erf", &[a]),
        "Floor" => s.same("math.floor", &[a]),
        "Ceil" => s.same("math.ceil", &[a]),
        "Round" => s.same("math.roundeven", &[a]),
        "IsNaN" => s.is_nan(a),
        "IsInf" => is_infinite(s, a, attributes),
        "Sign" => sign(s, a, result),
        "Relu" => {
            let zero = s.like(0.0, a);
            s.max(a, zero)
        }
        "Sigmoid" => s.sigmoid(a),
        "HardSigmoid" => s.hard_sigmoid(a, float("alpha", 0.2), float("beta", 0.5)),
        "HardSwish" => {
            let gate = s.hard_sigmoid(a, 1.0 / 6.0, 0.5);
            s.mul(a, gate)
        }
        "Swish" => {
            let alpha = s.like(float("alpha", 1.0), a);
            let scaled = s.mul(alpha, a);
            let gate = s.sigmoid(scaled);
            s.mul(a, gate)
        }
        "Softplus" => softplus(s, a),
        "Mish" => {
            let soft = softplus(s, a);
            let gate = s.same("math.tanh", &[soft]);
            s.mul(a, gate)
        }
        "Softsign" => {
            let (one, magnitude) = (s.like(1.0, a), s.same("math.absf", &[a]));
            let sum = s.add(one, magnitude);
            s.div(a, sum)
        }
        "Gelu" => gelu(s, a, attributes.str("approximate") == Some("tanh")),
        "LeakyRelu" => {
            let slope = s.like(float("alpha", 0.01), a);
            leaky(s, a, slope)
        }
        "PRelu" => leaky(s, a, get(1)?),
        "Elu" => exponential_unit(s, a, float("alpha", 1.0), 1.0, 1.0),
        "Selu" => exponential_unit(s, a, float("alpha", 1.673_263_2), float("gamma", 1.050_701), 1.0),
        "Celu" => exponential_unit(s, a, float("alpha", 1.0), 1.0, float("alpha", 1.0)),
        "ThresholdedRelu" => {
            let (alpha, zero) = (s.like(float("alpha", 1.0), a), s.like(0.0, a));
            let above = s.compare(Comparison::Greater, a, alpha);
            s.select(above, a, zero)
        }
        "Shrink" => shrink(s, a, float("lambd", 0.5), float("bias", 0.0)),
        _ => return None,
    })
}

fn power(s: &mut Scalars<'_, '_>, base: Value, exponent: Value, base_unsigned: bool) -> Value {
    let r#type = s.type_of(base);
    let float_base = matches!(r#type, Type::Float(_));
    let work = if float_base { r#type.clone() } else { Type::F64 };
    let exponent_type = s.type_of(exponent);
    let exponent_unsigned = exponent_type.is_unsigned();
    let wide_base = s.cast(base, &work, base_unsigned, false);
    let wide_exponent = s.cast(exponent, &work, exponent_unsigned, false);
    let result = s.same("math.powf", &[wide_base, wide_exponent]);
    s.cast(result, &r#type, false, base_unsigned)
}

/// Integer `Mod` takes the sign of the divisor (Python), `fmod` that of the dividend (C).
fn modulo(s: &mut Scalars<'_, '_>, a: Value, b: Value, c_style: bool) -> Value {
    let remainder = match s.type_of(a) {
        Type::Float(_) => s.same("arith.remf", &[a, b]),
        _ if s.unsigned => return s.same("arith.remui", &[a, b]),
        _ => s.same("arith.remsi", &[a, b]),
    };
    if c_style {
        return remainder;
    }
    let zero = s.like(0.0, a);
    let exact = s.compare(Comparison::Equal, remainder, zero);
    let negative = s.compare(Comparison::Less, remainder, zero);
    let divisor_negative = s.compare(Comparison::Less, b, zero);
    let differ = s.same("arith.xori", &[negative, divisor_negative]);
    let inexact = s.not(exact);
    let adjust = s.same("arith.andi", &[differ, inexact]);
    let moved = s.add(remainder, b);
    // a zero has the divisor's sign, too
    let kept = match s.type_of(a) {
        Type::Float(_) => {
            let zero = s.same("math.copysign", &[remainder, b]);
            s.select(exact, zero, remainder)
        }
        _ => remainder,
    };
    s.select(adjust, moved, kept)
}

/// A shift by any count: what is not below the width shifts everything out, and so does a negative count.
fn shift(s: &mut Scalars<'_, '_>, a: Value, count: Value, left: bool) -> Value {
    let r#type = s.type_of(a);
    let (zero, last) = (s.like(0.0, a), s.like(r#type.bit_width().unwrap_or(64) as f64 - 1.0, a));
    let predicate = [("predicate", Attribute::i64(7))];
    // unsigned at most, so that negative counts are large
    let inside = s.builder.value("arith.cmpi", &[count, last], Type::I1, predicate);
    if !left && !s.unsigned {
        let count = s.select(inside, count, last);
        return s.same("arith.shrsi", &[a, count]);
    }
    let bounded = s.select(inside, count, zero);
    let shifted = s.same(if left { "arith.shli" } else { "arith.shrui" }, &[a, bounded]);
    s.select(inside, shifted, zero)
}

fn is_infinite(s: &mut Scalars<'_, '_>, a: Value, attributes: &Attributes) -> Value {
    let (positive, negative) = (s.like(f64::INFINITY, a), s.like(f64::NEG_INFINITY, a));
    let up = s.compare(Comparison::Equal, a, positive);
    let down = s.compare(Comparison::Equal, a, negative);
    match (attributes.integer("detect_positive") != Some(0), attributes.integer("detect_negative") != Some(0)) {
        (true, true) => s.same("arith.ori", &[up, down]),
        (true, false) => up,
        (false, true) => down,
        (false, false) => s.number(0.0, &Type::I1),
    }
}

fn sign(s: &mut Scalars<'_, '_>, a: Value, result: &Type) -> Value {
    let (zero, one, minus) = (s.like(0.0, a), s.like(1.0, a), s.like(-1.0, a));
    let positive = s.compare(Comparison::Greater, a, zero);
    let rest = if s.unsigned {
        zero
    } else {
        let negative = s.compare(Comparison::Less, a, zero);
        // NaN stays NaN
        let neither = if matches!(result, Type::Float(_)) { s.mul(a, zero) } else { zero };
        s.select(negative, minus, neither)
    };
    s.select(positive, one, rest)
}

/// `log(1 + exp(x))` without overflow: `max(x, 0) + log1p(exp(-|x|))`
fn softplus(s: &mut Scalars<'_, '_>, a: Value) -> Value {
    let zero = s.like(0.0, a);
    let magnitude = s.same("math.absf", &[a]);
    let negated = s.sub(zero, magnitude);
    let exponential = s.same("math.exp", &[negated]);
    let logarithm = s.same("math.log1p", &[exponential]);
    let positive = s.max(a, zero);
    s.add(positive, logarithm)
}

fn gelu(s: &mut Scalars<'_, '_>, x: Value, tanh: bool) -> Value {
    let (half, one) = (s.like(0.5, x), s.like(1.0, x));
    let inner = if tanh {
        let (root, cubic) = (s.like(0.797_884_560_802_865_4, x), s.like(0.044715, x));
        let square = s.mul(x, x);
        let cube = s.mul(square, x);
        let term = s.mul(cubic, cube);
        let sum = s.add(x, term);
        let argument = s.mul(root, sum);
        s.same("math.tanh", &[argument])
    } else {
        let scale = s.like(std::f64::consts::FRAC_1_SQRT_2, x);
        let argument = s.mul(x, scale);
        s.same("math.erf", &[argument])
    };
    let gate = s.add(one, inner);
    let halved = s.mul(half, x);
    s.mul(halved, gate)
}

fn leaky(s: &mut Scalars<'_, '_>, a: Value, slope: Value) -> Value {
    let zero = s.like(0.0, a);
    let scaled = s.mul(slope, a);
    let negative = s.compare(Comparison::Less, a, zero);
    s.select(negative, scaled, a)
}

/// `gamma * x` for positive x, else `gamma * alpha * (exp(x / scale) - 1)`
fn exponential_unit(s: &mut Scalars<'_, '_>, a: Value, alpha: f64, gamma: f64, scale: f64) -> Value {
    let (zero, one) = (s.like(0.0, a), s.like(1.0, a));
    let (factor, gamma, scale) = (s.like(alpha * gamma, a), s.like(gamma, a), s.like(scale, a));
    // the unused branch must not overflow
    let low = s.min(a, zero);
    let divided = s.div(low, scale);
    let exponential = s.same("math.exp", &[divided]);
    let shifted = s.sub(exponential, one);
    let negative = s.mul(factor, shifted);
    let positive = s.mul(gamma, a);
    let is_positive = s.compare(Comparison::Greater, a, zero);
    s.select(is_positive, positive, negative)
}

fn shrink(s: &mut Scalars<'_, '_>, a: Value, lambda: f64, bias: f64) -> Value {
    let (zero, bias) = (s.like(0.0, a), s.like(bias, a));
    let (high, low) = (s.like(lambda, a), s.like(-lambda, a));
    let (raised, lowered) = (s.add(a, bias), s.sub(a, bias));
    let above = s.compare(Comparison::Greater, a, high);
    let below = s.compare(Comparison::Less, a, low);
    let inner = s.select(below, raised, zero);
    s.select(above, lowered, inner)
}

/// Lowers an elementwise operator with broadcasting. Half precision computes in f32 and rounds once.
pub(super) fn lower(lowering: &mut Lowering<'_>, op: Op, name: &str) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let result = operation.results()[0];
    let element = lowering.element(result);
    let is_half = |r#type: &Type| matches!(r#type, Type::Float(FloatType::F16 | FloatType::BF16));
    let widened = is_half(&element) && name != "Cast" && name != "Identity";
    let wide = if widened { Type::F32 } else { element.clone() };
    let kinds: Vec<bool> =
        operation.operands().iter().chain(operation.results()).map(|&v| lowering.is_unsigned(v)).collect();
    let used = if matches!(name, "Dropout" | "CastLike") { 1 } else { operation.operands().len() };
    let operands = &operation.operands()[..used];
    let unsigned = kinds[if name == "Where" { 1 } else { 0 }];
    if name == "Dropout" {
        check_inference(lowering, op)?;
    }
    let mut failed = false;
    lowering.broadcast(operands, result, |builder, elements| {
        let mut scalars = Scalars { builder, unsigned };
        let mut widen = |value: Value| match widened && is_half(&scalars.type_of(value)) {
            true => scalars.cast(value, &Type::F32, false, false),
            false => value,
        };
        let operands: Vec<Option<Value>> = elements.iter().map(|element| element.map(&mut widen)).collect();
        match scalar(&mut scalars, name, &operation.attributes, &operands, &wide, &kinds) {
            Some(value) if widened => scalars.cast(value, &element, false, false),
            Some(value) => value,
            None => {
                failed = true;
                elements.iter().flatten().copied().next().expect("an operator has operands")
            }
        }
    });
    if failed {
        return Err(Unsupported::new("an operand is missing"));
    }
    if let Some(&mask) = operation.results().get(1).filter(|&&mask| lowering.is_present(mask)) {
        lowering.fill(mask, 1.0);
    }
    Ok(())
}

/// Dropout keeps everything, unless it trains with a ratio other than 0.
fn check_inference(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let Some(training) = lowering.operand(op, 2) else { return Ok(()) };
    let trains = lowering.known_integers(training).and_then(|known| known.first().copied());
    let ratio = lowering.operand(op, 1);
    let known_ratio = ratio.map_or(Some(0.5), |ratio| constant_float(lowering, ratio));
    match (trains, known_ratio, ratio) {
        (Some(0), ..) | (_, Some(0.0), _) => Ok(()),
        (None, _, Some(ratio)) | (_, None, Some(ratio)) => {
            let (training, ratio) = (lowering.only_element(training), lowering.only_element(ratio));
            let harmless = lowering.scalars(|s| {
                let zero = s.like(0.0, ratio);
                let keeps = s.compare(Comparison::Equal, ratio, zero);
                let infers = s.not(training);
                s.same("arith.ori", &[infers, keeps])
            });
            lowering.check(harmless, "Dropout in training mode is not compiled");
            Ok(())
        }
        _ => Err(Unsupported::new("it drops elements at random: training mode is not compiled")),
    }
}

/// The only element of a constant of floats.
fn constant_float(lowering: &Lowering<'_>, value: Value) -> Option<f64> {
    match ir::constant_value(lowering.source, value)? {
        Attribute::Dense(dense) => dense.float(0),
        _ => None,
    }
}
