//! Operators on quantised tensors, `(q - zero point) · scale`: they are computed on the dequantised values, and the
//! result is quantised.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{View, microsoft};
use ir::{Attribute, Attributes, DimExpr, Op, Type, Value};

use super::bias::softmax_from;
use super::channels_last::{image_rank, with_channels_first};
use crate::graph::{Emitter, Node, Problem};
use crate::operator::Operator;
use crate::types::type_number;

/// A scale and a zero point.
pub(super) type Parameters = (Value, Option<Value>);

pub(super) fn dequantized(emit: &mut Emitter, x: Value, (scale, zero_point): Parameters) -> Value {
    let zero_point = zero_point.unwrap_or(emit.none);
    emit.plain("DequantizeLinear", &[x, scale, zero_point])
}

/// Quantises to the type of the zero point, which may be omitted.
fn quantized(emit: &mut Emitter, x: Value, (scale, zero_point): Parameters, element: &Type) -> Value {
    let zero_point = zero_point.unwrap_or(emit.none);
    let number = Attribute::i64(type_number(element));
    emit.op("QuantizeLinear", &[x, scale, zero_point], [("output_dtype", number)])
}

pub(crate) const QLINEAR_ADD: Operator = Operator::read_as(OnnxOp::MicrosoftQLinearAdd, |node, emit| {
    let view: microsoft::QLinearAdd = node.view(emit);
    let (a, b) = ((view.a, (view.a_scale, view.a_zero_point)), (view.b, (view.b_scale, view.b_zero_point)));
    of_two(node, emit, "Add", [a, b], (view.c_scale, view.c_zero_point))
});

pub(crate) const QLINEAR_MUL: Operator = Operator::read_as(OnnxOp::MicrosoftQLinearMul, |node, emit| {
    let view: microsoft::QLinearMul = node.view(emit);
    let (a, b) = ((view.a, (view.a_scale, view.a_zero_point)), (view.b, (view.b_scale, view.b_zero_point)));
    of_two(node, emit, "Mul", [a, b], (view.c_scale, view.c_zero_point))
});

fn of_two(
    node: &mut Node,
    emit: &mut Emitter,
    name: &str,
    operands: [(Value, Parameters); 2],
    result: Parameters,
) -> Result<(), Problem> {
    let element = emit.element(operands[0].0);
    let operands = operands.map(|(value, parameters)| dequantized(emit, value, parameters));
    let value = emit.plain(name, &operands);
    finish(node, emit, value, result, &element)
}

fn finish(
    node: &mut Node,
    emit: &mut Emitter,
    value: Value,
    parameters: Parameters,
    element: &Type,
) -> Result<(), Problem> {
    let result = quantized(emit, value, parameters, element);
    node.replace(result, emit);
    Ok(())
}

pub(crate) const QLINEAR_SIGMOID: Operator = Operator::read_as(OnnxOp::MicrosoftQLinearSigmoid, |node, emit| {
    let view: microsoft::QLinearSigmoid = node.view(emit);
    let x = dequantized(emit, view.x, (view.x_scale, view.x_zero_point));
    let value = emit.plain("Sigmoid", &[x]);
    let element = emit.element(view.x);
    finish(node, emit, value, (view.y_scale, view.y_zero_point), &element)
});

pub(crate) const QLINEAR_LEAKY_RELU: Operator = Operator::read_as(OnnxOp::MicrosoftQLinearLeakyRelu, |node, emit| {
    let view: microsoft::QLinearLeakyRelu = node.view(emit);
    let x = dequantized(emit, view.x, (view.x_scale, view.x_zero_point));
    let value = emit.op("LeakyRelu", &[x], [("alpha", Attribute::f32(view.alpha as f32))]);
    let element = emit.element(view.x);
    finish(node, emit, value, (view.y_scale, view.y_zero_point), &element)
});

/// Along one axis, or, before opset 13, over all axes from it on.
pub(crate) const QLINEAR_SOFTMAX: Operator = Operator::read_as(OnnxOp::MicrosoftQLinearSoftmax, |node, emit| {
    let view: microsoft::QLinearSoftmax = node.view(emit);
    let x = dequantized(emit, view.x, (view.x_scale, view.x_zero_point));
    let value = match view.opset {
        ..13 => softmax_from(emit, x, view.axis),
        _ => emit.op("Softmax", &[x], [("axis", Attribute::i64(view.axis))]),
    };
    let element = emit.element(view.x);
    finish(node, emit, value, (view.y_scale, Some(view.y_zero_point)), &element)
});

pub(crate) const QLINEAR_WHERE: Operator = Operator::read_as(OnnxOp::MicrosoftQLinearWhere, |node, emit| {
    let view: microsoft::QLinearWhere = node.view(emit);
    let x = dequantized(emit, view.x, (view.x_scale, Some(view.x_zero_point)));
    let y = dequantized(emit, view.y, (view.y_scale, Some(view.y_zero_point)));
    let value = emit.plain("Where", &[view.condition, x, y]);
    let element = emit.element(view.x);
    finish(node, emit, value, (view.z_scale, Some(view.z_zero_point)), &element)
});

pub(crate) const QLINEAR_REDUCE_MEAN: Operator = Operator::read_as(OnnxOp::MicrosoftQLinearReduceMean, |node, emit| {
    let view: microsoft::QLinearReduceMean = node.view(emit);
    let x = dequantized(emit, view.data, (view.data_scale, view.data_zero_point));
    let axes = emit.integers(&view.axes);
    let value = emit.op("ReduceMean", &[x, axes], [("keepdims", Attribute::i64(view.keepdims))]);
    let element = emit.element(view.data);
    finish(node, emit, value, (view.reduced_scale, view.reduced_zero_point), &element)
});

