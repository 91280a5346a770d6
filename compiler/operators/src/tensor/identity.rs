//! Identity.

use dialects::onnx::OnnxOp;

use crate::operator::{Cost, Kind, Operator, Uniform};
use crate::shape::elements::kept;

pub(crate) const IDENTITY: Operator = Operator {
    cost: Cost::View,
    kind: Kind::Conversion,
    elements: Some(kept),
    uniform: Some(Uniform::Kept),
    normalize: Some(|node, emit| {
        node.replace(node.operands[0], emit);
        Ok(())
    }),
    ..Operator::elementwise(OnnxOp::Identity, |_, element| {
        let [x] = element.operands();
        x
    })
};
