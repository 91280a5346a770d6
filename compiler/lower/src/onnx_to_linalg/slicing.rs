//! Slice, Split and Pad: parts of tensors, and tensors as parts.

use ir::{AffineExpr, AffineMap, DimExpr, Op, Type, Value};

use super::blocked::{blocked_shape, loop_index};
use super::elementwise::{Comparison, Scalars};
use super::reduction::{Shaped, normalize_axis};
use super::{Lowering, Unsupported};
use crate::contraction::GROUP;
use crate::generic::Input;

/// Where a slice begins along one axis and how it goes on.
#[derive(Clone, Debug)]
struct Axis {
    start: Start,
    step: i64,
}

#[derive(Clone, Debug)]
enum Start {
    Known(DimExpr),
    /// An `index` value, in bounds.
    Computed(Value),
}

impl Axis {
    fn whole() -> Axis {
        Axis { start: Start::Known(DimExpr::ZERO), step: 1 }
    }

    fn constant(&self) -> Option<i64> {
        match &self.start {
            Start::Known(start) => start.as_constant(),
            Start::Computed(_) => None,
        }
    }
}

/// Lowers `Slice`, `Split` or `Pad`.
pub(super) fn lower(lowering: &mut Lowering<'_>, op: Op, name: &str) -> Result<(), Unsupported> {
    match name {
        "Slice" => slice(lowering, op),
        "Split" => split(lowering, op),
        _ => pad(lowering, op),
    }
}

