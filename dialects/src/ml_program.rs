//! `ml_program`: global tensors, which one function writes and others read.

pub use crate::codes::ml_program::*;

use crate::{OpCodes, assembly};
use ir::registry::{AttributeDefinition, AttributeKind};
use ir::{Arity, Attribute, Body, Op, OpDefinition, SymbolTable, Trait, Type};

use crate::checks::{Check, ensure, operand_type, result_type};

/// The dialect's operations.
pub fn operations() -> Vec<OpDefinition> {
    let one = Arity::exactly(1);
    let none = Arity::exactly(0);
    vec![
        OpDefinition::new("ml_program.global", "A tensor of the module.", none, none)
            .with_traits(&[Trait::Symbol])
            .with_attributes(
                const {
                    &[
                        AttributeDefinition::required("sym_name", AttributeKind::String),
                        AttributeDefinition::required("type", AttributeKind::Type),
                        AttributeDefinition::optional("is_mutable", AttributeKind::Unit),
                        AttributeDefinition::optional("value", AttributeKind::Any),
                        AttributeDefinition::optional("sym_visibility", AttributeKind::String),
                    ]
                },
            )
            .with_assembly(assembly::ml_program::print_global, assembly::ml_program::parse_global),
        OpDefinition::new("ml_program.global_load", "The tensor a global holds.", none, one)
            .with_traits(&[Trait::ReadsMemory])
            .with_attributes(const { &[AttributeDefinition::required("global", AttributeKind::Symbol)] })
            .with_format("", "result", "$global attr-dict `:` type($result)")
            .with_verify_symbols(|symbols, body, op| verify_global(symbols, body, op, result_type(body, op, 0))),
        OpDefinition::new("ml_program.global_store", "Makes a global hold a tensor.", one, none)
            .with_attributes(const { &[AttributeDefinition::required("global", AttributeKind::Symbol)] })
            .with_format("value", "", "$global `=` $value attr-dict `:` type($value)")
            .with_verify_symbols(|symbols, body, op| verify_global(symbols, body, op, operand_type(body, op, 0))),
    ]
}

/// The global of a load or store.
pub fn named_global(body: &Body, op: Op) -> &str {
    body.attribute(op, "global").and_then(Attribute::as_symbol).unwrap_or_default()
}

fn verify_global(symbols: &SymbolTable<'_>, body: &Body, op: Op, found: &Type) -> Check {
    let name = named_global(body, op);
    let global = symbols.symbol(name).filter(|&global| symbols.module.body.is(global, GLOBAL));
    let global = global.ok_or_else(|| format!("names @{name}, which is not a global of the module"))?;
    let expected = symbols.module.body.attribute(global, "type").and_then(Attribute::as_type);
    ensure(expected == Some(found), || format!("must have the type of @{name}, found {found}"))
}
