//! The input elements of an output element, and their weights.

use dialects::onnx::views::{self, CoordinateTransformation, NearestMode, ResizeMode};
use dialects::{arith, math};
use ir::{Builder, DimExpr, Type, Value};

use crate::structured::Lowering;
use crate::structured::channel_blocks::loop_index;
use crate::structured::reduction::Shaped;
use crate::structured::sampling::{Sampled, Tap, as_f32, cubic_weight, position, weighted_sum};
use crate::structured::scalars::{Comparison, Scalars};

/// The resizing of one axis.
pub(super) struct Axis {
    /// The axis of the tensor in the layout that is resized.
    pub axis: usize,
    /// The input extent.
    pub input: Value,
    /// The output extent.
    pub output: Value,
    /// The factor between input and output coordinates, f32; output extent over input extent if there is none.
    pub scale: Option<Value>,
    /// The region of interest, f32.
    pub region: Option<[Value; 2]>,
}

/// The resized tensor. Interpolation along rows comes last: for the axes before it, neighbours are contiguous.
pub(super) fn sample(
    lowering: &mut Lowering<'_>,
    input: &Shaped,
    shape: &[DimExpr],
    axes: &[Axis],
    resize: &views::Resize,
) -> Value {
    let is_wide = matches!(lowering.body.value_type(input.value).element(), &Type::F32 | &Type::F64);
    let is_apart = resize.mode != ResizeMode::Nearest && axes.iter().all(|axis| axis.region.is_none());
    match axes.split_last() {
        Some((last, outer)) if is_wide && is_apart && !outer.is_empty() && last.axis + 1 == shape.len() => {
            let mut between = shape.to_vec();
            between[last.axis] = input.shape[last.axis].clone();
            let value = sample_at_once(lowering, input, &between, outer, resize);
            let rows = Shaped { value, shape: between };
            sample_at_once(lowering, &rows, shape, std::slice::from_ref(last), resize)
        }
        _ => sample_at_once(lowering, input, shape, axes, resize),
    }
}

/// The tensor resized along some axes at once, by interpolation at the coordinate of each element.
fn sample_at_once(
    lowering: &mut Lowering<'_>,
    input: &Shaped,
    shape: &[DimExpr],
    axes: &[Axis],
    resize: &views::Resize,
) -> Value {
    let element = lowering.body.value_type(input.value).element().clone();
    let sampled = Sampled { value: input.value, unsigned: lowering.is_unsigned(resize.x) };
    let rank = shape.len();
    lowering.pointwise(&[], shape, element.clone(), |builder, _| {
        let mut outside: Option<Value> = None;
        let mut taps: Vec<(usize, Vec<Tap>)> = Vec::new();
        for axis in axes {
            let index = loop_index(builder, axis.axis);
            let coordinate = coordinate(builder, index, axis, resize.coordinate_transformation_mode);
            if axis.region.is_some() {
                let is_outside = out_of_range(builder, coordinate, axis.input);
                let mut s = Scalars { builder, unsigned: false };
                outside = Some(outside.map_or(is_outside, |all| s.same(arith::ORI, &[all, is_outside])));
            }
            let found = match resize.mode {
                ResizeMode::Nearest => nearest_tap(builder, coordinate, axis, resize.nearest_mode),
                ResizeMode::Linear => linear_taps(builder, coordinate, axis),
                ResizeMode::Cubic => cubic_taps(builder, coordinate, axis, resize),
            };
            taps.push((axis.axis, found));
        }
        let base: Vec<Value> = (0..rank).map(|axis| loop_index(builder, axis)).collect();
        let value = weighted_sum(builder, sampled, base, &taps);
        match outside {
            Some(outside) => {
                let mut s = Scalars { builder, unsigned: false };
                let fill = s.number(resize.extrapolation_value, &element);
                s.select(outside, fill, value)
            }
            None => value,
        }
    })
}

/// The input coordinate of an output index, by `coordinate_transformation_mode`.
pub(super) fn coordinate(
    builder: &mut Builder<'_>,
    index: Value,
    axis: &Axis,
    mode: CoordinateTransformation,
) -> Value {
    let x = as_f32(builder, index);
    let (input, output) = (as_f32(builder, axis.input), as_f32(builder, axis.output));
    let mut s = Scalars { builder, unsigned: false };
    let (zero, half, one) = (s.like(0.0, x), s.like(0.5, x), s.like(1.0, x));
    // the product is exact, so that a quotient of extents is rounded once
    let unscaled = |s: &mut Scalars<'_, '_>, x: Value| match axis.scale {
        Some(scale) => s.div(x, scale),
        None => {
            let product = s.mul(x, input);
            s.div(product, output)
        }
    };
    let half_pixel = |s: &mut Scalars<'_, '_>| {
        let centre = s.add(x, half);
        let scaled = unscaled(s, centre);
        s.sub(scaled, half)
    };
    match mode {
        CoordinateTransformation::Asymmetric => unscaled(&mut s, x),
        CoordinateTransformation::AlignCorners => {
            let (input_last, output_last) = (s.sub(input, one), s.sub(output, one));
            let scaled = s.mul(x, input_last);
            let quotient = s.div(scaled, output_last);
            let several = s.compare(Comparison::Greater, output_last, zero);
            s.select(several, quotient, zero)
        }
        CoordinateTransformation::PytorchHalfPixel => {
            let centred = half_pixel(&mut s);
            let several = s.compare(Comparison::Greater, output, one);
            s.select(several, centred, zero)
        }
        CoordinateTransformation::HalfPixelSymmetric => {
            let Some(scale) = axis.scale else { return half_pixel(&mut s) };
            // the output extent may have been rounded: keep the centres aligned
            let exact = s.mul(scale, input);
            let adjustment = s.div(output, exact);
            let centre = s.mul(input, half);
            let share = s.sub(one, adjustment);
            let offset = s.mul(centre, share);
            let centred = half_pixel(&mut s);
            s.add(offset, centred)
        }
        CoordinateTransformation::TfCropAndResize => match axis.region {
            Some([start, end]) => {
                let (input_last, output_last) = (s.sub(input, one), s.sub(output, one));
                let first = s.mul(start, input_last);
                let span = s.sub(end, start);
                let span = s.mul(span, input_last);
                let step = s.div(span, output_last);
                let along = s.mul(x, step);
                let position = s.add(first, along);
                let both = s.add(start, end);
                let middle = s.mul(both, input_last);
                let middle = s.mul(middle, half);
                let several = s.compare(Comparison::Greater, output, one);
                s.select(several, position, middle)
            }
            None => unscaled(&mut s, x),
        },
        _ => half_pixel(&mut s),
    }
}

