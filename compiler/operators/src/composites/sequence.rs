//! Convolution with a state, cropping to a size, grids of sampling points.

use ir::{Attribute, Value};

use crate::graph::Emitter;
use crate::graph::{Node, Problem};

/// A depthwise convolution over what came before and the input; the last elements are the next state.
pub(super) fn causal_convolution(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let (input, weight) = (node.operands[0], node.operands[1]);
    let (kernel, one, zero) = (emit.extent(weight, 2), emit.integers(&[1]), emit.integers(&[0]));
    let before = emit.plain("Sub", &[kernel, one]);
    let padded = match node.given(3, emit) {
        Some(past) => emit.op("Concat", &[past, input], [("axis", Attribute::i64(2))]),
        None => {
            let (pads, axes) = (emit.list(&[before, zero]), emit.integers(&[2]));
            let fill = emit.number_like(0.0, input);
            emit.plain("Pad", &[input, pads, fill, axes])
        }
    };
    let channels = emit.body.value_type(weight).shape().and_then(|shape| *shape.first()?);
    let channels = channels.ok_or_else(|| Problem::unsupported("has weights for an unknown number of channels"))?;
    let mut operands = vec![padded, weight];
    operands.extend(node.given(2, emit));
    let result = emit.op("Conv", &operands, [("group", Attribute::i64(channels))]);
    let result = match node.attributes.str("activation").unwrap_or("none") {
        "none" => result,
        "silu" | "swish" => emit.plain("Swish", &[result]),
        other => return Err(Problem::unsupported(format!("has activation \"{other}\""))),
    };
    let end = emit.extent(padded, 2);
    let start = emit.plain("Sub", &[end, before]);
    let state = emit.slice(padded, start, end, 2);
    node.finish(&[Some(result), Some(state)], emit);
    Ok(())
}

/// The middle of what is too long, zeros around what is too short.
pub(super) fn center_crop_pad(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let (x, wanted) = (node.operands[0], node.operands[1]);
    let own = emit.plain("Shape", &[x]);
    let axes = node.attributes.integers("axes").map(|axes| emit.integers(&axes));
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
    let behind = emit.plain("Sub", &[missing, front]);
    let pads = emit.list(&[front, behind]);
    let fill = emit.number_like(0.0, x);
    let mut pad = vec![cropped, pads, fill];
    pad.extend(axes);
    let result = emit.plain("Pad", &pad);
    node.finish(&[Some(result)], emit);
    Ok(())
}

/// The points of a regular grid over `[-1, 1]`, moved by `theta`, an affine map for each image.
pub(super) fn affine_grid(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let (theta, size) = (node.operands[0], node.operands[1]);
    let spatial = match emit.body.value_type(size).static_shape().as_deref() {
        Some([count @ 4..=5]) => count - 2,
        _ => return Err(Problem::unsupported("has a size for an unknown number of axes")),
    };
    let corners = node.integer("align_corners", 0) == 1;
    let extent = |emit: &mut Emitter, axis: i64| {
        let (start, end) = (emit.integers(&[axis]), emit.integers(&[axis + 1]));
        emit.slice(size, start, end, 0)
    };
    let extents: Vec<Value> = (2..2 + spatial).map(|axis| extent(emit, axis)).collect();
    let one = emit.integers(&[1]);
    let grid: Vec<Value> = extents.iter().copied().chain([one]).collect();
    let grid = emit.list(&grid);
    // coordinates come innermost axis first, then a one for the shift
    let mut columns = Vec::new();
    for axis in (0..spatial as usize).rev() {
        let points = coordinates(emit, extents[axis], theta, corners);
        let behind: Vec<i64> = (1..=spatial - axis as i64).collect();
        let points = emit.unsqueeze(points, &behind);
        columns.push(emit.plain("Expand", &[points, grid]));
    }
    let shift = emit.number_like(1.0, theta);
    columns.push(emit.plain("Expand", &[shift, grid]));
    let points = emit.op("Concat", &columns, [("axis", Attribute::i64(-1))]);
    let rows = emit.integers(&[-1, spatial + 1]);
    let points = emit.plain("Reshape", &[points, rows]);
    let maps = emit.transpose(theta, &[0, 2, 1]);
    let moved = emit.plain("MatMul", &[points, maps]);
    let (batch, width) = (extent(emit, 0), emit.integers(&[spatial]));
    let shape: Vec<Value> = [batch].into_iter().chain(extents).chain([width]).collect();
    let shape = emit.list(&shape);
    let result = emit.plain("Reshape", &[moved, shape]);
    node.finish(&[Some(result)], emit);
    Ok(())
}

/// The places of an axis in `[-1, 1]`: corners, or centres of as many parts.
fn coordinates(emit: &mut Emitter, extent: Value, like: Value, corners: bool) -> Value {
    let index = emit.count_up(extent);
    let (index, count) = (emit.plain("CastLike", &[index, like]), emit.plain("CastLike", &[extent, like]));
    let (one, two) = (emit.number_like(1.0, like), emit.number_like(2.0, like));
    let doubled = emit.plain("Mul", &[index, two]);
    if corners {
        let gaps = emit.plain("Sub", &[count, one]);
        let gaps = emit.plain("Max", &[gaps, one]);
        let along = emit.plain("Div", &[doubled, gaps]);
        return emit.plain("Sub", &[along, one]);
    }
    let centre = emit.plain("Add", &[doubled, one]);
    let along = emit.plain("Div", &[centre, count]);
    emit.plain("Sub", &[along, one])
}
