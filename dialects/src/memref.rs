//! `memref`: buffers.

pub use crate::codes::memref::*;
pub use crate::codes::operands::memref::*;

use crate::{OpCodes, assembly};
use ir::registry::{AttributeDefinition, AttributeKind};
use ir::{Arity, Body, Op, OpDefinition, SymbolTable, Trait, Type};

use crate::checks::{Check, all_index, ensure, operand_type, result_type, segments};
use crate::shape_ops::{
    fold_cast, fold_dim, verify_dim, verify_dynamic_sizes, verify_indices, verify_reassociation, verify_slice,
};

const REASSOCIATION: AttributeDefinition = AttributeDefinition::required("reassociation", AttributeKind::Array);
const ALLOCATION: &[AttributeDefinition] = &[
    AttributeDefinition::required("operandSegmentSizes", AttributeKind::Integers),
    AttributeDefinition::optional("alignment", AttributeKind::Integer),
];
const SLICE: &[AttributeDefinition] = &[
    AttributeDefinition::required("static_offsets", AttributeKind::Integers),
    AttributeDefinition::required("static_sizes", AttributeKind::Integers),
    AttributeDefinition::required("static_strides", AttributeKind::Integers),
    AttributeDefinition::required("operandSegmentSizes", AttributeKind::Integers),
];

/// The dialect's operations.
pub fn operations() -> Vec<OpDefinition> {
    let mut rows = accesses();
    rows.extend(views());
    rows.extend(symbols());
    rows
}

/// Allocation, loads and stores.
fn accesses() -> Vec<OpDefinition> {
    let nothing = Arity::exactly(0);
    vec![
        OpDefinition::new("memref.alloc", "Heap memory.", Arity::at_least(0), Arity::exactly(1))
            .with_attributes(ALLOCATION)
            .with_assembly(assembly::memref::print_allocation, assembly::memref::parse_allocation)
            .with_result_names(|body, op| vec![own_name(body, op).to_string()])
            .with_verify(verify_allocation),
        OpDefinition::new("memref.alloca", "Stack memory.", Arity::at_least(0), Arity::exactly(1))
            .with_attributes(ALLOCATION)
            .with_assembly(assembly::memref::print_allocation, assembly::memref::parse_allocation)
            .with_result_names(|body, op| vec![own_name(body, op).to_string()])
            .with_verify(verify_allocation),
        OpDefinition::new("memref.dealloc", "Gives heap memory back.", Arity::exactly(1), nothing)
            .with_format("memref", "", "$memref attr-dict `:` type($memref)")
            .with_verify(|body, op| buffer(body, op, 0).map(|_| ())),
        OpDefinition::new("memref.load", "Reads an element.", Arity::at_least(1), Arity::exactly(1))
            .with_traits(&[Trait::ReadsMemory])
            .with_format(
                "memref, indices...: index",
                "result: element(memref)",
                "$memref `[` $indices `]` attr-dict `:` type($memref)",
            )
            .with_verify(verify_load),
        OpDefinition::new("memref.store", "Writes an element.", Arity::at_least(2), nothing)
            .with_format(
                "value: element(memref), memref, indices...: index",
                "",
                "$value `,` $memref `[` $indices `]` attr-dict `:` type($memref)",
            )
            .with_verify(verify_store),
        OpDefinition::new(
            "memref.copy",
            "Copies all elements to a buffer that does not overlap.",
            Arity::exactly(2),
            nothing,
        )
        .with_format("source, target", "", "$source `,` $target attr-dict `:` type($source) `to` type($target)")
        .with_verify(verify_copy),
    ]
}

