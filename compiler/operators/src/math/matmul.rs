//! MatMul: matrix products with NumPy's batching and broadcasting.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{DimExpr, Op, Value};

use crate::graph::Problem;
use crate::operator::{Cost, Kind, Operator};
use crate::shape::{Answer, Node, Shape};
use crate::structured::contraction::matmul;
use crate::structured::reduction::Shaped;
use crate::structured::{Lowering, Unsupported};

pub(crate) const MATMUL: Operator = Operator {
    cost: Cost::Products(|operands, _| 2.0 * operands[0].last().copied().unwrap_or(1.0)),
    kind: Kind::Contraction,
    shapes: Some(|node| {
        let views::MatMul { a, b } = node.view();
        product_shape(node, a, b)
    }),
    lower: Some(lower),
    derivative: Some(|emit, differential| {
        let ([a, b], _, adjoint) = differential.parts(emit);
        let ranks = [emit.known_rank(a)?, emit.known_rank(b)?];
        if ranks.contains(&1) {
            return Err(Problem::unsupported("of a vector has no derivative yet"));
        }
        let [flat_a, flat_b] = [(a, ranks[0]), (b, ranks[1])].map(|(matrix, rank)| {
            let order: Vec<i64> = (0..rank - 2).chain([rank - 1, rank - 2]).collect();
            emit.transpose(matrix, &order)
        });
        let (by_a, by_b) = (emit.plain("MatMul", &[adjoint, flat_b]), emit.plain("MatMul", &[flat_a, adjoint]));
        Ok(vec![Some(emit.gathered_up(by_a, a)?), Some(emit.gathered_up(by_b, b)?)])
    }),
    ..Operator::of(OnnxOp::MatMul)
};

/// The shape of a matrix product.
pub(crate) fn product_shape(node: &mut Node<'_, '_>, left: Value, right: Value) -> Answer {
    let (Some(left), Some(right)) = (node.shape_of(left), node.shape_of(right)) else { return Ok(vec![]) };
    matrix_product_shape(node, left, right)
}

/// The shape of the product of matrices with the given shapes.
pub(crate) fn matrix_product_shape(node: &mut Node<'_, '_>, mut left: Shape, mut right: Shape) -> Answer {
    if left.is_empty() || right.is_empty() {
        return Err("operands must have rank 1 or more".to_string());
    }
    let (row, column) = (left.len() == 1, right.len() == 1);
    if row {
        left.insert(0, DimExpr::ONE);
    }
    if column {
        right.push(DimExpr::ONE);
    }
    let (batch_left, matrix_left) = left.split_at(left.len() - 2);
    let (batch_right, matrix_right) = right.split_at(right.len() - 2);
    node.expect_equal(&matrix_left[1], &matrix_right[0], "inner extents")?;
    let mut shape = node.broadcast(batch_left, batch_right)?;
    if !row {
        shape.push(matrix_left[0].clone());
    }
    if !column {
        shape.push(matrix_right[1].clone());
    }
    Ok(vec![Some(shape)])
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let views::MatMul { a, b } = View::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    let element = lowering.element(a);
    let (mut left, mut right) = (lowering.shaped(a), lowering.shaped(b));
    let constant = lowering.is_constant(b);
    let batch = as_matrices(lowering, &mut left, &mut right);
    let product = matmul(lowering, &left, &right, &element, constant, None, &batch);
    let shape = lowering.shape(result);
    let value =
        if shape.len() == product.shape.len() { product.value } else { lowering.reshape(product.value, &shape) };
    lowering.bind(result, value);
    Ok(())
}

/// Turns vectors into matrices of one row or column, and repeats batch dimensions that are not known to be 1. Returns
/// the batch dimensions of the product.
pub(crate) fn as_matrices(lowering: &mut Lowering<'_>, left: &mut Shaped, right: &mut Shaped) -> Vec<DimExpr> {
    if left.shape.len() == 1 {
        left.shape.insert(0, DimExpr::ONE);
        left.value = lowering.reshape(left.value, &left.shape);
    }
    if right.shape.len() == 1 {
        right.shape.push(DimExpr::ONE);
        right.value = lowering.reshape(right.value, &right.shape);
    }
    let batch = batch_shape(left, right);
    *left = with_batch(lowering, left.clone(), &batch);
    *right = with_batch(lowering, right.clone(), &batch);
    batch
}

fn batch_shape(left: &Shaped, right: &Shaped) -> Vec<DimExpr> {
    let (l, r) = (&left.shape[..left.shape.len() - 2], &right.shape[..right.shape.len() - 2]);
    let rank = l.len().max(r.len());
    let at = |dims: &[DimExpr], axis: usize| match (axis + dims.len()).checked_sub(rank) {
        Some(index) => dims[index].clone(),
        None => DimExpr::Constant(1),
    };
    (0..rank).map(|axis| at(l, axis).broadcast(&at(r, axis))).collect()
}

/// The operand with repeated batch dimensions, if they are not known to be 1.
fn with_batch(lowering: &mut Lowering<'_>, operand: Shaped, batch: &[DimExpr]) -> Shaped {
    let own = operand.shape.len() - 2;
    let wanted = &batch[batch.len() - own..];
    let mut pairs = operand.shape.iter().zip(wanted);
    if pairs.all(|(dim, wanted)| *dim == DimExpr::ONE || dim == wanted) {
        return operand;
    }
    let shape: Vec<DimExpr> = wanted.iter().chain(&operand.shape[own..]).cloned().collect();
    let element = lowering.body.value_type(operand.value).element().clone();
    lowering.map(&[&operand], &shape, element, |_, e| e[0])
}
