//! Sliding windows: convolutions and pools.

use ir::DimExpr;

use super::node::Node;
use super::{Answer, Condition, Rule, Shape};

pub(super) fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "Conv" => |node| convolution(node, 1, Some(2)),
        "ConvInteger" => |node| convolution(node, 1, None),
        "QLinearConv" => |node| convolution(node, 3, Some(8)),
        "DeformConv" => |node| convolution(node, 1, Some(3)),
        "ConvTranspose" => transposed,
        "AveragePool" | "LpPool" => pool,
        "MaxPool" => pool,
        "GlobalAveragePool" | "GlobalMaxPool" | "GlobalLpPool" => global,
        "MaxUnpool" => unpool,
        "MaxRoiPool" => regions,
        "RoiAlign" => aligned_regions,
        "GridSample" => grid_sample,
        "AffineGrid" => affine_grid,
        "Col2Im" => columns_to_image,
        _ => return None,
    })
}

/// A window sliding over `rank` axes, as the attributes describe it.
struct Window {
    kernel: Shape,
    strides: Vec<i64>,
    dilations: Vec<i64>,
    /// Explicit padding: all begins, then all ends.
    pads: Vec<i64>,
    auto_pad: String,
}

impl Window {
    fn new(node: &Node<'_, '_>, kernel: Shape) -> Result<Window, String> {
        let rank = kernel.len();
        let list = |name: &str, length: usize, default: i64| match node.integers(name) {
            Some(values) if values.len() == length => Ok(values),
            Some(values) => Err(format!("{name} has {} entries, not {length}", values.len())),
            None => Ok(vec![default; length]),
        };
        let strides = list("strides", rank, 1)?;
        let dilations = list("dilations", rank, 1)?;
        let sizes = kernel.iter().filter_map(DimExpr::as_constant);
        if let Some(number) = strides.iter().chain(&dilations).copied().chain(sizes).find(|&number| number < 1) {
            return Err(format!("its window has {number} for a stride, dilation or extent, which must be positive"));
        }
        let auto_pad = node.text("auto_pad").unwrap_or("NOTSET").to_string();
        Ok(Window { kernel, strides, dilations, pads: list("pads", 2 * rank, 0)?, auto_pad })
    }

    /// Extent the window covers on an axis.
    fn reach(&self, axis: usize) -> DimExpr {
        self.kernel[axis].sub(&DimExpr::ONE).mul(&DimExpr::Constant(self.dilations[axis])).add(&DimExpr::ONE)
    }

    fn stride(&self, axis: usize) -> DimExpr {
        DimExpr::Constant(self.strides[axis])
    }

    /// Padding in front and behind, unless it follows from the extents.
    fn padding(&self, axis: usize) -> Option<(i64, i64)> {
        match self.auto_pad.as_str() {
            "SAME_UPPER" | "SAME_LOWER" => None,
            "VALID" => Some((0, 0)),
            _ => Some((self.pads[axis], self.pads[axis + self.kernel.len()])),
        }
    }

    /// How far the window can move on an axis.
    fn free(&self, axis: usize, extent: &DimExpr, (before, after): (i64, i64)) -> DimExpr {
        extent.add(&DimExpr::Constant(before + after)).sub(&self.reach(axis))
    }

    fn expect_fit(&self, node: &mut Node<'_, '_>, axis: usize, extent: &DimExpr, room: DimExpr) -> Result<(), String> {
        let message = || format!("a window of {} does not fit into extent {extent}", self.reach(axis));
        node.require(Condition::Extent(room), message)
    }

    /// How often a convolution's window fits on an axis of the given extent.
    fn places(&self, node: &mut Node<'_, '_>, axis: usize, extent: &DimExpr) -> Result<DimExpr, String> {
        let Some(padding) = self.padding(axis) else { return Ok(extent.ceil_div(&self.stride(axis))) };
        let free = self.free(axis, extent, padding);
        // what fits an extent of 1 fits all but an empty operand, of which nothing is made
        let fits_all = self.free(axis, &DimExpr::ONE, padding).is_nonnegative();
        if !fits_all || extent.as_constant().is_some() {
            self.expect_fit(node, axis, extent, free.clone())?;
        }
        Ok(free.floor_div(&self.stride(axis)).add(&DimExpr::ONE))
    }

    /// How often a pool's window fits on an axis of the given extent. A window that reaches less than a stride beyond
    /// the padding takes what there is, as in ONNX's own shape inference, whose quotient is rounded towards zero.
    fn pooled(
        &self,
        node: &mut Node<'_, '_>,
        axis: usize,
        extent: &DimExpr,
        round_up: bool,
    ) -> Result<DimExpr, String> {
        let stride = self.stride(axis);
        let Some(padding) = self.padding(axis) else { return Ok(extent.ceil_div(&stride)) };
        let free = self.free(axis, extent, padding);
        let (down, up) = (free.floor_div(&stride), free.ceil_div(&stride));
        let steps = match round_up {
            true => up,
            false if self.free(axis, &DimExpr::ONE, padding).is_nonnegative() => down,
            false => DimExpr::max(&DimExpr::min(&up, &DimExpr::ZERO), &down),
        };
        let places = steps.add(&DimExpr::ONE);
        self.expect_fit(node, axis, extent, places.clone())?;
        if !round_up {
            return Ok(places);
        }
        // a last window that would start in the padding behind the data is left out
        let starts = extent.add(&DimExpr::Constant(padding.0)).ceil_div(&stride);
        Ok(DimExpr::min(&places, &starts))
    }
}