/// Views of the same memory.
fn views() -> Vec<OpDefinition> {
    let row = |name, summary, operands| {
        OpDefinition::new(name, summary, operands, Arity::exactly(1)).with_traits(&[Trait::Pure])
    };
    vec![
        row("memref.dim", "The extent of a dimension.", Arity::exactly(2))
            .with_format("source, index: index", "result: index", "$source `,` $index attr-dict `:` type($source)")
            .with_result_names(|_, _| vec!["dim".to_string()])
            .with_verify(verify_dim)
            .with_fold(fold_dim),
        row("memref.view", "Part of a byte buffer as another buffer.", Arity::at_least(2))
            .with_format(
                "source, shift: index, sizes...: index",
                "result",
                "$source `[` $shift `]` `` `[` $sizes `]` attr-dict `:` type($source) `to` type($result)",
            )
            .with_result_names(|_, _| vec!["view".to_string()])
            .with_verify(verify_view),
        row("memref.subview", "A strided part.", Arity::at_least(1))
            .with_attributes(SLICE)
            .with_operands("source, offsets_sizes_strides...")
            .with_assembly(assembly::memref::print_slice, assembly::memref::parse_slice)
            .with_result_names(|_, _| vec!["subview".to_string()])
            .with_verify(|body, op| verify_slice(body, op, 1, rank(body, op, 0)?)),
        row("memref.cast", "The same buffer, with more or less known of it.", Arity::exactly(1))
            .with_format("source", "dest", "$source attr-dict `:` type($source) `to` type($dest)")
            .with_result_names(|_, _| vec!["cast".to_string()])
            .with_verify(verify_cast)
            .with_fold(fold_cast),
        row("memref.reinterpret_cast", "The same memory with other offset, sizes and strides.", Arity::at_least(1))
            .with_attributes(SLICE)
            .with_verify(verify_reinterpret_cast),
        row("memref.expand_shape", "Dimensions split into several.", Arity::at_least(1))
            .with_attributes(const { &[
                REASSOCIATION,
                AttributeDefinition::required("static_output_shape", AttributeKind::Integers),
            ] })
            .with_verify(|body, op| {
                verify_reassociation(body, op, operand_type(body, op, 0), result_type(body, op, 0))
            }),
        row("memref.collapse_shape", "Dimensions joined into one.", Arity::exactly(1))
            .with_attributes(const { &[REASSOCIATION] })
            .with_verify(|body, op| {
                verify_reassociation(body, op, result_type(body, op, 0), operand_type(body, op, 0))
            }),
        row("memref.extract_aligned_pointer_as_index", "The address as a number.", Arity::exactly(1))
            .with_format("source", "result: index", "$source attr-dict `:` type($source) `->` type($result)")
            .with_result_names(|_, _| vec!["intptr".to_string()])
            .with_verify(|body, op| buffer(body, op, 0).map(|_| ())),
    ]
}

/// Constants and variables of the module.
fn symbols() -> Vec<OpDefinition> {
    vec![
        OpDefinition::new("memref.global", "A buffer of the module.", Arity::exactly(0), Arity::exactly(0))
            .with_traits(&[Trait::Symbol])
            .with_attributes(
                const {
                    &[
                        AttributeDefinition::required("sym_name", AttributeKind::String),
                        AttributeDefinition::required("type", AttributeKind::Type),
                        AttributeDefinition::optional("initial_value", AttributeKind::Any),
                        AttributeDefinition::optional("constant", AttributeKind::Unit),
                        AttributeDefinition::optional("alignment", AttributeKind::Integer),
                        AttributeDefinition::optional("sym_visibility", AttributeKind::String),
                    ]
                },
            )
            .with_assembly(assembly::memref::print_global, assembly::memref::parse_global)
            .with_verify(verify_global),
        OpDefinition::new("memref.get_global", "The buffer of a global.", Arity::exactly(0), Arity::exactly(1))
            .with_traits(&[Trait::Pure])
            .with_attributes(const { &[AttributeDefinition::required("name", AttributeKind::Symbol)] })
            .with_format("", "result", "$name attr-dict `:` type($result)")
            .with_verify_symbols(verify_get_global),
    ]
}

/// `alloc` of `memref.alloc`
fn own_name(body: &Body, op: Op) -> &str {
    body.name(op).rsplit('.').next().unwrap_or_default()
}

