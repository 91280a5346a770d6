//! `vector`: fixed-size vectors.

pub use crate::codes::operands::vector::*;
pub use crate::codes::vector::*;

use crate::{OpCode, OpCodes, arith, assembly};
use ir::registry::{AttributeDefinition, AttributeKind};
use ir::{Arity, Attribute, Body, Op, OpDefinition, Trait, Type, Value};

use crate::checks::{Check, all_index, ensure, operand_type, result_type, same_types, scalar, types_of};
use crate::shape_ops::{DYNAMIC, verify_indices};

/// The constant that all lanes of a float value have; also if it was widened, as a wider type represents every value.
pub fn constant_float(body: &Body, value: Value) -> Option<f64> {
    let op = body.defining_op(value)?;
    match body.code(op) {
        Some(BROADCAST | arith::EXTF) => constant_float(body, body.sole_operand(op)),
        _ => ir::constant_float(body, value),
    }
}

/// The dialect's operations.
pub fn operations() -> Vec<OpDefinition> {
    let mut rows = accesses();
    rows.extend(values());
    rows
}

/// Loads and stores.
fn accesses() -> Vec<OpDefinition> {
    let nothing = Arity::exactly(0);
    vec![
        OpDefinition::new("vector.load", "Reads consecutive elements.", Arity::at_least(1), Arity::exactly(1))
            .with_traits(&[Trait::ReadsMemory])
            .with_format(
                "base, indices...: index",
                "result",
                "$base `[` $indices `]` attr-dict `:` type($base) `,` type($result)",
            )
            .with_verify(|body, op| verify_access(body, op, 0, 0, result_type(body, op, 0))),
        OpDefinition::new("vector.store", "Writes consecutive elements.", Arity::at_least(2), nothing)
            .with_format(
                "value, base, indices...: index",
                "",
                "$value `,` $base `[` $indices `]` attr-dict `:` type($base) `,` type($value)",
            )
            .with_verify(|body, op| verify_access(body, op, 1, 0, operand_type(body, op, 0))),
        OpDefinition::new(
            "vector.maskedload",
            "Reads the elements a mask selects.",
            Arity::at_least(3),
            Arity::exactly(1),
        )
        .with_traits(&[Trait::ReadsMemory])
        .with_format(
            "base, indices...: index, mask, pass_thru",
            "result",
            "$base `[` $indices `]` `,` $mask `,` $pass_thru attr-dict `:` type($base) `,` type($mask) `,` \
             type($pass_thru) `into` type($result)",
        )
        .with_verify(verify_masked_load),
        OpDefinition::new("vector.maskedstore", "Writes the elements a mask selects.", Arity::at_least(3), nothing)
            .with_format(
                "base, indices...: index, mask, value",
                "",
                "$base `[` $indices `]` `,` $mask `,` $value attr-dict `:` type($base) `,` type($mask) `,` type($value)",
            )
            .with_verify(verify_masked_store),
        OpDefinition::new(
            "vector.gather",
            "Reads elements at a vector of offsets.",
            Arity::at_least(4),
            Arity::exactly(1),
        )
        .with_format(
            "base, offsets...: index, indices, mask, pass_thru",
            "result",
            "$base `[` $offsets `]` `[` $indices `]` `,` $mask `,` $pass_thru attr-dict `:` type($base) `,` \
             type($indices) `,` type($mask) `,` type($pass_thru) `into` type($result)",
        )
        .with_traits(&[Trait::ReadsMemory]),
    ]
}

