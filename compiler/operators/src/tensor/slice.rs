//! Slice: strided ranges of some axes.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{DimExpr, Op, Type, Value};

use crate::graph::{self, Emitter, Problem};
use crate::operator::{Kind, Operator, Rank, Uniform};
use crate::shape::elements::{offset, places, static_extents};
use crate::shape::{Answer, Elements, Node, at_least_zero, normalize_axis};
use crate::structured::data_dependent_sizes::AxisList;
use crate::structured::gather::from_front;
use crate::structured::scalars::{Comparison, Scalars};
use crate::structured::slicing::{Axis, take};
use crate::structured::{Lowering, Unsupported};

pub(crate) const SLICE: Operator = Operator {
    kind: Kind::Movement,
    upgrades: &[(10, bounds_to_inputs)],
    ranks: &[(1, Rank::Exactly(1)), (2, Rank::Exactly(1)), (3, Rank::Exactly(1)), (4, Rank::Exactly(1))],
    shapes: Some(shapes),
    elements: Some(elements),
    uniform: Some(Uniform::Kept),
    lower: Some(lower),
    ..Operator::of(OnnxOp::Slice)
};

/// Bounds and axes become operands.
fn bounds_to_inputs(node: &mut graph::Node, emit: &mut Emitter) -> Result<(), Problem> {
    node.integers_to_input("starts", 1, emit);
    node.integers_to_input("ends", 2, emit);
    node.integers_to_input("axes", 3, emit);
    Ok(())
}

/// Bounds of at least this size mean "to the end": exporters write various such numbers, and no axis is that long.
const TO_THE_END: i64 = 1 << 29;

/// One sliced axis.
struct AxisSlice {
    axis: usize,
    start: Option<DimExpr>,
    end: Option<DimExpr>,
    step: Option<i64>,
}

/// The slice of each axis; `None` if the axes are unknown.
fn axis_slices(node: &Node<'_, '_>, slice: &views::Slice, rank: usize) -> Result<Option<Vec<AxisSlice>>, String> {
    let (Some(starts), Some(ends)) = (node.list_of(slice.starts), node.list_of(slice.ends)) else { return Ok(None) };
    let axes = match slice.axes {
        None => (0..starts.len() as i64).collect(),
        Some(axes) => match node.numbers_of(axes) {
            Some(axes) => axes,
            None => return Ok(None),
        },
    };
    let steps: Vec<Option<i64>> = match slice.steps.map(|steps| node.elements_of(steps)) {
        None => vec![Some(1); starts.len()],
        Some(Some(steps)) => steps.iter().map(|step| step.as_ref()?.as_constant()).collect(),
        Some(None) => vec![None; starts.len()],
    };
    if [ends.len(), axes.len(), steps.len()].iter().any(|&length| length != starts.len()) {
        return Err("starts, ends, axes and steps differ in length".to_string());
    }
    let mut slices = vec![];
    for (((start, end), axis), step) in starts.into_iter().zip(ends).zip(axes).zip(steps) {
        if step == Some(0) {
            return Err("a step is 0".to_string());
        }
        slices.push(AxisSlice { axis: normalize_axis(axis, rank)?, start, end, step });
    }
    Ok(Some(slices))
}

impl AxisSlice {
    /// The number of elements that it takes of `extent`.
    fn length(&self, extent: &DimExpr) -> Option<DimExpr> {
        let (start, end, step) = (self.start.as_ref()?, self.end.as_ref()?, self.step?);
        if step < 0 {
            return backward_length(extent, start.as_constant()?, end.as_constant()?, step);
        }
        let whole = matches!(end, DimExpr::Constant(end) if *end >= TO_THE_END) || end == extent;
        let distance = match (start, end) {
            (DimExpr::Constant(start), _) if whole && *start < 0 => {
                extent.min(&DimExpr::Constant(start.saturating_neg()))
            }
            (start, _) if whole && is_nonnegative(start, extent) => at_least_zero(extent.sub(start)),
            (start, end) => at_least_zero(clamp(end, extent)?.sub(&clamp(start, extent)?)),
        };
        Some(distance.ceil_div(&DimExpr::Constant(step)))
    }
}

/// A bound of a forward slice as an offset within the extent; `None` if its sign is unknown.
fn clamp(bound: &DimExpr, extent: &DimExpr) -> Option<DimExpr> {
    match bound {
        DimExpr::Constant(bound) if *bound < 0 => Some(at_least_zero(extent.add(&DimExpr::Constant(*bound)))),
        DimExpr::Constant(bound) if *bound >= TO_THE_END => Some(extent.clone()),
        _ if is_nonnegative(bound, extent) => Some(bound.min(extent)),
        _ if bound.mul(&DimExpr::Constant(-1)).is_nonnegative() => Some(at_least_zero(extent.add(bound))),
        _ => None,
    }
}

