//! Resize: each output element is a weighted sum of input elements around a fractional coordinate.
//!
//! Coordinates are computed in f32 as ONNX Runtime does. Blocked tensors stay blocked, so that neighbouring lanes share
//! their coordinates.

use ir::{AffineExpr, AffineMap, Attributes, Builder, DimExpr, Op, Type, Value};

use super::blocked::{blocked_shape, loop_index};
use super::reduction::Shaped;
use super::scalars::{Comparison, Scalars};
use super::{Lowering, Unsupported, antialias};
use dialects::linalg::generic::Input;

/// How one axis is resized.
pub(super) struct Axis {
    /// The axis of the tensor in the layout that is resized.
    pub axis: usize,
    /// The input extent.
    pub input: Value,
    output: Value,
    /// The output extent before it is rounded, f32.
    exact: Value,
    /// Output extent over input extent, f32.
    pub scale: Value,
    /// The region of interest, f32.
    region: Option<[Value; 2]>,
}

/// Lowers `Resize`.
pub(super) fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let (x, result) = (operation.operands()[0], operation.results()[0]);
    let (from, to) = (lowering.shape(x), lowering.shape(result));
    let attributes = operation.attributes.clone();
    let mode = attributes.str("mode").unwrap_or("nearest").to_string();
    let antialias = attributes.integer("antialias") == Some(1) && mode != "nearest";
    let scales = scales(lowering, op)?;
    settle_extents(lowering, op, &scales);
    let rank = from.len();
    let resized: Vec<usize> = (0..rank).filter(|&axis| from[axis] != to[axis]).collect();
    for &axis in resized.iter().filter(|&&axis| from[axis].as_constant().is_none_or(|extent| extent < 1)) {
        let (from, to) = (lowering.dim(&from[axis]), lowering.dim(&to[axis]));
        lowering.check_source(from, to);
    }
    let crop = attributes.str("coordinate_transformation_mode") == Some("tf_crop_and_resize");
    let blocked = rank >= 3 && lowering.is_blocked(x) && !resized.contains(&1) && !crop;
    let input = if blocked { lowering.blocked(x) } else { lowering.shaped(x) };
    let shape = if blocked { blocked_shape(&to) } else { to.clone() };
    let value = match nearest_by_division(&attributes, &mode, &from, &to, shape.len()) {
        Some(map) => {
            let element = lowering.element(result);
            lowering.pointwise(&[Input { value: input.value, map }], &shape, element, |_, e| e[0])
        }
        None => {
            let active: Vec<usize> = if crop { (0..rank).collect() } else { resized };
            let axes = axes(lowering, op, &active, &scales);
            match antialias {
                true if crop => return Err(Unsupported::new("cropping with antialiasing is not compiled")),
                true => antialias::sample(lowering, &input, &shape, &axes, &attributes, mode == "cubic"),
                false => sample(lowering, &input, &shape, &axes, &attributes, &mode),
            }
        }
    };
    match blocked {
        true => lowering.bind_blocked(result, value),
        false => lowering.bind(result, value),
    }
    Ok(())
}

/// The axes that sizes, scales and the region of interest are about.
fn listed_axes(lowering: &Lowering<'_>, op: Op, rank: usize) -> Result<Vec<usize>, Unsupported> {
    match lowering.source.op(op).attributes.integers("axes") {
        Some(axes) => axes.iter().map(|&axis| super::reduction::normalize_axis(axis, rank)).collect(),
        None => Ok((0..rank).collect()),
    }
}

/// Scales, unless they are omitted or empty.
fn scales_of(lowering: &Lowering<'_>, op: Op) -> Option<Value> {
    lowering.operand(op, 2).filter(|&scales| lowering.shape(scales).first() != Some(&DimExpr::ZERO))
}

/// How much an axis grows.
struct Scale {
    axis: usize,
    factor: Value,
    /// The output extent before it is rounded, f32.
    exact: Value,
    /// The output extent.
    extent: Value,
}

