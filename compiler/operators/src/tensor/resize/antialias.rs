//! Resize with antialiasing: when downsampling, the filter is widened by the inverse of the scale.
//!
//! Axes are filtered one after the other. Each output element is the weighted mean of the input elements under the
//! filter; elements outside of the tensor are copies of its edge.

use dialects::linalg::generic::{Input, Iterator};
use dialects::onnx::views::{self, ResizeMode};
use dialects::{arith, math, tensor};
use ir::{AffineMap, Builder, DimExpr, Type, Value};

use super::taps::{Axis, coordinate};
use crate::structured::Lowering;
use crate::structured::channel_blocks::loop_index;
use crate::structured::reduction::Shaped;
use crate::structured::sampling::{as_f32, cubic_weight, position};
use crate::structured::scalars::{Comparison, Scalars};

/// The filter of an axis.
struct Filter<'a> {
    axis: &'a Axis,
    resize: &'a views::Resize,
    /// Elements on either side of the coordinate, an `index` value.
    reach: Value,
    /// The factor from distances in the input to the filter's unit, f32.
    shrink: Value,
}

impl Filter<'_> {
    /// The number of elements under the filter, from `reach` before the coordinate to `reach` after the next.
    fn extent(&self, lowering: &mut Lowering<'_>) -> DimExpr {
        let reach = self.reach;
        let count = lowering.scalars(|s| {
            let (double, two) = (s.add(reach, reach), s.number(2.0, &Type::Index));
            s.add(double, two)
        });
        lowering.named_dim(count)
    }

    /// The position of element `tap` for output element `index`, an integral f32, and its weight.
    fn tap(&self, builder: &mut Builder<'_>, index: Value, tap: Value) -> (Value, Value) {
        let centre = coordinate(builder, index, self.axis, self.resize.coordinate_transformation_mode);
        let offset = builder.value(arith::SUBI, &[tap, self.reach], Type::Index, []);
        let (offset, extent) = (as_f32(builder, offset), as_f32(builder, self.axis.input));
        let mut s = Scalars { builder, unsigned: false };
        let floor = s.same(math::FLOOR, &[centre]);
        let place = s.add(floor, offset);
        let distance = s.sub(place, centre);
        let distance = s.same(math::ABSF, &[distance]);
        let distance = s.mul(distance, self.shrink);
        let weight = self.weight(&mut s, distance);
        if self.resize.exclude_outside != 1 {
            return (place, weight);
        }
        let zero = s.like(0.0, place);
        let above = s.compare(Comparison::GreaterOrEqual, place, zero);
        let below = s.compare(Comparison::Less, place, extent);
        let inside = s.same(arith::ANDI, &[above, below]);
        (place, s.select(inside, weight, zero))
    }

    fn weight(&self, s: &mut Scalars<'_, '_>, distance: Value) -> Value {
        let (zero, one, two) = (s.like(0.0, distance), s.like(1.0, distance), s.like(2.0, distance));
        if self.resize.mode != ResizeMode::Cubic {
            let height = s.sub(one, distance);
            return s.max(height, zero);
        }
        let a = self.resize.cubic_coeff_a;
        let (near, far) = (cubic_weight(s, distance, a, true), cubic_weight(s, distance, a, false));
        let is_near = s.compare(Comparison::LessOrEqual, distance, one);
        let is_far = s.compare(Comparison::Less, distance, two);
        let outer = s.select(is_far, far, zero);
        s.select(is_near, near, outer)
    }
}

