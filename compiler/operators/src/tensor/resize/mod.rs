//! Resize, formerly Upsample: each output element is a weighted sum of input elements around a fractional coordinate.
//!
//! Coordinates are computed in f32 as ONNX Runtime does. Blocked tensors stay blocked, so that neighbouring lanes share
//! their coordinates.

mod antialias;
mod taps;

use dialects::linalg::generic::Input;
use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, AspectRatioPolicy, CoordinateTransformation, NearestMode, ResizeMode, View};
use dialects::{OpCodes, arith, func, math};
use ir::{AffineExpr, AffineMap, Attribute, DimExpr, Op, Type, Value};

use crate::graph::{self, Emitter, Problem};
use crate::operator::{Operator, Rank};
use crate::shape::{Answer, Node, normalize_axis};
use crate::structured::channel_blocks::blocked_shape;
use crate::structured::sampling::as_f32;
use crate::structured::scalars::Comparison;
use crate::structured::{Lowering, Unsupported};
use crate::upgrade::{float_list, floats};
use taps::Axis;

pub(crate) const RESIZE: Operator = Operator {
    upgrades: &[(11, resize_11)],
    formerly: Some(("Upsample", &[(7, upsample_7), (9, upsample_9), (10, upsample_10), (11, resize_11)])),
    normalize: Some(one_spelling),
    ranks: &[(1, Rank::Exactly(1)), (2, Rank::Exactly(1)), (3, Rank::Exactly(1))],
    shapes: Some(shapes),
    lower: Some(lower),
    ..Operator::of(OnnxOp::Resize)
};

/// The scales of the two spatial axes become one list for all.
fn upsample_7(node: &mut graph::Node, _: &mut Emitter) -> Result<(), Problem> {
    let mut scale = |name: &str| node.attributes.remove(name).unwrap_or(Attribute::f32(1.0));
    let (height, width) = (scale("height_scale"), scale("width_scale"));
    let one = Attribute::f32(1.0);
    node.attributes.set("scales", Attribute::Array([one.clone(), one, height, width].into()));
    Ok(())
}

/// The scales become an operand.
fn upsample_9(node: &mut graph::Node, emit: &mut Emitter) -> Result<(), Problem> {
    if let Some(scales) = node.attributes.remove("scales").and_then(|scales| float_list(&scales)) {
        let scales = emit.constant(floats(&scales));
        node.set_operand(1, scales, emit);
    }
    Ok(())
}

/// Upsample is Resize.
fn upsample_10(node: &mut graph::Node, _: &mut Emitter) -> Result<(), Problem> {
    node.name = "Resize".into();
    if node.attributes.str("mode").is_some_and(|mode| mode == "bilinear") {
        node.attributes.set("mode", Attribute::string("linear"));
    }
    Ok(())
}

/// The first Resize maps coordinates by the scale alone. It rounds them down, or up when downsampling.
fn resize_11(node: &mut graph::Node, emit: &mut Emitter) -> Result<(), Problem> {
    let scales = node.operand(1, emit).ok_or_else(|| Problem::input("lacks its scales"))?;
    let known = emit.known(scales).map(|known| (0..known.element_count()).filter_map(|i| known.float(i)).collect());
    let known: Vec<f64> = known.unwrap_or_default();
    let shrinks = known.iter().any(|&scale| scale < 1.0) && known.iter().all(|&scale| scale <= 1.0);
    node.operands = vec![node.operands[0], emit.none, scales];
    node.attributes.set("coordinate_transformation_mode", Attribute::string("asymmetric"));
    node.attributes.set("nearest_mode", Attribute::string(if shrinks { "ceil" } else { "floor" }));
    Ok(())
}

/// An empty tensor counts as an omitted operand; the region of interest is read in one mode only.
fn one_spelling(node: &mut graph::Node, emit: &mut Emitter) -> Result<(), Problem> {
    let mode = node.attributes.str("coordinate_transformation_mode");
    if mode != Some("tf_crop_and_resize") && node.operands.len() > 1 {
        node.operands[1] = emit.none;
    }
    for operand in node.operands.iter_mut().skip(1) {
        if emit.body.value_type(*operand).static_shape().is_some_and(|shape| shape == [0]) {
            *operand = emit.none;
        }
    }
    let [scales, sizes] = [2, 3].map(|index| node.operand(index, emit));
    match (scales, sizes) {
        // a list of unknown length may be empty
        (Some(scales), Some(sizes)) if [scales, sizes].iter().all(|&list| has_elements(emit, list)) => {
            Err(Problem::input("has scales and sizes, expected one of them"))
        }
        (None, None) => Err(Problem::input("has neither scales nor sizes")),
        _ => Ok(()),
    }
}