/// What sizes or scales say about the axes they are about.
fn scales(lowering: &mut Lowering<'_>, op: Op) -> Result<Vec<Scale>, Unsupported> {
    let operation = lowering.source.op(op).clone();
    let from = lowering.shape(operation.operands()[0]);
    let listed = listed_axes(lowering, op, from.len())?;
    let policy = operation.attributes.str("keep_aspect_ratio_policy").unwrap_or("stretch");
    let mut found = Vec::new();
    for (position, &axis) in listed.iter().enumerate() {
        let input = lowering.dim(&from[axis]);
        let input = as_f32(&mut lowering.builder(), input);
        found.push(match (lowering.operand(op, 3), scales_of(lowering, op)) {
            (Some(sizes), _) => {
                let extent = lowering.integer(sizes, position);
                let exact = as_f32(&mut lowering.builder(), extent);
                Scale { axis, factor: lowering.scalars(|s| s.div(exact, input)), exact, extent }
            }
            (None, Some(scales)) => {
                let factor = element_f32(lowering, scales, position);
                let exact = lowering.scalars(|s| s.mul(input, factor));
                Scale { axis, factor, exact, extent: floor(lowering, exact) }
            }
            (None, None) => return Err(Unsupported::new("it has neither sizes nor scales")),
        });
    }
    let smallest = policy == "not_larger";
    if policy != "stretch" && lowering.operand(op, 3).is_some() {
        keep_ratio(lowering, &from, &mut found, smallest);
    }
    Ok(found)
}

/// One factor for all axes: the smallest or the largest; extents are rounded, halves up.
fn keep_ratio(lowering: &mut Lowering<'_>, from: &[DimExpr], scales: &mut [Scale], smallest: bool) {
    let factors: Vec<Value> = scales.iter().map(|scale| scale.factor).collect();
    let common =
        factors.into_iter().reduce(|a, b| lowering.scalars(|s| if smallest { s.min(a, b) } else { s.max(a, b) }));
    let Some(common) = common else { return };
    for scale in scales {
        let input = lowering.dim(&from[scale.axis]);
        let input = as_f32(&mut lowering.builder(), input);
        let (exact, raised) = lowering.scalars(|s| {
            let (exact, half) = (s.mul(common, input), s.like(0.5, common));
            (exact, s.add(exact, half))
        });
        let extent = floor(lowering, raised);
        *scale = Scale { axis: scale.axis, factor: common, exact, extent };
    }
}

/// A number rounded down, as an `index` value.
fn floor(lowering: &mut Lowering<'_>, number: Value) -> Value {
    lowering.scalars(|s| {
        let floor = s.same("math.floor", &[number]);
        let whole = s.cast(floor, &Type::I64, false, false);
        s.builder.value("arith.index_cast", &[whole], Type::Index, [])
    })
}

/// Says what extents of the result are that shape inference does not know.
fn settle_extents(lowering: &mut Lowering<'_>, op: Op, scales: &[Scale]) {
    let result = lowering.source.op(op).results()[0];
    let to = lowering.shape(result);
    for scale in scales.iter().filter(|scale| lowering.is_own_symbol(&to[scale.axis], result)).collect::<Vec<_>>() {
        lowering.settle(result, scale.axis, scale.extent);
    }
}

/// Nearest neighbour with whole factors, rounded down: `floor(o / factor)`.
fn nearest_by_division(
    attributes: &Attributes,
    mode: &str,
    from: &[DimExpr],
    to: &[DimExpr],
    rank: usize,
) -> Option<AffineMap> {
    let asymmetric = attributes.str("coordinate_transformation_mode") == Some("asymmetric");
    let rounding = attributes.str("nearest_mode").unwrap_or("round_prefer_floor");
    let half_pixel = matches!(attributes.str("coordinate_transformation_mode"), None | Some("half_pixel"));
    let divides = (asymmetric && rounding == "floor") || (half_pixel && rounding.starts_with("round"));
    if mode != "nearest" || !divides {
        return None;
    }
    let mut results: Vec<AffineExpr> = (0..rank as u32).map(AffineExpr::Dim).collect();
    for (axis, (from, to)) in from.iter().zip(to).enumerate() {
        if from != to {
            let factor = to.divide_exactly(from)?.as_constant().filter(|&factor| factor >= 1)?;
            results[axis] = AffineExpr::Dim(axis as u32).floor_div(factor);
        }
    }
    Some(AffineMap::new(rank as u32, results))
}