/// The resized tensor.
pub(super) fn sample(
    lowering: &mut Lowering<'_>,
    input: &Shaped,
    shape: &[DimExpr],
    axes: &[Axis],
    resize: &views::Resize,
) -> Value {
    let element = lowering.body.value_type(input.value).element().clone();
    let wide = if element == Type::F64 { Type::F64 } else { Type::F32 };
    let unsigned = lowering.is_unsigned(resize.x);
    let mut current = lowering.map(&[input], &input.shape, wide.clone(), |s, e| s.cast(e[0], &wide, unsigned, false));
    for axis in axes {
        let (reach, shrink) = reach(lowering, axis, if resize.mode == ResizeMode::Cubic { 2.0 } else { 1.0 });
        let filter = Filter { axis, resize, reach, shrink };
        current = filtered(lowering, &current, &filter, &shape[axis.axis]);
    }
    let result = lowering.map(&[&current], shape, element.clone(), |s, e| {
        let value = if element.is_float() { e[0] } else { s.same(math::ROUNDEVEN, &[e[0]]) };
        s.cast(value, &element, false, unsigned)
    });
    result.value
}

/// The reach of the filter in the input, and the ratio of its unit to the input's, which is 1 when not downsampling.
fn reach(lowering: &mut Lowering<'_>, axis: &Axis, support: f64) -> (Value, Value) {
    let extents = [axis.output, axis.input].map(|extent| as_f32(&mut lowering.builder(), extent));
    lowering.scalars(|s| {
        let scale = axis.scale.unwrap_or_else(|| s.div(extents[0], extents[1]));
        let one = s.like(1.0, scale);
        let shrink = s.min(scale, one);
        let support_width = s.like(support, shrink);
        let width = s.div(support_width, shrink);
        let width = s.same(math::CEIL, &[width]);
        let width = s.cast(width, &Type::I64, false, false);
        let width = s.builder.value(arith::INDEX_CAST, &[width], Type::Index, []);
        // a non-empty output has at least one element, which bounds the scale
        let (twice, one) = (s.add(axis.input, axis.input), s.number(1.0, &Type::Index));
        (s.clamp(width, [one, twice]), shrink)
    })
}

/// A tensor filtered along one axis.
fn filtered(lowering: &mut Lowering<'_>, input: &Shaped, filter: &Filter<'_>, extent: &DimExpr) -> Shaped {
    let axis = filter.axis.axis;
    let mut shape = input.shape.clone();
    shape[axis] = extent.clone();
    let wide = lowering.body.value_type(input.value).element().clone();
    let taps = [filter.extent(lowering)];
    // an empty tensor has the extent of the loop over the filter's elements
    let taps = lowering.empty(&taps, Type::F32);
    let start = lowering.filled(std::slice::from_ref(extent), Type::F32, 0.0);
    let along = [Input { value: taps, map: AffineMap::select(2, &[1]) }];
    let kinds = [Iterator::Parallel, Iterator::Reduction];
    let total = lowering.generic_onto(&along, start, AffineMap::select(2, &[0]), &kinds, |builder, e| {
        let (index, tap) = (loop_index(builder, 0), loop_index(builder, 1));
        let (_, weight) = filter.tap(builder, index, tap);
        Scalars { builder, unsigned: false }.add(e[1], weight)
    });
    let rank = shape.len();
    let init = lowering.filled(&shape, wide.clone(), 0.0);
    let inputs = [
        Input { value: taps, map: AffineMap::select(rank + 1, &[rank]) },
        Input { value: total, map: AffineMap::select(rank + 1, &[axis]) },
    ];
    let mut kinds = vec![Iterator::Parallel; rank + 1];
    kinds[rank] = Iterator::Reduction;
    let order: Vec<usize> = (0..rank).collect();
    let value = lowering.generic_onto(&inputs, init, AffineMap::select(rank + 1, &order), &kinds, |builder, e| {
        let (index, tap) = (loop_index(builder, axis), loop_index(builder, rank));
        let (place, weight) = filter.tap(builder, index, tap);
        let mut indices: Vec<Value> = (0..rank).map(|axis| loop_index(builder, axis)).collect();
        indices[axis] = position(builder, place, filter.axis.input);
        let extract = tensor::Extract { tensor: input.value, indices: &indices };
        let value = builder.value_from(extract, wide.clone(), []);
        let mut s = Scalars { builder, unsigned: false };
        let share = s.div(weight, e[1]);
        let share = s.cast(share, &wide, false, false);
        let term = s.mul(share, value);
        s.add(e[2], term)
    });
    Shaped { value, shape }
}
