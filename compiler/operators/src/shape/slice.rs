//! Windows of tensors: Slice, Split, Pad.

use ir::DimExpr;

use super::node::{Node, at_least_zero, normalize_axis};
use super::{Answer, Condition, Elements, Rule, Shape};

pub(super) fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "Slice" => slice,
        "Split" => split,
        "Pad" => pad,
        "CenterCropPad" => crop,
        _ => return None,
    })
}

/// Bounds at least this large mean "to the end": exporters write many such numbers, and no axis is that long.
const TO_THE_END: i64 = 1 << 29;

/// One sliced axis.
pub(super) struct Window {
    pub(super) axis: usize,
    pub(super) start: Option<DimExpr>,
    pub(super) end: Option<DimExpr>,
    pub(super) step: Option<i64>,
}

/// What `Slice` takes of each axis; `None` when it is not known which axes.
pub(super) fn windows(node: &Node<'_, '_>, rank: usize) -> Result<Option<Vec<Window>>, String> {
    let (Some(starts), Some(ends)) = (node.sizes(1), node.sizes(2)) else { return Ok(None) };
    let axes = match node.operand(3) {
        None => (0..starts.len() as i64).collect(),
        Some(_) => match node.numbers(3) {
            Some(axes) => axes,
            None => return Ok(None),
        },
    };
    let steps: Vec<Option<i64>> = match (node.operand(4), node.elements(4)) {
        (None, _) => vec![Some(1); starts.len()],
        (Some(_), Some(steps)) => steps.iter().map(|step| step.as_ref()?.as_constant()).collect(),
        (Some(_), None) => vec![None; starts.len()],
    };
    if [ends.len(), axes.len(), steps.len()].iter().any(|&length| length != starts.len()) {
        return Err("starts, ends, axes and steps differ in length".to_string());
    }
    let mut windows = vec![];
    for (((start, end), axis), step) in starts.into_iter().zip(ends).zip(axes).zip(steps) {
        if step == Some(0) {
            return Err("a step is 0".to_string());
        }
        windows.push(Window { axis: normalize_axis(axis, rank)?, start, end, step });
    }
    Ok(Some(windows))
}

impl Window {
    /// How many elements it takes of `extent`.
    pub(super) fn length(&self, extent: &DimExpr) -> Option<DimExpr> {
        let (start, end, step) = (self.start.as_ref()?, self.end.as_ref()?, self.step?);
        if step < 0 {
            return backward_length(extent, start.as_constant()?, end.as_constant()?, step);
        }
        let whole = matches!(end, DimExpr::Constant(end) if *end >= TO_THE_END) || end == extent;
        let distance = match (start, end) {
            (DimExpr::Constant(start), _) if whole && *start < 0 => extent.min(&DimExpr::Constant(-start)),
            (start, _) if whole && is_nonnegative(start, extent) => at_least_zero(extent.sub(start)),
            (start, end) => at_least_zero(clamp(end, extent)?.sub(&clamp(start, extent)?)),
        };
        Some(distance.ceil_div(&DimExpr::Constant(step)))
    }
}

/// A bound of a forward slice as an offset within the extent; `None` when its sign is not known.
fn clamp(bound: &DimExpr, extent: &DimExpr) -> Option<DimExpr> {
    match bound {
        DimExpr::Constant(bound) if *bound < 0 => Some(at_least_zero(extent.add(&DimExpr::Constant(*bound)))),
        DimExpr::Constant(bound) if *bound >= TO_THE_END => Some(extent.clone()),
        _ if is_nonnegative(bound, extent) => Some(bound.min(extent)),
        _ if bound.mul(&DimExpr::Constant(-1)).is_nonnegative() => Some(at_least_zero(extent.add(bound))),
        _ => None,
    }
}

/// Factors tried to see that a bound is a part of the extent.
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
    let by = DimExpr::Constant(-step);
    if (start == -1 || start >= TO_THE_END) && end <= -TO_THE_END {
        return Some(extent.ceil_div(&by));
    }
    let extent = extent.as_constant()?;
    let clamp = |bound: i64| (if bound < 0 { bound.saturating_add(extent) } else { bound }).clamp(-1, extent - 1);
    Some(DimExpr::Constant((clamp(start) - clamp(end)).max(0)).ceil_div(&by))
}

