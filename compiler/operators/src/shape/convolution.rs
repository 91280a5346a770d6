//! Sampling at coordinates.

use ir::DimExpr;

use super::node::Node;
use super::{Answer, Rule, Shape};
use crate::nn::spatial;

pub(super) fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "GridSample" => grid_sample,
        "AffineGrid" => affine_grid,
        _ => return None,
    })
}

fn grid_sample(node: &mut Node<'_, '_>) -> Answer {
    let (Some(input), Some(grid)) = (node.shape(0), node.shape(1)) else { return Ok(vec![]) };
    let (batch, channels, extents) = spatial(&input)?;
    if grid.len() != extents.len() + 2 {
        return Err(format!("a grid of rank {} for an operand of rank {}", grid.len(), input.len()));
    }
    Ok(vec![Some([&[batch.clone(), channels.clone()], &grid[1..grid.len() - 1]].concat())])
}

fn affine_grid(node: &mut Node<'_, '_>) -> Answer {
    let Some(size) = node.sizes(1) else { return Ok(vec![]) };
    let rank = size.len();
    let mut shape: Shape = vec![];
    for (axis, extent) in size.into_iter().enumerate().filter(|(axis, _)| *axis != 1) {
        let at = if axis == 0 { 0 } else { axis - 1 };
        shape.push(extent.unwrap_or_else(|| node.fresh(0, at)));
    }
    shape.push(DimExpr::Constant(rank as i64 - 2));
    Ok(vec![Some(shape)])
}
