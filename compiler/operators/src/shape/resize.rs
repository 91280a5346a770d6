//! Resize: extents from sizes or scales.

use ir::DimExpr;

use super::node::{Node, normalize_axis};
use super::{Answer, Rule};

pub(super) fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "Resize" => |node| resize(node, Some(3), 2),
        "Upsample" => |node| resize(node, None, 1),
        _ => return None,
    })
}

fn resize(node: &mut Node<'_, '_>, sizes: Option<usize>, scales: usize) -> Answer {
    let Some(mut shape) = node.shape(0) else { return Ok(vec![]) };
    let axes = match node.integers("axes") {
        Some(axes) => axes.into_iter().map(|axis| normalize_axis(axis, shape.len())).collect::<Result<_, _>>()?,
        None => (0..shape.len()).collect::<Vec<_>>(),
    };
    let keeps_ratio = node.text("keep_aspect_ratio_policy").is_some_and(|policy| policy != "stretch");
    if let Some(sizes) = sizes.filter(|&sizes| node.operand(sizes).is_some()) {
        let sizes = node.sizes(sizes).unwrap_or_else(|| vec![None; axes.len()]);
        check_length(sizes.len(), axes.len(), "sizes")?;
        for (&axis, size) in axes.iter().zip(sizes) {
            shape[axis] = size.filter(|_| !keeps_ratio).unwrap_or_else(|| node.fresh(0, axis));
        }
        return Ok(vec![Some(shape)]);
    }
    let crops = node.text("coordinate_transformation_mode") == Some("tf_crop_and_resize");
    let scales = node.floats(scales).filter(|_| !crops);
    if let Some(scales) = &scales {
        check_length(scales.len(), axes.len(), "scales")?;
    }
    for (at, &axis) in axes.iter().enumerate() {
        let scaled = scales.as_ref().and_then(|scales| scaled(&shape[axis], scales[at]));
        shape[axis] = scaled.unwrap_or_else(|| node.fresh(0, axis));
    }
    Ok(vec![Some(shape)])
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
