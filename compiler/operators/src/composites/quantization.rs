//! Quantization: integers that stand for `(q - zero point) * scale`.

use ir::{Attribute, Attributes, FloatType, Type, Value};

use super::type_number;
use crate::graph::Emitter;
use crate::graph::{Node, Problem};

pub(super) fn quantize_linear(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let x = node.operands[0];
    let zero_point = node.given(2, emit);
    let target = match (zero_point, node.integer("output_dtype", 0)) {
        (Some(zero_point), _) => emit.element(zero_point),
        (None, 0) => Type::unsigned(8),
        (None, number) => crate::types::element_type(number as i32)
            .map_err(|what| Problem::unsupported(format!("{what} as output")))?,
    };
    let layout = Layout::of(node, x, emit);
    let scale = layout.spread(emit, node.operands[1])?;
    let zero_point = zero_point.map(|zero_point| layout.spread(emit, zero_point)).transpose()?;
    let saturate = node.integer("saturate", 1);
    let result = quantized(emit, x, scale, zero_point, &target, saturate);
    node.finish(&[Some(result)], emit);
    Ok(())
}

pub(super) fn dequantize_linear(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let (x, scale) = (node.operands[0], node.operands[1]);
    let target = match node.integer("output_dtype", 0) {
        0 => type_number(&emit.element(scale)),
        number => number,
    };
    let layout = Layout::of(node, x, emit);
    let factor = layout.spread(emit, scale)?;
    let factor = widened(emit, factor);
    let wide = emit.element(factor);
    let shifted = match node.given(2, emit) {
        Some(zero_point) => {
            let zero_point = layout.spread(emit, zero_point)?;
            let (x, zero_point) = (emit.convert(x, &wide), emit.convert(zero_point, &wide));
            emit.plain("Sub", &[x, zero_point])
        }
        None => emit.convert(x, &wide),
    };
    let product = emit.plain("Mul", &[shifted, factor]);
    let result = emit.op("Cast", &[product], [("to", Attribute::i64(target))]);
    node.finish(&[Some(result)], emit);
    Ok(())
}

/// How scales and zero points lie along a tensor: one, one an index of an axis, or one a block of indices.
struct Layout {
    tensor: Value,
    rank: Option<usize>,
    axis: i64,
    block: i64,
}

impl Layout {
    fn of(node: &Node, tensor: Value, emit: &Emitter) -> Layout {
        let (axis, block) = (node.integer("axis", 1), node.integer("block_size", 0));
        Layout { tensor, rank: emit.rank(tensor), axis, block }
    }

    /// A scale or zero point so that it broadcasts with the tensor.
    fn spread(&self, emit: &mut Emitter, parameter: Value) -> Result<Value, Problem> {
        if matches!(emit.body.value_type(parameter).static_shape().as_deref(), Some([] | [1])) {
            return Ok(parameter);
        }
        let rank =
            self.rank.ok_or_else(|| Problem::unsupported("has a scale a channel and an operand of unknown rank"))?;
        let axis = if self.axis < 0 { self.axis + rank as i64 } else { self.axis };
        if self.block == 0 {
            let behind: Vec<i64> = (1..rank as i64 - axis).collect();
            return Ok(if behind.is_empty() { parameter } else { emit.unsqueeze(parameter, &behind) });
        }
        let extent = emit.extent(self.tensor, axis);
        let index = emit.count_up(extent);
        let block = emit.integers(&[self.block]);
        let index = emit.plain("Div", &[index, block]);
        Ok(emit.op("Gather", &[parameter, index], [("axis", Attribute::i64(axis))]))
    }
}

/// Half precision is computed with in f32.
fn widened(emit: &mut Emitter, value: Value) -> Value {
    match emit.element(value) {
        Type::Float(FloatType::F32 | FloatType::F64) => value,
        _ => emit.convert(value, &Type::F32),
    }
}

/// `saturate(round(x / scale) + zero point)`; floats are rounded by the conversion.
fn quantized(
    emit: &mut Emitter,
    x: Value,
    scale: Value,
    zero_point: Option<Value>,
    target: &Type,
    saturate: i64,
) -> Value {
    let scale = widened(emit, scale);
    let wide = emit.element(scale);
    let x = emit.convert(x, &wide);
    let quotient = emit.plain("Div", &[x, scale]);
    let to = Attributes::from([("to", Attribute::i64(type_number(target))), ("saturate", Attribute::i64(saturate))]);
    let Type::Integer(integer) = target else {
        return emit.op("Cast", &[quotient], to);
    };
    let mut rounded = emit.plain("Round", &[quotient]);
    if let Some(zero_point) = zero_point {
        let zero_point = emit.convert(zero_point, &wide);
        rounded = emit.plain("Add", &[rounded, zero_point]);
    }
    let span = 2f64.powi(integer.width as i32);
    let low = if target.is_unsigned() { 0.0 } else { -span / 2.0 };
    let (low, high) = (emit.number_like(low, rounded), emit.number_like(low + span - 1.0, rounded));
    let clipped = emit.plain("Clip", &[rounded, low, high]);
    emit.op("Cast", &[clipped], to)
}