fn slice(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let (x, result) = (operation.operands()[0], operation.results()[0]);
    let input = lowering.shape(x);
    let rank = input.len();
    let starts = operation.operands()[1];
    let count = match lowering.shape(starts).first().and_then(DimExpr::as_constant) {
        Some(count) => count as usize,
        None => return Err(Unsupported::new("the number of its starts is not known")),
    };
    let axes = match lowering.operand(op, 3) {
        Some(axes) => lowering.known_integers(axes).ok_or_else(|| Unsupported::new("its axes are not constant"))?,
        None => (0..count as i64).collect(),
    };
    let steps = match lowering.operand(op, 4) {
        Some(steps) => lowering.known_integers(steps).ok_or_else(|| Unsupported::new("its steps are not constant"))?,
        None => vec![1; count],
    };
    let output = lowering.shape(result);
    let mut plan = vec![Axis::whole(); rank];
    for (position, (&axis, &step)) in axes.iter().zip(&steps).enumerate() {
        let axis = normalize_axis(axis, rank)?;
        let known = lowering.shapes.known_value(starts).map(|known| known[position].clone());
        let start = match known.and_then(|known| clamped_start(&known, &input[axis], step)) {
            Some(start) => Start::Known(start),
            None => {
                let raw = read_integer(lowering, starts, position);
                Start::Computed(clamp_start(lowering, raw, &input[axis], step))
            }
        };
        if lowering.is_own_symbol(&output[axis], result) {
            define_extent(lowering, operation.operands()[2], position, &start, step, &input[axis], &output[axis]);
        }
        plan[axis] = Axis { start, step };
    }
    let value = take(lowering, x, &plan, &output, result);
    if let Some(value) = value {
        lowering.bind(result, value);
    }
    Ok(())
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

/// One element of a small integer tensor as an `index` value.
fn read_integer(lowering: &mut Lowering<'_>, source: Value, position: usize) -> Value {
    if let Some(known) = lowering.shapes.known_value(source) {
        let dim = known[position].clone();
        return lowering.dim(&dim);
    }
    let tensor = lowering.value(source);
    let position = lowering.index(position as i64);
    let element = lowering.body.value_type(tensor).element().clone();
    let loaded = lowering.builder().value("tensor.extract", &[tensor, position], element, []);
    lowering.builder().value("arith.index_cast", &[loaded], Type::Index, [])
}

/// ONNX's rule for a start or end: negative counts from the end, then it is clamped.
fn clamp_start(lowering: &mut Lowering<'_>, raw: Value, extent: &DimExpr, step: i64) -> Value {
    let extent = lowering.dim(extent);
    let (low, high_less) = if step > 0 { (0, 0) } else { (0, 1) };
    clamp_position(lowering, raw, extent, low, high_less)
}

/// A position counted from the end when negative, clamped to `[low, extent - high_less]`.
fn clamp_position(lowering: &mut Lowering<'_>, raw: Value, extent: Value, low: i64, high_less: i64) -> Value {
    let mut builder = lowering.builder();
    let mut s = Scalars { builder: &mut builder, unsigned: false };
    let zero = s.number(0.0, &Type::Index);
    let negative = s.compare(Comparison::Less, raw, zero);
    let from_end = s.add(raw, extent);
    let position = s.select(negative, from_end, raw);
    let (low, less) = (s.number(low as f64, &Type::Index), s.number(high_less as f64, &Type::Index));
    let high = s.sub(extent, less);
    let capped = s.min(position, high);
    s.max(capped, low)
}

/// `max(0, ceil((end - start) / step))`, with the end clamped as ONNX says.
fn define_extent(
    lowering: &mut Lowering<'_>,
    ends: Value,
    position: usize,
    start: &Start,
    step: i64,
    extent: &DimExpr,
    symbol: &DimExpr,
) {
    let raw = read_integer(lowering, ends, position);
    let extent = lowering.dim(extent);
    let end = match step > 0 {
        true => clamp_position(lowering, raw, extent, 0, 0),
        false => clamp_position(lowering, raw, extent, -1, 1),
    };
    let start = match start {
        Start::Known(dim) => lowering.dim(dim),
        Start::Computed(value) => *value,
    };
    let mut builder = lowering.builder();
    let mut s = Scalars { builder: &mut builder, unsigned: false };
    let distance = if step > 0 { s.sub(end, start) } else { s.sub(start, end) };
    let zero = s.number(0.0, &Type::Index);
    let distance = s.max(distance, zero);
    let (round, by) = (s.number((step.abs() - 1) as f64, &Type::Index), s.number(step.abs() as f64, &Type::Index));
    let rounded = s.add(distance, round);
    let count = s.same("arith.divui", &[rounded, by]);
    lowering.define_dim(symbol, count);
}

/// The elements a plan selects. Blocked tensors stay blocked where whole blocks are taken; the result is bound then.
fn take(lowering: &mut Lowering<'_>, x: Value, plan: &[Axis], output: &[DimExpr], result: Value) -> Option<Value> {
    let input = lowering.shape(x);
    if lowering.is_blocked(x) && input.len() >= 3 {
        let whole = |dim: &DimExpr| dim.as_constant().is_some_and(|dim| dim % GROUP == 0);
        let untouched = input[1] == output[1];
        let channel_start = plan[1].constant().filter(|start| plan[1].step == 1 && start % GROUP == 0);
        let in_blocks = channel_start.filter(|_| whole(&input[1]) && whole(&output[1]));
        if untouched || in_blocks.is_some() {
            let mut plan = plan.to_vec();
            plan[1] = Axis { start: Start::Known(DimExpr::Constant(channel_start.unwrap_or(0) / GROUP)), step: 1 };
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
    let starts: Option<Vec<i64>> = plan.iter().map(Axis::constant).collect();
    if let Some(starts) = starts {
        let input_extents = lowering.body.value_type(input.value).shape().unwrap_or_default();
        let results = (0..output.len())
            .map(|axis| subscript(axis, starts[axis], plan[axis].step, input_extents[axis], output[axis].as_constant()))
            .collect();
        let map = AffineMap::new(output.len() as u32, results);
        return lowering.pointwise(&[Input { value: input.value, map }], output, element, |_, e| e[0]);
    }
    let starts: Vec<Value> = plan
        .iter()
        .map(|axis| match &axis.start {
            Start::Known(dim) => lowering.dim(dim),
            Start::Computed(value) => *value,
        })
        .collect();
    let tensor = input.value;
    lowering.pointwise(&[], output, element.clone(), |builder, _| {
        let mut operands = vec![tensor];
        for (axis, (plan, &start)) in plan.iter().zip(&starts).enumerate() {
            let index = loop_index(builder, axis);
            let mut s = Scalars { builder, unsigned: false };
            let along = match plan.step {
                1 => index,
                step => {
                    let step = s.number(step as f64, &Type::Index);
                    s.mul(index, step)
                }
            };
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
    let rank = lowering.shape(x).len();
    let axis = normalize_axis(operation.attributes.integer("axis").unwrap_or(0), rank)?;
    let mut offset = DimExpr::ZERO;
    for &result in operation.results() {
        let output = lowering.shape(result);
        let mut plan = vec![Axis::whole(); rank];
        plan[axis].start = Start::Known(offset.clone());
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

fn pad(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let (x, result) = (operation.operands()[0], operation.results()[0]);
    let output = lowering.shape(result);
    let input = lowering.shape(x);
    let rank = input.len();
    let axes: Vec<usize> = match lowering.operand(op, 3) {
        Some(axes) => lowering
            .known_integers(axes)
            .ok_or_else(|| Unsupported::new("its axes are not constant"))?
            .iter()
            .map(|&axis| normalize_axis(axis, rank))
            .collect::<Result<_, _>>()?,
        None => (0..rank).collect(),
    };
    let known = lowering.shapes.known_value(operation.operands()[1]).map(<[DimExpr]>::to_vec);
    let known = known.ok_or_else(|| Unsupported::new("its padding is not known when it is compiled"))?;
    let mut low = vec![DimExpr::ZERO; rank];
    let mut high = vec![DimExpr::ZERO; rank];
    for (position, &axis) in axes.iter().enumerate() {
        low[axis] = known[position].clone();
        high[axis] = known[axes.len() + position].clone();
    }
    let element = lowering.element(x);
    let mode = operation.attributes.str("mode").unwrap_or("constant").to_string();
    let numbers: Option<Vec<[i64; 2]>> =
        low.iter().zip(&high).map(|(low, high)| Some([low.as_constant()?, high.as_constant()?])).collect();
    let fill = pad_value(lowering, op, &element);
    if let (Some(pads), "constant") = (numbers.filter(|pads| pads.iter().flatten().all(|&pad| pad >= 0)), mode.as_str())
    {
        if lowering.is_blocked(x) && rank >= 3 && pads[1] == [0, 0] {
            let blocked = lowering.blocked(x);
            let pads: Vec<[i64; 2]> = pads.into_iter().chain([[0, 0]]).collect();
            let value = lowering.pad(&blocked, &pads, fill).value;
            lowering.bind_blocked(result, value);
        } else {
            let plain = lowering.shaped(x);
            let value = lowering.pad(&plain, &pads, fill).value;
            lowering.bind(result, value);
        }
        return Ok(());
    }
    let tensor = lowering.value(x);
    let lows: Vec<Value> = low.iter().map(|dim| lowering.dim(dim)).collect();
    let extents: Vec<Value> = input.iter().map(|dim| lowering.dim(dim)).collect();
    let touched: Vec<bool> =
        low.iter().zip(&high).map(|(low, high)| *low != DimExpr::ZERO || *high != DimExpr::ZERO).collect();
    let value = lowering.pointwise(&[], &output, element.clone(), |builder, _| {
        let mut operands = vec![tensor];
        let mut outside: Option<Value> = None;
        for axis in 0..rank {
            let index = loop_index(builder, axis);
            if !touched[axis] {
                operands.push(index);
                continue;
            }
            let mut s = Scalars { builder, unsigned: false };
            let position = s.sub(index, lows[axis]);
            let (source, is_outside) = source_position(&mut s, &mode, position, extents[axis]);
            operands.push(source);
            if let Some(is_outside) = is_outside {
                outside = Some(outside.map_or(is_outside, |all| s.same("arith.ori", &[all, is_outside])));
            }
        }
        let value = builder.value("tensor.extract", &operands, element.clone(), []);
        match outside {
            Some(outside) => Scalars { builder, unsigned: false }.select(outside, fill, value),
            None => value,
        }
    });
    lowering.bind(result, value);
    Ok(())
}

/// The scalar a constant Pad fills with.
fn pad_value(lowering: &mut Lowering<'_>, op: Op, element: &Type) -> Value {
    let Some(value) = lowering.operand(op, 2) else { return lowering.number(0.0, element) };
    let rank = lowering.shape(value).len();
    let tensor = lowering.value(value);
    let constant =
        lowering.body.defining_op(tensor).and_then(|op| lowering.body.op(op).attributes.get("value").cloned());
    if let Some(dense) = constant.as_ref().and_then(ir::Attribute::as_dense) {
        let attribute = match crate::kernel::emit::scalar_attribute(dense, 0) {
            ir::Attribute::Integer(number, _) => ir::Attribute::Integer(number, element.clone()),
            other => other,
        };
        return lowering.builder().constant(attribute, element.clone());
    }
    let zero = lowering.index(0);
    let operands: Vec<Value> = std::iter::once(tensor).chain(std::iter::repeat_n(zero, rank)).collect();
    lowering.builder().value("tensor.extract", &operands, element.clone(), [])
}

/// The element a position of the padded axis shows, in bounds, and for constant padding whether it lies outside.
fn source_position(s: &mut Scalars<'_, '_>, mode: &str, position: Value, extent: Value) -> (Value, Option<Value>) {
    let (zero, one) = (s.number(0.0, &Type::Index), s.number(1.0, &Type::Index));
    let last = s.sub(extent, one);
    let clamp = |s: &mut Scalars<'_, '_>, position: Value| {
        let capped = s.min(position, last);
        s.max(capped, zero)
    };
    match mode {
        "reflect" => {
            // |p| mirrored at the last element: last - |last - |p||; clamped for padding wider than the axis
            let negated = s.sub(zero, position);
            let distance = s.max(position, negated);
            let beyond = s.sub(last, distance);
            let opposite = s.sub(zero, beyond);
            let magnitude = s.max(beyond, opposite);
            let mirrored = s.sub(last, magnitude);
            (clamp(s, mirrored), None)
        }
        "wrap" => {
            let shifted = s.add(position, extent);
            let wrapped = s.same("arith.remsi", &[shifted, extent]);
            (clamp(s, wrapped), None)
        }
        "edge" => (clamp(s, position), None),
        _ => {
            let clamped = clamp(s, position);
            let inside = s.compare(Comparison::Equal, clamped, position);
            let outside = s.not(inside);
            (clamped, Some(outside))
        }
    }
}
