//! MeanVarianceNormalization: mean 0, variance 1.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Attribute, Op, Value};

use crate::graph::{Emitter, Node, Problem};
use crate::operator::Operator;
use crate::shape;
use crate::upgrade::sum_in_f32;

pub(crate) const MEAN_VARIANCE_NORMALIZATION: Operator = Operator {
    upgrades: &[(9, axes_of_image)],
    normalize: Some(sum_in_f32),
    shapes: Some(shape::like_first),
    compose: Some(compose),
    ..Operator::of(OnnxOp::MeanVarianceNormalization)
};

/// ONNX Runtime had it before ONNX, for images: per channel or over all of them, optionally without the variance.
fn axes_of_image(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let across = node.attributes.remove("across_channels").and_then(|across| across.as_integer());
    let with_variance = node.attributes.remove("normalize_variance").and_then(|variance| variance.as_integer());
    let axes: &[i64] = if across == Some(1) { &[0, 1, 2, 3] } else { &[0, 2, 3] };
    if with_variance == Some(0) {
        let (x, axes) = (node.operands[0], emit.integers(axes));
        let mean = emit.plain("ReduceMean", &[x, axes]);
        let difference = emit.plain("Sub", &[x, mean]);
        node.replace(difference, emit);
        return Ok(());
    }
    node.attributes.set("axes", Attribute::i64_array(axes));
    Ok(())
}

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
