//! GatherElements: one element for each index, along an axis. Since 11.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use dialects::tensor;
use ir::{AffineMap, Op, Value};

use crate::operator::{Kind, Operator};
use crate::shape::{Answer, Condition, Node, normalize_axis};
use crate::structured::channel_blocks::loop_index;
use crate::structured::gather::{assert_bounds, bounded};
use crate::structured::scalars::Scalars;
use crate::structured::{Lowering, Unsupported, reduction};
use dialects::linalg::generic::Input;

pub(crate) const GATHER_ELEMENTS: Operator =
    Operator { kind: Kind::Movement, shapes: Some(shapes), lower: Some(lower), ..Operator::of(OnnxOp::GatherElements) };

/// Checks that the indices' extents along the other axes do not exceed those of the data.
pub(super) fn expect_places(node: &mut Node<'_, '_>, data: Value, indices: Value, axis: i64) -> Result<(), String> {
    let (Some(shape), Some(indices)) = (node.shape_of(data), node.shape_of(indices)) else { return Ok(()) };
    if shape.len() != indices.len() {
        return Err(format!("indices of rank {} for an operand of rank {}", indices.len(), shape.len()));
    }
    let axis = normalize_axis(axis, shape.len())?;
    for (at, (extent, count)) in shape.iter().zip(&indices).enumerate().filter(|(at, _)| *at != axis) {
        let message = || format!("axis {at} has {count} indices, but the operand's extent is {extent}");
        node.require(Condition::Extent(extent.sub(count)), message)?;
    }
    Ok(())
}

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let gather: views::GatherElements = node.view();
    expect_places(node, gather.data, gather.indices, gather.axis)?;
    Ok(vec![node.shape_of(gather.indices)])
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let views::GatherElements { data, indices, axis } = View::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    let input = lowering.shaped(data);
    let rank = input.shape.len();
    let axis = reduction::normalize_axis(axis, rank)?;
    assert_bounds(lowering, indices, &input.shape[axis], "GatherElements");
    let output = lowering.shape(result);
    let element = lowering.element(result);
    let limits: Vec<Value> = input.shape.iter().map(|dim| lowering.dim(dim)).collect();
    let inputs = [Input { value: lowering.value(indices), map: AffineMap::identity(rank) }];
    let value = lowering.pointwise(&inputs, &output, element.clone(), |builder, e| {
        let mut at = Vec::with_capacity(rank);
        for (d, &limit) in limits.iter().enumerate() {
            let here = if d == axis { e[0] } else { loop_index(builder, d) };
            at.push(bounded(&mut Scalars { builder, unsigned: false }, here, limit));
        }
        builder.value_from(tensor::Extract { tensor: input.value, indices: &at }, element, [])
    });
    lowering.bind(result, value);
    Ok(())
}
