//! Sliding windows over the axes after batch and channels: their attributes and positions.

use std::sync::Arc;

use dialects::onnx::views::AutoPad;
use ir::DimExpr;

use crate::shape::{Condition, Node, Shape};
use crate::structured::window::reach;

/// The attributes of a window besides the kernel.
pub(crate) struct Sliding {
    pub(crate) auto_pad: AutoPad,
    pub(crate) dilations: Option<Arc<[i64]>>,
    pub(crate) pads: Option<Arc<[i64]>>,
    pub(crate) strides: Option<Arc<[i64]>>,
}

/// A window that slides over `rank` axes, as described by the attributes.
pub(crate) struct WindowAttributes {
    pub(crate) kernel: Shape,
    pub(crate) strides: Vec<i64>,
    pub(crate) dilations: Vec<i64>,
    /// Explicit padding: all begins, then all ends.
    pub(crate) pads: Vec<i64>,
    pub(crate) auto_pad: AutoPad,
}

impl WindowAttributes {
    pub(crate) fn new(sliding: &Sliding, kernel: Shape) -> Result<WindowAttributes, String> {
        let rank = kernel.len();
        let list = |what: &str, given: &Option<Arc<[i64]>>, length: usize, default: i64| match given {
            Some(values) if values.len() == length => Ok(values.to_vec()),
            Some(values) => Err(format!("{what} has {} entries, not {length}", values.len())),
            None => Ok(vec![default; length]),
        };
        let strides = list("strides", &sliding.strides, rank, 1)?;
        let dilations = list("dilations", &sliding.dilations, rank, 1)?;
        let sizes = kernel.iter().filter_map(DimExpr::as_constant);
        if let Some(number) = strides.iter().chain(&dilations).copied().chain(sizes).find(|&number| number < 1) {
            return Err(format!("its window has {number} for a stride, dilation or extent, which must be positive"));
        }
        let pads = list("pads", &sliding.pads, 2 * rank, 0)?;
        Ok(WindowAttributes { kernel, strides, dilations, pads, auto_pad: sliding.auto_pad })
    }

    /// The extent of the window on an axis.
    pub(crate) fn reach(&self, axis: usize) -> DimExpr {
        reach(&self.kernel[axis], self.dilations[axis])
    }

    pub(crate) fn stride(&self, axis: usize) -> DimExpr {
        DimExpr::Constant(self.strides[axis])
    }

    /// Padding before and after, unless it follows from the extents.
    fn padding(&self, axis: usize) -> Option<(i64, i64)> {
        match self.auto_pad {
            AutoPad::SameUpper | AutoPad::SameLower => None,
            AutoPad::Valid => Some((0, 0)),
            AutoPad::Notset => Some((self.pads[axis], self.pads[axis + self.kernel.len()])),
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

    /// The number of positions of a convolution's window on an axis of the given extent.
    pub(crate) fn places(&self, node: &mut Node<'_, '_>, axis: usize, extent: &DimExpr) -> Result<DimExpr, String> {
        let Some(padding) = self.padding(axis) else { return Ok(extent.ceil_div(&self.stride(axis))) };
        let free = self.free(axis, extent, padding);
        // a window that fits an extent of 1 fits all but an empty operand, whose result is empty
        let fits_all = self.free(axis, &DimExpr::ONE, padding).is_nonnegative();
        if !fits_all || extent.as_constant().is_some() {
            self.expect_fit(node, axis, extent, free.clone())?;
        }
        Ok(free.floor_div(&self.stride(axis)).add(&DimExpr::ONE))
    }

    /// The number of positions of a pool's window on an axis of the given extent. A window that extends less than a
    /// stride beyond the padding is cropped, as in ONNX's own shape inference, whose quotient is rounded towards zero.
    pub(crate) fn pooled(
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
        // a last window that would start in the padding after the data is omitted
        let starts = extent.add(&DimExpr::Constant(padding.0)).ceil_div(&stride);
        Ok(DimExpr::min(&places, &starts))
    }
}

/// Batch, channels and the axes that the window slides over.
pub(crate) fn spatial(shape: &Shape) -> Result<(&DimExpr, &DimExpr, &[DimExpr]), String> {
    match shape.as_slice() {
        [batch, channels, rest @ ..] => Ok((batch, channels, rest)),
        _ => Err(format!("the operand must have rank 2 or more, found {}", shape.len())),
    }
}
