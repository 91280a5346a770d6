//! Shared code of quantised operators: scales, zero points, rounding.

use ir::{Attribute, Attributes, Body, DimExpr, Op, Type, Value};

use crate::graph::{Emitter, Problem};
use crate::shape::{Answer, Condition, Node, like_first, list, normalize_axis};
use crate::types::type_number;

/// The granularity of scales and zero points: per tensor, per index of an axis, or per block of indices.
pub(super) struct Layout {
    pub(super) tensor: Value,
    pub(super) axis: i64,
    /// 0 without blocks.
    pub(super) block: i64,
}

impl Layout {
    /// States that scales or zero points have the shape that the layout needs.
    fn expect(&self, node: &mut Node<'_, '_>, parameter: Value, what: &str) -> Result<(), String> {
        let (Some(tensor), Some(own)) = (node.shape_of(self.tensor), node.shape_of(parameter)) else { return Ok(()) };
        let is_blocked = self.block > 0 && !own.is_empty() && own != [DimExpr::ONE];
        let (expected, allowed): (Vec<DimExpr>, _) = match (is_blocked, own.as_slice()) {
            (true, _) => {
                let axis = normalize_axis(self.axis_of(tensor.len()), tensor.len())?;
                let mut blocks = tensor.clone();
                blocks[axis] = blocks[axis].ceil_div(&DimExpr::Constant(self.block));
                (blocks, format!("one element for each block of {} elements of axis {axis}", self.block))
            }
            (false, [_]) if !tensor.is_empty() => {
                let axis = normalize_axis(self.axis_of(tensor.len()), tensor.len())?;
                (vec![tensor[axis].clone()], format!("one element, or one for each index of axis {axis}"))
            }
            _ => return Ok(()),
        };
        let message = || format!("'{what}' has shape {}, expected {}: {allowed}", list(&own), list(&expected));
        if own.len() != expected.len() {
            return Err(message());
        }
        for (found, expected) in own.iter().zip(&expected) {
            let condition = match is_blocked {
                true => Condition::Equal(found.clone(), expected.clone()),
                false => Condition::Stretches(found.clone(), expected.clone()),
            };
            node.require(condition, message)?;
        }
        Ok(())
    }

    /// A tensor of one axis has no axis 1, which is the default.
    fn axis_of(&self, rank: usize) -> i64 {
        if (rank, self.axis) == (1, 1) { 0 } else { self.axis }
    }

    /// A scale or zero point that broadcasts with the tensor.
    pub(super) fn spread(&self, emit: &mut Emitter, parameter: Value) -> Result<Value, Problem> {
        if matches!(emit.body.value_type(parameter).static_shape().as_deref(), Some([] | [1])) {
            return Ok(parameter);
        }
        let rank = emit.known_rank(self.tensor)?;
        let axis = normalize_axis(self.axis_of(rank as usize), rank as usize).map_err(Problem::input)? as i64;
        if self.block == 0 {
            let after: Vec<i64> = (1..rank - axis).collect();
            return Ok(if after.is_empty() { parameter } else { emit.unsqueeze(parameter, &after) });
        }
        let extent = emit.extent(self.tensor, axis);
        let index = emit.count_up(extent);
        let block = emit.integers(&[self.block]);
        let index = emit.plain("Div", &[index, block]);
        Ok(emit.op("Gather", &[parameter, index], [("axis", Attribute::i64(axis))]))
    }
}

/// The shape of the operand, whose scales and zero points fit its layout.
pub(super) fn shapes(node: &mut Node<'_, '_>, layout: &Layout, parameters: [(Option<Value>, &str); 2]) -> Answer {
    for (parameter, what) in parameters {
        if let Some(parameter) = parameter {
            layout.expect(node, parameter, what)?;
        }
    }
    like_first(node)
}

/// Whether scale and zero point, the operands after the first, are scalars for the whole tensor.
pub(super) fn has_one_scale(body: &Body, op: Op) -> bool {
    let (tensor, parameters) = body.op(op).operands().split_first().expect("there is a tensor");
    parameters.iter().all(|&parameter| is_one_number(body, parameter, *tensor))
}

/// Whether a parameter is absent, or a scalar for the whole tensor.
fn is_one_number(body: &Body, parameter: Value, tensor: Value) -> bool {
    let r#type = body.value_type(parameter);
    match r#type.static_shape().as_deref() {
        Some([]) => true,
        Some([1]) => body.value_type(tensor).rank().is_some_and(|rank| rank > 0),
        _ => *r#type == Type::None,
    }
}

/// The minimum and maximum of an integer type.
pub(super) fn range(width: u32, is_unsigned: bool) -> [f64; 2] {
    let span = ir::floats::power_of_two(width as i32);
    let low = if is_unsigned { 0.0 } else { -span / 2.0 };
    [low, low + span - 1.0]
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
    let number = Attribute::i64(type_number(target));
    let parameters = [Some(scale), zero_point];
    if target.is_integer() && parameters.into_iter().flatten().all(|one| is_one_number(&emit.body, one, x)) {
        return emit.op("QuantizeLinear", &[x, scale, zero_point.unwrap_or(emit.none)], [("output_dtype", number)]);
    }
    let scale = emit.widened(scale);
    let wide = emit.element(scale);
    let x = emit.convert(x, &wide);
    let quotient = emit.plain("Div", &[x, scale]);
    saturated(emit, quotient, zero_point, target, saturate)
}

/// `saturate(round(x) + zero point)`; floats are rounded by the conversion.
fn saturated(emit: &mut Emitter, x: Value, zero_point: Option<Value>, target: &Type, saturate: i64) -> Value {
    let number = Attribute::i64(type_number(target));
    let to = Attributes::from([("to", number), ("saturate", Attribute::i64(saturate))]);
    let Type::Integer(integer) = target else {
        return emit.op("Cast", &[x], to);
    };
    let wide = emit.element(x);
    let mut rounded = emit.plain("Round", &[x]);
    if let Some(zero_point) = zero_point {
        let zero_point = emit.convert(zero_point, &wide);
        rounded = emit.plain("Add", &[rounded, zero_point]);
    }
    let [low, high] = range(integer.width, target.is_unsigned()).map(|bound| emit.number_like(bound, rounded));
    let clipped = emit.plain("Clip", &[rounded, low, high]);
    emit.op("Cast", &[clipped], to)
}

/// A parameter with an element for each index of an axis, shaped so that it broadcasts with a tensor that has `after`
/// more axes after that one. A scalar, or a list of one, applies to all.
pub(super) fn in_front_of(emit: &mut Emitter, parameter: Value, after: i64) -> Value {
    let is_list = emit.rank(parameter) == Some(1);
    let is_single = emit.body.value_type(parameter).static_shape().as_deref() == Some(&[1]);
    match is_list && !is_single && after > 0 {
        true => emit.unsqueeze(parameter, &(1..=after).collect::<Vec<_>>()),
        false => parameter,
    }
}

/// `saturate(round(q * (a scale * b scale / result scale)) + zero point)`: integer products are scaled once, as in the
/// standard's reference.
pub(super) fn rescaled(emit: &mut Emitter, q: Value, scales: [Value; 3], zero_point: Value, target: &Type) -> Value {
    let [a, b, result] = scales.map(|scale| emit.widened(scale));
    let factor = emit.plain("Mul", &[a, b]);
    let factor = emit.plain("Div", &[factor, result]);
    let wide = emit.element(factor);
    let q = emit.convert(q, &wide);
    let value = emit.plain("Mul", &[q, factor]);
    saturated(emit, value, Some(zero_point), target, 1)
}
