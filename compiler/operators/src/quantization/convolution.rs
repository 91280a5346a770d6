//! Convolutions of quantized tensors: ConvInteger, QLinearConv. Since 10.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{DimExpr, Op, Value};

use super::parameters::{in_front_of, rescaled};
use crate::graph::{Emitter, Problem};
use crate::nn::{ConvolutionOptions, Sliding, convolution_shape};
use crate::operator::{Cost, Kind, Operator, Rank};
use crate::shape::{Condition, Node};
use crate::structured::convolution::lower_integer;

pub(crate) const CONV_INTEGER: Operator = Operator {
    cost: Cost::Products(|operands, _| operands[1].iter().skip(1).product::<f64>() / 2.0),
    kind: Kind::Contraction,
    ranks: &[(2, Rank::AtMost(1)), (3, Rank::AtMost(1))],
    shapes: Some(|node| {
        let view: views::ConvInteger = node.view();
        let (w, x_zero_point, w_zero_point) = (view.w, view.x_zero_point, view.w_zero_point);
        let shape = convolution_shape(node, &convolution(view))?;
        node.expect_stretches(x_zero_point, &[DimExpr::ONE], "the zero point of X")?;
        w_zero_point.map_or(Ok(()), |zero_point| expect_count(node, w, zero_point, "zero points"))?;
        Ok(shape)
    }),
    lower: Some(|lowering, op| {
        let view = views::ConvInteger::of(lowering.source, op);
        let zero_points = [view.x_zero_point, view.w_zero_point];
        lower_integer(lowering, op, &convolution(view), zero_points)
    }),
    ..Operator::of(OnnxOp::ConvInteger)
};

/// States that a parameter of weights is a scalar, or has one value per output.
fn expect_count(node: &mut Node<'_, '_>, weights: Value, parameter: Value, name: &str) -> Result<(), String> {
    let first = |value| Some(node.shape_of(value)?.first()?.clone());
    let (Some(outputs), Some(count)) = (first(weights), first(parameter)) else { return Ok(()) };
    let message = || format!("{count} {name} for weights of {outputs} outputs");
    node.require(Condition::Stretches(count.clone(), outputs.clone()), message)
}

fn convolution(view: views::ConvInteger) -> ConvolutionOptions {
    let views::ConvInteger { x, w, auto_pad, dilations, group, pads, strides, .. } = view;
    ConvolutionOptions { x, w, bias: None, groups: group, sliding: Sliding { auto_pad, dilations, pads, strides } }
}

pub(crate) const QLINEAR_CONV: Operator = Operator {
    kind: Kind::Contraction,
    ranks: &[(2, Rank::AtMost(1)), (5, Rank::AtMost(1))],
    shapes: Some(|node| {
        let view: views::QLinearConv = node.view();
        let views::QLinearConv { x, w, x_scale, x_zero_point, w_scale, w_zero_point, b, .. } = view;
        let views::QLinearConv { auto_pad, dilations, group, pads, strides, .. } = view;
        let sliding = Sliding { auto_pad, dilations, pads, strides };
        let shape = convolution_shape(node, &ConvolutionOptions { x, w, bias: b, groups: group, sliding })?;
        node.expect_stretches(Some(x_scale), &[DimExpr::ONE], "the scale of X")?;
        node.expect_stretches(Some(x_zero_point), &[DimExpr::ONE], "the zero point of X")?;
        expect_count(node, w, w_scale, "scales")?;
        expect_count(node, w, w_zero_point, "zero points")?;
        Ok(shape)
    }),
    compose: Some(compose),
    ..Operator::of(OnnxOp::QLinearConv)
};

fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let convolution = views::QLinearConv::of(&emit.body, op);
    let attributes = emit.body.op(op).attributes.clone();
    let rank = emit.known_rank(convolution.w)?;
    let channels: Vec<i64> = (1..rank - 1).collect();
    let operands = [convolution.x, convolution.w, convolution.x_zero_point, convolution.w_zero_point];
    let mut sum = emit.op("ConvInteger", &operands, attributes);
    if let Some(bias) = convolution.b {
        let bias = emit.unsqueeze(bias, &channels);
        sum = emit.plain("Add", &[sum, bias]);
    }
    let w_scale = in_front_of(emit, convolution.w_scale, rank - 2);
    let target = emit.element(convolution.y_zero_point);
    let result =
        rescaled(emit, sum, [convolution.x_scale, w_scale, convolution.y_scale], convolution.y_zero_point, &target);
    Ok(vec![Some(result)])
}
