//! MaxUnpool: elements at the positions where a MaxPool has found them, zeros elsewhere.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, AutoPad, View};
use ir::{Attribute, DimExpr, Op, Value};

use super::sliding::{Sliding, WindowAttributes, spatial};
use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::shape::{Answer, Node};

pub(crate) const MAX_UNPOOL: Operator =
    Operator { shapes: Some(shapes), compose: Some(compose), ..Operator::of(OnnxOp::MaxUnpool) };

fn window(unpool: &views::MaxUnpool) -> Result<WindowAttributes, String> {
    let sliding = Sliding {
        auto_pad: AutoPad::Notset,
        dilations: None,
        pads: unpool.pads.clone(),
        strides: unpool.strides.clone(),
    };
    WindowAttributes::new(&sliding, unpool.kernel_shape.iter().map(|&extent| DimExpr::Constant(extent)).collect())
}

/// How far the kernel extends beyond the steps of an axis.
fn margin(window: &WindowAttributes, kernel: &[i64], axis: usize) -> i64 {
    kernel[axis] - window.pads[axis] - window.pads[axis + kernel.len()]
}

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let unpool: views::MaxUnpool = node.view();
    let Some(input) = node.shape_of(unpool.x) else { return Ok(vec![]) };
    let (batch, channels, extents) = spatial(&input)?;
    let kernel = &unpool.kernel_shape;
    if kernel.len() != extents.len() {
        return Err(format!("a window of rank {} for an operand of rank {}", kernel.len(), input.len()));
    }
    node.expect_shape(Some(unpool.i), &input, "the indices")?;
    if let Some(output) = unpool.output_shape {
        let sizes = node.sizes_of(output).unwrap_or_else(|| vec![None; input.len()]);
        let dims = sizes.into_iter().enumerate().map(|(axis, size)| size.unwrap_or_else(|| node.fresh(0, axis)));
        return Ok(vec![Some(dims.collect())]);
    }
    let window = window(&unpool)?;
    let mut shape = vec![batch.clone(), channels.clone()];
    for (axis, extent) in extents.iter().enumerate() {
        let steps = extent.sub(&DimExpr::ONE).mul(&DimExpr::Constant(window.strides[axis]));
        shape.push(steps.add(&DimExpr::Constant(margin(&window, kernel, axis))));
    }
    Ok(vec![Some(shape)])
}

/// Indices refer to the flattened output of the pool's geometry; an output shape crops or pads it with zeros.
fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let unpool = views::MaxUnpool::of(&emit.body, op);
    let kernel = &unpool.kernel_shape;
    let window = window(&unpool).map_err(Problem::input)?;
    let (one, flat) = (emit.integers(&[1]), emit.integers(&[-1]));
    let front = emit.op("Shape", &[unpool.x], [("end", Attribute::i64(2))]);
    let extents = emit.op("Shape", &[unpool.x], [("start", Attribute::i64(2))]);
    let strides = emit.integers(&window.strides);
    let margins: Vec<i64> = (0..kernel.len()).map(|axis| margin(&window, kernel, axis)).collect();
    let margins = emit.integers(&margins);
    let steps = emit.plain("Sub", &[extents, one]);
    let reach = emit.plain("Mul", &[steps, strides]);
    let extents = emit.plain("Add", &[reach, margins]);
    let shape = emit.list(&[front, extents]);
    let count = emit.plain("ReduceProd", &[shape]);
    let count = emit.plain("Reshape", &[count, one]);
    let zero = emit.number_like(0.0, unpool.x);
    let zeros = emit.plain("Expand", &[zero, count]);
    let [places, elements] = [unpool.i, unpool.x].map(|value| emit.plain("Reshape", &[value, flat]));
    let scattered = emit.plain("ScatterElements", &[zeros, places, elements]);
    let result = emit.plain("Reshape", &[scattered, shape]);
    let Some(output) = unpool.output_shape else { return Ok(vec![Some(result)]) };
    let after = emit.plain("Sub", &[output, shape]);
    let ahead = emit.plain("Sub", &[shape, shape]);
    let pads = emit.list(&[ahead, after]);
    Ok(vec![Some(emit.plain("Pad", &[result, pads]))])
}
