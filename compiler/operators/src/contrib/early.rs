//! Operators that old converters wrote into the default domain, and that ONNX dropped before it had versions.

use dialects::onnx::OnnxOp;
use dialects::onnx::views;
use ir::{Type, Value};

use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::upgrade::floats;

pub(crate) const AFFINE: Operator = Operator::read_as(OnnxOp::Affine, |node, emit| {
    let affine: views::Affine = node.view(emit);
    let scaled = scaled(emit, affine.x, affine.alpha);
    let beta = emit.number_like(affine.beta, scaled);
    let result = emit.plain("Add", &[scaled, beta]);
    node.replace(result, emit);
    Ok(())
});

/// For an image `[N, C, H, W]`: removes borders, or selects a region of a size from the left and upper border on.
pub(crate) const CROP: Operator = Operator::read_as(OnnxOp::Crop, |node, emit| {
    let crop: views::Crop = node.view(emit);
    let borders = crop.border.unwrap_or_else(|| [0; 4].into());
    let &[left, top, right, bottom] = &*borders else {
        return Err(Problem::input("must have four borders"));
    };
    let ends = match crop.scale.as_deref() {
        Some(&[height, width]) => [top + height, left + width],
        Some(_) => return Err(Problem::input("must have a height and a width for \"scale\"")),
        // counted from the end; an empty border ends at the end
        None => [bottom, right].map(|border| if border == 0 { i64::MAX } else { -border }),
    };
    let [starts, ends, axes] = [[top, left], ends, [2, 3]].map(|list| emit.integers(&list));
    let result = emit.plain("Slice", &[crop.input, starts, ends, axes]);
    node.replace(result, emit);
    Ok(())
});

pub(crate) const DYNAMIC_SLICE: Operator = Operator::read_as(OnnxOp::DynamicSlice, |node, emit| {
    let slice: views::DynamicSlice = node.view(emit);
    let operands: Vec<Value> =
        [Some(slice.data), Some(slice.starts), Some(slice.ends), slice.axes].into_iter().flatten().collect();
    let result = emit.plain("Slice", &operands);
    node.replace(result, emit);
    Ok(())
});

pub(crate) const GIVEN_TENSOR_FILL: Operator = Operator::read_as(OnnxOp::GivenTensorFill, |node, emit| {
    let fill: views::GivenTensorFill = node.view(emit);
    let values = emit.constant(floats(&fill.values.unwrap_or_default()));
    let given = match (fill.shape, fill.shape_attribute) {
        (Some(shape), _) if fill.input_as_shape == Some(1) => emit.convert(shape, &Type::I64),
        (Some(like), _) => emit.plain("Shape", &[like]),
        (None, shape) => emit.integers(&shape.unwrap_or_default()),
    };
    let extra = emit.integers(&fill.extra_shape.unwrap_or_default());
    let shape = emit.list(&[given, extra]);
    let result = emit.plain("Reshape", &[values, shape]);
    node.replace(result, emit);
    Ok(())
});

/// For an image `[N, C, H, W]`, with a bias for each channel.
pub(crate) const IMAGE_SCALER: Operator = Operator::read_as(OnnxOp::ImageScaler, |node, emit| {
    let scaler: views::ImageScaler = node.view(emit);
    let mut result = scaled(emit, scaler.input, scaler.scale);
    if let Some(bias) = scaler.bias {
        let bias = emit.constant(floats(&bias));
        let bias = emit.plain("CastLike", &[bias, result]);
        let bias = emit.unsqueeze(bias, &[1, 2]);
        result = emit.plain("Add", &[result, bias]);
    }
    node.replace(result, emit);
    Ok(())
});

pub(crate) const PARAMETRIC_SOFTPLUS: Operator = Operator::read_as(OnnxOp::ParametricSoftplus, |node, emit| {
    let softplus: views::ParametricSoftplus = node.view(emit);
    let result = between(emit, softplus.x, softplus.beta, "Softplus", softplus.alpha);
    node.replace(result, emit);
    Ok(())
});

pub(crate) const SCALE: Operator = Operator::read_as(OnnxOp::Scale, |node, emit| {
    let scale: views::Scale = node.view(emit);
    let result = scaled(emit, scale.input, scale.scale);
    node.replace(result, emit);
    Ok(())
});

pub(crate) const SCALED_TANH: Operator = Operator::read_as(OnnxOp::ScaledTanh, |node, emit| {
    let tanh: views::ScaledTanh = node.view(emit);
    let result = between(emit, tanh.input, tanh.beta, "Tanh", tanh.alpha);
    node.replace(result, emit);
    Ok(())
});

/// `outer · f(inner · x)`
fn between(emit: &mut Emitter, x: Value, inner: Option<f64>, function: &str, outer: Option<f64>) -> Value {
    let x = inner.map_or(x, |inner| scaled(emit, x, inner));
    let value = emit.plain(function, &[x]);
    outer.map_or(value, |outer| scaled(emit, value, outer))
}

fn scaled(emit: &mut Emitter, x: Value, factor: f64) -> Value {
    let factor = emit.number_like(factor, x);
    emit.plain("Mul", &[x, factor])
}