fn has_elements(emit: &Emitter, list: Value) -> bool {
    emit.body.value_type(list).static_shape().is_some_and(|shape| shape.iter().all(|&extent| extent > 0))
}

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let resize: views::Resize = node.view();
    let Some(mut shape) = node.shape_of(resize.x) else { return Ok(vec![]) };
    let axes = listed_axes(&resize, shape.len())?;
    let keeps_ratio = resize.keep_aspect_ratio_policy != AspectRatioPolicy::Stretch;
    if let Some(sizes) = resize.sizes {
        let sizes = node.sizes_of(sizes).unwrap_or_else(|| vec![None; axes.len()]);
        check_length(sizes.len(), axes.len(), "sizes")?;
        for (&axis, size) in axes.iter().zip(sizes) {
            shape[axis] = size.filter(|_| !keeps_ratio).unwrap_or_else(|| node.fresh(0, axis));
        }
        return Ok(vec![Some(shape)]);
    }
    let crops = resize.coordinate_transformation_mode == CoordinateTransformation::TfCropAndResize;
    let scales = resize.scales.and_then(|scales| node.floats_of(scales));
    if let Some(scales) = &scales {
        check_length(scales.len(), axes.len(), "scales")?;
        if let Some((scale, axis)) = scales.iter().zip(&axes).find(|(scale, _)| !is_scale(**scale)) {
            return Err(format!("the scale of axis {axis} is {scale}, expected a number greater than 0"));
        }
    }
    for (at, &axis) in axes.iter().enumerate() {
        let scales = scales.as_ref().filter(|_| !crops);
        let scaled = scales.and_then(|scales| scaled(&shape[axis], scales[at]));
        shape[axis] = scaled.unwrap_or_else(|| node.fresh(0, axis));
    }
    Ok(vec![Some(shape)])
}

fn is_scale(scale: f64) -> bool {
    scale > 0.0
}

fn check_length(found: usize, expected: usize, what: &str) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{found} {what} for {expected} axes")) }
}

/// `floor(extent * scale)`, when it is exact.
fn scaled(extent: &DimExpr, scale: f64) -> Option<DimExpr> {
    if scale <= 0.0 {
        return None;
    }
    if let Some(extent) = extent.as_constant() {
        // the reference computes in f32
        return Some(DimExpr::Constant((extent as f32 * scale as f32).floor() as i64));
    }
    let inverse = 1.0 / scale;
    let whole = |value: f64| value.fract() == 0.0 && value < (1 << 20) as f64;
    match (whole(scale), whole(inverse)) {
        (true, _) => Some(extent.mul(&DimExpr::Constant(scale as i64))),
        (_, true) if (inverse as i64).count_ones() == 1 => Some(extent.floor_div(&DimExpr::Constant(inverse as i64))),
        _ => None,
    }
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let resize = views::Resize::of(lowering.source, op);
    let (x, result) = (resize.x, lowering.source.op(op).results()[0]);
    let (from, to) = (lowering.shape(x), lowering.shape(result));
    let antialias = resize.antialias == 1 && resize.mode != ResizeMode::Nearest;
    let scales = scales(lowering, &resize)?;
    settle_extents(lowering, result, &scales);
    lowering.check_size(op)?;
    let rank = from.len();
    let resized: Vec<usize> =
        (0..rank).filter(|&axis| from[axis] != to[axis] || is_moved(&resize, &scales, axis)).collect();
    for &axis in resized.iter().filter(|&&axis| from[axis].as_constant().is_none_or(|extent| extent < 1)) {
        let (from, to) = (lowering.dim(&from[axis]), lowering.dim(&to[axis]));
        lowering.check_source(from, to);
    }
    let crop = resize.coordinate_transformation_mode == CoordinateTransformation::TfCropAndResize;
    // outputs of the model are not blocked, and a small operand is unpacked more cheaply than a large result
    let leaves = lowering.source.uses(result).iter().all(|user| lowering.source.is(user.op, func::RETURN));
    let blocked = rank >= 3 && lowering.is_blocked(x) && !resized.contains(&1) && !crop && !leaves;
    let input = if blocked { lowering.blocked(x) } else { lowering.shaped(x) };
    let shape = if blocked { blocked_shape(&to) } else { to.clone() };
    let value = match nearest_by_division(&resize, &scales, &from, &to, shape.len()) {
        Some(map) => {
            let element = lowering.element(result);
            lowering.pointwise(&[Input { value: input.value, map }], &shape, element, |_, e| e[0])
        }
        None => {
            let active: Vec<usize> = if crop { (0..rank).collect() } else { resized };
            let axes = axes(lowering, &resize, result, &active, &scales);
            match antialias {
                true if crop => return Err(Unsupported::new("cropping with antialiasing is not compiled")),
                true => antialias::sample(lowering, &input, &shape, &axes, &resize),
                false => taps::sample(lowering, &input, &shape, &axes, &resize),
            }
        }
    };
    match blocked {
        true => lowering.bind_blocked(result, value),
        false => lowering.bind(result, value),
    }
    Ok(())
}

