//! Sliding windows: convolutions and pools.

use ir::DimExpr;

use super::node::Node;
use super::{Answer, Rule, Shape};
use crate::nn::{self, Sliding, spatial};
use dialects::onnx::views::{AutoPad, MaxUnpool};

pub(super) fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "MaxUnpool" => unpool,
        "MaxRoiPool" => regions,
        "RoiAlign" => aligned_regions,
        "GridSample" => grid_sample,
        "AffineGrid" => affine_grid,
        "Col2Im" => columns_to_image,
        _ => return None,
    })
}

fn regions(node: &mut Node<'_, '_>) -> Answer {
    let (Some(input), Some(regions)) = (node.shape(0), node.shape(1)) else { return Ok(vec![]) };
    let (_, channels, _) = spatial(&input)?;
    let pooled = node.integers("pooled_shape").ok_or("it has no pooled_shape")?;
    let count = regions.first().ok_or("the regions have rank 0")?;
    let shape = [count.clone(), channels.clone()].into_iter().chain(pooled.into_iter().map(DimExpr::Constant));
    Ok(vec![Some(shape.collect())])
}

fn aligned_regions(node: &mut Node<'_, '_>) -> Answer {
    let (Some(input), Some(regions)) = (node.shape(0), node.shape(1)) else { return Ok(vec![]) };
    let (_, channels, _) = spatial(&input)?;
    let count = regions.first().ok_or("the regions have rank 0")?;
    let extent = |name: &str| DimExpr::Constant(node.integer(name, 1));
    Ok(vec![Some(vec![count.clone(), channels.clone(), extent("output_height"), extent("output_width")])])
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

fn columns_to_image(node: &mut Node<'_, '_>) -> Answer {
    let (Some(input), Some(image), Some(block)) = (node.shape(0), node.sizes(1), node.known(2)) else {
        return Ok(vec![]);
    };
    let (batch, columns, _) = spatial(&input)?;
    let mut shape = vec![batch.clone(), columns.floor_div(&DimExpr::product(&block))];
    for (axis, extent) in image.into_iter().enumerate() {
        shape.push(extent.unwrap_or_else(|| node.fresh(0, axis + 2)));
    }
    Ok(vec![Some(shape)])
}
fn unpool(node: &mut Node<'_, '_>) -> Answer {
    let Some(input) = node.shape(0) else { return Ok(vec![]) };
    if node.operand(2).is_some() {
        let sizes = node.sizes(2).unwrap_or_else(|| vec![None; input.len()]);
        let dims = sizes.into_iter().enumerate().map(|(axis, size)| size.unwrap_or_else(|| node.fresh(0, axis)));
        return Ok(vec![Some(dims.collect())]);
    }
    let (batch, channels, extents) = spatial(&input)?;
    let kernel = node.integers("kernel_shape").ok_or("it has no kernel_shape")?;
    if kernel.len() != extents.len() {
        return Err(format!("a window of rank {} for an operand of rank {}", kernel.len(), input.len()));
    }
    let unpool: MaxUnpool = node.view();
    let sliding = Sliding { auto_pad: AutoPad::Notset, dilations: None, pads: unpool.pads, strides: unpool.strides };
    let window = nn::Window::new(&sliding, kernel.into_iter().map(DimExpr::Constant).collect())?;
    let mut shape = vec![batch.clone(), channels.clone()];
    for (axis, extent) in extents.iter().enumerate() {
        let padding = DimExpr::Constant(window.pads[axis] + window.pads[axis + extents.len()]);
        let steps = extent.sub(&DimExpr::ONE).mul(&DimExpr::Constant(window.strides[axis]));
        shape.push(steps.add(&window.kernel[axis]).sub(&padding));
    }
    Ok(vec![Some(shape)])
}
