//! AffineGrid: grids of sampling points. Since 20.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{DimExpr, Op, Value};

use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::shape::{Answer, Node, Shape};

pub(crate) const AFFINE_GRID: Operator =
    Operator { shapes: Some(shapes), compose: Some(compose), ..Operator::of(OnnxOp::AffineGrid) };

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let grid: views::AffineGrid = node.view();
    let Some(size) = node.sizes_of(grid.size) else { return Ok(vec![]) };
    let rank = size.len();
    let mut shape: Shape = vec![];
    for (axis, extent) in size.into_iter().enumerate().filter(|(axis, _)| *axis != 1) {
        let at = if axis == 0 { 0 } else { axis - 1 };
        shape.push(extent.unwrap_or_else(|| node.fresh(0, at)));
    }
    shape.push(DimExpr::Constant(rank as i64 - 2));
    Ok(vec![Some(shape)])
}

/// The points of a regular grid over `[-1, 1]`, transformed by `theta`, an affine map for each image.
fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let grid = views::AffineGrid::of(&emit.body, op);
    let (theta, size) = (grid.theta, grid.size);
    let spatial = match emit.body.value_type(size).static_shape().as_deref() {
        Some([count @ 4..=5]) => count - 2,
        _ => return Err(Problem::unsupported("has a size for an unknown number of axes")),
    };
    let corners = grid.align_corners == 1;
    let extent = |emit: &mut Emitter, axis: i64| {
        let (start, end) = (emit.integers(&[axis]), emit.integers(&[axis + 1]));
        emit.slice(size, start, end, 0)
    };
    let extents: Vec<Value> = (2..2 + spatial).map(|axis| extent(emit, axis)).collect();
    let one = emit.integers(&[1]);
    let grid: Vec<Value> = [one].into_iter().chain(extents.iter().copied()).collect();
    let grid = emit.list(&grid);
    // the innermost axis's coordinate comes first, then a one for the translation; points are columns, because there
    // are many
    let mut rows = Vec::new();
    for axis in (0..spatial as usize).rev() {
        let points = coordinates(emit, extents[axis], theta, corners);
        let after: Vec<i64> = (1..spatial - axis as i64).collect();
        let points = if after.is_empty() { points } else { emit.unsqueeze(points, &after) };
        rows.push(emit.plain("Expand", &[points, grid]));
    }
    let shift = emit.number_like(1.0, theta);
    rows.push(emit.plain("Expand", &[shift, grid]));
    let points = emit.list(&rows);
    let columns = emit.integers(&[spatial + 1, -1]);
    let points = emit.plain("Reshape", &[points, columns]);
    let moved = emit.plain("MatMul", &[theta, points]);
    let moved = emit.transpose(moved, &[0, 2, 1]);
    let (batch, width) = (extent(emit, 0), emit.integers(&[spatial]));
    let shape: Vec<Value> = [batch].into_iter().chain(extents).chain([width]).collect();
    let shape = emit.list(&shape);
    let result = emit.plain("Reshape", &[moved, shape]);
    Ok(vec![Some(result)])
}

/// The coordinates along an axis in `[-1, 1]`: from end to end, or the centres of equal parts.
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