fn axes(lowering: &mut Lowering<'_>, op: Op, active: &[usize], scales: &[Scale]) -> Vec<Axis> {
    let operation = lowering.source.op(op).clone();
    let (from, to) = (lowering.shape(operation.operands()[0]), lowering.shape(operation.results()[0]));
    let crop = operation.attributes.str("coordinate_transformation_mode") == Some("tf_crop_and_resize");
    let mut found = Vec::new();
    for &axis in active {
        let (input, output) = (lowering.dim(&from[axis]), lowering.dim(&to[axis]));
        let position = scales.iter().position(|scale| scale.axis == axis);
        let (scale, exact) = match position {
            Some(position) => (scales[position].factor, scales[position].exact),
            None => (lowering.number(1.0, &Type::F32), as_f32(&mut lowering.builder(), output)),
        };
        let region = match (crop, position, lowering.operand(op, 1)) {
            (true, Some(position), Some(region)) => {
                let start = element_f32(lowering, region, position);
                Some([start, element_f32(lowering, region, scales.len() + position)])
            }
            _ => None,
        };
        found.push(Axis { axis, input, output, exact, scale, region });
    }
    found
}

fn element_f32(lowering: &mut Lowering<'_>, source: Value, position: usize) -> Value {
    let loaded = lowering.element_at(source, position);
    lowering.scalars(|s| s.cast(loaded, &Type::F32, false, false))
}

pub(crate) fn as_f32(builder: &mut Builder<'_>, index: Value) -> Value {
    let integer = builder.value("arith.index_cast", &[index], Type::I64, []);
    builder.value("arith.sitofp", &[integer], Type::F32, [])
}

/// Where an input is read along one axis and with which weight.
pub(crate) struct Tap {
    /// The index, in bounds.
    pub position: Value,
    /// The weight, 1 when there is none.
    pub weight: Option<Value>,
}

fn sample(
    lowering: &mut Lowering<'_>,
    input: &Shaped,
    shape: &[DimExpr],
    axes: &[Axis],
    attributes: &Attributes,
    mode: &str,
) -> Value {
    let element = lowering.body.value_type(input.value).element().clone();
    let extrapolation = attributes.float("extrapolation_value").unwrap_or(0.0);
    let rank = shape.len();
    lowering.pointwise(&[], shape, element.clone(), |builder, _| {
        let mut outside: Option<Value> = None;
        let mut taps: Vec<(usize, Vec<Tap>)> = Vec::new();
        for axis in axes {
            let index = loop_index(builder, axis.axis);
            let coordinate = coordinate(builder, index, axis, attributes);
            if axis.region.is_some() {
                let is_outside = out_of_range(builder, coordinate, axis.input);
                let mut s = Scalars { builder, unsigned: false };
                outside = Some(outside.map_or(is_outside, |all| s.same("arith.ori", &[all, is_outside])));
            }
            let found = match mode {
                "nearest" => nearest_tap(builder, coordinate, axis, attributes),
                "linear" => linear_taps(builder, coordinate, axis),
                _ => cubic_taps(builder, coordinate, axis, attributes),
            };
            taps.push((axis.axis, found));
        }
        let base: Vec<Value> = (0..rank).map(|axis| loop_index(builder, axis)).collect();
        let value = weighted_sum(builder, input.value, &element, base, &taps);
        match outside {
            Some(outside) => {
                let mut s = Scalars { builder, unsigned: false };
                let fill = s.number(extrapolation, &element);
                s.select(outside, fill, value)
            }
            None => value,
        }
    })
}

/// `Σ weight * element` over the taps of one axis after the other, in f32 unless there is a single element.
pub(crate) fn weighted_sum(
    builder: &mut Builder<'_>,
    tensor: Value,
    element: &Type,
    at: Vec<Value>,
    taps: &[(usize, Vec<Tap>)],
) -> Value {
    let single = taps.iter().all(|(_, taps)| taps.iter().all(|tap| tap.weight.is_none()));
    if single {
        let mut at = at;
        for (axis, taps) in taps {
            at[*axis] = taps[0].position;
        }
        let operands: Vec<Value> = std::iter::once(tensor).chain(at).collect();
        return builder.value("tensor.extract", &operands, element.clone(), []);
    }
    let wide = if *element == Type::F64 { Type::F64 } else { Type::F32 };
    let sum = weighted_axis(builder, tensor, element, &wide, at, taps);
    let mut s = Scalars { builder, unsigned: false };
    if element.is_float() {
        return s.cast(sum, element, false, false);
    }
    let rounded = s.same("math.roundeven", &[sum]);
    s.cast(rounded, element, false, false)
}

