//! Floor, Ceil, and Round, which rounds ties to even.

use dialects::math;
use dialects::onnx::OnnxOp;
use ir::DimExpr;

use crate::operator::Operator;
use crate::shape::elements::quotient;
use crate::shape::{Elements, Node};

pub(crate) const FLOOR: Operator =
    Operator::elementwise(OnnxOp::Floor, |s, element| s.same(math::FLOOR, &element.operands::<1>()))
        .knowing(|node, extents| whole(node).or_else(|| quotient(node, extents, DimExpr::floor_div)));

pub(crate) const CEIL: Operator =
    Operator::elementwise(OnnxOp::Ceil, |s, element| s.same(math::CEIL, &element.operands::<1>()))
        .knowing(|node, extents| whole(node).or_else(|| quotient(node, extents, DimExpr::ceil_div)));

pub(crate) const ROUND: Operator =
    Operator::elementwise(OnnxOp::Round, |s, element| s.same(math::ROUNDEVEN, &element.operands::<1>()))
        .knowing(|node, _| whole(node))
        .uniform(|numbers| numbers[0].round_ties_even());

/// Known elements are integers already.
fn whole(node: &Node<'_, '_>) -> Option<Elements> {
    node.elements(0).cloned()
}