/// Scale and zero point follow from the extremes, between which zero must lie.
pub(super) fn dynamic_quantize_linear(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let x = node.operands[0];
    let (zero, most) = (emit.number_like(0.0, x), emit.number_like(255.0, x));
    let all = [("keepdims", Attribute::i64(0))];
    let low = emit.op("ReduceMin", &[x], all.clone());
    let high = emit.op("ReduceMax", &[x], all);
    let (low, high) = (emit.plain("Min", &[low, zero]), emit.plain("Max", &[high, zero]));
    let range = emit.plain("Sub", &[high, low]);
    let scale = emit.plain("Div", &[range, most]);
    let offset = emit.plain("Div", &[low, scale]);
    let offset = emit.plain("Sub", &[zero, offset]);
    let offset = emit.plain("Clip", &[offset, zero, most]);
    let offset = emit.plain("Round", &[offset]);
    let zero_point = emit.convert(offset, &Type::unsigned(8));
    let result = quantized(emit, x, scale, Some(zero_point), &Type::unsigned(8), 1);
    node.finish(&[Some(result), Some(scale), Some(zero_point)], emit);
    Ok(())
}

/// `q - zero point` in another type.
fn centred(emit: &mut Emitter, q: Value, zero_point: Option<Value>, wide: &Type) -> Value {
    let q = emit.convert(q, wide);
    match zero_point {
        Some(zero_point) => {
            let zero_point = emit.convert(zero_point, wide);
            emit.plain("Sub", &[q, zero_point])
        }
        None => q,
    }
}

/// The zero points of a matrix' rows, as a column.
fn row_zero_point(emit: &mut Emitter, zero_point: Value) -> Value {
    match emit.body.value_type(zero_point).static_shape().as_deref() {
        Some([rows]) if *rows != 1 => emit.unsqueeze(zero_point, &[1]),
        _ => zero_point,
    }
}

fn integer_product(emit: &mut Emitter, [a, b]: [Value; 2], zero_points: [Option<Value>; 2]) -> Value {
    let row = zero_points[0].map(|zero_point| row_zero_point(emit, zero_point));
    let (a, b) = (centred(emit, a, row, &Type::I32), centred(emit, b, zero_points[1], &Type::I32));
    emit.plain("MatMul", &[a, b])
}

pub(super) fn matmul_integer(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let zero_points = [node.given(2, emit), node.given(3, emit)];
    let product = integer_product(emit, [node.operands[0], node.operands[1]], zero_points);
    node.finish(&[Some(product)], emit);
    Ok(())
}

/// The convolution of integers in f64, which holds every sum of fewer than 2³⁷ products of bytes exactly.
fn integer_convolution(
    node: &Node,
    emit: &mut Emitter,
    [x, w]: [Value; 2],
    zero_points: [Option<Value>; 2],
) -> Result<Value, Problem> {
    let rank = emit.known_rank(w)?;
    let weights = zero_points[1].map(|zero_point| match emit.body.value_type(zero_point).static_shape().as_deref() {
        Some([channels]) if *channels != 1 => emit.unsqueeze(zero_point, &(1..rank).collect::<Vec<_>>()),
        _ => zero_point,
    });
    let (x, w) = (centred(emit, x, zero_points[0], &Type::F64), centred(emit, w, weights, &Type::F64));
    Ok(emit.op("Conv", &[x, w], node.attributes.clone()))
}

pub(super) fn convolution_integer(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let zero_points = [node.given(2, emit), node.given(3, emit)];
    let sum = integer_convolution(node, emit, [node.operands[0], node.operands[1]], zero_points)?;
    let result = emit.convert(sum, &Type::I32);
    node.finish(&[Some(result)], emit);
    Ok(())
}

pub(super) fn quantized_matmul(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let [a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero] = node.operands[..] else {
        return Err(Problem::input("lacks an input"));
    };
    let product = integer_product(emit, [a, b], [Some(a_zero), Some(b_zero)]);
    let rows = row_zero_point(emit, a_scale);
    let target = emit.element(y_zero);
    let result = rescaled(emit, product, [rows, b_scale, y_scale], y_zero, &target);
    node.finish(&[Some(result)], emit);
    Ok(())
}

/// `q * (a scale * b scale)`, quantized.
fn rescaled(emit: &mut Emitter, q: Value, scales: [Value; 3], zero_point: Value, target: &Type) -> Value {
    let [a, b, result] = scales.map(|scale| widened(emit, scale));
    let factor = emit.plain("Mul", &[a, b]);
    let wide = emit.element(factor);
    let q = emit.convert(q, &wide);
    let value = emit.plain("Mul", &[q, factor]);
    quantized(emit, value, result, Some(zero_point), target, 1)
}

pub(super) fn quantized_convolution(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let [x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero] = node.operands[..8] else {
        return Err(Problem::input("lacks an input"));
    };
    let rank = emit.known_rank(w)?;
    let channels: Vec<i64> = (1..rank - 1).collect();
    let mut sum = integer_convolution(node, emit, [x, w], [Some(x_zero), Some(w_zero)])?;
    if let Some(bias) = node.given(8, emit) {
        let bias = emit.convert(bias, &Type::F64);
        let bias = emit.unsqueeze(bias, &channels);
        sum = emit.plain("Add", &[sum, bias]);
    }
    let w_scale = match emit.body.value_type(w_scale).static_shape().as_deref() {
        Some([count]) if *count != 1 => emit.unsqueeze(w_scale, &channels),
        _ => w_scale,
    };
    let target = emit.element(y_zero);
    let result = rescaled(emit, sum, [x_scale, w_scale, y_scale], y_zero, &target);
    node.finish(&[Some(result)], emit);
    Ok(())
}