fn out_of_range(builder: &mut Builder<'_>, coordinate: Value, extent: Value) -> Value {
    let extent = as_f32(builder, extent);
    let mut s = Scalars { builder, unsigned: false };
    let (zero, one) = (s.like(0.0, coordinate), s.like(1.0, coordinate));
    let last = s.sub(extent, one);
    let below = s.compare(Comparison::Less, coordinate, zero);
    let above = s.compare(Comparison::Greater, coordinate, last);
    s.same(arith::ORI, &[below, above])
}

fn nearest_tap(builder: &mut Builder<'_>, coordinate: Value, axis: &Axis, mode: NearestMode) -> Vec<Tap> {
    let mut s = Scalars { builder, unsigned: false };
    let half = s.like(0.5, coordinate);
    let rounded = match mode {
        NearestMode::Floor => s.same(math::FLOOR, &[coordinate]),
        NearestMode::Ceil => s.same(math::CEIL, &[coordinate]),
        NearestMode::RoundPreferCeil => {
            let raised = s.add(coordinate, half);
            s.same(math::FLOOR, &[raised])
        }
        NearestMode::RoundPreferFloor => {
            let lowered = s.sub(coordinate, half);
            s.same(math::CEIL, &[lowered])
        }
    };
    vec![Tap { position: position(builder, rounded, axis.input), weight: None }]
}

fn linear_taps(builder: &mut Builder<'_>, coordinate: Value, axis: &Axis) -> Vec<Tap> {
    let extent = as_f32(builder, axis.input);
    let mut s = Scalars { builder, unsigned: false };
    let (zero, one) = (s.like(0.0, coordinate), s.like(1.0, coordinate));
    let last = s.sub(extent, one);
    let clamped = s.clamp(coordinate, [zero, last]);
    let floor = s.same(math::FLOOR, &[clamped]);
    let fraction = s.sub(clamped, floor);
    let rest = s.sub(one, fraction);
    let next = s.add(floor, one);
    vec![
        Tap { position: position(builder, floor, axis.input), weight: Some(rest) },
        Tap { position: position(builder, next, axis.input), weight: Some(fraction) },
    ]
}

/// Keys' cubic convolution with coefficient `a`: four elements, from the one before the coordinate on.
fn cubic_taps(builder: &mut Builder<'_>, coordinate: Value, axis: &Axis, resize: &views::Resize) -> Vec<Tap> {
    let mut s = Scalars { builder, unsigned: false };
    let floor = s.same(math::FLOOR, &[coordinate]);
    let t = s.sub(coordinate, floor);
    let mut taps: Vec<(Value, Value)> = Vec::new();
    for offset in -1..=2i64 {
        let shift = s.like(offset as f64, coordinate);
        let at = s.add(floor, shift);
        let difference = s.sub(t, shift);
        let distance = s.same(math::ABSF, &[difference]);
        taps.push((at, cubic_weight(&mut s, distance, resize.cubic_coeff_a, offset == 0 || offset == 1)));
    }
    if resize.exclude_outside == 1 {
        let extent = as_f32(s.builder, axis.input);
        exclude_outside(&mut s, &mut taps, extent);
    }
    taps.into_iter()
        .map(|(at, weight)| Tap { position: position(builder, at, axis.input), weight: Some(weight) })
        .collect()
}

/// Weight zero outside of the tensor; the other weights are renormalised.
fn exclude_outside(s: &mut Scalars<'_, '_>, taps: &mut [(Value, Value)], extent: Value) {
    let mut sum: Option<Value> = None;
    for (at, weight) in taps.iter_mut() {
        let zero = s.like(0.0, *at);
        let above = s.compare(Comparison::GreaterOrEqual, *at, zero);
        let below = s.compare(Comparison::Less, *at, extent);
        let inside = s.same(arith::ANDI, &[above, below]);
        *weight = s.select(inside, *weight, zero);
        sum = Some(sum.map_or(*weight, |sum| s.add(sum, *weight)));
    }
    if let Some(sum) = sum {
        for (_, weight) in taps {
            *weight = s.div(*weight, sum);
        }
    }
}