/// The type of operand `index`, which must be a memref.
fn buffer(body: &Body, op: Op, index: usize) -> Result<&Type, String> {
    let r#type = operand_type(body, op, index);
    ensure(r#type.as_memref().is_some(), || format!("operand #{index} must be a memref, found {type}"))?;
    Ok(r#type)
}

fn rank(body: &Body, op: Op, operand: usize) -> Result<usize, String> {
    buffer(body, op, operand).map(|r#type| r#type.rank().unwrap_or(0))
}

fn verify_allocation(body: &Body, op: Op) -> Check {
    let sizes = segments(body, op, 2)?;
    let r#type = result_type(body, op, 0);
    ensure(r#type.as_memref().is_some(), || format!("result must be a memref, found {type}"))?;
    verify_dynamic_sizes(body, op, 0, sizes[0], r#type)
}

fn verify_load(body: &Body, op: Op) -> Check {
    let (source, result) = (buffer(body, op, 0)?, result_type(body, op, 0));
    verify_indices(body, op, 1, body.op(op).operands().len() - 1, source)?;
    ensure(source.element() == result, || format!("result must be {}, found {result}", source.element()))
}

fn verify_store(body: &Body, op: Op) -> Check {
    let (value, target) = (operand_type(body, op, 0), buffer(body, op, 1)?);
    verify_indices(body, op, 2, body.op(op).operands().len() - 2, target)?;
    ensure(target.element() == value, || format!("operand #0 must be {}, found {value}", target.element()))
}

fn verify_copy(body: &Body, op: Op) -> Check {
    let (from, to) = (buffer(body, op, 0)?, buffer(body, op, 1)?);
    ensure(from.element() == to.element() && from.rank() == to.rank(), || format!("cannot copy {from} to {to}"))
}

fn verify_view(body: &Body, op: Op) -> Check {
    let (bytes, result) = (buffer(body, op, 0)?, result_type(body, op, 0));
    ensure(bytes.rank() == Some(1) && *bytes.element() == Type::I8, || {
        format!("operand #0 must be a one-dimensional memref of i8, found {bytes}")
    })?;
    verify_dynamic_sizes(body, op, 1, body.op(op).operands().len() - 2, result)
}

fn verify_cast(body: &Body, op: Op) -> Check {
    let (from, to) = (buffer(body, op, 0)?, result_type(body, op, 0));
    let (old, new) = (from.shape().unwrap_or_default(), to.shape().unwrap_or_default());
    let same_shape = old.len() == new.len() && old.iter().zip(&new).all(|(a, b)| a.is_none() || b.is_none() || a == b);
    ensure(same_shape && from.element() == to.element(), || format!("cannot cast {from} to {to}"))
}

fn verify_reinterpret_cast(body: &Body, op: Op) -> Check {
    buffer(body, op, 0)?;
    segments(body, op, 4)?;
    all_index(body, op, 1)?;
    let rank = result_type(body, op, 0).rank().unwrap_or(0);
    for (name, expected) in [("static_offsets", 1), ("static_sizes", rank), ("static_strides", rank)] {
        let found = body.op(op).attributes.integers(name).map_or(0, |entries| entries.len());
        ensure(found == expected, || format!("attribute '{name}' must have {expected} entries, found {found}"))?;
    }
    Ok(())
}

fn verify_global(body: &Body, op: Op) -> Check {
    let r#type = body.attribute(op, "type").and_then(|attribute| attribute.as_type()).cloned();
    let shape = r#type.as_ref().filter(|r#type| r#type.as_memref().is_some()).and_then(Type::static_shape);
    let shape = shape.ok_or("attribute 'type' must be a memref of static shape")?;
    let value = body.attribute(op, "initial_value").and_then(|attribute| attribute.as_dense());
    let (Some(value), Some(r#type)) = (value, r#type) else { return Ok(()) };
    let holds = value.r#type.static_shape() == Some(shape) && value.r#type.element() == r#type.element();
    ensure(holds, || format!("initial value of type {} for {type}", value.r#type))
}

fn verify_get_global(symbols: &SymbolTable<'_>, body: &Body, op: Op) -> Check {
    let name = body.attribute(op, "name").and_then(|attribute| attribute.as_symbol()).unwrap_or_default();
    let global = symbols.symbol(name).filter(|&global| symbols.module.body.is(global, GLOBAL));
    let global = global.ok_or_else(|| format!("names @{name}, which is not a memref.global of the module"))?;
    let (expected, found) =
        (symbols.module.body.attribute(global, "type").and_then(|t| t.as_type()), result_type(body, op, 0));
    ensure(expected == Some(found), || format!("result must have the type of @{name}, found {found}"))
}
