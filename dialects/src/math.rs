//! `math`: elementary functions, lane by lane.

pub use crate::codes::math::*;
pub use crate::codes::operands::math::*;

use ir::{Arity, Body, Op, OpDefinition, Trait, Type};

use crate::checks::{Check, ensure, operand_type, result_type, scalar};

/// The operand and result types of an operation.
#[derive(Clone, Copy)]
enum Kind {
    Float,
    Integer,
    FloatPredicate,
    FloatToPower,
}

/// Name, summary, operand count, kind.
const TABLE: [(&str, &str, u16, Kind); 46] = [
    ("math.absf", "|x|", 1, Kind::Float),
    ("math.absi", "|x|", 1, Kind::Integer),
    ("math.acos", "Arc cosine.", 1, Kind::Float),
    ("math.acosh", "Inverse hyperbolic cosine.", 1, Kind::Float),
    ("math.asin", "Arc sine.", 1, Kind::Float),
    ("math.asinh", "Inverse hyperbolic sine.", 1, Kind::Float),
    ("math.atan", "Arc tangent.", 1, Kind::Float),
    ("math.atan2", "Angle of the point (x, y), given y and x.", 2, Kind::Float),
    ("math.atanh", "Inverse hyperbolic tangent.", 1, Kind::Float),
    ("math.cbrt", "Cube root.", 1, Kind::Float),
    ("math.ceil", "Smallest whole number not below.", 1, Kind::Float),
    ("math.clampf", "x, at least min and at most max.", 3, Kind::Float),
    ("math.copysign", "Magnitude of the first, sign of the second.", 2, Kind::Float),
    ("math.cos", "Cosine.", 1, Kind::Float),
    ("math.cosh", "Hyperbolic cosine.", 1, Kind::Float),
    ("math.ctlz", "Leading zero bits.", 1, Kind::Integer),
    ("math.ctpop", "One bits.", 1, Kind::Integer),
    ("math.cttz", "Trailing zero bits.", 1, Kind::Integer),
    ("math.erf", "Error function.", 1, Kind::Float),
    ("math.erfc", "1 - erf(x)", 1, Kind::Float),
    ("math.exp", "e to the power of x.", 1, Kind::Float),
    ("math.exp2", "2 to the power of x.", 1, Kind::Float),
    ("math.expm1", "exp(x) - 1", 1, Kind::Float),
    ("math.floor", "Largest whole number not above.", 1, Kind::Float),
    ("math.fma", "a * b + c, rounded once.", 3, Kind::Float),
    ("math.fpowi", "A float to the power of an integer.", 2, Kind::FloatToPower),
    ("math.ipowi", "An integer to the power of an integer.", 2, Kind::Integer),
    ("math.isfinite", "Whether x is neither infinite nor NaN.", 1, Kind::FloatPredicate),
    ("math.isinf", "Whether x is infinite.", 1, Kind::FloatPredicate),
    ("math.isnan", "Whether x is NaN.", 1, Kind::FloatPredicate),
    ("math.isnormal", "Whether x is finite, not zero and not subnormal.", 1, Kind::FloatPredicate),
    ("math.log", "Natural logarithm.", 1, Kind::Float),
    ("math.log10", "Logarithm to base 10.", 1, Kind::Float),
    ("math.log1p", "log(1 + x)", 1, Kind::Float),
    ("math.log2", "Logarithm to base 2.", 1, Kind::Float),
    ("math.powf", "A float to the power of a float.", 2, Kind::Float),
    ("math.round", "Nearest whole number, ties away from zero.", 1, Kind::Float),
    ("math.roundeven", "Nearest whole number, ties to even.", 1, Kind::Float),
    ("math.rsqrt", "1 / sqrt(x)", 1, Kind::Float),
    ("math.sin", "Sine.", 1, Kind::Float),
    ("math.sincos", "Sine and cosine.", 1, Kind::Float),
    ("math.sinh", "Hyperbolic sine.", 1, Kind::Float),
    ("math.sqrt", "Square root.", 1, Kind::Float),
    ("math.tan", "Tangent.", 1, Kind::Float),
    ("math.tanh", "Hyperbolic tangent.", 1, Kind::Float),
    ("math.trunc", "Whole part.", 1, Kind::Float),
];