fn slice(node: &mut Node<'_, '_>) -> Answer {
    let Some(mut shape) = node.shape(0) else { return Ok(vec![]) };
    let Some(windows) = windows(node, shape.len())? else {
        return Ok(vec![Some((0..shape.len()).map(|axis| node.fresh(0, axis)).collect())]);
    };
    for window in windows {
        let length = window.length(&shape[window.axis]);
        shape[window.axis] = length.unwrap_or_else(|| node.fresh(0, window.axis));
    }
    Ok(vec![Some(shape)])
}

fn split(node: &mut Node<'_, '_>) -> Answer {
    let Some(shape) = node.shape(0) else { return Ok(vec![]) };
    let axis = node.axis("axis", 0, shape.len())?;
    let count = node.result_count();
    let sizes: Elements = match node.sizes(1) {
        Some(sizes) => sizes,
        None if node.operand(1).is_some() => vec![None; count],
        None => equal_parts(&shape[axis], node.integer("num_outputs", count as i64)),
    };
    if sizes.len() != count {
        return Err(format!("{} parts for {count} results", sizes.len()));
    }
    let total: Option<Vec<DimExpr>> = sizes.iter().cloned().collect();
    if let Some(total) = total.map(|parts| DimExpr::sum(&parts)) {
        let message = || format!("the parts have {total} elements, the operand {}", shape[axis]);
        node.require(Condition::Equal(total.clone(), shape[axis].clone()), message)?;
    }
    let mut answer = vec![];
    for (result, size) in sizes.into_iter().enumerate() {
        let mut part: Shape = shape.clone();
        part[axis] = size.unwrap_or_else(|| node.fresh(result, axis));
        answer.push(Some(part));
    }
    Ok(answer)
}

/// Equal parts, of which the last may be smaller.
fn equal_parts(extent: &DimExpr, count: i64) -> Elements {
    let each = extent.ceil_div(&DimExpr::Constant(count));
    let last = extent.sub(&each.mul(&DimExpr::Constant(count - 1)));
    let mut parts = vec![Some(each); (count - 1).max(0) as usize];
    parts.push(Some(last));
    parts
}

fn pad(node: &mut Node<'_, '_>) -> Answer {
    let Some(mut shape) = node.shape(0) else { return Ok(vec![]) };
    let axes: Vec<usize> = match node.axes(3, shape.len())? {
        Some(axes) => axes,
        None if node.operand(3).is_some() => {
            return Ok(vec![Some((0..shape.len()).map(|axis| node.fresh(0, axis)).collect())]);
        }
        None => (0..shape.len()).collect(),
    };
    let pads = node.sizes(1).unwrap_or_else(|| vec![None; 2 * axes.len()]);
    if pads.len() != 2 * axes.len() {
        return Err(format!("{} pads for {} axes", pads.len(), axes.len()));
    }
    for (at, &axis) in axes.iter().enumerate() {
        shape[axis] = match (&pads[at], &pads[at + axes.len()]) {
            (Some(before), Some(after)) => shape[axis].add(before).add(after),
            _ => node.fresh(0, axis),
        };
    }
    Ok(vec![Some(shape)])
}

fn crop(node: &mut Node<'_, '_>) -> Answer {
    let Some(mut shape) = node.shape(0) else { return Ok(vec![]) };
    let axes = match node.integers("axes") {
        Some(axes) => axes.into_iter().map(|axis| normalize_axis(axis, shape.len())).collect::<Result<_, _>>()?,
        None => (0..shape.len()).collect::<Vec<_>>(),
    };
    let sizes = node.sizes(1).unwrap_or_else(|| vec![None; axes.len()]);
    for (&axis, size) in axes.iter().zip(sizes) {
        shape[axis] = size.unwrap_or_else(|| node.fresh(0, axis));
    }
    Ok(vec![Some(shape)])
}
