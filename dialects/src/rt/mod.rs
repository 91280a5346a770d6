//! `rt`: the runtime's interface for generated code.

pub mod attributes;
pub mod routines;
pub mod tile;
pub mod winograd;
pub mod words;

pub use crate::codes::operands::rt::*;
pub use crate::codes::rt::*;

use crate::{OpCodes, memref};
use ir::registry::{AttributeDefinition, AttributeKind};
use ir::{Arity, Body, Folded, Op, OpDefinition, SymbolTable, Trait, Type};

use crate::checks::{Check, ensure, operand_type, result_type, same_types, types_of};

/// The function that returns the level of an x86-64 processor, 1 to 4, for code without a runtime. LLVM's code generator defines
/// it.
pub const DETECT_LEVEL: &str = "rt_detect_level";

/// The dialect's attributes on operations of other dialects.
pub fn discardable_attributes() -> &'static [AttributeDefinition] {
    attributes::DEFINITIONS
}

/// The dialect's operations.
pub fn operations() -> Vec<OpDefinition> {
    let mut operations = vec![
        OpDefinition::new("rt.address", "The address of a buffer as a number.", Arity::exactly(1), Arity::exactly(1))
            .with_operands("buffer")
            .with_traits(&[Trait::Pure])
            .with_verify(verify_address)
            .with_fold(fold_address),
        OpDefinition::new("rt.buffer", "The buffer at an address.", Arity::exactly(1), Arity::exactly(1))
            .with_operands("address")
            .with_traits(&[Trait::Pure])
            .with_verify(verify_buffer),
        OpDefinition::new(
            "rt.load_address",
            "An address in an array of pointers of a C caller, which are as wide as the target's.",
            Arity::exactly(2),
            Arity::exactly(1),
        )
        .with_operands("pointers, index")
        .with_verify(verify_load_address),
        OpDefinition::new(
            "rt.bounds",
            "The number of elements of a buffer, which accesses are checked against, and the status word that a failed \
             check sets to the number of its message. The elements are those of the buffer's type until it is flat.",
            Arity::between(2, 3),
            Arity::exactly(0),
        )
        .with_attributes(const { &[AttributeDefinition::required("number", AttributeKind::Integer)] })
        .with_operands("buffer, status, count...")
        .with_verify(verify_bounds),
        OpDefinition::new(
            "rt.append",
            "A tensor with one more element along its first axis. The tensor must not be read elsewhere: it is extended in \
             place.",
            Arity::exactly(2),
            Arity::exactly(1),
        )
        .with_operands("tensor, element")
        .with_verify(verify_append),
        OpDefinition::new(
            "rt.call",
            "A routine of the runtime: its operands, then a destination for each result whose extents are known before.",
            Arity::at_least(0),
            Arity::at_least(1),
        )
        .with_traits(&[Trait::Pure])
        .with_attributes(
            const {
                &[
                    AttributeDefinition::required("routine", AttributeKind::String),
                    AttributeDefinition::required("kinds", AttributeKind::Integers),
                ]
            },
        )
        .with_verify(routines::verify_call),
        OpDefinition::new(
            "rt.parallel_for",
            "Calls a function on disjoint ranges that cover [0, count), on the runtime's threads.",
            Arity::exactly(3),
            Arity::exactly(0),
        )
        .with_attributes(const { &[AttributeDefinition::required("callee", AttributeKind::Symbol)] })
        .with_operands("environment, count, work")
        .with_verify_symbols(verify_parallel_for),
    ];
    operations.extend(words::operations());
    operations.extend(tile::operations());
    operations.push(winograd::operation());
    operations
}

/// The address of a buffer made from an address is that address.
fn fold_address(body: &Body, op: Op) -> Option<Vec<Folded>> {
    let mut buffer = body.operand(op, 0);
    loop {
        let made_by = body.defining_op(buffer)?;
        let source = body.op(made_by).operands().first().copied();
        buffer = match body.code(made_by) {
            Some(BUFFER) => return source.map(|address| vec![Folded::Value(address)]),
            Some(memref::CAST) => source?,
            Some(memref::VIEW) if ir::constant_integer(body, body.operand(made_by, 1)) == Some(0) => source?,
            _ => return None,
        };
    }
}

fn verify_address(body: &Body, op: Op) -> Check {
    let (from, to) = (operand_type(body, op, 0), result_type(body, op, 0));
    ensure(from.as_memref().is_some(), || format!("operand must be a memref, found {from}"))?;
    ensure(*to == Type::Index, || format!("result must be index, found {to}"))
}

fn verify_buffer(body: &Body, op: Op) -> Check {
    let (from, to) = (operand_type(body, op, 0), result_type(body, op, 0));
    ensure(*from == Type::Index, || format!("operand must be index, found {from}"))?;
    ensure(to.as_memref().is_some(), || format!("result must be a memref, found {to}"))
}

fn verify_load_address(body: &Body, op: Op) -> Check {
    let pointers = Type::memref([None], Type::I8);
    same_types("operands", &types_of(body, body.op(op).operands()), &[pointers, Type::Index])?;
    same_types("results", &types_of(body, body.op(op).results()), &[Type::Index])
}

fn verify_bounds(body: &Body, op: Op) -> Check {
    let (buffer, status) = (operand_type(body, op, 0), operand_type(body, op, 1));
    ensure(buffer.as_memref().is_some(), || format!("operand 0 must be a memref, found {buffer}"))?;
    let is_word = status.as_memref().is_some() && *status.element() == Type::I64;
    ensure(is_word, || format!("operand 1 must be a buffer of i64, found {status}"))?;
    let counts = types_of(body, &body.op(op).operands()[2..]);
    ensure(counts.iter().all(|count| *count == Type::Index), || "the number of elements must be index".to_string())
}

fn verify_append(body: &Body, op: Op) -> Check {
    let (all, one, result) = (operand_type(body, op, 0), operand_type(body, op, 1), result_type(body, op, 0));
    let (Some(outer), Some(inner), Some(extended)) = (all.rank(), one.rank(), result.rank()) else {
        return Err("operands and result must be ranked tensors".to_string());
    };
    ensure(outer == inner + 1 && extended == outer, || format!("{one} is not an element of {all}"))?;
    ensure(all.element() == one.element() && all.element() == result.element(), || {
        "operands and result must have the same element type".to_string()
    })?;
    ensure(body.uses(body.operand(op, 0)).len() == 1, || "the extended tensor is read elsewhere, too".to_string())
}

fn verify_parallel_for(symbols: &SymbolTable<'_>, body: &Body, op: Op) -> Check {
    let environment = Type::memref([None], Type::I64);
    let operands = types_of(body, body.op(op).operands());
    same_types("operands", &operands, &[environment.clone(), Type::Index, Type::Index])?;
    let callee = body.attribute(op, "callee").and_then(|attribute| attribute.as_symbol()).unwrap_or_default();
    let function =
        symbols.function(callee).ok_or_else(|| format!("names @{callee}, which is not a function of the module"))?;
    same_types("arguments of the callee", &function.r#type.inputs, &[environment, Type::Index, Type::Index])?;
    same_types("results of the callee", &function.r#type.results, &[])
}
