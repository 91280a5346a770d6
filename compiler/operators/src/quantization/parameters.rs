//! What quantized operators have in common: scales, zero points, rounding.

use ir::{Attribute, Attributes, Type, Value};

use crate::graph::{Emitter, Problem};
use crate::types::type_number;

/// How scales and zero points lie along a tensor: one, one an index of an axis, or one a block of indices.
pub(super) struct Layout {
    pub(super) tensor: Value,
    pub(super) axis: i64,
    /// 0 where there is none.
    pub(super) block: i64,
}

impl Layout {
    /// A scale or zero point so that it broadcasts with the tensor.
    pub(super) fn spread(&self, emit: &mut Emitter, parameter: Value) -> Result<Value, Problem> {
        if matches!(emit.body.value_type(parameter).static_shape().as_deref(), Some([] | [1])) {
            return Ok(parameter);
        }
        let rank = emit.known_rank(self.tensor)?;
        let axis = if self.axis < 0 { self.axis + rank } else { self.axis };
        if self.block == 0 {
            let behind: Vec<i64> = (1..rank - axis).collect();
            return Ok(if behind.is_empty() { parameter } else { emit.unsqueeze(parameter, &behind) });
        }
        let extent = emit.extent(self.tensor, axis);
        let index = emit.count_up(extent);
        let block = emit.integers(&[self.block]);
        let index = emit.plain("Div", &[index, block]);
        Ok(emit.op("Gather", &[parameter, index], [("axis", Attribute::i64(axis))]))
    }
}

/// `saturate(round(x / scale) + zero point)`; floats are rounded by the conversion.
pub(super) fn quantized(
    emit: &mut Emitter,
    x: Value,
    scale: Value,
    zero_point: Option<Value>,
    target: &Type,
    saturate: i64,
) -> Value {
    let scale = emit.widened(scale);
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

/// A parameter with an element for each index of an axis, so that it broadcasts with a tensor that has `behind` more axes
/// behind that one. One without axes, or with one element, is the same for all.
pub(super) fn in_front_of(emit: &mut Emitter, parameter: Value, behind: i64) -> Value {
    let is_list = emit.rank(parameter) == Some(1);
    let is_single = emit.body.value_type(parameter).static_shape().as_deref() == Some(&[1]);
    match is_list && !is_single && behind > 0 {
        true => emit.unsqueeze(parameter, &(1..=behind).collect::<Vec<_>>()),
        false => parameter,
    }
}

/// `q * (a scale * b scale)`, quantized.
pub(super) fn rescaled(emit: &mut Emitter, q: Value, scales: [Value; 3], zero_point: Value, target: &Type) -> Value {
    let [a, b, result] = scales.map(|scale| emit.widened(scale));
    let factor = emit.plain("Mul", &[a, b]);
    let wide = emit.element(factor);
    let q = emit.convert(q, &wide);
    let value = emit.plain("Mul", &[q, factor]);
    quantized(emit, value, result, Some(zero_point), target, 1)
}
