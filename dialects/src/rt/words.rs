//! `rt.pack` and `rt.unpack`: values in a table of words that generated code, the runtime and the host exchange.
//!
//! Invariants
//! - A value takes the low bytes of one word, an `i128` two words. A buffer is its address, an `i1` a byte.
//! - A value is read with the type that it was written with.

use ir::registry::{AttributeDefinition, AttributeKind};
use ir::{Arity, Attribute, Attributes, Body, Builder, Op, OpDefinition, Trait, Type, Value};

use super::Pack;
use crate::checks::{Check, ensure, operand_type, types_of};

/// The index of each value's word.
const WORDS: &str = "words";

/// Bytes of a word.
pub const WORD_BYTES: i64 = 8;

pub(super) fn operations() -> [OpDefinition; 2] {
    let words = const { &[AttributeDefinition::required(WORDS, AttributeKind::Integers)] };
    [
        OpDefinition::new("rt.pack", "Writes values to words of a table.", Arity::at_least(1), Arity::exactly(0))
            .with_attributes(words)
            .with_operands("table, values...")
            .with_verify(|body, op| verify(body, op, &types_of(body, &body.op(op).operands()[1..]))),
        OpDefinition::new("rt.unpack", "Reads values from words of a table.", Arity::exactly(1), Arity::at_least(0))
            .with_traits(&[Trait::ReadsMemory])
            .with_attributes(words)
            .with_verify(|body, op| verify(body, op, &types_of(body, body.op(op).results()))),
    ]
}

/// The words of an operation's values, in order.
pub fn words(body: &Body, op: Op) -> impl ExactSizeIterator<Item = i64> + use<> {
    let words = body.op(op).attributes.integers(WORDS).unwrap_or_default();
    (0..words.len()).map(move |at| words[at])
}

/// Writes values to words of a table.
pub fn pack(builder: &mut Builder<'_>, table: Value, values: &[(i64, Value)]) {
    let words: Vec<i64> = values.iter().map(|&(word, _)| word).collect();
    let values: Vec<Value> = values.iter().map(|&(_, value)| value).collect();
    builder.create_from(Pack { table, values: &values }, &[], attributes(&words));
}

/// The attributes of an [`UNPACK`](super::UNPACK).
pub fn attributes(words: &[i64]) -> Attributes {
    Attributes::from([(WORDS, Attribute::i64_dense_array(words))])
}

fn verify(body: &Body, op: Op, values: &[Type]) -> Check {
    let (table, words) = (operand_type(body, op, 0), words(body, op));
    let is_table = table.as_memref().is_some() && *table.element() == Type::I64;
    ensure(is_table, || format!("operand 0 must be a buffer of i64, found {table}"))?;
    ensure(words.len() == values.len(), || format!("{} values have {} words", values.len(), words.len()))?;
    ensure(words.into_iter().all(|word| word >= 0), || "words are numbered from 0".to_string())?;
    let fits = |r#type: &Type| match r#type {
        Type::Index | Type::MemRef(_) => true,
        Type::Integer(integer) => integer.width <= 128,
        Type::Float(float) => float.width() <= 64,
        _ => false,
    };
    match values.iter().find(|r#type| !fits(r#type)) {
        Some(r#type) => Err(format!("{} takes more than two words", r#type)),
        None => Ok(()),
    }
}