/// Factors that are tried to prove that a bound is inside the extent.
const FACTORS: std::ops::RangeInclusive<i64> = 1..=4;

/// Whether a bound is at least zero, given that the extent is: with `S*2-1 >= 0`, `S-1` is.
fn is_nonnegative(bound: &DimExpr, extent: &DimExpr) -> bool {
    let follows = |factor: i64| {
        let scaled = bound.mul(&DimExpr::Constant(factor)).add(&DimExpr::Constant(factor - 1));
        scaled.sub(extent).is_nonnegative()
    };
    bound.is_nonnegative() || FACTORS.into_iter().any(follows)
}

fn backward_length(extent: &DimExpr, start: i64, end: i64, step: i64) -> Option<DimExpr> {
    let by = DimExpr::Constant(step.saturating_neg());
    if (start == -1 || start >= TO_THE_END) && end <= -TO_THE_END {
        return Some(extent.ceil_div(&by));
    }
    let extent = extent.as_constant()?;
    let clamp = |bound: i64| (if bound < 0 { bound.saturating_add(extent) } else { bound }).clamp(-1, extent - 1);
    Some(DimExpr::Constant((clamp(start) - clamp(end)).max(0)).ceil_div(&by))
}

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let slice: views::Slice = node.view();
    let Some(mut shape) = node.shape_of(slice.data) else { return Ok(vec![]) };
    let Some(slices) = axis_slices(node, &slice, shape.len())? else {
        return Ok(vec![Some((0..shape.len()).map(|axis| node.fresh(0, axis)).collect())]);
    };
    for cut in slices {
        let length = cut.length(&shape[cut.axis]);
        shape[cut.axis] = length.unwrap_or_else(|| node.fresh(0, cut.axis));
    }
    Ok(vec![Some(shape)])
}

fn elements(node: &Node<'_, '_>, extents: &[usize]) -> Option<Elements> {
    let (elements, from) = (node.elements(0)?, static_extents(node, 0)?);
    let slice: views::Slice = node.view();
    let mut starts = vec![0i64; from.len()];
    let mut steps = vec![1i64; from.len()];
    for cut in axis_slices(node, &slice, from.len()).ok()?? {
        let extent = from[cut.axis] as i64;
        let (start, step) = (cut.start?.as_constant()?, cut.step?);
        let start = if start < 0 { start.saturating_add(extent) } else { start };
        let last = if step < 0 { extent - 1 } else { extent };
        // an empty axis has no last element, and none is picked from it
        starts[cut.axis] = start.clamp(0, last.max(0));
        steps[cut.axis] = step;
    }
    let pick = |place: Vec<usize>| {
        let source = place.iter().enumerate().map(|(axis, &at)| (starts[axis] + at as i64 * steps[axis]) as usize);
        elements.get(offset(source, &from)).cloned().flatten()
    };
    Some(places(extents).map(pick).collect())
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let slice = views::Slice::of(lowering.source, op);
    let (x, result) = (slice.data, lowering.source.op(op).results()[0]);
    let rank = lowering.shape(x).len();
    let list = lowering.axis_list(slice.axes, slice.starts, rank)?;
    check_lengths(lowering, &slice, &list);
    let plan = match &list {
        AxisList::Known(axes) => {
            let mut plan = vec![Axis::whole(); rank];
            for (position, &axis) in axes.iter().enumerate() {
                plan[axis] = listed_axis(lowering, &slice, result, axis, position);
            }
            plan
        }
        _ => (0..rank).map(|axis| searched_axis(lowering, &slice, result, &list, axis)).collect(),
    };
    let output = lowering.shape(result);
    let value = take(lowering, x, &plan, &output, result);
    if let Some(value) = value {
        lowering.bind(result, value);
    }
    Ok(())
}

/// Checks that starts, ends and steps have as many elements as axes.
fn check_lengths(lowering: &mut Lowering<'_>, slice: &views::Slice, list: &AxisList) {
    let count = lowering.list_length(list);
    for vector in [slice.starts, slice.ends].into_iter().chain(slice.steps) {
        let length = lowering.shape(vector).first().cloned().unwrap_or(DimExpr::ONE);
        lowering.check_equal(&length, &count, "starts, ends, axes and steps of Slice differ in length");
    }
}

