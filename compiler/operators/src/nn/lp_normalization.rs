//! LpNormalization: `x / norm(x)` along an axis.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Attribute, Op, Value};

use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::shape;
use crate::upgrade::sum_in_f32;

pub(crate) const LP_NORMALIZATION: Operator = Operator {
    normalize: Some(sum_in_f32),
    shapes: Some(shape::like_first),
    compose: Some(compose),
    ..Operator::of(OnnxOp::LpNormalization)
};

/// `x / norm(x)`, zero if the norm is.
fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let norm = views::LpNormalization::of(&emit.body, op);
    let x = norm.input;
    let axes = emit.integers(&[norm.axis]);
    let norm = if norm.p == 1 { "ReduceL1" } else { "ReduceL2" };
    let norm = emit.op(norm, &[x, axes], [("keepdims", Attribute::i64(1))]);
    let zero = emit.number_like(0.0, x);
    let none = emit.plain("Equal", &[norm, zero]);
    let quotient = emit.plain("Div", &[x, norm]);
    let result = emit.plain("Where", &[none, zero, quotient]);
    Ok(vec![Some(result)])
}
