//! RoiAlign: regions of interest, sampled by interpolation. Since 10.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, RoiCoordinates, RoiMode, View};
use ir::{Attribute, DimExpr, Op, Type};

use crate::nn::spatial;
use crate::operator::Operator;
use crate::shape::{Answer, Node};
use crate::structured::calls::Argument::{Index, Real, Tensor};
use crate::structured::{Lowering, Unsupported};

pub(crate) const ROI_ALIGN: Operator = Operator {
    // pixel centres were at integer coordinates
    upgrades: &[(16, |node, _| {
        node.attributes.set("coordinate_transformation_mode", Attribute::string("output_half_pixel"));
        Ok(())
    })],
    shapes: Some(shapes),
    lower: Some(lower),
    ..Operator::of(OnnxOp::RoiAlign)
};

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let align: views::RoiAlign = node.view();
    let (Some(input), Some(regions)) = (node.shape_of(align.x), node.shape_of(align.rois)) else {
        return Ok(vec![]);
    };
    let (_, channels, extents) = spatial(&input)?;
    let ([_, _], [count, numbers]) = (extents, regions.as_slice()) else {
        return Err("its operands are images and a matrix of regions".to_string());
    };
    node.expect_equal(numbers, &DimExpr::Constant(4), "the numbers that give a region and those it needs,")?;
    node.expect_shape(Some(align.batch_indices), std::slice::from_ref(count), "the images of regions")?;
    let [height, width] = [align.output_height, align.output_width].map(DimExpr::Constant);
    Ok(vec![Some(vec![count.clone(), channels.clone(), height, width])])
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let align = views::RoiAlign::of(lowering.source, op);
    let scale = lowering.number(align.spatial_scale, &Type::F64);
    let half_pixel = align.coordinate_transformation_mode == RoiCoordinates::HalfPixel;
    let numbers = [align.sampling_ratio, i64::from(half_pixel), i64::from(align.mode == RoiMode::Max)];
    let [samples, half_pixel, largest] = numbers.map(|number| Index(lowering.index(number)));
    let operands = [Tensor(align.x), Tensor(align.rois), Tensor(align.batch_indices)];
    let arguments = [operands.as_slice(), &[Real(scale), samples, half_pixel, largest]].concat();
    lowering.call(op, "align_regions", &arguments)
}