/// An axis with a known position in the operands.
fn listed_axis(lowering: &mut Lowering<'_>, slice: &views::Slice, result: Value, axis: usize, position: usize) -> Axis {
    let views::Slice { data, starts, ends, steps, .. } = *slice;
    let extent = lowering.shape(data)[axis].clone();
    let is_open = lowering.is_own_symbol(&lowering.shape(result)[axis], result);
    let known_step = steps.map_or(Some(1), |steps| lowering.known_integers(steps).map(|steps| steps[position]));
    let known_start = lowering.shapes.known_value(starts).map(|known| known[position].clone());
    if let (Some(step), Some(start), false) = (known_step, known_start, is_open)
        && let Some(start) = clamped_start(&start, &extent, step)
    {
        return Axis::Known { start, step };
    }
    let (start, end) = (lowering.integer(starts, position), lowering.integer(ends, position));
    let step = match steps {
        Some(steps) => lowering.integer(steps, position),
        None => lowering.index(1),
    };
    computed_axis(lowering, result, axis, &extent, [start, end, step])
}

/// An axis that may be one of the data-dependent axes.
fn searched_axis(
    lowering: &mut Lowering<'_>,
    slice: &views::Slice,
    result: Value,
    list: &AxisList,
    axis: usize,
) -> Axis {
    let shape = lowering.shape(slice.data);
    let is_listed = lowering.is_listed(list, axis, shape.len());
    let mut find = |source: Value| lowering.listed(list, source, &DimExpr::ZERO, axis, shape.len());
    let (start, end) = (find(slice.starts), find(slice.ends));
    let step = slice.steps.map(find);
    let extent = lowering.dim(&shape[axis]);
    let one = lowering.index(1);
    let bounds = lowering.scalars(|s| {
        let zero = s.number(0.0, &Type::Index);
        let step = step.map_or(one, |step| s.select(is_listed, step, one));
        [s.select(is_listed, start, zero), s.select(is_listed, end, extent), step]
    });
    computed_axis(lowering, result, axis, &shape[axis], bounds)
}

/// ONNX's rules for bounds: negative ones count from the end, then they are clamped to `[0, extent]`, and for a
/// negative step to `[0, extent - 1]` and `[-1, extent - 1]`. The extent is `max(0, ceil((end - start) / step))`.
fn computed_axis(
    lowering: &mut Lowering<'_>,
    result: Value,
    axis: usize,
    extent: &DimExpr,
    [start, end, step]: [Value; 3],
) -> Axis {
    let extent = lowering.dim(extent);
    let (moves, start, step, count) = lowering.scalars(|s| {
        let (zero, one, minus) =
            (s.number(0.0, &Type::Index), s.number(1.0, &Type::Index), s.number(-1.0, &Type::Index));
        let moves = s.compare(Comparison::Equal, step, zero);
        let moves = s.not(moves);
        // longer steps take the first element, too
        let longest = s.add(extent, one);
        let longest_back = s.sub(zero, longest);
        let step = s.clamp(step, [longest_back, longest]);
        let forward = s.compare(Comparison::Greater, step, zero);
        let last = s.sub(extent, one);
        let high = s.select(forward, extent, last);
        let lowest_end = s.select(forward, zero, minus);
        // an empty axis has no last element
        let lowest_start = s.min(zero, high);
        let start = clamp_position(s, start, extent, lowest_start, high);
        let end = clamp_position(s, end, extent, lowest_end, high);
        let (ahead, back) = (s.sub(end, start), s.sub(start, end));
        let distance = s.select(forward, ahead, back);
        let distance = s.max(distance, zero);
        let negated = s.sub(zero, step);
        let stride = s.max(step, negated);
        let stride = s.max(stride, one);
        // ceil(distance / stride) without overflow
        let steps = s.sub(distance, one);
        let further = s.div(steps, stride);
        let further = s.add(further, one);
        let some = s.compare(Comparison::Greater, distance, zero);
        (moves, start, step, s.select(some, further, zero))
    });
    lowering.check(moves, "a step of Slice is 0");
    lowering.settle(result, axis, count);
    Axis::Computed { start, step }
}

/// A position, counted from the end if negative, clamped to `[low, high]`.
fn clamp_position(s: &mut Scalars<'_, '_>, raw: Value, extent: Value, low: Value, high: Value) -> Value {
    let position = from_front(s, raw, extent);
    s.clamp(position, [low, high])
}

/// A start as an expression, if its clamping to the axis can be decided.
fn clamped_start(start: &DimExpr, extent: &DimExpr, step: i64) -> Option<DimExpr> {
    let last = if step > 0 { extent.clone() } else { extent.sub(&DimExpr::ONE) };
    if let Some(number) = start.as_constant() {
        if number < 0 {
            let from_end = extent.add(start);
            return match from_end.as_constant() {
                Some(position) => Some(DimExpr::Constant(position.max(0))),
                None => Some(DimExpr::max(&from_end, &DimExpr::ZERO)),
            };
        }
        return Some(start.min(&last));
    }
    start.is_nonnegative().then(|| start.min(&last))
}