/// Operations on values.
fn values() -> Vec<OpDefinition> {
    let row = |name, summary, operands| {
        OpDefinition::new(name, summary, operands, Arity::exactly(1)).with_traits(&[Trait::Pure])
    };
    const POSITION: &[AttributeDefinition] =
        &[AttributeDefinition::required("static_position", AttributeKind::Integers)];
    vec![
        row("vector.broadcast", "A scalar or smaller vector in every lane.", Arity::exactly(1))
            .with_format("source", "vector", "$source attr-dict `:` type($source) `to` type($vector)")
            .with_verify(verify_broadcast),
        row("vector.extract", "A lane or sub-vector.", Arity::at_least(1))
            .with_attributes(POSITION)
            .with_operands("source, dynamic_position...")
            .with_assembly(assembly::vector::print_extract, assembly::vector::parse_extract)
            .with_verify(verify_extract),
        row("vector.insert", "A vector with a lane or sub-vector replaced.", Arity::at_least(2))
            .with_attributes(POSITION)
            .with_operands("value_to_store, dest, dynamic_position...")
            .with_assembly(assembly::vector::print_insert, assembly::vector::parse_insert)
            .with_verify(verify_insert),
        row("vector.fma", "a * b + c, rounded once.", Arity::exactly(3))
            .with_traits(&[Trait::Pure, Trait::Elementwise, Trait::SameOperandsAndResultType])
            .with_format("lhs, rhs: lhs, acc: lhs", "result: lhs", "$lhs `,` $rhs `,` $acc attr-dict `:` type($lhs)")
            .with_verify(verify_fma),
        row("vector.reduction", "All lanes combined.", Arity::between(1, 2))
            .with_attributes(const { &[AttributeDefinition::required("kind", AttributeKind::Any)] })
            .with_operands("vector, acc...")
            .with_assembly(assembly::vector::print_reduction, assembly::vector::parse_reduction)
            .with_verify(verify_reduction),
        row("vector.from_elements", "A vector from its lanes.", Arity::at_least(1))
            .with_assembly(assembly::tensor::print_from_elements, assembly::tensor::parse_from_elements)
            .with_verify(verify_from_elements),
        row("vector.create_mask", "True in the first lanes.", Arity::at_least(0))
            .with_format("operands...: index", "result", "$operands attr-dict `:` type($result)")
            .with_verify(verify_create_mask),
        row("vector.constant_mask", "True in the first lanes, their number known.", Arity::exactly(0))
            .with_attributes(const { &[AttributeDefinition::required("mask_dim_sizes", AttributeKind::Integers)] })
            .with_format("", "result", "$mask_dim_sizes attr-dict `:` type($result)")
            .with_verify(verify_constant_mask),
        row("vector.shuffle", "Lanes of two vectors in any order.", Arity::exactly(2))
            .with_attributes(const { &[AttributeDefinition::required("mask", AttributeKind::Integers)] })
            .with_operands("v1, v2")
            .with_assembly(assembly::vector::print_shuffle, assembly::vector::parse_shuffle)
            .with_verify(verify_shuffle),
        row("vector.step", "0, 1, 2, … in the lanes.", Arity::exactly(0)).with_format(
            "",
            "result",
            "attr-dict `:` type($result)",
        ),
        row("vector.shape_cast", "The same lanes in another shape.", Arity::exactly(1))
            .with_format("source", "result", "$source attr-dict `:` type($source) `to` type($result)")
            .with_verify(verify_shape_cast),
        row("vector.bitcast", "The same bits in other lanes.", Arity::exactly(1)).with_format(
            "source",
            "result",
            "$source attr-dict `:` type($source) `to` type($result)",
        ),
    ]
}

