//! GridSample: interpolation at the coordinates in a tensor. Since 16.
//!
//! Coordinates are computed in f32, and clamped before anything is read.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, GridMode, GridPadding, View};
use dialects::{arith, math, tensor};
use ir::{Attribute, Builder, Op, Type, Value};

use crate::graph::{self, Emitter, Problem};
use crate::nn::spatial;
use crate::operator::Operator;
use crate::shape::{Answer, Node};
use crate::structured::channel_blocks::loop_index;
use crate::structured::reduction::Shaped;
use crate::structured::sampling::{Sampled, Tap, as_f32, cubic_weight, position, weighted_sum};
use crate::structured::scalars::{Comparison, Scalars};
use crate::structured::{Lowering, Unsupported};

pub(crate) const GRID_SAMPLE: Operator = Operator {
    upgrades: &[(20, modes_renamed)],
    shapes: Some(shapes),
    lower: Some(lower),
    ..Operator::of(OnnxOp::GridSample)
};

/// `bilinear` and `bicubic` lost their `bi`.
fn modes_renamed(node: &mut graph::Node, _: &mut Emitter) -> Result<(), Problem> {
    if let Some(mode) = node.attributes.str("mode").and_then(|mode| mode.strip_prefix("bi")) {
        let mode = Attribute::string(mode);
        node.attributes.set("mode", mode);
    }
    Ok(())
}

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let sample: views::GridSample = node.view();
    let (Some(input), Some(grid)) = (node.shape_of(sample.x), node.shape_of(sample.grid)) else { return Ok(vec![]) };
    let (batch, channels, extents) = spatial(&input)?;
    if grid.len() != extents.len() + 2 {
        return Err(format!("a grid of rank {} for an operand of rank {}", grid.len(), input.len()));
    }
    Ok(vec![Some([&[batch.clone(), channels.clone()], &grid[1..grid.len() - 1]].concat())])
}

/// A sampled axis.
pub(crate) struct Axis {
    pub(crate) extent: Value,
    /// Whether the extreme coordinates are the centres of the outermost elements, not their outer edges.
    pub(crate) corners: bool,
    pub(crate) surroundings: GridPadding,
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let views::GridSample { x, grid, align_corners, mode, padding_mode: surroundings } = View::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    let (input, grid) = (lowering.shaped(x), lowering.shaped(grid));
    let spatial = input.shape.len() - 2;
    lowering.check_equal(&grid.shape[0], &input.shape[0], "grid and operand of GridSample differ in batch");
    let components = grid.shape[spatial + 1].clone();
    lowering.check_equal(&components, &(spatial as i64).into(), "a point of GridSample needs a number for each axis");
    let corners = align_corners == 1;
    let mut axes = Vec::new();
    let mut pads = vec![[0, 0]; input.shape.len()];
    for (dim, pads) in input.shape[2..].iter().zip(&mut pads[2..]) {
        let extent = lowering.dim(dim);
        if dim.as_constant().is_none_or(|extent| extent < 1) {
            if surroundings == GridPadding::Zeros {
                // there is an element to read, which is a zero from the padding
                *pads = [0, 1];
            } else {
                let some = lowering.scalars(|s| {
                    let zero = s.number(0.0, &Type::Index);
                    s.compare(Comparison::Greater, extent, zero)
                });
                lowering.check(some, "the operand of GridSample has an axis without elements");
            }
        }
        axes.push(Axis { extent, corners, surroundings });
    }
    let zero = lowering.element(x);
    let zero = lowering.number(0.0, &zero);
    let input = lowering.pad(&input, &pads, zero);
    let (element, shape) = (lowering.element(x), lowering.shape(result));
    // the innermost axis comes first
    let coordinates: Vec<Value> = axes
        .iter()
        .enumerate()
        .map(|(number, axis)| plane(lowering, &grid, spatial - 1 - number, axis, mode))
        .collect();
    let sampled = Sampled { value: input.value, unsigned: lowering.is_unsigned(x) };
    let value = lowering.pointwise(&[], &shape, element, |builder, _| {
        let loops: Vec<Value> = (0..spatial + 2).map(|axis| loop_index(builder, axis)).collect();
        let mut taps = Vec::new();
        for (number, (axis, &coordinates)) in axes.iter().zip(&coordinates).enumerate() {
            let mut at = vec![loops[0]];
            at.extend(&loops[2..]);
            let extract = tensor::Extract { tensor: coordinates, indices: &at };
            let coordinate = builder.value_from(extract, Type::F32, []);
            taps.push((2 + number, axis_taps(builder, coordinate, axis, mode)));
        }
        weighted_sum(builder, sampled, loops, &taps)
    });
    lowering.bind(result, value);
    Ok(())
}

