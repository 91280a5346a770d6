//! ConvTranspose.

use std::sync::Arc;

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, AutoPad, View};
use ir::{DimExpr, Value};

use super::conv::{group_count, rank_of_weights};
use super::sliding::{Sliding, WindowAttributes, spatial};
use crate::operator::{Cost, Kind, Operator};
use crate::shape::{Answer, Condition, Node};
use crate::structured::transposed_convolution::lower_transposed;

pub(crate) const CONV_TRANSPOSE: Operator = Operator {
    demands: Some(|reading, operand| rank_of_weights(reading, operand, reading.view::<views::ConvTranspose>().w)),
    // as if the stride were one
    cost: Cost::Products(|operands, _| {
        let outputs = operands[1].get(1).copied().unwrap_or(1.0).max(1.0);
        2.0 * operands[1].iter().product::<f64>() / outputs
    }),
    kind: Kind::Contraction,
    shapes: Some(shapes),
    lower: Some(|lowering, op| {
        let transposed = Transposed::of(View::of(lowering.source, op));
        lower_transposed(lowering, op, &transposed)
    }),
    ..Operator::of(OnnxOp::ConvTranspose)
};

/// The options of the operator.
pub(crate) struct Transposed {
    pub(crate) x: Value,
    pub(crate) w: Value,
    pub(crate) bias: Option<Value>,
    pub(crate) groups: i64,
    pub(crate) sliding: Sliding,
    pub(crate) output_padding: Option<Arc<[i64]>>,
    pub(crate) output_shape: Option<Arc<[i64]>>,
}

impl Transposed {
    fn of(conv: views::ConvTranspose) -> Transposed {
        let views::ConvTranspose {
            x,
            w,
            b,
            auto_pad,
            dilations,
            group,
            output_padding,
            output_shape,
            pads,
            strides,
            ..
        } = conv;
        let sliding = Sliding { auto_pad, dilations, pads, strides };
        Transposed { x, w, bias: b, groups: group, sliding, output_padding, output_shape }
    }
}

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let transposed = Transposed::of(node.view());
    let operands = (node.shape_of(transposed.x), node.shape_of(transposed.w));
    let (Some(input), Some(weights)) = operands else { return Ok(vec![]) };
    let (batch, channels, extents) = spatial(&input)?;
    let (inputs, per_group, kernel) = spatial(&weights)?;
    if kernel.len() != extents.len() {
        return Err(format!("weights of rank {} for an operand of rank {}", weights.len(), input.len()));
    }
    node.require(Condition::Equal(channels.clone(), inputs.clone()), || {
        format!("{channels} channels for weights of {inputs} channels")
    })?;
    let outputs = per_group.mul(&group_count(transposed.groups, inputs)?);
    node.expect_shape(transposed.bias, std::slice::from_ref(&outputs), "the bias")?;
    let window = WindowAttributes::new(&transposed.sliding, kernel.to_vec())?;
    let rank = kernel.len();
    let extra = transposed.output_padding.unwrap_or_else(|| vec![0; rank].into());
    if extra.len() != rank {
        return Err(format!("output_padding has {} values for {rank} spatial axes", extra.len()));
    }
    let given = transposed.output_shape;
    let mut shape = vec![batch.clone(), outputs];
    for (axis, extent) in extents.iter().enumerate() {
        let stride = window.stride(axis);
        let message = || format!("spatial axis {axis} has no elements");
        node.require(Condition::Extent(extent.sub(&DimExpr::ONE)), message)?;
        if let Some(given) = &given {
            // it may include batch and channels
            let at = axis + given.len().saturating_sub(rank);
            shape.push(DimExpr::Constant(*given.get(at).ok_or("output_shape is too short")?));
        } else if matches!(window.auto_pad, AutoPad::SameUpper | AutoPad::SameLower) {
            shape.push(extent.mul(&stride));
        } else {
            let padding = window.pads[axis] + window.pads[axis + rank];
            let padding = if window.auto_pad == AutoPad::Valid { 0 } else { padding };
            let rest = DimExpr::Constant(extra[axis] - padding);
            shape.push(extent.sub(&DimExpr::ONE).mul(&stride).add(&window.reach(axis)).add(&rest));
        }
    }
    Ok(vec![Some(shape)])
}
