//! Transpose.

use dialects::linalg::generic::Input;
use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{AffineMap, Op};

use crate::operator::{Kind, Operator};
use crate::shape::{Answer, Node};
use crate::structured::{Lowering, Unsupported};

pub(crate) const TRANSPOSE: Operator =
    Operator { kind: Kind::Movement, shapes: Some(shapes), lower: Some(lower), ..Operator::of(OnnxOp::Transpose) };

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let transpose: views::Transpose = node.view();
    let Some(shape) = node.shape_of(transpose.data) else { return Ok(vec![]) };
    let Some(order) = transpose.perm else { return Ok(vec![Some(shape.into_iter().rev().collect())]) };
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if sorted != (0..shape.len() as i64).collect::<Vec<_>>() {
        return Err(format!("perm {order:?} is no permutation of rank {}", shape.len()));
    }
    Ok(vec![Some(order.iter().map(|&axis| shape[axis as usize].clone()).collect())])
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let transpose = views::Transpose::of(lowering.source, op);
    let (operand, result) = (transpose.data, lowering.source.op(op).results()[0]);
    let rank = lowering.shape(operand).len();
    let permutation: Vec<usize> = match transpose.perm {
        Some(permutation) => permutation.iter().map(|&axis| axis as usize).collect(),
        None => (0..rank).rev().collect(),
    };
    // result axis i is operand axis permutation[i]
    let mut inverse = vec![0; rank];
    for (axis, &from) in permutation.iter().enumerate() {
        inverse[from] = axis;
    }
    let input = Input { value: lowering.value(operand), map: AffineMap::select(rank, &inverse) };
    let (shape, element) = (lowering.shape(result), lowering.element(result));
    let value = lowering.pointwise(&[input], &shape, element, |_, e| e[0]);
    lowering.bind(result, value);
    Ok(())
}
