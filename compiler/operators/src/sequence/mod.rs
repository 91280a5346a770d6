//! Sequences: handles of values that the run keeps. Their elements are accessed by routines.

mod change;
mod construct;
mod map;
mod read;
mod split;

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Body, DimExpr, IndexSet, Op, Type, Value, ValueDefinition};

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

/// The type of a sequence with such elements.
fn sequence_of(element: Type) -> Type {
    Type::dialect("onnx", "Seq", vec![element])
}

/// The rank of a sequence's elements, as far as it follows from its type or its construction.
fn element_rank(node: &Node<'_, '_>, sequence: Value) -> Option<usize> {
    match Made::of(node, sequence, &mut IndexSet::default()) {
        Made::OfRank(rank) => Some(rank),
        Made::Empty | Made::Unknown => None,
    }
}

/// The elements that a sequence is constructed from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    /// None, or they are found elsewhere.
    Empty,
    /// Elements of one rank.
    OfRank(usize),
    /// Unknown.
    Unknown,
}

impl Made {
    fn with(self, other: Made) -> Made {
        match (self, other) {
            (Made::Empty, known) | (known, Made::Empty) => known,
            _ if self == other => self,
            _ => Made::Unknown,
        }
    }

    fn of_all(parts: impl IntoIterator<Item = Made>) -> Made {
        parts.into_iter().fold(Made::Empty, Made::with)
    }

    /// `seen` are the enclosing loops' values that are already being analysed.
    fn of(node: &Node<'_, '_>, sequence: Value, seen: &mut IndexSet<Value>) -> Made {
        let body = node.analyser.body;
        if let Some(stated) = contained(body.value_type(sequence), "Seq").and_then(Type::rank) {
            return Made::OfRank(stated);
        }
        if !seen.insert(sequence) {
            return Made::Empty;
        }
        match body.definition(sequence) {
            ValueDefinition::Result { op, index } => Made::by(node, op, index as usize, seen),
            ValueDefinition::Argument { block, index } => {
                let around = body.block_region(block).and_then(|region| body.region_parent(region));
                let around = around.filter(|&op| OnnxOp::of(body, op) == Some(OnnxOp::Loop));
                let carried = around.zip((index as usize).checked_sub(2));
                carried.map_or(Made::Unknown, |(op, index)| Made::around(node, op, index, seen))
            }
        }
    }

    /// For a result of an operation.
    fn by(node: &Node<'_, '_>, op: Op, index: usize, seen: &mut IndexSet<Value>) -> Made {
        let body = node.analyser.body;
        let rank = |value: Value| {
            let rank = node.analyser.known.shape(value).map(<[DimExpr]>::len);
            rank.map_or(Made::Unknown, Made::OfRank)
        };
        match OnnxOp::from_name(body.name(op)) {
            Some(OnnxOp::SequenceEmpty) => Made::Empty,
            Some(OnnxOp::SequenceErase) => Made::of(node, views::SequenceErase::of(body, op).input_sequence, seen),
            Some(OnnxOp::SequenceInsert) => rank(views::SequenceInsert::of(body, op).tensor),
            Some(OnnxOp::SequenceConstruct) => {
                Made::of_all(views::SequenceConstruct::of(body, op).inputs.into_iter().map(rank))
            }
            Some(OnnxOp::SplitToSequence) => {
                let split = views::SplitToSequence::of(body, op);
                let keeps_axis = split.split.is_some() || split.keepdims != 0;
                match rank(split.input) {
                    Made::OfRank(rank) if !keeps_axis => rank.checked_sub(1).map_or(Made::Unknown, Made::OfRank),
                    made => made,
                }
            }
            Some(OnnxOp::Loop) => Made::around(node, op, index, seen),
            Some(OnnxOp::If) => Made::of_all(yielded(body, op, index).map(|value| Made::of(node, value, seen))),
            _ => Made::Unknown,
        }
    }

    /// For a value that a loop carries: its initial value, and what its body yields for it.
    fn around(node: &Node<'_, '_>, op: Op, index: usize, seen: &mut IndexSet<Value>) -> Made {
        let body = node.analyser.body;
        let initial = views::Loop::of(body, op).v_initial.get(index).copied();
        Made::of_all(initial.into_iter().chain(yielded(body, op, index + 1)).map(|value| Made::of(node, value, seen)))
    }
}

/// The values that the bodies of an operation yield at index `index`.
fn yielded(body: &Body, op: Op, index: usize) -> impl Iterator<Item = Value> + '_ {
    let blocks = body.op(op).regions().iter().filter_map(|&region| body.blocks(region).first().copied());
    let ends = blocks.filter_map(|block| body.terminator(block));
    ends.filter_map(move |end| body.op(end).operands().get(index).copied())
}

/// A sequence with one more element at its end.
fn append(lowering: &mut Lowering<'_>, sequence: Value, tensor: Value, kind: i64) -> Value {
    let zero = lowering.index(0);
    lowering.call_lowered("sequence_insert", &[sequence, tensor, zero, zero], &[kind], &[handle_type()])[0]
}

/// A position, and whether it is present.
fn position(lowering: &mut Lowering<'_>, position: Option<Value>) -> [Argument; 2] {
    let value = match position {
        Some(position) => lowering.scalar_index(position),
        None => lowering.index(0),
    };
    [Index(value), Index(lowering.index(position.is_some() as i64))]
}
