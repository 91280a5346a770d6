//! Normalizer: divides each row by its maximum, or its L1 or L2 norm. Rows of zeros are not changed.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::ml::Normalizer;
use dialects::onnx::views::{Norm, View};
use ir::{Attribute, Type};

use crate::operator::Operator;
use crate::shape::like_first;

pub(crate) const NORMALIZER: Operator = Operator {
    shapes: Some(like_first),
    compose: Some(|emit, op| {
        let normalizer = Normalizer::of(&emit.body, op);
        let x = emit.convert(normalizer.x, &Type::F32);
        let reduction = match normalizer.norm {
            Norm::Max => "ReduceMax",
            Norm::L1 => "ReduceL1",
            Norm::L2 => "ReduceL2",
        };
        let axes = emit.integers(&[-1]);
        let norm = emit.op(reduction, &[x, axes], [("keepdims", Attribute::i64(1))]);
        let (zero, one) = (emit.number_like(0.0, x), emit.number_like(1.0, x));
        let nothing = emit.plain("Equal", &[norm, zero]);
        let divisor = emit.plain("Where", &[nothing, one, norm]);
        Ok(vec![Some(emit.plain("Div", &[x, divisor]))])
    }),
    ..Operator::of(OnnxOp::MlNormalizer)
};
