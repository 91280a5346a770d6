//! Sequences: numbers of values that the run keeps. What looks into them is a routine.

mod change;
mod construct;
mod map;
mod read;
mod split;

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{DimExpr, Type, Value};

use crate::operator::Operator;
use crate::shape::Node;
use crate::structured::Lowering;
use crate::structured::calls::Argument::{self, Index};
use crate::types::contained;
use dialects::rt::routines::handle_type;

pub(crate) const OPERATORS: &[&Operator] = &[
    &change::SEQUENCE_ERASE,
    &change::SEQUENCE_INSERT,
    &construct::SEQUENCE_CONSTRUCT,
    &construct::SEQUENCE_EMPTY,
    &map::SEQUENCE_MAP,
    &read::CONCAT_FROM_SEQUENCE,
    &read::SEQUENCE_AT,
    &read::SEQUENCE_LENGTH,
    &split::SPLIT_TO_SEQUENCE,
];

/// The type of a sequence of such elements.
fn sequence_of(element: Type) -> Type {
    Type::dialect("onnx", "Seq", vec![element])
}

/// The rank of a sequence's elements, as far as its type or what it was made of tells.
fn element_rank(node: &Node<'_, '_>, mut sequence: Value) -> Option<usize> {
    let body = node.analyser.body;
    let rank = |value: Value| node.analyser.known.shape(value).map(<[DimExpr]>::len);
    loop {
        let stated = contained(body.value_type(sequence), "Seq").and_then(Type::rank);
        if stated.is_some() {
            return stated;
        }
        let op = body.defining_op(sequence)?;
        match OnnxOp::from_name(body.name(op))? {
            OnnxOp::SequenceErase => sequence = views::SequenceErase::of(body, op).input_sequence,
            OnnxOp::SequenceInsert => return rank(views::SequenceInsert::of(body, op).tensor),
            OnnxOp::SequenceConstruct => {
                let elements = views::SequenceConstruct::of(body, op).inputs;
                let first = rank(*elements.first()?)?;
                return elements.iter().all(|&element| rank(element) == Some(first)).then_some(first);
            }
            OnnxOp::SplitToSequence => {
                let split = views::SplitToSequence::of(body, op);
                let keeps_axis = split.split.is_some() || split.keepdims != 0;
                return Some(rank(split.input)? - usize::from(!keeps_axis));
            }
            _ => return None,
        }
    }
}

/// A sequence with one more element at its end.
fn append(lowering: &mut Lowering<'_>, sequence: Value, tensor: Value, kind: i64) -> Value {
    let zero = lowering.index(0);
    lowering.call_lowered("sequence_insert", &[sequence, tensor, zero, zero], &[kind], &[handle_type()])[0]
}

/// A position, and whether it is given.
fn position(lowering: &mut Lowering<'_>, position: Option<Value>) -> [Argument; 2] {
    let value = match position {
        Some(position) => lowering.scalar_index(position),
        None => lowering.index(0),
    };
    [Index(value), Index(lowering.index(position.is_some() as i64))]
}
