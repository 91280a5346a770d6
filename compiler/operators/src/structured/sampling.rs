//! Interpolation: elements around fractional coordinates, and their weights.

use dialects::{arith, math, tensor};
use ir::{Builder, Type, Value};

use super::scalars::Scalars;

pub(crate) fn as_f32(builder: &mut Builder<'_>, index: Value) -> Value {
    let integer = builder.value(arith::INDEX_CAST, &[index], Type::I64, []);
    builder.value(arith::SITOFP, &[integer], Type::F32, [])
}

/// The index at which an input is read along one axis, and its weight.
pub(crate) struct Tap {
    /// The index, in bounds.
    pub position: Value,
    /// The weight, 1 if absent.
    pub weight: Option<Value>,
}

/// A tensor whose elements are interpolated.
#[derive(Clone, Copy)]
pub(crate) struct Sampled {
    /// The tensor.
    pub value: Value,
    /// Whether its elements are unsigned integers.
    pub unsigned: bool,
}

impl Sampled {
    /// The type of its elements.
    fn element(self, builder: &Builder<'_>) -> Type {
        builder.body.value_type(self.value).element().clone()
    }

    /// One of its elements.
    fn extract(self, builder: &mut Builder<'_>, at: &[Value]) -> Value {
        let element = self.element(builder);
        builder.value_from(tensor::Extract { tensor: self.value, indices: at }, element, [])
    }
}

/// `Σ weight * element` over the elements of one axis after the other, in f32 unless there is a single element.
pub(crate) fn weighted_sum(
    builder: &mut Builder<'_>,
    tensor: Sampled,
    at: Vec<Value>,
    taps: &[(usize, Vec<Tap>)],
) -> Value {
    let single = taps.iter().all(|(_, taps)| taps.iter().all(|tap| tap.weight.is_none()));
    if single {
        let mut at = at;
        for (axis, taps) in taps {
            at[*axis] = taps[0].position;
        }
        return tensor.extract(builder, &at);
    }
    let element = tensor.element(builder);
    let wide = if element == Type::F64 { Type::F64 } else { Type::F32 };
    let sum = weighted_axis(builder, tensor, &wide, at, taps);
    let mut s = Scalars { builder, unsigned: false };
    if element.is_float() {
        return s.cast(sum, &element, false, false);
    }
    let rounded = s.same(math::ROUNDEVEN, &[sum]);
    s.cast(rounded, &element, false, tensor.unsigned)
}

fn weighted_axis(
    builder: &mut Builder<'_>,
    tensor: Sampled,
    wide: &Type,
    at: Vec<Value>,
    taps: &[(usize, Vec<Tap>)],
) -> Value {
    let Some(((axis, list), inner)) = taps.split_first() else {
        let value = tensor.extract(builder, &at);
        return Scalars { builder, unsigned: false }.cast(value, wide, tensor.unsigned, false);
    };
    let mut sum: Option<Value> = None;
    for tap in list {
        let mut at = at.clone();
        at[*axis] = tap.position;
        let value = weighted_axis(builder, tensor, wide, at, inner);
        let mut s = Scalars { builder, unsigned: false };
        let weighted = tap.weight.map_or(value, |weight| {
            let weight = s.cast(weight, wide, false, false);
            s.mul(weight, value)
        });
        sum = Some(sum.map_or(weighted, |sum| s.add(sum, weighted)));
    }
    sum.expect("an axis has samples")
}

/// An integral f32 as an index, clamped to the axis. The clamping uses `i32`, so that vectors have as many lanes as for
/// floats.
pub(crate) fn position(builder: &mut Builder<'_>, coordinate: Value, extent: Value) -> Value {
    let integer = builder.value(arith::FPTOSI, &[coordinate], Type::I32, []);
    let mut s = Scalars { builder, unsigned: false };
    let (one, largest) = (s.number(1.0, &Type::Index), s.number(f64::from(i32::MAX), &Type::Index));
    let last = s.sub(extent, one);
    let last = s.min(last, largest);
    let last = s.builder.value(arith::INDEX_CAST, &[last], Type::I32, []);
    let zero = s.number(0.0, &Type::I32);
    let capped = s.min(integer, last);
    let inside = s.max(capped, zero);
    s.builder.value(arith::INDEX_CAST, &[inside], Type::Index, [])
}

/// `(a + 2) d³ - (a + 3) d² + 1` for distances up to 1, `a d³ - 5 a d² + 8 a d - 4 a` up to 2.
pub(crate) fn cubic_weight(s: &mut Scalars<'_, '_>, d: Value, a: f64, near: bool) -> Value {
    let coefficients = if near { [a + 2.0, -(a + 3.0), 0.0, 1.0] } else { [a, -5.0 * a, 8.0 * a, -4.0 * a] };
    let mut sum = s.like(coefficients[0], d);
    for coefficient in &coefficients[1..] {
        let product = s.mul(sum, d);
        let term = s.like(*coefficient, d);
        sum = s.add(product, term);
    }
    sum
}
