//! Normalizations and gates.

use ir::{Attribute, Attributes};

use crate::graph::Emitter;
use crate::graph::{Node, Problem};

/// `x / norm(x)`, zero where the norm is.
pub(super) fn lp_normalization(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let x = node.operands[0];
    let axes = emit.integers(&[node.integer("axis", -1)]);
    let norm = if node.integer("p", 2) == 1 { "ReduceL1" } else { "ReduceL2" };
    let norm = emit.op(norm, &[x, axes], [("keepdims", Attribute::i64(1))]);
    let zero = emit.number_like(0.0, x);
    let none = emit.plain("Equal", &[norm, zero]);
    let quotient = emit.plain("Div", &[x, norm]);
    let result = emit.plain("Where", &[none, zero, quotient]);
    node.finish(&[Some(result)], emit);
    Ok(())
}

/// `x / (bias + alpha * mean of x² over neighbouring channels) ^ beta`
pub(super) fn local_response(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let x = node.operands[0];
    let size = node.integer("size", 1);
    let (front, behind) = ((size - 1) / 2, size / 2);
    let square = emit.plain("Mul", &[x, x]);
    // channels become rows of one image, all other axes its columns
    let (batch, channels) = (emit.extent(x, 0), emit.extent(x, 1));
    let (one, rest) = (emit.integers(&[1]), emit.integers(&[-1]));
    let rows = emit.list(&[batch, one, channels, rest]);
    let square = emit.plain("Reshape", &[square, rows]);
    let window = Attributes::from([
        ("kernel_shape", Attribute::i64_array(&[size, 1])),
        ("pads", Attribute::i64_array(&[front, 0, behind, 0])),
        ("count_include_pad", Attribute::i64(1)),
    ]);
    let mean = emit.op("AveragePool", &[square], window);
    let shape = emit.plain("Shape", &[x]);
    let mean = emit.plain("Reshape", &[mean, shape]);
    let (alpha, beta) =
        (emit.number_like(node.float("alpha", 0.0001), x), emit.number_like(node.float("beta", 0.75), x));
    let bias = emit.number_like(node.float("bias", 1.0), x);
    let scaled = emit.plain("Mul", &[alpha, mean]);
    let sum = emit.plain("Add", &[bias, scaled]);
    let power = emit.plain("Pow", &[sum, beta]);
    let result = emit.plain("Div", &[x, power]);
    node.finish(&[Some(result)], emit);
    Ok(())
}

/// `(x - mean) / (deviation + 1e-9)`
pub(super) fn mean_variance(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let x = node.operands[0];
    let axes = node.attributes.integers("axes").unwrap_or_else(|| vec![0, 2, 3]);
    let axes = emit.integers(&axes);
    let mean = emit.plain("ReduceMean", &[x, axes]);
    let difference = emit.plain("Sub", &[x, mean]);
    let square = emit.plain("Mul", &[difference, difference]);
    let variance = emit.plain("ReduceMean", &[square, axes]);
    let deviation = emit.plain("Sqrt", &[variance]);
    let epsilon = emit.number_like(1e-9, x);
    let divisor = emit.plain("Add", &[deviation, epsilon]);
    let result = emit.plain("Div", &[difference, divisor]);
    node.finish(&[Some(result)], emit);
    Ok(())
}

/// `swish(a) * b`
pub(super) fn swish_gated(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let alpha = [("alpha", Attribute::float(node.float("alpha", 1.0), ir::Type::F32))];
    let gate = emit.op("Swish", &[node.operands[0]], alpha);
    let result = emit.plain("Mul", &[gate, node.operands[1]]);
    node.finish(&[Some(result)], emit);
    Ok(())
}
