//! SequenceInsert and SequenceErase: a copy of a sequence with one element more or less.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::Op;

use super::position;
use crate::operator::Operator;
use crate::structured::calls::Argument::{Handle, Tensor};
use crate::structured::{Lowering, Unsupported};

pub(crate) const SEQUENCE_INSERT: Operator = Operator { lower: Some(insert), ..Operator::of(OnnxOp::SequenceInsert) };

pub(crate) const SEQUENCE_ERASE: Operator = Operator { lower: Some(erase), ..Operator::of(OnnxOp::SequenceErase) };

fn insert(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::SequenceInsert::of(lowering.source, op);
    let [position, given] = position(lowering, node.position);
    lowering.call(op, "sequence_insert", &[Handle(node.input_sequence), Tensor(node.tensor), position, given])
}

fn erase(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::SequenceErase::of(lowering.source, op);
    let [position, given] = position(lowering, node.position);
    lowering.call(op, "sequence_erase", &[Handle(node.input_sequence), position, given])
}
