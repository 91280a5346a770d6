//! ReverseSequence: reverses the first elements of each batch. Since 10.

use dialects::linalg::generic::Input;
use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use dialects::tensor;
use ir::{AffineMap, Op, Type, Value};

use crate::operator::{Kind, Operator, Rank};
use crate::shape::like_first;
use crate::structured::channel_blocks::loop_index;
use crate::structured::gather::as_index;
use crate::structured::reduction::normalize_axis;
use crate::structured::scalars::{Comparison, Scalars};
use crate::structured::{Lowering, Unsupported};

pub(crate) const REVERSE_SEQUENCE: Operator = Operator {
    kind: Kind::Movement,
    ranks: &[(0, Rank::AtLeast(2)), (1, Rank::Exactly(1))],
    shapes: Some(like_first),
    lower: Some(lower),
    ..Operator::of(OnnxOp::ReverseSequence)
};

/// Reverses the first elements of each batch.
fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let reverse = views::ReverseSequence::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    let input = lowering.shaped(reverse.input);
    let lengths = lowering.value(reverse.sequence_lens);
    let rank = input.shape.len();
    let batch = normalize_axis(reverse.batch_axis, rank)?;
    let time = normalize_axis(reverse.time_axis, rank)?;
    let own = lowering.shape(reverse.sequence_lens);
    lowering.check_equal(&own[0], &input.shape[batch], "ReverseSequence needs one length for each batch");
    let element = lowering.element(reverse.input);
    let extent = lowering.dim(&input.shape[time]);
    let inputs = [Input { value: lengths, map: AffineMap::select(rank, &[batch]) }];
    let value = lowering.pointwise(&inputs, &input.shape, element.clone(), |builder, e| {
        let mut at: Vec<Value> = (0..rank).map(|axis| loop_index(builder, axis)).collect();
        let mut s = Scalars { builder, unsigned: false };
        let (zero, one) = (s.number(0.0, &Type::Index), s.number(1.0, &Type::Index));
        let length = as_index(&mut s, e[0]);
        let length = s.min(length, extent);
        let reversed = s.compare(Comparison::Less, at[time], length);
        let last = s.sub(length, one);
        let mirrored = s.sub(last, at[time]);
        let mirrored = s.max(mirrored, zero);
        at[time] = s.select(reversed, mirrored, at[time]);
        s.builder.value_from(tensor::Extract { tensor: input.value, indices: &at }, element, [])
    });
    lowering.bind(result, value);
    Ok(())
}