/// The coordinates along an axis, in a contiguous plane that all channels read.
fn plane(lowering: &mut Lowering<'_>, grid: &Shaped, component: usize, axis: &Axis, mode: GridMode) -> Value {
    let places = &grid.shape[..grid.shape.len() - 1];
    let element = lowering.body.value_type(grid.value).element().clone();
    lowering.pointwise(&[], places, Type::F32, |builder, _| {
        let mut at: Vec<Value> = (0..places.len()).map(|axis| loop_index(builder, axis)).collect();
        at.push(builder.constant_index(component as i64));
        let place = builder.value_from(tensor::Extract { tensor: grid.value, indices: &at }, element, []);
        let mut s = Scalars { builder, unsigned: false };
        let place = s.cast(place, &Type::F32, false, false);
        coordinate(&mut s, place, axis, mode)
    })
}

fn axis_taps(builder: &mut Builder<'_>, coordinate: Value, axis: &Axis, mode: GridMode) -> Vec<Tap> {
    let mut s = Scalars { builder, unsigned: false };
    if mode == GridMode::Nearest {
        let nearest = s.same(math::ROUNDEVEN, &[coordinate]);
        return vec![tap(&mut s, nearest, None, axis)];
    }
    let floor = s.same(math::FLOOR, &[coordinate]);
    let fraction = s.sub(coordinate, floor);
    let offsets: &[f64] = if mode == GridMode::Cubic { &[-1.0, 0.0, 1.0, 2.0] } else { &[0.0, 1.0] };
    let mut taps = Vec::new();
    for &offset in offsets {
        let offset_value = s.like(offset, floor);
        let at = s.add(floor, offset_value);
        let difference = s.sub(fraction, offset_value);
        let distance = s.same(math::ABSF, &[difference]);
        let weight = match mode {
            GridMode::Cubic => cubic_weight(&mut s, distance, -0.75, offset == 0.0 || offset == 1.0),
            _ => {
                let one = s.like(1.0, distance);
                s.sub(one, distance)
            }
        };
        taps.push(tap(&mut s, at, Some(weight), axis));
    }
    taps
}

/// The coordinate in elements; coordinates out of bounds are clamped to the border or reflected. For cubic
/// interpolation this is done for each element: its weights are those of the original coordinate.
fn coordinate(s: &mut Scalars<'_, '_>, place: Value, axis: &Axis, mode: GridMode) -> Value {
    let extent = as_f32(s.builder, axis.extent);
    let (one, half) = (s.like(1.0, place), s.like(0.5, place));
    let last = s.sub(extent, one);
    let raised = s.add(place, one);
    let coordinate = if axis.corners {
        let scaled = s.mul(raised, last);
        s.mul(scaled, half)
    } else {
        let scaled = s.mul(raised, extent);
        let shifted = s.sub(scaled, one);
        s.mul(shifted, half)
    };
    match axis.surroundings {
        GridPadding::Zeros => coordinate,
        _ if mode == GridMode::Cubic => coordinate,
        GridPadding::Border => {
            let zero = s.like(0.0, place);
            s.clamp(coordinate, [zero, last])
        }
        GridPadding::Reflection => reflected(s, coordinate, last, axis.corners),
    }
}

/// A coordinate reflected at both ends until it is between them.
fn reflected(s: &mut Scalars<'_, '_>, coordinate: Value, last: Value, corners: bool) -> Value {
    let low = s.like(if corners { 0.0 } else { -0.5 }, coordinate);
    let high = s.sub(last, low);
    let range = s.sub(high, low);
    let two = s.like(2.0, coordinate);
    let period = s.mul(range, two);
    let offset = s.sub(coordinate, low);
    let distance = s.same(math::ABSF, &[offset]);
    let periods = s.div(distance, period);
    let whole = s.same(math::FLOOR, &[periods]);
    let before = s.mul(whole, period);
    let along = s.sub(distance, before);
    let back = s.sub(period, along);
    let folded = s.min(along, back);
    let mirrored = s.add(low, folded);
    // an axis of one element is its own mirror image
    let zero = s.like(0.0, coordinate);
    let wide = s.compare(Comparison::Greater, range, zero);
    s.select(wide, mirrored, low)
}

/// An element at an integral coordinate; with zero padding its weight is zero out of bounds.
pub(crate) fn tap(s: &mut Scalars<'_, '_>, at: Value, weight: Option<Value>, axis: &Axis) -> Tap {
    let extent = as_f32(s.builder, axis.extent);
    let one = s.like(1.0, at);
    let last = s.sub(extent, one);
    match axis.surroundings {
        GridPadding::Zeros => {
            let zero = s.like(0.0, at);
            let (above, below) =
                (s.compare(Comparison::GreaterOrEqual, at, zero), s.compare(Comparison::LessOrEqual, at, last));
            let inside = s.same(arith::ANDI, &[above, below]);
            let weight = s.select(inside, weight.unwrap_or(one), zero);
            Tap { position: position(s.builder, at, axis.extent), weight: Some(weight) }
        }
        GridPadding::Border => Tap { position: position(s.builder, at, axis.extent), weight },
        GridPadding::Reflection => {
            let mirrored = reflected(s, at, last, axis.corners);
            Tap { position: position(s.builder, mirrored, axis.extent), weight }
        }
    }
}