/// The axes of sizes, scales and the region of interest.
fn listed_axes(resize: &views::Resize, rank: usize) -> Result<Vec<usize>, String> {
    match &resize.axes {
        Some(axes) => axes.iter().map(|&axis| normalize_axis(axis, rank)).collect(),
        None => Ok((0..rank).collect()),
    }
}

/// The scale of an axis.
struct Scale {
    axis: usize,
    factor: Factor,
    /// The output extent.
    extent: Value,
}

/// The scale factor.
#[derive(Clone, Copy)]
enum Factor {
    /// Output extent over input extent.
    OfExtents,
    /// A given factor, whose product with the extent is rounded: an f32 value, and the constant if it is known.
    Given(Value, Option<f64>),
}

/// The scales or sizes of their axes.
fn scales(lowering: &mut Lowering<'_>, resize: &views::Resize) -> Result<Vec<Scale>, Unsupported> {
    let from = lowering.shape(resize.x);
    let listed = listed_axes(resize, from.len()).map_err(Unsupported::invalid)?;
    // an empty list counts as omitted
    let scales = resize.scales.filter(|&scales| lowering.shape(scales).first() != Some(&DimExpr::ZERO));
    if let (Some(_), Some(scales)) = (resize.sizes, scales) {
        let length = lowering.shape(scales).first().cloned().unwrap_or(DimExpr::ONE);
        lowering.check_equal(&length, &DimExpr::ZERO, "it has scales and sizes, expected one of them");
    }
    let mut found = Vec::new();
    for (position, &axis) in listed.iter().enumerate() {
        found.push(match (resize.sizes, scales) {
            (Some(sizes), _) => Scale { axis, factor: Factor::OfExtents, extent: lowering.integer(sizes, position) },
            (None, Some(scales)) => {
                let factor = element_f32(lowering, scales, position);
                let tensor = lowering.value(scales);
                let known = lowering.literal(tensor).and_then(|scales| scales.floats()?.get(position).copied());
                if known.is_none() {
                    check_scale(lowering, factor);
                }
                let input = lowering.dim(&from[axis]);
                let input = as_f32(&mut lowering.builder(), input);
                let exact = lowering.scalars(|s| s.mul(input, factor));
                Scale { axis, factor: Factor::Given(factor, known), extent: floor(lowering, exact) }
            }
            (None, None) => return Err(Unsupported::invalid("it has neither sizes nor scales")),
        });
    }
    match resize.keep_aspect_ratio_policy {
        _ if resize.sizes.is_none() => {}
        AspectRatioPolicy::Stretch => {}
        AspectRatioPolicy::NotLarger => keep_ratio(lowering, &from, &mut found, true),
        AspectRatioPolicy::NotSmaller => keep_ratio(lowering, &from, &mut found, false),
    }
    Ok(found)
}

/// Ends the run unless a scale is positive; NaN is not.
fn check_scale(lowering: &mut Lowering<'_>, factor: Value) {
    let is_positive = lowering.scalars(|s| {
        let zero = s.like(0.0, factor);
        s.compare(Comparison::Greater, factor, zero)
    });
    lowering.check(is_positive, "a scale is not greater than 0");
}

/// One factor for all axes: the smallest or the largest; extents are rounded, ties up.
fn keep_ratio(lowering: &mut Lowering<'_>, from: &[DimExpr], scales: &mut [Scale], smallest: bool) {
    let factor = |scale: &Scale| {
        let input = lowering.dim(&from[scale.axis]);
        let extents = [scale.extent, input].map(|extent| as_f32(&mut lowering.builder(), extent));
        lowering.scalars(|s| s.div(extents[0], extents[1]))
    };
    let factors: Vec<Value> = scales.iter().map(factor).collect();
    let common =
        factors.into_iter().reduce(|a, b| lowering.scalars(|s| if smallest { s.min(a, b) } else { s.max(a, b) }));
    let Some(common) = common else { return };
    for scale in scales {
        let input = lowering.dim(&from[scale.axis]);
        let input = as_f32(&mut lowering.builder(), input);
        let raised = lowering.scalars(|s| {
            let (exact, half) = (s.mul(common, input), s.like(0.5, common));
            s.add(exact, half)
        });
        let extent = floor(lowering, raised);
        *scale = Scale { axis: scale.axis, factor: Factor::Given(common, None), extent };
    }
}