/// Batch, channels and the axes the window slides over.
fn spatial(shape: &Shape) -> Result<(&DimExpr, &DimExpr, &[DimExpr]), String> {
    match shape.as_slice() {
        [batch, channels, rest @ ..] => Ok((batch, channels, rest)),
        _ => Err(format!("the operand must have rank 2 or more, found {}", shape.len())),
    }
}

fn convolution(node: &mut Node<'_, '_>, weights: usize, bias: Option<usize>) -> Answer {
    let (Some(input), Some(weights)) = (node.shape(0), node.shape(weights)) else { return Ok(vec![]) };
    let (batch, channels, extents) = spatial(&input)?;
    let (outputs, per_group, kernel) = spatial(&weights)?;
    if kernel.len() != extents.len() {
        return Err(format!("weights of rank {} for an operand of rank {}", weights.len(), input.len()));
    }
    let groups = group_count(node, outputs)?;
    node.require(Condition::Equal(channels.clone(), per_group.mul(&groups)), || {
        format!("{channels} channels for weights of {per_group} channels in {groups} groups")
    })?;
    if let Some(bias) = bias {
        node.expect_shape(node.operand(bias), std::slice::from_ref(outputs), "the bias")?;
    }
    let window = Window::new(node, kernel.to_vec())?;
    let mut shape = vec![batch.clone(), outputs.clone()];
    for (axis, extent) in extents.iter().enumerate() {
        shape.push(window.places(node, axis, extent)?);
    }
    Ok(vec![Some(shape)])
}

/// The number of groups, which `channels` are divided into.
fn group_count(node: &Node<'_, '_>, channels: &DimExpr) -> Result<DimExpr, String> {
    let groups = node.integer("group", 1);
    if groups < 1 || channels.as_constant().is_some_and(|channels| channels % groups != 0) {
        return Err(format!("{channels} channels cannot be divided into {groups} groups"));
    }
    Ok(DimExpr::Constant(groups))
}

fn transposed(node: &mut Node<'_, '_>) -> Answer {
    let (Some(input), Some(weights)) = (node.shape(0), node.shape(1)) else { return Ok(vec![]) };
    let (batch, channels, extents) = spatial(&input)?;
    let (inputs, per_group, kernel) = spatial(&weights)?;
    if kernel.len() != extents.len() {
        return Err(format!("weights of rank {} for an operand of rank {}", weights.len(), input.len()));
    }
    node.require(Condition::Equal(channels.clone(), inputs.clone()), || {
        format!("{channels} channels for weights of {inputs} channels")
    })?;
    let outputs = per_group.mul(&group_count(node, inputs)?);
    node.expect_shape(node.operand(2), std::slice::from_ref(&outputs), "the bias")?;
    let window = Window::new(node, kernel.to_vec())?;
    let rank = kernel.len();
    let extra = node.integers("output_padding").unwrap_or_else(|| vec![0; rank]);
    let given = node.integers("output_shape");
    let mut shape = vec![batch.clone(), outputs];
    for (axis, extent) in extents.iter().enumerate() {
        let stride = window.stride(axis);
        let message = || format!("spatial axis {axis} has no elements");
        node.require(Condition::Extent(extent.sub(&DimExpr::ONE)), message)?;
        if let Some(given) = &given {
            // it may list batch and channels too
            let at = axis + given.len().saturating_sub(rank);
            shape.push(DimExpr::Constant(*given.get(at).ok_or("output_shape is too short")?));
        } else if window.auto_pad.starts_with("SAME") {
            shape.push(extent.mul(&stride));
        } else {
            let padding = window.pads[axis] + window.pads[axis + rank];
            let padding = if window.auto_pad == "VALID" { 0 } else { padding };
            let rest = DimExpr::Constant(extra.get(axis).copied().unwrap_or(0) - padding);
            shape.push(extent.sub(&DimExpr::ONE).mul(&stride).add(&window.reach(axis)).add(&rest));
        }
    }
    Ok(vec![Some(shape)])
}

fn pool(node: &mut Node<'_, '_>) -> Answer {
    let Some(input) = node.shape(0) else { return Ok(vec![]) };
    let (batch, channels, extents) = spatial(&input)?;
    let kernel = node.integers("kernel_shape").ok_or("it has no kernel_shape")?;
    if kernel.len() != extents.len() {
        return Err(format!("a window of rank {} for an operand of rank {}", kernel.len(), input.len()));
    }
    let round_up = node.integer("ceil_mode", 0) != 0;
    let window = Window::new(node, kernel.into_iter().map(DimExpr::Constant).collect())?;
    let mut shape = vec![batch.clone(), channels.clone()];
    for (axis, extent) in extents.iter().enumerate() {
        shape.push(window.pooled(node, axis, extent, round_up)?);
    }
    Ok(vec![Some(shape.clone()), Some(shape)])
}

fn global(node: &mut Node<'_, '_>) -> Answer {
    let Some(mut shape) = node.shape(0) else { return Ok(vec![]) };
    spatial(&shape)?;
    shape[2..].fill(DimExpr::ONE);
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
    let window = Window::new(node, kernel.into_iter().map(DimExpr::Constant).collect())?;
    let mut shape = vec![batch.clone(), channels.clone()];
    for (axis, extent) in extents.iter().enumerate() {
        let padding = DimExpr::Constant(window.pads[axis] + window.pads[axis + extents.len()]);
        let steps = extent.sub(&DimExpr::ONE).mul(&DimExpr::Constant(window.strides[axis]));
        shape.push(steps.add(&window.kernel[axis]).sub(&padding));
    }
    Ok(vec![Some(shape)])
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