/// The dialect's operations.
pub fn operations() -> Vec<OpDefinition> {
    TABLE.iter().map(|&(name, summary, operands, kind)| definition(name, summary, operands, kind)).collect()
}

fn definition(name: &'static str, summary: &'static str, operands: u16, kind: Kind) -> OpDefinition {
    let results = if name == "math.sincos" { 2 } else { 1 };
    let row = OpDefinition::new(name, summary, Arity::exactly(operands), Arity::exactly(results));
    let row = match (name, operands) {
        ("math.sincos", _) => {
            row.with_format("operand", "sin: operand, cos: operand", "$operand fastmath attr-dict `:` type($operand)")
        }
        ("math.clampf", _) => row.with_format(
            "value: result, min: result, max: result",
            "result",
            "$value `to` `[` $min `,` $max `]` fastmath attr-dict `:` type($result)",
        ),
        ("math.fpowi", _) => {
            row.with_format("lhs, rhs", "result: lhs", "$lhs `,` $rhs fastmath attr-dict `:` type($lhs) `,` type($rhs)")
        }
        (_, 1) if matches!(kind, Kind::FloatPredicate) => {
            row.with_format("operand", "result: mask(operand)", "$operand fastmath attr-dict `:` type($operand)")
        }
        (_, 1) => row.with_format("operand: result", "result", "$operand fastmath attr-dict `:` type($result)"),
        (_, 2) => {
            row.with_format("lhs: result, rhs: result", "result", "$lhs `,` $rhs fastmath attr-dict `:` type($result)")
        }
        _ => row.with_format(
            "a: result, b: result, c: result",
            "result",
            "$a `,` $b `,` $c fastmath attr-dict `:` type($result)",
        ),
    };
    match kind {
        Kind::Float => row
            .with_traits(&[Trait::Pure, Trait::Elementwise, Trait::SameOperandsAndResultType])
            .with_verify(|body, op| first_operand(body, op, Type::is_float, "a float")),
        Kind::Integer => row
            .with_traits(&[Trait::Pure, Trait::Elementwise, Trait::SameOperandsAndResultType])
            .with_verify(|body, op| first_operand(body, op, is_integer_like, "an integer")),
        Kind::FloatPredicate => row.with_traits(&[Trait::Pure, Trait::Elementwise]).with_verify(verify_predicate),
        Kind::FloatToPower => row.with_traits(&[Trait::Pure, Trait::Elementwise]).with_verify(verify_fpowi),
    }
}

fn is_integer_like(r#type: &Type) -> bool {
    r#type.is_integer() || *r#type == Type::Index
}

fn first_operand(body: &Body, op: Op, allows: fn(&Type) -> bool, what: &str) -> Check {
    let found = operand_type(body, op, 0);
    ensure(allows(scalar(found)), || {
        format!("operand #0 must be {what}, or a vector or tensor of those, found {found}")
    })
}

fn verify_predicate(body: &Body, op: Op) -> Check {
    first_operand(body, op, Type::is_float, "a float")?;
    let (expected, found) = (operand_type(body, op, 0).with_element(Type::I1), result_type(body, op, 0));
    ensure(*found == expected, || format!("result must be {expected}, found {found}"))
}

fn verify_fpowi(body: &Body, op: Op) -> Check {
    first_operand(body, op, Type::is_float, "a float")?;
    let (base, power) = (operand_type(body, op, 0), operand_type(body, op, 1));
    ensure(scalar(power).is_integer() && *power == base.with_element(scalar(power).clone()), || {
        format!("operand #1 must be an integer shaped like {base}, found {power}")
    })?;
    let found = result_type(body, op, 0);
    ensure(found == base, || format!("result must be {base}, found {found}"))
}
