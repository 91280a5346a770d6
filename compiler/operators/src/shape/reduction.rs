//! Operators that fold axes away.

use ir::DimExpr;

use super::node::Node;
use super::{Answer, Rule, Shape};

pub(super) fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "ArgMax" | "ArgMin" => along_axis,
        "CumSum" | "CumProd" => super::math::like_first,
        _ if name.starts_with("Reduce") => reduce,
        _ => return None,
    })
}

/// `shape` without the given axes, or with extent 1 in their places.
fn without(shape: &[DimExpr], axes: &[usize], keep: bool) -> Shape {
    let dims = shape.iter().enumerate().filter_map(|(axis, dim)| match (axes.contains(&axis), keep) {
        (false, _) => Some(dim.clone()),
        (true, true) => Some(DimExpr::ONE),
        (true, false) => None,
    });
    dims.collect()
}

fn reduce(node: &mut Node<'_, '_>) -> Answer {
    let Some(shape) = node.shape(0) else { return Ok(vec![]) };
    let keep = node.integer("keepdims", 1) != 0;
    let given = node.operand(1).is_some() || node.attribute("axes").is_some();
    let empty = node.shape(1).is_some_and(|axes| axes == [DimExpr::ZERO]);
    let axes = match node.axes(1, shape.len())? {
        Some(axes) if !axes.is_empty() => axes,
        None if given && !empty => return Ok(vec![unknown_axes(node, shape.len(), keep)]),
        _ if node.integer("noop_with_empty_axes", 0) != 0 => vec![],
        _ => (0..shape.len()).collect(),
    };
    Ok(vec![Some(without(&shape, &axes, keep))])
}

/// Each extent may or may not be folded; without them the rank is known when the number of axes is.
fn unknown_axes(node: &mut Node<'_, '_>, rank: usize, keep: bool) -> Option<Shape> {
    let rank = match keep {
        true => rank,
        false => rank.checked_sub(usize::try_from(node.shape(1)?.first()?.as_constant()?).ok()?)?,
    };
    Some((0..rank).map(|axis| node.fresh(0, axis)).collect())
}

fn along_axis(node: &mut Node<'_, '_>) -> Answer {
    let Some(shape) = node.shape(0) else { return Ok(vec![]) };
    let axis = node.axis("axis", 0, shape.len())?;
    Ok(vec![Some(without(&shape, &[axis], node.integer("keepdims", 1) != 0))])
}
