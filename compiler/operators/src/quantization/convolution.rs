//! Convolutions of quantized tensors: ConvInteger, QLinearConv. Since 10.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Attributes, Op, Type, Value};

use super::exact::{part, pieces, total};
use super::parameters::{centred, in_front_of, rescaled};
use crate::graph::{Emitter, Problem};
use crate::nn::{Convolution, Sliding, convolution_shape};
use crate::operator::{Kind, Operator};

pub(crate) const CONV_INTEGER: Operator = Operator {
    kind: Kind::Contraction,
    shapes: Some(|node| {
        let views::ConvInteger { x, w, auto_pad, dilations, group, pads, strides, .. } = node.view();
        let sliding = Sliding { auto_pad, dilations, pads, strides };
        convolution_shape(node, &Convolution { x, w, bias: None, groups: group, sliding })
    }),
    compose: Some(|emit, op| {
        let convolution = views::ConvInteger::of(&emit.body, op);
        let attributes = emit.body.op(op).attributes.clone();
        let zero_points = [convolution.x_zero_point, convolution.w_zero_point];
        let sum = integer_convolution(emit, attributes, [convolution.x, convolution.w], zero_points)?;
        Ok(vec![Some(emit.convert(sum, &Type::I32))])
    }),
    ..Operator::of(OnnxOp::ConvInteger)
};

pub(crate) const QLINEAR_CONV: Operator = Operator {
    kind: Kind::Contraction,
    shapes: Some(|node| {
        let views::QLinearConv { x, w, b, auto_pad, dilations, group, pads, strides, .. } = node.view();
        let sliding = Sliding { auto_pad, dilations, pads, strides };
        convolution_shape(node, &Convolution { x, w, bias: b, groups: group, sliding })
    }),
    compose: Some(compose),
    ..Operator::of(OnnxOp::QLinearConv)
};

/// The convolution of integers: in pieces that f32 holds exactly, or in f64, which holds every sum of fewer than 2³⁷
/// products of bytes.
fn integer_convolution(
    emit: &mut Emitter,
    attributes: Attributes,
    [x, w]: [Value; 2],
    zero_points: [Option<Value>; 2],
) -> Result<Value, Problem> {
    let rank = emit.known_rank(w)?;
    let weights = zero_points[1].map(|zero_point| in_front_of(emit, zero_point, rank - 1));
    let Some((channels, pieces)) = exact_pieces(emit, &attributes, w) else {
        let (x, w) = (centred(emit, x, zero_points[0], &Type::F64), centred(emit, w, weights, &Type::F64));
        return Ok(emit.op("Conv", &[x, w], attributes));
    };
    let (x, w) = (centred(emit, x, zero_points[0], &Type::F32), centred(emit, w, weights, &Type::F32));
    let mut convolution = |piece| {
        let (x, w) = (part(emit, x, piece, channels, 1), part(emit, w, piece, channels, 1));
        emit.op("Conv", &[x, w], attributes.clone())
    };
    let sums = pieces.into_iter().map(&mut convolution).collect();
    Ok(total(emit, sums))
}

/// How many input channels a group has, and pieces of them; groups are not taken apart.
fn exact_pieces(emit: &Emitter, attributes: &Attributes, weights: Value) -> Option<(i64, Vec<(i64, i64)>)> {
    let shape = emit.shape(weights)?;
    let window = shape.get(2..)?.iter().try_fold(1i64, |count, extent| count.checked_mul(extent.as_constant()?))?;
    let channels = shape[1].as_constant()?;
    let pieces = pieces(channels, window)?;
    let grouped = attributes.integer("group").unwrap_or(1) != 1;
    (pieces.len() == 1 || !grouped).then_some((channels, pieces))
}

fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let convolution = views::QLinearConv::of(&emit.body, op);
    let attributes = emit.body.op(op).attributes.clone();
    let rank = emit.known_rank(convolution.w)?;
    let channels: Vec<i64> = (1..rank - 1).collect();
    let mut sum = integer_convolution(
        emit,
        attributes,
        [convolution.x, convolution.w],
        [Some(convolution.x_zero_point), Some(convolution.w_zero_point)],
    )?;
    if let Some(bias) = convolution.b {
        let wide = emit.element(sum);
        let bias = emit.convert(bias, &wide);
        let bias = emit.unsqueeze(bias, &channels);
        sum = emit.plain("Add", &[sum, bias]);
    }
    let w_scale = in_front_of(emit, convolution.w_scale, rank - 2);
    let target = emit.element(convolution.y_zero_point);
    let result =
        rescaled(emit, sum, [convolution.x_scale, w_scale, convolution.y_scale], convolution.y_zero_point, &target);
    Ok(vec![Some(result)])
}
