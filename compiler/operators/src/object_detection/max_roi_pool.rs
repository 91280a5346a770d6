//! MaxRoiPool: the maximum of each cell of regions of interest.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{DimExpr, Type};

use crate::nn::spatial;
use crate::operator::Operator;
use crate::structured::calls::Argument::{Real, Tensor};

pub(crate) const MAX_ROI_POOL: Operator = Operator {
    shapes: Some(|node| {
        let pool: views::MaxRoiPool = node.view();
        let (Some(input), Some(regions)) = (node.shape_of(pool.x), node.shape_of(pool.rois)) else {
            return Ok(vec![]);
        };
        let (_, channels, extents) = spatial(&input)?;
        if (extents.len(), pool.pooled_shape.len(), regions.len()) != (2, 2, 2) {
            return Err("its operands are images and a matrix of regions".to_string());
        }
        let cells = pool.pooled_shape.iter().copied().map(DimExpr::Constant);
        let shape = [regions[0].clone(), channels.clone()].into_iter().chain(cells).collect();
        Ok(vec![Some(shape)])
    }),
    lower: Some(|lowering, op| {
        let pool = views::MaxRoiPool::of(lowering.source, op);
        let scale = lowering.number(pool.spatial_scale, &Type::F64);
        lowering.call(op, "pool_regions", &[Tensor(pool.x), Tensor(pool.rois), Real(scale)])
    }),
    ..Operator::of(OnnxOp::MaxRoiPool)
};
