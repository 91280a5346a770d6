//! `rt`: what the runtime offers generated code.

use ir::registry::{AttributeDefinition, AttributeKind};
use ir::{Arity, Block, Body, Op, OpDefinition, SymbolTable, Trait, Type, Value};

use crate::checks::{
    Check, all_index, ensure, only_block, operand_type, result_type, same_types, terminator_types, types_of,
};

/// Words of the descriptor of a contraction.
const CONTRACT_WORDS: u16 = 22;
/// Words of the descriptor of a depthwise sum.
const DEPTHWISE_WORDS: u16 = 9;

/// A running sum, or the like, along the middle dimension of a tensor.
pub const SCAN: &str = "rt.scan";
/// On a scan: results leave out the element they stand at.
pub const EXCLUSIVE: &str = "exclusive";
/// On a scan: from the last element to the first.
pub const REVERSE: &str = "reverse";

/// An `rt.scan`, decoded.
#[derive(Clone, Copy, Debug)]
pub struct Scan {
    /// The tensor.
    pub input: Value,
    /// What comes before the first element.
    pub start: Value,
    /// Takes an element and what was made of those before it.
    pub block: Block,
    /// Whether results leave out the element they stand at.
    pub exclusive: bool,
    /// Whether it goes from the last element to the first.
    pub reverse: bool,
}

impl Scan {
    /// Decodes an operation that is one.
    pub fn of(body: &Body, op: Op) -> Scan {
        let operation = body.op(op);
        let has = |name: &str| operation.attributes.get(name).is_some();
        Scan {
            input: operation.operands()[0],
            start: operation.operands()[1],
            block: body.blocks(operation.regions()[0])[0],
            exclusive: has(EXCLUSIVE),
            reverse: has(REVERSE),
        }
    }
}

/// The dialect's operations.
pub fn operations() -> Vec<OpDefinition> {
    vec![
        OpDefinition::new("rt.address", "The address of a buffer as a number.", Arity::exactly(1), Arity::exactly(1))
            .with_traits(&[Trait::Pure])
            .with_verify(verify_address),
        OpDefinition::new("rt.buffer", "The buffer at an address.", Arity::exactly(1), Arity::exactly(1))
            .with_traits(&[Trait::Pure])
            .with_verify(verify_buffer),
        OpDefinition::new(
            "rt.contract",
            "One tile of a contraction: addresses of A, B, the start values and C; rows; columns; a descriptor's words.",
            Arity::exactly(6 + CONTRACT_WORDS),
            Arity::exactly(0),
        )
        .with_verify(|body, op| all_index(body, op, 0)),
        OpDefinition::new(
            "rt.depthwise",
            "A row of a depthwise sum: addresses of x, w, the start values and y; pixels; channels; a descriptor's words.",
            Arity::exactly(6 + DEPTHWISE_WORDS),
            Arity::exactly(0),
        )
        .with_verify(|body, op| all_index(body, op, 0)),
        OpDefinition::new(
            "rt.parallel_for",
            "Calls a function on disjoint ranges that cover [0, count), on the runtime's threads.",
            Arity::exactly(3),
            Arity::exactly(0),
        )
        .with_attributes(const { &[AttributeDefinition::required("callee", AttributeKind::Symbol)] })
        .with_verify_symbols(verify_parallel_for),
        OpDefinition::new(
            SCAN,
            "For each element of [front, length, columns] what its body makes of it and of what it made of those before.",
            Arity::exactly(2),
            Arity::exactly(1),
        )
        .with_regions(Arity::exactly(1))
        .with_traits(&[Trait::RecursiveEffects, Trait::SingleBlock])
        .with_attributes(
            const {
                &[
                    AttributeDefinition::optional(EXCLUSIVE, AttributeKind::Unit),
                    AttributeDefinition::optional(REVERSE, AttributeKind::Unit),
                ]
            },
        )
        .with_verify(verify_scan),
        OpDefinition::new("rt.yield", "What a body made.", Arity::at_least(0), Arity::exactly(0))
            .with_traits(&[Trait::Terminator]),
    ]
}

fn verify_scan(body: &Body, op: Op) -> Check {
    let (tensor, start) = (operand_type(body, op, 0), operand_type(body, op, 1));
    ensure(tensor.as_tensor().is_some() && tensor.rank() == Some(3), || {
        format!("operand #0 must be a tensor of rank 3, found {tensor}")
    })?;
    let element = tensor.element().clone();
    same_types("start values", std::slice::from_ref(start), std::slice::from_ref(&element))?;
    same_types("results", std::slice::from_ref(result_type(body, op, 0)), std::slice::from_ref(tensor))?;
    let block = only_block(body, op, 0)?;
    same_types("region arguments", &types_of(body, body.arguments(block)), &[element.clone(), element.clone()])?;
    same_types("yielded values", &terminator_types(body, block, "rt.yield")?, &[element])
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
