//! LayerNormalization and RMSNormalization: rows are all axes from `axis` on.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{DimExpr, Op, Value};

use super::normalize::normalize_rows;
use crate::operator::{Cost, Operator};
use crate::shape::{self, Answer, Node};
use crate::structured::reduction::{Shaped, accumulator, normalize_axis};
use crate::structured::{Lowering, Unsupported};
use crate::types::{tensor_of, without_shape};

pub(crate) const LAYER_NORMALIZATION: Operator = Operator {
    // ONNX Runtime had it before ONNX, with a separate type for scale, bias and result
    upgrades: &[(17, |node, emit| {
        let element = emit.element(node.operands[1]);
        node.operands[0] = emit.convert(node.operands[0], &element);
        Ok(())
    })],
    cost: Cost::PerElement(8.0),
    types: Some(|node, index| {
        let layer = views::LayerNormalization::read(node);
        // statistics have the type that they are computed in
        if index == 0 { Some(without_shape(node.body.value_type(layer.x))) } else { tensor_of(layer.stash_type) }
    }),
    shapes: Some(|node| {
        let layer = Layer::centered(node.view());
        shapes(node, &layer)
    }),
    lower: Some(|lowering, op| {
        let layer = Layer::centered(View::of(lowering.source, op));
        lower(lowering, op, &layer)
    }),
    ..Operator::of(OnnxOp::LayerNormalization)
};

pub(crate) const RMS_NORMALIZATION: Operator = Operator {
    cost: Cost::PerElement(8.0),
    shapes: Some(|node| {
        let layer = Layer::uncentered(node.view());
        shapes(node, &layer)
    }),
    lower: Some(|lowering, op| {
        let layer = Layer::uncentered(View::of(lowering.source, op));
        lower(lowering, op, &layer)
    }),
    ..Operator::of(OnnxOp::RMSNormalization)
};

/// The options of both operators.
struct Layer {
    x: Value,
    scale: Value,
    bias: Option<Value>,
    axis: i64,
    epsilon: f64,
    /// Whether the mean is subtracted first.
    centered: bool,
}

impl Layer {
    fn centered(layer: views::LayerNormalization) -> Layer {
        let views::LayerNormalization { x, scale, b, axis, epsilon, .. } = layer;
        Layer { x, scale, bias: b, axis, epsilon, centered: true }
    }

    fn uncentered(layer: views::RMSNormalization) -> Layer {
        let views::RMSNormalization { x, scale, axis, epsilon, .. } = layer;
        Layer { x, scale, bias: None, axis, epsilon, centered: false }
    }
}

fn shapes(node: &mut Node<'_, '_>, layer: &Layer) -> Answer {
    let Some(shape) = node.shape_of(layer.x) else { return Ok(vec![]) };
    let axis = shape::normalize_axis(layer.axis, shape.len())?;
    for (parameter, what) in [(Some(layer.scale), "the scale"), (layer.bias, "the bias")] {
        node.expect_stretches(parameter, &shape, what)?;
    }
    let mut statistics = shape.clone();
    statistics[axis..].fill(DimExpr::ONE);
    Ok(vec![Some(shape), Some(statistics.clone()), Some(statistics)])
}

fn lower(lowering: &mut Lowering<'_>, op: Op, layer: &Layer) -> Result<(), Unsupported> {
    let results = lowering.source.op(op).results().to_vec();
    let input = lowering.shaped(layer.x);
    let axis = normalize_axis(layer.axis, input.shape.len())?;
    let element = lowering.element(layer.x);
    let work = accumulator(&element);
    let columns = DimExpr::product(&input.shape[axis..]);
    let mut flat_shape = input.shape[..axis].to_vec();
    flat_shape.push(columns);
    let flat = Shaped { value: lowering.reshape(input.value, &flat_shape), shape: flat_shape.clone() };
    let [normalized, mean, reciprocal] = normalize_rows(lowering, &flat, &work, layer.epsilon, layer.centered);
    let mut parameters = Vec::new();
    for parameter in [Some(layer.scale), layer.bias].into_iter().flatten() {
        parameters.push(flat_parameter(lowering, parameter, &input.shape, axis, &flat_shape));
    }
    let inputs: Vec<&Shaped> = std::iter::once(&normalized).chain(&parameters).collect();
    let finished = lowering.map(&inputs, &flat_shape, element.clone(), |s, e| {
        let scale = e.get(1).map(|&scale| s.cast(scale, &work, false, false));
        let scaled = scale.map_or(e[0], |scale| s.mul(e[0], scale));
        let bias = e.get(2).map(|&bias| s.cast(bias, &work, false, false));
        let sum = bias.map_or(scaled, |bias| s.add(scaled, bias));
        s.cast(sum, &element, false, false)
    });
    let value = lowering.reshape(finished.value, &input.shape);
    lowering.bind(results[0], value);
    for (&extra, value) in results[1..].iter().zip([mean, reciprocal]) {
        if lowering.is_present(extra) {
            let shape = lowering.shape(extra);
            let value = lowering.reshape(value.value, &shape);
            lowering.bind(extra, value);
        }
    }
    Ok(())
}

/// A scale or bias of LayerNormalization, broadcast over the normalized axes and flattened like them.
fn flat_parameter(
    lowering: &mut Lowering<'_>,
    parameter: Value,
    shape: &[DimExpr],
    axis: usize,
    flat: &[DimExpr],
) -> Shaped {
    let own = lowering.shaped(parameter);
    let inner = &shape[axis..];
    if own.shape.len() <= inner.len() {
        let full = lowering.map(&[&own], inner, lowering.element(parameter), |_, e| e[0]);
        let shape = vec![flat[flat.len() - 1].clone()];
        return Shaped { value: lowering.reshape(full.value, &shape), shape };
    }
    let full = lowering.map(&[&own], shape, lowering.element(parameter), |_, e| e[0]);
    Shaped { value: lowering.reshape(full.value, flat), shape: flat.to_vec() }
}
