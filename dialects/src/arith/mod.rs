//! `arith`: arithmetic on integers, `index` and floats, lane by lane on vectors and tensors.

mod canonicalize;
mod fold;
mod predicate;

pub use crate::codes::arith::*;
pub use crate::codes::operands::arith::*;
pub use predicate::{CmpFPredicate, CmpIPredicate};

use crate::assembly;
use ir::registry::{AttributeDefinition, AttributeKind, FoldFunction};
use ir::rewrite::RewriteFunction;
use ir::{Arity, Attribute, Body, Op, OpDefinition, Trait, Type};

use crate::checks::{Check, ensure, operand_type, result_type, scalar};

/// The types that an operation of one type works on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Domain {
    Integer,
    Float,
}

const ELEMENTWISE: &[Trait] = &[Trait::Pure, Trait::Elementwise, Trait::SameOperandsAndResultType];
const COMMUTATIVE: &[Trait] = &[Trait::Pure, Trait::Elementwise, Trait::SameOperandsAndResultType, Trait::Commutative];
/// Undefined for a zero divisor, so it must not be executed speculatively.
const DIVISION: &[Trait] = &[Trait::NoMemoryEffect, Trait::Elementwise, Trait::SameOperandsAndResultType];

/// Name, summary, operand count, domain, traits, fold.
type UniformRow = (&'static str, &'static str, u16, Domain, &'static [Trait], Option<FoldFunction>);

/// Operations whose operands and result have one type.
const UNIFORM: [UniformRow; 32] = [
    ("arith.addi", "a + b, wrapping.", 2, Domain::Integer, COMMUTATIVE, Some(fold::addi)),
    ("arith.subi", "a - b, wrapping.", 2, Domain::Integer, ELEMENTWISE, Some(fold::subi)),
    ("arith.muli", "a * b, wrapping.", 2, Domain::Integer, COMMUTATIVE, Some(fold::muli)),
    ("arith.divsi", "Signed quotient, towards zero.", 2, Domain::Integer, DIVISION, Some(fold::divsi)),
    ("arith.divui", "Unsigned quotient.", 2, Domain::Integer, DIVISION, Some(fold::divui)),
    ("arith.ceildivsi", "Signed quotient, upwards.", 2, Domain::Integer, DIVISION, Some(fold::ceildivsi)),
    ("arith.ceildivui", "Unsigned quotient, upwards.", 2, Domain::Integer, DIVISION, Some(fold::ceildivui)),
    ("arith.floordivsi", "Signed quotient, downwards.", 2, Domain::Integer, DIVISION, Some(fold::floordivsi)),
    ("arith.remsi", "Signed remainder, with the sign of a.", 2, Domain::Integer, DIVISION, Some(fold::remsi)),
    ("arith.remui", "Unsigned remainder.", 2, Domain::Integer, DIVISION, Some(fold::remui)),
    ("arith.andi", "Bitwise and.", 2, Domain::Integer, COMMUTATIVE, Some(fold::andi)),
    ("arith.ori", "Bitwise or.", 2, Domain::Integer, COMMUTATIVE, Some(fold::ori)),
    ("arith.xori", "Bitwise exclusive or.", 2, Domain::Integer, COMMUTATIVE, Some(fold::xori)),
    ("arith.shli", "a shifted left by b bits.", 2, Domain::Integer, ELEMENTWISE, Some(fold::shli)),
    ("arith.shrsi", "a shifted right by b bits, sign filled in.", 2, Domain::Integer, ELEMENTWISE, Some(fold::shrsi)),
    ("arith.shrui", "a shifted right by b bits, zeros filled in.", 2, Domain::Integer, ELEMENTWISE, Some(fold::shrui)),
    ("arith.maxsi", "Signed maximum.", 2, Domain::Integer, COMMUTATIVE, Some(fold::maxsi)),
    ("arith.maxui", "Unsigned maximum.", 2, Domain::Integer, COMMUTATIVE, Some(fold::maxui)),
    ("arith.minsi", "Signed minimum.", 2, Domain::Integer, COMMUTATIVE, Some(fold::minsi)),
    ("arith.minui", "Unsigned minimum.", 2, Domain::Integer, COMMUTATIVE, Some(fold::minui)),
    ("arith.addf", "a + b", 2, Domain::Float, COMMUTATIVE, None),
    ("arith.subf", "a - b", 2, Domain::Float, ELEMENTWISE, Some(fold::subf)),
    ("arith.mulf", "a * b", 2, Domain::Float, COMMUTATIVE, Some(fold::mulf)),
    ("arith.divf", "a / b", 2, Domain::Float, ELEMENTWISE, Some(fold::divf)),
    ("arith.remf", "Remainder of a / b, with the sign of a.", 2, Domain::Float, ELEMENTWISE, None),
    ("arith.negf", "-a", 1, Domain::Float, ELEMENTWISE, Some(fold::negf)),
    ("arith.maximumf", "Maximum; NaN if either is NaN.", 2, Domain::Float, COMMUTATIVE, Some(fold::same_operands)),
    ("arith.minimumf", "Minimum; NaN if either is NaN.", 2, Domain::Float, COMMUTATIVE, Some(fold::same_operands)),
    (
        "arith.maxnumf",
        "Maximum; the other one if one is NaN.",
        2,
        Domain::Float,
        COMMUTATIVE,
        Some(fold::same_operands),
    ),
    (
        "arith.minnumf",
        "Minimum; the other one if one is NaN.",
        2,
        Domain::Float,
        COMMUTATIVE,
        Some(fold::same_operands),
    ),
    ("arith.mulsi_extended", "Low and high half of the signed product.", 2, Domain::Integer, COMMUTATIVE, None),
    ("arith.mului_extended", "Low and high half of the unsigned product.", 2, Domain::Integer, COMMUTATIVE, None),
];

/// The types of a cast.
#[derive(Clone, Copy)]
enum Cast {
    WidenInteger,
    NarrowInteger,
    WidenFloat,
    NarrowFloat,
    IntegerToFloat,
    FloatToInteger,
    Index,
    Bits,
}

/// Name, summary, kind, fold.
const CASTS: [(&str, &str, Cast, Option<FoldFunction>); 12] = [
    ("arith.extsi", "A wider integer, sign filled in.", Cast::WidenInteger, Some(fold::extsi)),
    ("arith.extui", "A wider integer, zeros filled in.", Cast::WidenInteger, Some(fold::extui)),
    ("arith.trunci", "The low bits.", Cast::NarrowInteger, Some(fold::trunci)),
    ("arith.extf", "A wider float, exactly.", Cast::WidenFloat, None),
    ("arith.truncf", "A narrower float, rounded.", Cast::NarrowFloat, None),
    ("arith.sitofp", "A signed integer as a float.", Cast::IntegerToFloat, Some(fold::sitofp)),
    ("arith.uitofp", "An unsigned integer as a float.", Cast::IntegerToFloat, None),
    ("arith.fptosi", "A float's whole part as a signed integer.", Cast::FloatToInteger, None),
    ("arith.fptoui", "A float's whole part as an unsigned integer.", Cast::FloatToInteger, None),
    ("arith.index_cast", "Between index and integers, as signed.", Cast::Index, Some(fold::index_cast)),
    ("arith.index_castui", "Between index and integers, as unsigned.", Cast::Index, Some(fold::index_castui)),
    ("arith.bitcast", "The same bits in a type of the same width.", Cast::Bits, None),
];

/// The dialect's operations.
pub fn operations() -> Vec<OpDefinition> {
    let mut rows = vec![
        OpDefinition::new("arith.constant", "A value known at compile time.", Arity::exactly(0), Arity::exactly(1))
            .with_traits(&[Trait::Pure, Trait::ConstantLike])
            .with_attributes(const { &[AttributeDefinition::required("value", AttributeKind::Any)] })
            .with_assembly(assembly::arith::print_constant, assembly::arith::parse_constant)
            .with_result_names(assembly::arith::name_constant)
            .with_verify(verify_constant),
        OpDefinition::new("arith.addui_extended", "Sum and carry.", Arity::exactly(2), Arity::exactly(2))
            .with_traits(&[Trait::Pure, Trait::Elementwise, Trait::Commutative, Trait::SameTypeOperands])
            .with_format(
                "lhs: sum, rhs: sum",
                "sum, overflow",
                "$lhs `,` $rhs attr-dict `:` type($sum) `,` type($overflow)",
            )
            .with_result_names(|_, _| vec!["sum".to_string(), "overflow".to_string()])
            .with_verify(verify_carry),
        OpDefinition::new("arith.cmpi", "Compares integers.", Arity::exactly(2), Arity::exactly(1))
            .with_traits(&[Trait::Pure, Trait::Elementwise, Trait::SameTypeOperands])
            .with_attributes(const { &[AttributeDefinition::required("predicate", AttributeKind::Integer)] })
            .with_format(
                "lhs, rhs: lhs",
                "result: mask(lhs)",
                "keyword($predicate, eq|ne|slt|sle|sgt|sge|ult|ule|ugt|uge) `,` $lhs `,` $rhs attr-dict `:` type($lhs)",
            )
            .with_verify(|body, op| verify_compare(body, op, Domain::Integer, CmpIPredicate::ALL.len()))
            .with_fold(fold::cmpi),
        OpDefinition::new("arith.cmpf", "Compares floats.", Arity::exactly(2), Arity::exactly(1))
            .with_traits(&[Trait::Pure, Trait::Elementwise, Trait::SameTypeOperands])
            .with_attributes(const { &[AttributeDefinition::required("predicate", AttributeKind::Integer)] })
            .with_format(
                "lhs, rhs: lhs",
                "result: mask(lhs)",
                "keyword($predicate, false|oeq|ogt|oge|olt|ole|one|ord|ueq|ugt|uge|ult|ule|une|uno|true) `,` $lhs `,` \
                 $rhs fastmath attr-dict `:` type($lhs)",
            )
            .with_verify(|body, op| verify_compare(body, op, Domain::Float, CmpFPredicate::ALL.len())),
        OpDefinition::new(
            "arith.select",
            "The second operand where the first is true, else the third.",
            Arity::exactly(3),
            Arity::exactly(1),
        )
        .with_operands("condition, true_value, false_value")
        .with_traits(&[Trait::Pure, Trait::Elementwise])
        .with_assembly(assembly::arith::print_select, assembly::arith::parse_select)
        .with_verify(verify_select)
        .with_fold(fold::select),
    ];
    rows.extend(UNIFORM.iter().map(|&(name, summary, operands, domain, traits, fold)| {
        let results = if name.ends_with("_extended") { 2 } else { 1 };
        let row = OpDefinition::new(name, summary, Arity::exactly(operands), Arity::exactly(results));
        let row = match (operands, results) {
            (1, _) => row.with_format("operand: result", "result", "$operand fastmath attr-dict `:` type($result)"),
            (_, 1) => row.with_format(
                "lhs: result, rhs: result",
                "result",
                "$lhs `,` $rhs fastmath attr-dict `:` type($result)",
            ),
            _ => row
                .with_format("lhs, rhs: lhs", "low: lhs, high: lhs", "$lhs `,` $rhs attr-dict `:` type($lhs)")
                .with_result_names(|_, _| vec!["low".to_string(), "high".to_string()]),
        };
        OpDefinition { fold, canonicalize: canonicalization(name), ..row }.with_traits(traits).with_verify(match domain
        {
            Domain::Integer => |body, op| verify_domain(body, op, Domain::Integer),
            Domain::Float => |body, op| verify_domain(body, op, Domain::Float),
        })
    }));
    rows.extend(CASTS.iter().map(|&(name, summary, kind, fold)| {
        OpDefinition { fold, ..OpDefinition::new(name, summary, Arity::exactly(1), Arity::exactly(1)) }
            .with_traits(&[Trait::Pure, Trait::Elementwise])
            .with_format("in", "out", "$in fastmath attr-dict `:` type($in) `to` type($out)")
            .with_verify(verify_cast(kind))
    }));
    rows
}

fn canonicalization(name: &str) -> Option<RewriteFunction> {
    match name {
        "arith.addi" => Some(canonicalize::addi),
        "arith.muli" => Some(canonicalize::muli),
        _ => None,
    }
}

fn is_integer_like(r#type: &Type) -> bool {
    matches!(r#type, Type::Index) || r#type.is_integer()
}

fn verify_domain(body: &Body, op: Op, domain: Domain) -> Check {
    let found = operand_type(body, op, 0);
    let (holds, what) = match domain {
        Domain::Integer => (is_integer_like(scalar(found)), "an integer or index"),
        Domain::Float => (scalar(found).is_float(), "a float"),
    };
    ensure(holds && found.as_memref().is_none(), || {
        format!("operand #0 must be {what}, or a vector or tensor of those, found {found}")
    })
}

fn verify_constant(body: &Body, op: Op) -> Check {
    let r#type = result_type(body, op, 0);
    let value = body.attribute(op, "value").expect("required by the definition");
    let found = match value {
        Attribute::Integer(_, found) | Attribute::Float(_, found) => found.clone(),
        Attribute::Bool(_) => Type::I1,
        Attribute::Dense(elements) => elements.r#type.clone(),
        other => return Err(format!("attribute 'value' must be a number or a dense constant, found {other}")),
    };
    ensure(found == *r#type, || format!("value has type {found}, result has type {type}"))
}

fn verify_carry(body: &Body, op: Op) -> Check {
    verify_domain(body, op, Domain::Integer)?;
    let operand = operand_type(body, op, 0);
    ensure(result_type(body, op, 0) == operand, || format!("result #0 must be {operand}"))?;
    let carry = operand.with_element(Type::I1);
    ensure(*result_type(body, op, 1) == carry, || format!("result #1 must be {carry}"))
}

fn verify_compare(body: &Body, op: Op, domain: Domain, predicates: usize) -> Check {
    verify_domain(body, op, domain)?;
    let (expected, found) = (operand_type(body, op, 0).with_element(Type::I1), result_type(body, op, 0));
    ensure(*found == expected, || format!("result must be {expected}, found {found}"))?;
    let predicate = body.op(op).attributes.integer("predicate").unwrap_or(-1);
    ensure((0..predicates as i64).contains(&predicate), || {
        format!("attribute 'predicate' must be 0 to {}, found {predicate}", predicates - 1)
    })
}

fn verify_select(body: &Body, op: Op) -> Check {
    let (condition, yes, no) = (operand_type(body, op, 0), operand_type(body, op, 1), operand_type(body, op, 2));
    let result = result_type(body, op, 0);
    ensure(yes == no && yes == result, || {
        format!("operands #1, #2 and the result must have one type, found {yes}, {no} and {result}")
    })?;
    ensure(*condition == Type::I1 || *condition == yes.with_element(Type::I1), || {
        format!("condition must be i1 or shaped like {yes}, found {condition}")
    })
}

fn verify_cast(kind: Cast) -> ir::registry::VerifyFunction {
    match kind {
        Cast::WidenInteger => |body, op| cast(body, op, |from, to| integers(from, to, |from, to| from < to)),
        Cast::NarrowInteger => |body, op| cast(body, op, |from, to| integers(from, to, |from, to| from > to)),
        Cast::WidenFloat => |body, op| cast(body, op, |from, to| floats(from, to) && from.bit_width() < to.bit_width()),
        Cast::NarrowFloat => {
            |body, op| cast(body, op, |from, to| floats(from, to) && from.bit_width() > to.bit_width())
        }
        Cast::IntegerToFloat => |body, op| cast(body, op, |from, to| from.is_integer() && to.is_float()),
        Cast::FloatToInteger => |body, op| cast(body, op, |from, to| from.is_float() && to.is_integer()),
        Cast::Index => |body, op| {
            cast(body, op, |from, to| {
                *from == Type::Index && to.is_integer() || from.is_integer() && *to == Type::Index
            })
        },
        Cast::Bits => {
            |body, op| cast(body, op, |from, to| from.bit_width().is_some() && from.bit_width() == to.bit_width())
        }
    }
}

fn integers(from: &Type, to: &Type, widths: fn(u32, u32) -> bool) -> bool {
    match (from, to) {
        (Type::Integer(from), Type::Integer(to)) => widths(from.width, to.width),
        _ => false,
    }
}

fn floats(from: &Type, to: &Type) -> bool {
    from.is_float() && to.is_float()
}

fn cast(body: &Body, op: Op, allowed: fn(&Type, &Type) -> bool) -> Check {
    let (from, to) = (operand_type(body, op, 0), result_type(body, op, 0));
    let same_container = to.with_element(scalar(from).clone()) == *from;
    ensure(same_container && allowed(scalar(from), scalar(to)), || format!("cannot cast {from} to {to}"))
}