fn expect_vector(what: &str, r#type: &Type) -> Check {
    ensure(r#type.as_vector().is_some(), || format!("{what} must be a vector, found {type}"))
}

/// Checks a buffer at operand `base`, its indices after it except for the last `after` operands, and a vector.
fn verify_access(body: &Body, op: Op, base: usize, after: usize, vector: &Type) -> Check {
    let buffer = operand_type(body, op, base);
    ensure(buffer.as_memref().is_some(), || format!("operand #{base} must be a memref, found {buffer}"))?;
    expect_vector("value", vector)?;
    ensure(buffer.element() == vector.element(), || format!("{vector} in {buffer}"))?;
    let count = body.op(op).operands().len().checked_sub(base + 1 + after).ok_or("has too few operands")?;
    verify_indices(body, op, base + 1, count, buffer)
}

fn verify_mask(mask: &Type, vector: &Type) -> Check {
    let expected = vector.with_element(Type::I1);
    ensure(*mask == expected, || format!("mask must be {expected}, found {mask}"))
}

fn verify_masked_load(body: &Body, op: Op) -> Check {
    let vector = result_type(body, op, 0);
    verify_access(body, op, 0, 2, vector)?;
    let last = body.op(op).operands().len() - 1;
    verify_mask(operand_type(body, op, last - 1), vector)?;
    let other = operand_type(body, op, last);
    ensure(other == vector, || format!("value for lanes not read must be {vector}, found {other}"))
}

fn verify_masked_store(body: &Body, op: Op) -> Check {
    let last = body.op(op).operands().len() - 1;
    let vector = operand_type(body, op, last);
    verify_access(body, op, 0, 2, vector)?;
    verify_mask(operand_type(body, op, last - 1), vector)
}

fn verify_broadcast(body: &Body, op: Op) -> Check {
    let (from, to) = (operand_type(body, op, 0), result_type(body, op, 0));
    expect_vector("result", to)?;
    let (small, large) = (from.static_shape().unwrap_or_default(), to.static_shape().unwrap_or_default());
    let fits = small.iter().rev().zip(large.iter().rev()).all(|(a, b)| a == b || *a == 1);
    let holds = small.len() <= large.len() && fits && scalar(from) == scalar(to);
    ensure(holds, || format!("cannot broadcast {from} to {to}"))
}

/// The type at `static_position` in a vector, with dynamic indices from operand `from` on.
fn verify_position(body: &Body, op: Op, from: usize, vector: &Type) -> Result<Type, String> {
    expect_vector("operand", vector)?;
    let shape = vector.static_shape().unwrap_or_default();
    let position = body.op(op).attributes.integers("static_position").unwrap_or_default();
    ensure(position.len() <= shape.len(), || format!("position {position:?} in {vector}"))?;
    let dynamic = position.iter().filter(|&&at| at == DYNAMIC).count();
    let operands = body.op(op).operands().len() - from;
    ensure(dynamic == operands, || format!("position leaves {dynamic} entries to operands, found {operands}"))?;
    all_index(body, op, from)?;
    let inside = position.iter().zip(&shape).all(|(&at, &extent)| at == DYNAMIC || (0..extent).contains(&at));
    ensure(inside, || format!("position {position:?} in {vector}"))?;
    let rest = &shape[position.len()..];
    Ok(if rest.is_empty() { vector.element().clone() } else { Type::vector(rest, vector.element().clone()) })
}

fn verify_extract(body: &Body, op: Op) -> Check {
    let expected = verify_position(body, op, 1, operand_type(body, op, 0))?;
    let found = result_type(body, op, 0);
    ensure(*found == expected, || format!("result must be {expected}, found {found}"))
}

fn verify_insert(body: &Body, op: Op) -> Check {
    let vector = operand_type(body, op, 1);
    let expected = verify_position(body, op, 2, vector)?;
    let found = operand_type(body, op, 0);
    ensure(*found == expected, || format!("operand #0 must be {expected}, found {found}"))?;
    ensure(result_type(body, op, 0) == vector, || format!("result must be {vector}"))
}

fn verify_fma(body: &Body, op: Op) -> Check {
    let r#type = operand_type(body, op, 0);
    expect_vector("operand #0", r#type)?;
    ensure(scalar(r#type).is_float(), || format!("operand #0 must be a vector of floats, found {type}"))
}

fn verify_reduction(body: &Body, op: Op) -> Check {
    let (vector, result) = (operand_type(body, op, 0), result_type(body, op, 0));
    ensure(vector.as_vector().is_some() && vector.rank() == Some(1), || {
        format!("operand #0 must be a one-dimensional vector, found {vector}")
    })?;
    let others = body.op(op).operands()[1..].iter().map(|&value| body.value_type(value)).chain([result]);
    let odd = others.into_iter().find(|&other| other != vector.element());
    odd.map_or(Ok(()), |odd| Err(format!("accumulator and result must be {}, found {odd}", vector.element())))
}

fn verify_mask_result(body: &Body, op: Op, sizes: usize) -> Check {
    let result = result_type(body, op, 0);
    expect_vector("result", result)?;
    ensure(*result.element() == Type::I1, || format!("result must be a vector of i1, found {result}"))?;
    let rank = result.rank().unwrap_or(0);
    ensure(sizes == rank, || format!("{result} takes {rank} sizes, found {sizes}"))
}

fn verify_create_mask(body: &Body, op: Op) -> Check {
    all_index(body, op, 0)?;
    verify_mask_result(body, op, body.op(op).operands().len())
}

fn verify_constant_mask(body: &Body, op: Op) -> Check {
    let sizes = body.op(op).attributes.integers("mask_dim_sizes").unwrap_or_default();
    verify_mask_result(body, op, sizes.len())?;
    let shape = result_type(body, op, 0).static_shape().unwrap_or_default();
    ensure(sizes.iter().zip(&shape).all(|(size, extent)| (0..=*extent).contains(size)), || {
        format!("sizes {sizes:?} in {}", result_type(body, op, 0))
    })
}

fn verify_shuffle(body: &Body, op: Op) -> Check {
    let (a, b, result) = (operand_type(body, op, 0), operand_type(body, op, 1), result_type(body, op, 0));
    expect_vector("operand #0", a)?;
    expect_vector("operand #1", b)?;
    let mask = body.op(op).attributes.integers("mask").unwrap_or_default();
    let lanes = |r#type: &Type| r#type.static_shape().and_then(|shape| shape.first().copied()).unwrap_or(1);
    let total = lanes(a) + lanes(b);
    ensure(mask.iter().all(|&lane| (-1..total).contains(&lane)), || format!("mask {mask:?} picks from {total} lanes"))?;
    let holds = lanes(result) == mask.len() as i64 && a.element() == b.element() && a.element() == result.element();
    ensure(holds, || format!("shuffling {a} and {b} by {} lanes does not give {result}", mask.len()))
}

fn verify_shape_cast(body: &Body, op: Op) -> Check {
    let (from, to) = (operand_type(body, op, 0), result_type(body, op, 0));
    let lanes = |r#type: &Type| r#type.static_shape().map(|shape| shape.iter().product::<i64>());
    ensure(lanes(from) == lanes(to) && from.element() == to.element(), || format!("cannot cast {from} to {to}"))
}

fn verify_from_elements(body: &Body, op: Op) -> Check {
    let result = result_type(body, op, 0);
    expect_vector("result", result)?;
    let count: i64 = result.static_shape().unwrap_or_default().iter().product();
    let lanes = types_of(body, body.op(op).operands());
    same_types("lanes", &lanes, &vec![result.element().clone(); count as usize])
}

/// The name of a `#vector.kind<…>`.
pub fn combining_kind(attribute: Option<&Attribute>) -> Option<&str> {
    let Some(Attribute::Dialect(dialect, text)) = attribute else { return None };
    text.strip_prefix("kind<")?.strip_suffix('>').filter(|_| &**dialect == "vector")
}

/// The operation that combines two elements as a `#vector.kind<…>` of this name says; floats or integers.
pub fn combining_operation(kind: &str, float: bool) -> Option<OpCode> {
    Some(match (kind, float) {
        ("add", false) => arith::ADDI,
        ("add", true) => arith::ADDF,
        ("mul", false) => arith::MULI,
        ("mul", true) => arith::MULF,
        ("minui", false) => arith::MINUI,
        ("minsi", false) => arith::MINSI,
        ("maxui", false) => arith::MAXUI,
        ("maxsi", false) => arith::MAXSI,
        ("minnumf", true) => arith::MINNUMF,
        ("maxnumf", true) => arith::MAXNUMF,
        ("minimumf", true) => arith::MINIMUMF,
        ("maximumf", true) => arith::MAXIMUMF,
        ("and", false) => arith::ANDI,
        ("or", false) => arith::ORI,
        ("xor", false) => arith::XORI,
        _ => return None,
    })
}
