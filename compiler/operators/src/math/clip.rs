//! Clip: `min(high, max(low, x))`, each bound where it is given.

use dialects::onnx::OnnxOp;

use crate::operator::{Cost, Operator};
use crate::shape;

pub(crate) const CLIP: Operator = Operator {
    cost: Cost::PerElement(1.0),
    shapes: Some(shape::like_first),
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
