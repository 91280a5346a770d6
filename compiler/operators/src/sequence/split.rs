//! SplitToSequence: splits a tensor into a sequence.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Op, Type};

use super::sequence_of;
use crate::operator::{Operator, Rank};
use crate::structured::calls::Argument::{Index, Lowered, Tensor};
use crate::structured::reduction::normalize_axis;
use crate::structured::{Lowering, Unsupported};
use crate::types::{element_number, without_shape};

pub(crate) const SPLIT_TO_SEQUENCE: Operator = Operator {
    ranks: &[(0, Rank::AtLeast(1)), (1, Rank::AtMost(1))],
    types: Some(|node, _| {
        let split = views::SplitToSequence::read(node);
        Some(sequence_of(without_shape(node.body.value_type(split.input))))
    }),
    lower: Some(split),
    ..Operator::of(OnnxOp::SplitToSequence)
};

fn split(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::SplitToSequence::of(lowering.source, op);
    let axis = normalize_axis(node.axis, lowering.shape(node.input).len())?;
    let axis = lowering.index(axis as i64);
    let (lengths, keeps_axis) = match node.split {
        Some(lengths) => (Tensor(lengths), 1),
        None => {
            let one = lowering.filled(&[], Type::I64, 1.0);
            (Lowered(one, element_number(&Type::I64).expect("int64 is an element type")), node.keepdims)
        }
    };
    let keeps_axis = lowering.index(keeps_axis);
    lowering.call(op, "sequence_split", &[Tensor(node.input), lengths, Index(axis), Index(keeps_axis)])
}
