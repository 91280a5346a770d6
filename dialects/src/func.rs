//! `func`: functions, calls and returns.

pub use crate::codes::func::*;

use crate::{OpCodes, assembly};
use ir::registry::{AttributeDefinition, AttributeKind};
use ir::{Arity, Body, Op, OpDefinition, SymbolTable, Trait, Type};

use crate::checks::{Check, ensure, same_types, types_of};

/// The function that a model becomes.
pub const MAIN: &str = "main_graph";

/// The dialect's operations.
pub fn operations() -> Vec<OpDefinition> {
    vec![
        OpDefinition::new(
            "func.func",
            "A function, or a declaration without blocks.",
            Arity::exactly(0),
            Arity::exactly(0),
        )
        .with_regions(Arity::exactly(1))
        .with_traits(&[Trait::IsolatedFromAbove, Trait::Symbol])
        .with_attributes(
            const {
                &[
                    AttributeDefinition::required("sym_name", AttributeKind::String),
                    AttributeDefinition::required("function_type", AttributeKind::Type),
                    AttributeDefinition::optional("sym_visibility", AttributeKind::String),
                    AttributeDefinition::optional("arg_attrs", AttributeKind::Array),
                    AttributeDefinition::optional("res_attrs", AttributeKind::Array),
                ]
            },
        )
        .with_assembly(assembly::func::print_function, assembly::func::parse_function)
        .with_verify(verify_function),
        OpDefinition::new("func.call", "Calls a function of the module.", Arity::at_least(0), Arity::at_least(0))
            .with_attributes(const { &[AttributeDefinition::required("callee", AttributeKind::Symbol)] })
            .with_assembly(assembly::func::print_call, assembly::func::parse_call)
            .with_verify_symbols(verify_call),
        OpDefinition::new("func.return", "Returns values to the caller.", Arity::at_least(0), Arity::exactly(0))
            .with_assembly(assembly::print_values, assembly::parse_values)
            .with_traits(&[Trait::Terminator]),
    ]
}

fn verify_function(body: &Body, op: Op) -> Check {
    let operation = body.op(op);
    let r#type = operation.attributes.get("function_type").and_then(|attribute| attribute.as_type());
    let function = r#type.and_then(Type::as_function).ok_or("attribute 'function_type' must be a function type")?;
    let inner = operation.isolated().ok_or("owns no body")?;
    let Some(entry) = inner.entry() else {
        let visibility = operation.attributes.str("sym_visibility");
        return ensure(visibility == Some("private"), || "is a declaration, so it must be private".to_string());
    };
    same_types("entry block arguments", &types_of(inner, inner.arguments(entry)), &function.inputs)?;
    for &block in inner.blocks(inner.root()) {
        if let Some(end) = inner.terminator(block)
            && inner.is(end, RETURN)
        {
            same_types("returned values", &types_of(inner, inner.op(end).operands()), &function.results)?;
        }
    }
    Ok(())
}

fn verify_call(symbols: &SymbolTable<'_>, body: &Body, op: Op) -> Check {
    let operation = body.op(op);
    let callee = operation.attributes.get("callee").and_then(|attribute| attribute.as_symbol()).unwrap_or_default();
    let function =
        symbols.function(callee).ok_or_else(|| format!("calls @{callee}, which is not a function of the module"))?;
    same_types("arguments", &types_of(body, operation.operands()), &function.r#type.inputs)?;
    same_types("results", &types_of(body, operation.results()), &function.r#type.results)
}
