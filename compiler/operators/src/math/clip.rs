//! Clip: `min(high, max(low, x))`; both bounds are optional.

use dialects::onnx::OnnxOp;
use ir::DimExpr;

use crate::operator::{Cost, Operator, Rank};
use crate::shape::{Answer, Node};

pub(crate) const CLIP: Operator = Operator {
    cost: Cost::PerElement(1.0),
    ranks: &[(1, Rank::AtMost(1)), (2, Rank::AtMost(1))],
    shapes: Some(shapes),
    // bounds became operands
    upgrades: &[(11, |node, emit| {
        node.float_to_input("min", 1, emit)?;
        node.float_to_input("max", 2, emit)
    })],
    ..Operator::elementwise(OnnxOp::Clip, |s, element| {
        let [x] = element.operands();
        let raised = element.get(1).map_or(x, |low| s.max(x, low));
        element.get(2).map_or(raised, |high| s.min(raised, high))
    })
};

/// Bounds are scalars. Lists of one value are accepted, as in ONNX Runtime.
fn shapes(node: &mut Node<'_, '_>) -> Answer {
    for (bound, name) in [(1, "min"), (2, "max")] {
        let extents = node.shape(bound).unwrap_or_default();
        for extent in &extents {
            if let Some(count) = extent.as_constant().filter(|&count| count != 1) {
                return Err(format!("'{name}' has {count} elements, but a bound is a scalar"));
            }
            node.expect_equal(extent, &DimExpr::ONE, &format!("'{name}' is a scalar, but its extents"))?;
        }
    }
    Ok(vec![node.shape(0)])
}
