//! Transpose.

use dialects::linalg::generic::Input;
use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{AffineMap, Op};

use crate::operator::{Demand, Kind, Operator, Rank, Uniform};
use crate::shape::elements::{offset, places, static_extents};
use crate::shape::{Answer, Elements, Node};
use crate::structured::{Lowering, Unsupported};

pub(crate) const TRANSPOSE: Operator = Operator {
    demands: Some(|reading, _| match reading.view::<views::Transpose>().perm {
        Some(perm) => Demand { rank: Some(Rank::Exactly(perm.len())), ..Demand::default() },
        None => Demand::SAME,
    }),
    kind: Kind::Movement,
    shapes: Some(shapes),
    elements: Some(elements),
    uniform: Some(Uniform::Kept),
    lower: Some(lower),
    ..Operator::of(OnnxOp::Transpose)
};

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let transpose: views::Transpose = node.view();
    let Some(shape) = node.shape_of(transpose.data) else { return Ok(vec![]) };
    let Some(order) = transpose.perm else { return Ok(vec![Some(shape.into_iter().rev().collect())]) };
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    if sorted != (0..shape.len() as i64).collect::<Vec<_>>() {
        return Err(format!("perm {order:?} is not a permutation of rank {}", shape.len()));
    }
    Ok(vec![Some(order.iter().map(|&axis| shape[axis as usize].clone()).collect())])
}

fn elements(node: &Node<'_, '_>, extents: &[usize]) -> Option<Elements> {
    let (elements, from) = (node.elements(0)?, static_extents(node, 0)?);
    let order = node.view::<views::Transpose>().perm.unwrap_or_else(|| (0..from.len() as i64).rev().collect());
    let pick = |place: Vec<usize>| {
        let mut source = vec![0; from.len()];
        for (&axis, &at) in order.iter().zip(&place) {
            source[axis as usize] = at;
        }
        elements[offset(source, &from)].clone()
    };
    Some(places(extents).map(pick).collect())
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