fn weighted_axis(
    builder: &mut Builder<'_>,
    tensor: Value,
    element: &Type,
    wide: &Type,
    at: Vec<Value>,
    taps: &[(usize, Vec<Tap>)],
) -> Value {
    let Some(((axis, list), inner)) = taps.split_first() else {
        let operands: Vec<Value> = std::iter::once(tensor).chain(at).collect();
        let value = builder.value("tensor.extract", &operands, element.clone(), []);
        return Scalars { builder, unsigned: false }.cast(value, wide, false, false);
    };
    let mut sum: Option<Value> = None;
    for tap in list {
        let mut at = at.clone();
        at[*axis] = tap.position;
        let value = weighted_axis(builder, tensor, element, wide, at, inner);
        let mut s = Scalars { builder, unsigned: false };
        let weighted = tap.weight.map_or(value, |weight| {
            let weight = s.cast(weight, wide, false, false);
            s.mul(weight, value)
        });
        sum = Some(sum.map_or(weighted, |sum| s.add(sum, weighted)));
    }
    sum.expect("an axis has taps")
}

/// The input coordinate of an output index, by `coordinate_transformation_mode`.
pub(super) fn coordinate(builder: &mut Builder<'_>, index: Value, axis: &Axis, attributes: &Attributes) -> Value {
    let x = as_f32(builder, index);
    let (input, output) = (as_f32(builder, axis.input), as_f32(builder, axis.output));
    let mut s = Scalars { builder, unsigned: false };
    let (zero, half, one) = (s.like(0.0, x), s.like(0.5, x), s.like(1.0, x));
    let half_pixel = |s: &mut Scalars<'_, '_>| {
        let centre = s.add(x, half);
        let scaled = s.div(centre, axis.scale);
        s.sub(scaled, half)
    };
    match attributes.str("coordinate_transformation_mode").unwrap_or("half_pixel") {
        "asymmetric" => s.div(x, axis.scale),
        "align_corners" => {
            let (input_last, output_last) = (s.sub(input, one), s.sub(axis.exact, one));
            let scaled = s.mul(x, input_last);
            let quotient = s.div(scaled, output_last);
            let several = s.compare(Comparison::Greater, output_last, zero);
            s.select(several, quotient, zero)
        }
        "pytorch_half_pixel" => {
            let centred = half_pixel(&mut s);
            let several = s.compare(Comparison::Greater, output, one);
            s.select(several, centred, zero)
        }
        "half_pixel_symmetric" => {
            // the output extent may have been rounded: keep the centres aligned
            let exact = s.mul(axis.scale, input);
            let adjustment = s.div(output, exact);
            let centre = s.mul(input, half);
            let share = s.sub(one, adjustment);
            let offset = s.mul(centre, share);
            let centred = half_pixel(&mut s);
            s.add(offset, centred)
        }
        "tf_crop_and_resize" => match axis.region {
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
            None => s.div(x, axis.scale),
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
    s.same("arith.ori", &[below, above])
}

/// A whole-numbered f32 as an index inside the axis.
pub(super) fn position(builder: &mut Builder<'_>, coordinate: Value, extent: Value) -> Value {
    let integer = builder.value("arith.fptosi", &[coordinate], Type::I64, []);
    let index = builder.value("arith.index_cast", &[integer], Type::Index, []);
    let mut s = Scalars { builder, unsigned: false };
    let (zero, one) = (s.number(0.0, &Type::Index), s.number(1.0, &Type::Index));
    let last = s.sub(extent, one);
    let capped = s.min(index, last);
    s.max(capped, zero)
}

fn nearest_tap(builder: &mut Builder<'_>, coordinate: Value, axis: &Axis, attributes: &Attributes) -> Vec<Tap> {
    let mut s = Scalars { builder, unsigned: false };
    let half = s.like(0.5, coordinate);
    let rounded = match attributes.str("nearest_mode").unwrap_or("round_prefer_floor") {
        "floor" => s.same("math.floor", &[coordinate]),
        "ceil" => s.same("math.ceil", &[coordinate]),
        "round_prefer_ceil" => {
            let raised = s.add(coordinate, half);
            s.same("math.floor", &[raised])
        }
        _ => {
            let lowered = s.sub(coordinate, half);
            s.same("math.ceil", &[lowered])
        }
    };
    vec![Tap { position: position(builder, rounded, axis.input), weight: None }]
}

fn linear_taps(builder: &mut Builder<'_>, coordinate: Value, axis: &Axis) -> Vec<Tap> {
    let extent = as_f32(builder, axis.input);
    let mut s = Scalars { builder, unsigned: false };
    let (zero, one) = (s.like(0.0, coordinate), s.like(1.0, coordinate));
    let last = s.sub(extent, one);
    let capped = s.min(coordinate, last);
    let clamped = s.max(capped, zero);
    let floor = s.same("math.floor", &[clamped]);
    let fraction = s.sub(clamped, floor);
    let rest = s.sub(one, fraction);
    let next = s.add(floor, one);
    vec![
        Tap { position: position(builder, floor, axis.input), weight: Some(rest) },
        Tap { position: position(builder, next, axis.input), weight: Some(fraction) },
    ]
}

/// Keys' cubic convolution with coefficient `a`: four taps from one in front of the coordinate on.
fn cubic_taps(builder: &mut Builder<'_>, coordinate: Value, axis: &Axis, attributes: &Attributes) -> Vec<Tap> {
    let a = attributes.float("cubic_coeff_a").unwrap_or(-0.75);
    let exclude = attributes.integer("exclude_outside") == Some(1);
    let mut s = Scalars { builder, unsigned: false };
    let floor = s.same("math.floor", &[coordinate]);
    let t = s.sub(coordinate, floor);
    let mut taps: Vec<(Value, Value)> = Vec::new();
    for offset in -1..=2i64 {
        let shift = s.like(offset as f64, coordinate);
        let at = s.add(floor, shift);
        let difference = s.sub(t, shift);
        let distance = s.same("math.absf", &[difference]);
        taps.push((at, cubic_weight(&mut s, distance, a, offset == 0 || offset == 1)));
    }
    if exclude {
        let extent = as_f32(s.builder, axis.input);
        exclude_outside(&mut s, &mut taps, extent);
    }
    taps.into_iter()
        .map(|(at, weight)| Tap { position: position(builder, at, axis.input), weight: Some(weight) })
        .collect()
}

/// `(a + 2) d³ - (a + 3) d² + 1` for distances up to 1, `a d³ - 5 a d² + 8 a d - 4 a` up to 2.
pub(super) fn cubic_weight(s: &mut Scalars<'_, '_>, d: Value, a: f64, near: bool) -> Value {
    let coefficients = if near { [a + 2.0, -(a + 3.0), 0.0, 1.0] } else { [a, -5.0 * a, 8.0 * a, -4.0 * a] };
    let mut sum = s.like(coefficients[0], d);
    for coefficient in &coefficients[1..] {
        let product = s.mul(sum, d);
        let term = s.like(*coefficient, d);
        sum = s.add(product, term);
    }
    sum
}

/// Zero weight outside the tensor; the others share what is left.
fn exclude_outside(s: &mut Scalars<'_, '_>, taps: &mut [(Value, Value)], extent: Value) {
    let mut sum: Option<Value> = None;
    for (at, weight) in taps.iter_mut() {
        let zero = s.like(0.0, *at);
        let above = s.compare(Comparison::GreaterOrEqual, *at, zero);
        let below = s.compare(Comparison::Less, *at, extent);
        let inside = s.same("arith.andi", &[above, below]);
        *weight = s.select(inside, *weight, zero);
        sum = Some(sum.map_or(*weight, |sum| s.add(sum, *weight)));
    }
    if let Some(sum) = sum {
        for (_, weight) in taps {
            *weight = s.div(*weight, sum);
        }
    }
}
