//! Col2Im: sums blocks that are laid out as columns into an image. Since 18.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{DenseElements, DimExpr, Op};

use super::sliding::spatial;
use crate::operator::{Operator, Rank};
use crate::shape::{Answer, Node};
use crate::structured::calls::Argument::Tensor;
use crate::structured::{Lowering, Unsupported};

pub(crate) const COL2IM: Operator = Operator {
    ranks: &[(1, Rank::Exactly(1)), (2, Rank::Exactly(1))],
    shapes: Some(shapes),
    lower: Some(lower),
    ..Operator::of(OnnxOp::Col2Im)
};

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let columns: views::Col2Im = node.view();
    let stated = [&columns.strides, &columns.dilations].into_iter().flatten().next().map(|list| vec![None; list.len()]);
    let image = node.sizes_of(columns.image_shape).or(stated);
    let (Some(input), Some(image)) = (node.shape_of(columns.input), image) else { return Ok(vec![]) };
    let (batch, rows, _) = spatial(&input)?;
    if node.numbers_of(columns.block_shape).is_some_and(|block| block.iter().any(|&extent| extent < 1)) {
        return Err("its blocks must have at least one element along each axis".into());
    }
    let channels = match node.known_of(columns.block_shape) {
        Some(block) => rows.floor_div(&DimExpr::product(&block)),
        None => node.fresh(0, 1),
    };
    let mut shape = vec![batch.clone(), channels];
    for (axis, extent) in image.into_iter().enumerate() {
        shape.push(extent.unwrap_or_else(|| node.fresh(0, axis + 2)));
    }
    Ok(vec![Some(shape)])
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let columns = views::Col2Im::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    let rank = lowering.shape(result).len() - 2;
    let rows = lowering.shape(columns.input)[1].clone();
    let rows = lowering.dim(&rows);
    let mut size = lowering.index(1);
    for axis in 0..rank {
        let extent = lowering.integer(columns.block_shape, axis);
        size = lowering.scalars(|s| {
            let one = s.like(1.0, extent);
            let extent = s.max(extent, one);
            s.mul(size, extent)
        });
        let extent = lowering.integer(columns.image_shape, axis);
        lowering.settle(result, axis + 2, extent);
    }
    let channels = lowering.scalars(|s| {
        let one = s.like(1.0, size);
        let size = s.max(size, one);
        s.div(rows, size)
    });
    lowering.settle(result, 1, channels);
    let lists = [(columns.strides, rank, 1), (columns.dilations, rank, 1), (columns.pads, 2 * rank, 0)];
    let [strides, dilations, pads] = lists.map(|(given, length, default)| {
        let list = given.filter(|given| given.len() == length).unwrap_or_else(|| vec![default; length].into());
        lowering.vector(&DenseElements::from_i64(&[length as i64], &list))
    });
    let arguments = [Tensor(columns.input), Tensor(columns.block_shape), strides, dilations, pads];
    lowering.call(op, "columns_to_image", &arguments)
}
