//! SequenceEmpty and SequenceConstruct.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use dialects::rt::routines::handle_type;
use ir::{Op, Type};

use super::{append, sequence_of};
use crate::operator::Operator;
use crate::structured::{Lowering, Unsupported};
use crate::types::{tensor_of, without_shape};

pub(crate) const SEQUENCE_EMPTY: Operator = Operator {
    types: Some(|node, _| {
        let stated = views::SequenceEmpty::read(node).dtype.and_then(tensor_of);
        Some(sequence_of(stated.unwrap_or_else(|| Type::unranked_tensor(Type::F32))))
    }),
    lower: Some(|lowering, op| lowering.call(op, "sequence_empty", &[])),
    ..Operator::of(OnnxOp::SequenceEmpty)
};

pub(crate) const SEQUENCE_CONSTRUCT: Operator = Operator {
    types: Some(|node, _| {
        let first = *views::SequenceConstruct::read(node).inputs.first()?;
        Some(sequence_of(without_shape(node.body.value_type(first))))
    }),
    lower: Some(construct),
    ..Operator::of(OnnxOp::SequenceConstruct)
};

fn construct(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::SequenceConstruct::of(lowering.source, op);
    let mut sequence = lowering.call_lowered("sequence_empty", &[], &[], &[handle_type()])[0];
    for tensor in node.inputs {
        let (kind, tensor) = (lowering.kind(tensor)?, lowering.value(tensor));
        sequence = append(lowering, sequence, tensor, kind);
    }
    lowering.bind(lowering.source.op(op).results()[0], sequence);
    Ok(())
}
