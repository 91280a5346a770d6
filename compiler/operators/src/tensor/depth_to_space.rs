//! DepthToSpace and SpaceToDepth: channels become blocks of pixels, and back.

use dialects::linalg::generic::Input;
use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, DepthOrder, View};
use ir::{AffineExpr, AffineMap, DimExpr, Op, Value};

use crate::operator::{Kind, Operator};
use crate::shape::{Answer, Condition, Node};
use crate::structured::{Lowering, Unsupported};

pub(crate) const DEPTH_TO_SPACE: Operator = Operator {
    kind: Kind::Movement,
    shapes: Some(|node| {
        let exchange = Exchange::to_space(node.view());
        shapes(node, &exchange)
    }),
    lower: Some(|lowering, op| {
        let exchange = Exchange::to_space(View::of(lowering.source, op));
        lower(lowering, op, &exchange)
    }),
    ..Operator::of(OnnxOp::DepthToSpace)
};

pub(crate) const SPACE_TO_DEPTH: Operator = Operator {
    kind: Kind::Movement,
    shapes: Some(|node| {
        let exchange = Exchange::to_depth(node.view());
        shapes(node, &exchange)
    }),
    lower: Some(|lowering, op| {
        let exchange = Exchange::to_depth(View::of(lowering.source, op));
        lower(lowering, op, &exchange)
    }),
    ..Operator::of(OnnxOp::SpaceToDepth)
};

/// The options of both operators.
struct Exchange {
    operand: Value,
    block: i64,
    order: DepthOrder,
    to_space: bool,
}

impl Exchange {
    fn to_space(view: views::DepthToSpace) -> Exchange {
        Exchange { operand: view.input, block: view.blocksize, order: view.mode, to_space: true }
    }

    fn to_depth(view: views::SpaceToDepth) -> Exchange {
        Exchange { operand: view.input, block: view.blocksize, order: view.mode, to_space: false }
    }
}

fn shapes(node: &mut Node<'_, '_>, exchange: &Exchange) -> Answer {
    let Some(shape) = node.shape_of(exchange.operand) else { return Ok(vec![]) };
    let block = DimExpr::Constant(exchange.block);
    let square = block.mul(&block);
    let [batch, channels, height, width] = shape.as_slice() else {
        return Err(format!("the operand must have rank 4, found {}", shape.len()));
    };
    let (extents, divisor) = match exchange.to_space {
        true => (vec![channels], &square),
        false => (vec![height, width], &block),
    };
    for extent in extents {
        let rest = extent.modulo(divisor);
        let message = || format!("extent {extent} is not a multiple of {divisor}");
        node.require(Condition::Equal(rest, DimExpr::ZERO), message)?;
    }
    let dims = match exchange.to_space {
        true => [batch.clone(), channels.floor_div(&square), height.mul(&block), width.mul(&block)],
        false => [batch.clone(), channels.mul(&square), height.floor_div(&block), width.floor_div(&block)],
    };
    Ok(vec![Some(dims.to_vec())])
}

/// Reshape to six dimensions, permute, reshape back.
fn lower(lowering: &mut Lowering<'_>, op: Op, exchange: &Exchange) -> Result<(), Unsupported> {
    let result = lowering.source.op(op).results()[0];
    let Exchange { operand, block, .. } = *exchange;
    let size = DimExpr::Constant(block);
    let from = lowering.shape(operand);
    let (n, c, h, w) = (from[0].clone(), from[1].clone(), from[2].clone(), from[3].clone());
    let area = DimExpr::Constant(block * block);
    let (split, permutation): (Vec<DimExpr>, [usize; 6]) = match (exchange.to_space, exchange.order) {
        (true, DepthOrder::Dcr) => (vec![n, size.clone(), size, c.floor_div(&area), h, w], [0, 3, 4, 1, 5, 2]),
        (true, DepthOrder::Crd) => (vec![n, c.floor_div(&area), size.clone(), size, h, w], [0, 1, 4, 2, 5, 3]),
        (false, order) => {
            let split = vec![n, c, h.floor_div(&size), size.clone(), w.floor_div(&size), size];
            let permutation = match order {
                DepthOrder::Dcr => [0, 3, 5, 1, 2, 4],
                DepthOrder::Crd => [0, 1, 3, 5, 2, 4],
            };
            (split, permutation)
        }
    };
    let value = lowering.value(operand);
    let element = lowering.body.value_type(value).element().clone();
    let wide = lowering.reshape(value, &split);
    let mut inverse = [0; 6];
    for (axis, &from) in permutation.iter().enumerate() {
        inverse[from] = axis;
    }
    let shape: Vec<DimExpr> = permutation.iter().map(|&axis| split[axis].clone()).collect();
    let results = inverse.iter().map(|&axis| AffineExpr::Dim(axis as u32)).collect();
    let input = Input { value: wide, map: AffineMap::new(6, results) };
    let moved = lowering.pointwise(&[input], &shape, element, |_, e| e[0]);
    let shape = lowering.shape(result);
    let value = lowering.reshape(moved, &shape);
    lowering.bind(result, value);
    Ok(())
}
