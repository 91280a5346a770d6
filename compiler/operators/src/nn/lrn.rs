//! LRN: local response normalization.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Attribute, Attributes, Op, Value};

use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::shape;
use crate::upgrade::sum_in_f32;

pub(crate) const LRN: Operator = Operator {
    normalize: Some(sum_in_f32),
    shapes: Some(shape::like_first),
    compose: Some(compose),
    ..Operator::of(OnnxOp::LRN)
};

/// `x / (bias + alpha * mean of x² over neighbouring channels) ^ beta`
fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let response = views::LRN::of(&emit.body, op);
    let x = response.x;
    let size = response.size;
    let (front, after) = ((size - 1) / 2, size / 2);
    let square = emit.plain("Mul", &[x, x]);
    // channels become rows of one image, all other axes its columns
    let (batch, channels) = (emit.extent(x, 0), emit.extent(x, 1));
    let (one, rest) = (emit.integers(&[1]), emit.integers(&[-1]));
    let rows = emit.list(&[batch, one, channels, rest]);
    let square = emit.plain("Reshape", &[square, rows]);
    let window = Attributes::from([
        ("kernel_shape", Attribute::i64_array(&[size, 1])),
        ("pads", Attribute::i64_array(&[front, 0, after, 0])),
        ("count_include_pad", Attribute::i64(1)),
    ]);
    let mean = emit.op("AveragePool", &[square], window);
    let shape = emit.plain("Shape", &[x]);
    let mean = emit.plain("Reshape", &[mean, shape]);
    let (alpha, beta) = (emit.number_like(response.alpha, x), emit.number_like(response.beta, x));
    let bias = emit.number_like(response.bias, x);
    let scaled = emit.plain("Mul", &[alpha, mean]);
    let sum = emit.plain("Add", &[bias, scaled]);
    let power = emit.plain("Pow", &[sum, beta]);
    let result = emit.plain("Div", &[x, power]);
    Ok(vec![Some(result)])
}
