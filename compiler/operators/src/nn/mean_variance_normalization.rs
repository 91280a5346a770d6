//! MeanVarianceNormalization: mean 0, variance 1.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Op, Value};

use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::shape;

pub(crate) const MEAN_VARIANCE_NORMALIZATION: Operator = Operator {
    shapes: Some(shape::like_first),
    compose: Some(compose),
    ..Operator::of(OnnxOp::MeanVarianceNormalization)
};

/// `(x - mean) / (deviation + 1e-9)`
fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let normalization = views::MeanVarianceNormalization::of(&emit.body, op);
    let x = normalization.x;
    let axes = emit.integers(&normalization.axes);
    let mean = emit.plain("ReduceMean", &[x, axes]);
    let difference = emit.plain("Sub", &[x, mean]);
    let square = emit.plain("Mul", &[difference, difference]);
    let variance = emit.plain("ReduceMean", &[square, axes]);
    let deviation = emit.plain("Sqrt", &[variance]);
    let epsilon = emit.number_like(1e-9, x);
    let divisor = emit.plain("Add", &[deviation, epsilon]);
    let result = emit.plain("Div", &[difference, divisor]);
    Ok(vec![Some(result)])
}