/// A number rounded down, as an `index` value.
fn floor(lowering: &mut Lowering<'_>, number: Value) -> Value {
    lowering.scalars(|s| {
        let floor = s.same(math::FLOOR, &[number]);
        let whole = s.cast(floor, &Type::I64, false, false);
        s.builder.value(arith::INDEX_CAST, &[whole], Type::Index, [])
    })
}

/// Settles the extents of the result that shape inference does not know.
fn settle_extents(lowering: &mut Lowering<'_>, result: Value, scales: &[Scale]) {
    let to = lowering.shape(result);
    for scale in scales.iter().filter(|scale| lowering.is_own_symbol(&to[scale.axis], result)).collect::<Vec<_>>() {
        lowering.settle(result, scale.axis, scale.extent);
    }
}

/// Whether an axis that keeps its extent is resized anyway: by a factor near 1, which shifts coordinates.
fn is_moved(resize: &views::Resize, scales: &[Scale], axis: usize) -> bool {
    resize.coordinate_transformation_mode != CoordinateTransformation::AlignCorners
        && scales
            .iter()
            .any(|scale| scale.axis == axis && matches!(scale.factor, Factor::Given(_, known) if known != Some(1.0)))
}

/// Nearest neighbour with integral factors, rounded down: `floor(o / factor)`.
fn nearest_by_division(
    resize: &views::Resize,
    scales: &[Scale],
    from: &[DimExpr],
    to: &[DimExpr],
    rank: usize,
) -> Option<AffineMap> {
    use CoordinateTransformation::{Asymmetric, HalfPixel};
    use NearestMode::{Floor, RoundPreferCeil, RoundPreferFloor};
    let divides = matches!(
        (resize.coordinate_transformation_mode, resize.nearest_mode),
        (Asymmetric, Floor) | (HalfPixel, RoundPreferFloor | RoundPreferCeil)
    );
    if resize.mode != ResizeMode::Nearest || !divides {
        return None;
    }
    let mut results: Vec<AffineExpr> = (0..rank as u32).map(AffineExpr::Dim).collect();
    for (axis, (from, to)) in from.iter().zip(to).enumerate() {
        let given = scales.iter().find(|scale| scale.axis == axis).map(|scale| scale.factor);
        if from != to || is_moved(resize, scales, axis) {
            let factor = to.divide_exactly(from)?.as_constant().filter(|&factor| factor >= 1)?;
            if matches!(given, Some(Factor::Given(_, known)) if known != Some(factor as f64)) {
                return None;
            }
            results[axis] = AffineExpr::Dim(axis as u32).floor_div(factor);
        }
    }
    Some(AffineMap::new(rank as u32, results))
}

fn axes(
    lowering: &mut Lowering<'_>,
    resize: &views::Resize,
    result: Value,
    active: &[usize],
    scales: &[Scale],
) -> Vec<Axis> {
    let (from, to) = (lowering.shape(resize.x), lowering.shape(result));
    let crop = resize.coordinate_transformation_mode == CoordinateTransformation::TfCropAndResize;
    let mut found = Vec::new();
    for &axis in active {
        let (input, output) = (lowering.dim(&from[axis]), lowering.dim(&to[axis]));
        let position = scales.iter().position(|scale| scale.axis == axis);
        let scale = match position.map(|position| scales[position].factor) {
            Some(Factor::Given(factor, _)) => Some(factor),
            Some(Factor::OfExtents) | None => None,
        };
        let region = match (crop, position, resize.roi) {
            (true, Some(position), Some(region)) => {
                let start = element_f32(lowering, region, position);
                Some([start, element_f32(lowering, region, scales.len() + position)])
            }
            _ => None,
        };
        found.push(Axis { axis, input, output, scale, region });
    }
    found
}

fn element_f32(lowering: &mut Lowering<'_>, source: Value, position: usize) -> Value {
    let loaded = lowering.element_at(source, position);
    lowering.scalars(|s| s.cast(loaded, &Type::F32, false, false))
}