/// Each operand has a scale and a zero point.
pub(crate) const QLINEAR_CONCAT: Operator = Operator::read_as(OnnxOp::MicrosoftQLinearConcat, |node, emit| {
    let view: microsoft::QLinearConcat = node.view(emit);
    let mut parts = vec![];
    for operand in view.inputs.chunks(3) {
        let &[x, scale, zero_point] = operand else {
            return Err(Problem::input("has an operand without a scale and a zero point"));
        };
        parts.push(dequantized(emit, x, (scale, Some(zero_point))));
    }
    let value = emit.op("Concat", &parts, [("axis", Attribute::i64(view.axis))]);
    let element = emit.element(view.y_zero_point);
    finish(node, emit, value, (view.y_scale, Some(view.y_zero_point)), &element)
});

pub(crate) const QLINEAR_AVERAGE_POOL: Operator =
    Operator::read_as(OnnxOp::MicrosoftQLinearAveragePool, |node, emit| {
        let view: microsoft::QLinearAveragePool = node.view(emit);
        let x = dequantized(emit, view.x, (view.x_scale, view.x_zero_point));
        let attributes = without_channels_last(&node.attributes);
        let value = match view.channels_last {
            0 => emit.op("AveragePool", &[x], attributes),
            _ => {
                let rank = image_rank(emit, None, Some(&view.kernel_shape))?;
                with_channels_first(emit, rank, "AveragePool", &[x], attributes)
            }
        };
        let element = emit.element(view.x);
        finish(node, emit, value, (view.y_scale, view.y_zero_point), &element)
    });

pub(crate) const QLINEAR_CONV: Operator = Operator::read_as(OnnxOp::MicrosoftQLinearConv, |node, emit| {
    let view: microsoft::QLinearConv = node.view(emit);
    let attributes = without_channels_last(&node.attributes);
    let result = match view.channels_last {
        0 => emit.op("QLinearConv", &node.operands, attributes),
        _ => {
            let rank = image_rank(emit, Some(view.w), view.kernel_shape.as_deref())?;
            with_channels_first(emit, rank, "QLinearConv", &node.operands, attributes)
        }
    };
    node.replace(result, emit);
    Ok(())
});

fn without_channels_last(attributes: &Attributes) -> Attributes {
    let mut attributes = attributes.clone();
    attributes.remove("channels_last");
    attributes
}

pub(crate) const QLINEAR_GLOBAL_AVERAGE_POOL: Operator = Operator {
    shapes: Some(|node| {
        let view: microsoft::QLinearGlobalAveragePool = node.view();
        let Some(mut shape) = node.shape_of(view.x) else { return Ok(vec![]) };
        for axis in image_axes(shape.len() as i64, view.channels_last)? {
            shape[axis as usize] = DimExpr::ONE;
        }
        Ok(vec![Some(shape)])
    }),
    compose: Some(global_average_pool),
    ..Operator::of(OnnxOp::MicrosoftQLinearGlobalAveragePool)
};

/// The axes other than batch and channels.
fn image_axes(rank: i64, channels_last: i64) -> Result<std::ops::Range<i64>, String> {
    match (rank, channels_last) {
        (..2, _) => Err(format!("the operand must have rank 2 or more, found {rank}")),
        (_, 0) => Ok(2..rank),
        _ => Ok(1..rank - 1),
    }
}

fn global_average_pool(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let view = microsoft::QLinearGlobalAveragePool::of(&emit.body, op);
    let x = dequantized(emit, view.x, (view.x_scale, Some(view.x_zero_point)));
    let axes = image_axes(emit.known_rank(view.x)?, view.channels_last).map_err(Problem::input)?;
    let axes = emit.integers(&axes.collect::<Vec<_>>());
    // without axes there is nothing to average
    let attributes = [("keepdims", Attribute::i64(1)), ("noop_with_empty_axes", Attribute::i64(1))];
    let value = emit.op("ReduceMean", &[x, axes], attributes);
    let element = emit.element(view.x);
    Ok(vec![Some(quantized(emit, value, (view.y_scale, Some(view.y_zero_point)), &element))])
}

/// `alpha · A B + C` of matrices; the result is float if no scale is given for it.
pub(crate) const QGEMM: Operator = Operator::read_as(OnnxOp::MicrosoftQGemm, |node, emit| {
    let gemm: microsoft::QGemm = node.view(emit);
    let arranged = |emit: &mut Emitter, matrix: Value, transposed: i64| match transposed {
        0 => matrix,
        _ => emit.transpose(matrix, &[1, 0]),
    };
    let (a, b) = (arranged(emit, gemm.a, gemm.trans_a), arranged(emit, gemm.b, gemm.trans_b));
    let mut sum = emit.plain("MatMulInteger", &[a, b, gemm.a_zero_point, gemm.b_zero_point]);
    if let Some(c) = gemm.c {
        sum = emit.plain("Add", &[sum, c]);
    }
    let scale = emit.plain("Mul", &[gemm.a_scale, gemm.b_scale]);
    let alpha = emit.number_like(gemm.alpha, scale);
    let scale = emit.plain("Mul", &[scale, alpha]);
    let sum = emit.convert(sum, &Type::F32);
    let value = emit.plain("Mul", &[sum, scale]);
    match gemm.y_scale {
        None => node.replace(value, emit),
        Some(y_scale) => {
            let element = gemm.y_zero_point.map_or(Type::unsigned(8), |zero_point| emit.element(zero_point));
            finish(node, emit, value, (y_scale, gemm.y_zero_point), &element)?;
        }
    }
    Ok(())
});
