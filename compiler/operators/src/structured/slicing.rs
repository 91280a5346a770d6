//! Slice and Split: parts of tensors.

use ir::{AffineExpr, AffineMap, DimExpr, Op, Type, Value};

use super::blocked::{blocked_shape, loop_index};
use super::reduction::{Shaped, normalize_axis};
use super::scalars::{Comparison, Scalars};
use super::sizes::AxisList;
use super::{Lowering, Unsupported};
use dialects::linalg::GROUP;
use dialects::linalg::generic::Input;

/// Where a slice begins along one axis and how it goes on.
#[derive(Clone, Debug)]
enum Axis {
    Known {
        start: DimExpr,
        step: i64,
    },
    /// `index` values that stay in bounds as long as the extent is the one computed with them.
    Computed {
        start: Value,
        step: Value,
    },
}

impl Axis {
    fn whole() -> Axis {
        Axis::Known { start: DimExpr::ZERO, step: 1 }
    }

    /// The start and the step, when both are numbers.
    fn constants(&self) -> Option<(i64, i64)> {
        match self {
            Axis::Known { start, step } => Some((start.as_constant()?, *step)),
            Axis::Computed { .. } => None,
        }
    }
}

/// Lowers `Slice` or `Split`.
pub(super) fn lower(lowering: &mut Lowering<'_>, op: Op, name: &str) -> Result<(), Unsupported> {
    match name {
        "Slice" => slice(lowering, op),
        _ => split(lowering, op),
    }
}

fn slice(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let (x, result) = (operation.operands()[0], operation.results()[0]);
    let rank = lowering.shape(x).len();
    let list = lowering.axis_list(op, 3, operation.operands()[1], rank)?;
    check_lengths(lowering, op, &list);
    let plan = match &list {
        AxisList::Known(axes) => {
            let mut plan = vec![Axis::whole(); rank];
            for (position, &axis) in axes.iter().enumerate() {
                plan[axis] = listed_axis(lowering, op, axis, position);
            }
            plan
        }
        _ => (0..rank).map(|axis| searched_axis(lowering, op, &list, axis)).collect(),
    };
    let output = lowering.shape(result);
    let value = take(lowering, x, &plan, &output, result);
    if let Some(value) = value {
        lowering.bind(result, value);
    }
    Ok(())
}

/// Starts, ends and steps are as many as axes.
fn check_lengths(lowering: &mut Lowering<'_>, op: Op, list: &AxisList) {
    let count = lowering.list_length(list);
    for operand in [1, 2, 4] {
        if let Some(vector) = lowering.operand(op, operand) {
            let length = lowering.shape(vector).first().cloned().unwrap_or(DimExpr::ONE);
            lowering.check_equal(&length, &count, "starts, ends, axes and steps of Slice differ in length");
        }
    }
}

