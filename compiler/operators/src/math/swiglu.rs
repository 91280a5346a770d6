//! SwiGLU: `swish(a) · b`. Since 28.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Attribute, Type};

use crate::operator::Operator;
use crate::shape;

pub(crate) const SWI_GLU: Operator = Operator {
    shapes: Some(shape::like_first),
    compose: Some(|emit, op| {
        let gated = views::SwiGLU::of(&emit.body, op);
        let alpha = [("alpha", Attribute::float(gated.alpha, Type::F32))];
        let gate = emit.op("Swish", &[gated.a], alpha);
        Ok(vec![Some(emit.plain("Mul", &[gate, gated.b]))])
    }),
    ..Operator::of(OnnxOp::SwiGLU)
};
