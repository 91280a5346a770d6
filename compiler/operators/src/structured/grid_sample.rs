//! GridSample: elements around fractional coordinates that a tensor gives.
//!
//! Coordinates are computed in f32. Those that are no places are brought into bounds before anything is read.

use ir::{Attributes, Builder, Op, Type, Value};

use super::blocked::loop_index;
use super::resize::{Tap, as_f32, cubic_weight, position, weighted_sum};
use super::scalars::{Comparison, Scalars};
use super::{Lowering, Unsupported};

/// What surrounds a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Surroundings {
    Zeros,
    Border,
    Reflection,
}

/// One axis that is sampled.
pub(crate) struct Axis {
    pub(crate) extent: Value,
    /// The extremes of coordinates are the centres of the outermost elements, not their outer edges.
    pub(crate) corners: bool,
    pub(crate) surroundings: Surroundings,
}

/// Lowers `GridSample`.
pub(super) fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let (x, grid, result) = (operation.operands()[0], operation.operands()[1], operation.results()[0]);
    let (input, grid) = (lowering.shaped(x), lowering.shaped(grid));
    let spatial = input.shape.len() - 2;
    lowering.check_equal(&grid.shape[0], &input.shape[0], "grid and operand of GridSample differ in batch");
    let components = grid.shape[spatial + 1].clone();
    lowering.check_equal(&components, &(spatial as i64).into(), "a point of GridSample needs a number for each axis");
    let surroundings = match operation.attributes.str("padding_mode") {
        Some("border") => Surroundings::Border,
        Some("reflection") => Surroundings::Reflection,
        _ => Surroundings::Zeros,
    };
    let corners = operation.attributes.integer("align_corners") == Some(1);
    let mut axes = Vec::new();
    for dim in &input.shape[2..] {
        let extent = lowering.dim(dim);
        let some = lowering.scalars(|s| {
            let zero = s.number(0.0, &Type::Index);
            s.compare(Comparison::Greater, extent, zero)
        });
        if dim.as_constant().is_none_or(|extent| extent < 1) {
            lowering.check(some, "the operand of GridSample has an axis without elements");
        }
        axes.push(Axis { extent, corners, surroundings });
    }
    let (element, shape) = (lowering.element(x), lowering.shape(result));
    let grid_element = lowering.body.value_type(grid.value).element().clone();
    let value = lowering.pointwise(&[], &shape, element.clone(), |builder, _| {
        let loops: Vec<Value> = (0..spatial + 2).map(|axis| loop_index(builder, axis)).collect();
        let mut taps = Vec::new();
        for (number, axis) in axes.iter().enumerate() {
            // the innermost axis comes first
            let component = builder.constant_index((spatial - 1 - number) as i64);
            let mut at = vec![grid.value, loops[0]];
            at.extend(&loops[2..]);
            at.push(component);
            let place = builder.value("tensor.extract", &at, grid_element.clone(), []);
            taps.push((2 + number, axis_taps(builder, place, axis, &operation.attributes)));
        }
        weighted_sum(builder, input.value, &element, loops, &taps)
    });
    lowering.bind(result, value);
    Ok(())
}

fn axis_taps(builder: &mut Builder<'_>, place: Value, axis: &Axis, attributes: &Attributes) -> Vec<Tap> {
    let mut s = Scalars { builder, unsigned: false };
    let place = s.cast(place, &Type::F32, false, false);
    let coordinate = coordinate(&mut s, place, axis);
    let mode = attributes.str("mode").unwrap_or("linear");
    if mode == "nearest" {
        let nearest = s.same("math.roundeven", &[coordinate]);
        return vec![tap(&mut s, nearest, None, axis)];
    }
    let floor = s.same("math.floor", &[coordinate]);
    let fraction = s.sub(coordinate, floor);
    let offsets: &[f64] = if mode == "cubic" { &[-1.0, 0.0, 1.0, 2.0] } else { &[0.0, 1.0] };
    let mut taps = Vec::new();
    for &offset in offsets {
        let offset_value = s.like(offset, floor);
        let at = s.add(floor, offset_value);
        let difference = s.sub(fraction, offset_value);
        let distance = s.same("math.absf", &[difference]);
        let weight = match mode {
            "cubic" => cubic_weight(&mut s, distance, -0.75, offset == 0.0 || offset == 1.0),
            _ => {
                let one = s.like(1.0, distance);
                s.sub(one, distance)
            }
        };
        taps.push(tap(&mut s, at, Some(weight), axis));
    }
    taps
}

/// The coordinate in elements; what lies outside is brought to the border or reflected.
fn coordinate(s: &mut Scalars<'_, '_>, place: Value, axis: &Axis) -> Value {
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
        Surroundings::Zeros => coordinate,
        Surroundings::Border => {
            let zero = s.like(0.0, place);
            let capped = s.min(coordinate, last);
            s.max(capped, zero)
        }
        Surroundings::Reflection => reflected(s, coordinate, last, axis.corners),
    }
}

/// A coordinate mirrored at both ends until it lies between them.
fn reflected(s: &mut Scalars<'_, '_>, coordinate: Value, last: Value, corners: bool) -> Value {
    let low = s.like(if corners { 0.0 } else { -0.5 }, coordinate);
    let high = s.sub(last, low);
    let range = s.sub(high, low);
    let two = s.like(2.0, coordinate);
    let period = s.mul(range, two);
    let offset = s.sub(coordinate, low);
    let distance = s.same("math.absf", &[offset]);
    let periods = s.div(distance, period);
    let whole = s.same("math.floor", &[periods]);
    let before = s.mul(whole, period);
    let along = s.sub(distance, before);
    let back = s.sub(period, along);
    let folded = s.min(along, back);
    let mirrored = s.add(low, folded);
    // an axis of one element is its own mirror
    let zero = s.like(0.0, coordinate);
    let wide = s.compare(Comparison::Greater, range, zero);
    s.select(wide, mirrored, low)
}

/// An element at a whole-numbered coordinate, which counts nothing among zeros.
pub(crate) fn tap(s: &mut Scalars<'_, '_>, at: Value, weight: Option<Value>, axis: &Axis) -> Tap {
    let extent = as_f32(s.builder, axis.extent);
    let one = s.like(1.0, at);
    let last = s.sub(extent, one);
    match axis.surroundings {
        Surroundings::Zeros => {
            let zero = s.like(0.0, at);
            let (above, below) =
                (s.compare(Comparison::GreaterOrEqual, at, zero), s.compare(Comparison::LessOrEqual, at, last));
            let inside = s.same("arith.andi", &[above, below]);
            let weight = s.select(inside, weight.unwrap_or(one), zero);
            Tap { position: position(s.builder, at, axis.extent), weight: Some(weight) }
        }
        Surroundings::Border => Tap { position: position(s.builder, at, axis.extent), weight },
        Surroundings::Reflection => {
            let mirrored = reflected(s, at, last, axis.corners);
            Tap { position: position(s.builder, mirrored, axis.extent), weight }
        }
    }
}