/// An axis whose place in the operands is known.
fn listed_axis(lowering: &mut Lowering<'_>, op: Op, axis: usize, position: usize) -> Axis {
    let operation = lowering.source.op(op).clone();
    let (x, starts, ends, result) =
        (operation.operands()[0], operation.operands()[1], operation.operands()[2], operation.results()[0]);
    let extent = lowering.shape(x)[axis].clone();
    let is_open = lowering.is_own_symbol(&lowering.shape(result)[axis], result);
    let steps = lowering.operand(op, 4);
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

/// An axis that may or may not be among those that data name.
fn searched_axis(lowering: &mut Lowering<'_>, op: Op, list: &AxisList, axis: usize) -> Axis {
    let operation = lowering.source.op(op).clone();
    let result = operation.results()[0];
    let shape = lowering.shape(operation.operands()[0]);
    let steps = lowering.operand(op, 4);
    let is_listed = lowering.is_listed(list, axis, shape.len());
    let mut find = |source: Value| lowering.listed(list, source, &DimExpr::ZERO, axis, shape.len());
    let (start, end) = (find(operation.operands()[1]), find(operation.operands()[2]));
    let step = steps.map(find);
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
        let step = s.min(step, longest);
        let step = s.max(step, longest_back);
        let forward = s.compare(Comparison::Greater, step, zero);
        let last = s.sub(extent, one);
        let high = s.select(forward, extent, last);
        let lowest_end = s.select(forward, zero, minus);
        // an axis without elements has no last one
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

/// A position counted from the end when negative, clamped to `[low, high]`.
fn clamp_position(s: &mut Scalars<'_, '_>, raw: Value, extent: Value, low: Value, high: Value) -> Value {
    let zero = s.number(0.0, &Type::Index);
    let negative = s.compare(Comparison::Less, raw, zero);
    let from_end = s.add(raw, extent);
    let position = s.select(negative, from_end, raw);
    let capped = s.min(position, high);
    s.max(capped, low)
}

/// A start as an expression, when clamping it to the axis can be decided.
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

/// The elements a plan selects. Blocked tensors stay blocked where whole blocks are taken; the result is bound then.
fn take(lowering: &mut Lowering<'_>, x: Value, plan: &[Axis], output: &[DimExpr], result: Value) -> Option<Value> {
    let input = lowering.shape(x);
    if lowering.is_blocked(x) && input.len() >= 3 {
        let whole = |dim: &DimExpr| dim.as_constant().is_some_and(|dim| dim % GROUP == 0);
        let untouched = input[1] == output[1] && plan[1].constants() == Some((0, 1));
        let channel_start = plan[1].constants().filter(|(start, step)| *step == 1 && start % GROUP == 0);
        let in_blocks = channel_start.filter(|_| whole(&input[1]) && whole(&output[1]));
        if untouched || in_blocks.is_some() {
            let mut plan = plan.to_vec();
            let start = channel_start.map_or(0, |(start, _)| start / GROUP);
            plan[1] = Axis::Known { start: DimExpr::Constant(start), step: 1 };
            plan.push(Axis::whole());
            let blocked = lowering.blocked(x);
            let value = select(lowering, &blocked, &plan, &blocked_shape(output));
            lowering.bind_blocked(result, value);
            return None;
        }
    }
    let plain = lowering.shaped(x);
    Some(select(lowering, &plain, plan, output))
}

fn select(lowering: &mut Lowering<'_>, input: &Shaped, plan: &[Axis], output: &[DimExpr]) -> Value {
    let element = lowering.body.value_type(input.value).element().clone();
    let constants: Option<Vec<(i64, i64)>> = plan.iter().map(Axis::constants).collect();
    if let Some(constants) = constants {
        let input_extents = lowering.body.value_type(input.value).shape().unwrap_or_default();
        let results = constants
            .iter()
            .enumerate()
            .map(|(axis, &(start, step))| subscript(axis, start, step, input_extents[axis], output[axis].as_constant()))
            .collect();
        let map = AffineMap::new(output.len() as u32, results);
        return lowering.pointwise(&[Input { value: input.value, map }], output, element, |_, e| e[0]);
    }
    let ways: Vec<(Value, Value)> = plan
        .iter()
        .map(|axis| match axis {
            Axis::Known { start, step } => (lowering.dim(start), lowering.index(*step)),
            Axis::Computed { start, step } => (*start, *step),
        })
        .collect();
    let tensor = input.value;
    lowering.pointwise(&[], output, element.clone(), |builder, _| {
        let mut operands = vec![tensor];
        for (axis, &(start, step)) in ways.iter().enumerate() {
            let index = loop_index(builder, axis);
            let mut s = Scalars { builder, unsigned: false };
            let along = s.mul(index, step);
            operands.push(s.add(along, start));
        }
        builder.value("tensor.extract", &operands, element, [])
    })
}

/// The subscript `loop * step + start` of an axis.
///
/// A loop index alone would say that the loop covers the whole axis. Where it covers less, the index is taken modulo
/// the loop's extent, which changes nothing else.
fn subscript(axis: usize, start: i64, step: i64, input: Option<i64>, output: Option<i64>) -> AffineExpr {
    let index = AffineExpr::Dim(axis as u32);
    match (input, output) {
        (Some(whole), Some(part)) if start == 0 && step == 1 && part != whole && part > 0 => index.modulo(part),
        _ => index.mul(AffineExpr::Constant(step)).add(AffineExpr::Constant(start)),
    }
}

fn split(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let x = operation.operands()[0];
    let input = lowering.shape(x);
    let axis = normalize_axis(operation.attributes.integer("axis").unwrap_or(0), input.len())?;
    let sizes = lowering.operand(op, 1).filter(|&sizes| lowering.shapes.known_value(sizes).is_none());
    let mut parts = DimExpr::ZERO;
    for (position, &result) in operation.results().iter().enumerate() {
        if let Some(sizes) = sizes {
            let size = lowering.integer(sizes, position);
            let size = lowering.scalars(|s| {
                let zero = s.number(0.0, &Type::Index);
                s.max(size, zero)
            });
            lowering.settle(result, axis, size);
        }
        parts = parts.add(&lowering.shape(result)[axis]);
    }
    lowering.check_equal(&parts, &input[axis], "the parts of Split are not as long as its operand together");
    let mut offset = DimExpr::ZERO;
    for &result in operation.results() {
        let output = lowering.shape(result);
        let mut plan = vec![Axis::whole(); input.len()];
        plan[axis] = Axis::Known { start: offset.clone(), step: 1 };
        offset = offset.add(&output[axis]);
        if lowering.source.uses(result).is_empty() {
            continue;
        }
        if let Some(value) = take(lowering, x, &plan, &output, result) {
            lowering.bind(result, value);
        }
    }
    Ok(())
}
