//! SequenceAt, SequenceLength, ConcatFromSequence: reading tensors from sequences.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Op, Type};

use super::{element_rank, position};
use crate::operator::Operator;
use crate::shape::{Answer, Node};
use crate::structured::calls::Argument::{Handle, Index};
use crate::structured::reduction::normalize_axis;
use crate::structured::{Lowering, Unsupported};
use crate::types::{contained, without_shape};
use dialects::onnx::views::Reader;

pub(crate) const SEQUENCE_AT: Operator = Operator {
    types: Some(|node, _| element_type(node, views::SequenceAt::read(node).input_sequence)),
    shapes: Some(|node| {
        let rank = element_rank(node, node.view::<views::SequenceAt>().input_sequence);
        measured(node, rank)
    }),
    lower: Some(at),
    ..Operator::of(OnnxOp::SequenceAt)
};

pub(crate) const SEQUENCE_LENGTH: Operator =
    Operator { shapes: Some(|_| Ok(vec![Some(vec![])])), lower: Some(length), ..Operator::of(OnnxOp::SequenceLength) };

pub(crate) const CONCAT_FROM_SEQUENCE: Operator = Operator {
    types: Some(|node, _| element_type(node, views::ConcatFromSequence::read(node).input_sequence)),
    shapes: Some(|node| {
        let concat: views::ConcatFromSequence = node.view();
        let rank = element_rank(node, concat.input_sequence).map(|rank| rank + usize::from(concat.new_axis != 0));
        measured(node, rank)
    }),
    lower: Some(concat),
    ..Operator::of(OnnxOp::ConcatFromSequence)
};

fn element_type(node: &Reader<'_>, sequence: ir::Value) -> Option<Type> {
    contained(node.body.value_type(sequence), "Seq").map(without_shape)
}

/// A tensor with extents that are only known from the tensor itself.
fn measured(node: &mut Node<'_, '_>, rank: Option<usize>) -> Answer {
    let rank = rank.or_else(|| node.any_demanded_rank(0));
    Ok(vec![rank.map(|rank| (0..rank).map(|axis| node.fresh(0, axis)).collect())])
}

fn at(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::SequenceAt::of(lowering.source, op);
    let [position, _] = position(lowering, Some(node.position));
    lowering.call(op, "sequence_at", &[Handle(node.input_sequence), position])
}

fn length(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::SequenceLength::of(lowering.source, op);
    lowering.call(op, "sequence_length", &[Handle(node.input_sequence)])
}

fn concat(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::ConcatFromSequence::of(lowering.source, op);
    let rank = lowering.shape(lowering.source.op(op).results()[0]).len();
    let axis = normalize_axis(node.axis, rank)?;
    let (axis, is_new) = (lowering.index(axis as i64), lowering.index(node.new_axis));
    lowering.call(op, "sequence_concat", &[Handle(node.input_sequence), Index(axis), Index(is_new)])
}
