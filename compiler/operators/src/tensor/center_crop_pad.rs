//! CenterCropPad: crops axes that are too long to their middle, and pads those that are too short with zeros. Since 18.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Attribute, Op, Value};

use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::shape::{Answer, Node, normalize_axis};

pub(crate) const CENTER_CROP_PAD: Operator =
    Operator { shapes: Some(shapes), compose: Some(compose), ..Operator::of(OnnxOp::CenterCropPad) };

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let crop: views::CenterCropPad = node.view();
    let Some(mut shape) = node.shape_of(crop.input_data) else { return Ok(vec![]) };
    let axes = match crop.axes {
        Some(axes) => axes.iter().map(|&axis| normalize_axis(axis, shape.len())).collect::<Result<_, _>>()?,
        None => (0..shape.len()).collect::<Vec<_>>(),
    };
    let sizes = node.sizes_of(crop.shape).unwrap_or_else(|| vec![None; axes.len()]);
    for (&axis, size) in axes.iter().zip(sizes) {
        shape[axis] = size.unwrap_or_else(|| node.fresh(0, axis));
    }
    Ok(vec![Some(shape)])
}

fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let crop = views::CenterCropPad::of(&emit.body, op);
    let (x, wanted) = (crop.input_data, crop.shape);
    let own = emit.plain("Shape", &[x]);
    let axes = crop.axes.map(|axes| emit.integers(&axes));
    let own = axes.map_or(own, |axes| emit.op("Gather", &[own, axes], [("axis", Attribute::i64(0))]));
    let two = emit.integer(2);
    let kept = emit.plain("Min", &[own, wanted]);
    let surplus = emit.plain("Sub", &[own, kept]);
    let start = emit.plain("Div", &[surplus, two]);
    let end = emit.plain("Add", &[start, kept]);
    let mut slice = vec![x, start, end];
    slice.extend(axes);
    let cropped = emit.plain("Slice", &slice);
    let missing = emit.plain("Sub", &[wanted, kept]);
    let front = emit.plain("Div", &[missing, two]);
    let after = emit.plain("Sub", &[missing, front]);
    let pads = emit.list(&[front, after]);
    let fill = emit.number_like(0.0, x);
    let mut pad = vec![cropped, pads, fill];
    pad.extend(axes);
    let result = emit.plain("Pad", &pad);
    Ok(vec![Some(result)])
}
