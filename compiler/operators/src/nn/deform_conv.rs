//! DeformConv: a convolution whose window is bent by offsets. Since 19.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, AutoPad};

use super::conv::{Convolution, convolution_shape};
use super::sliding::Sliding;
use crate::operator::Operator;

pub(crate) const DEFORM_CONV: Operator = Operator {
    shapes: Some(|node| {
        let views::DeformConv { x, w, b, dilations, group, pads, strides, .. } = node.view();
        let sliding = Sliding { auto_pad: AutoPad::Notset, dilations, pads, strides };
        convolution_shape(node, &Convolution { x, w, bias: b, groups: group, sliding })
    }),
    ..Operator::of(OnnxOp::DeformConv)
};
