//! Identity.

use dialects::onnx::OnnxOp;

use crate::operator::{Cost, Kind, Operator};

pub(crate) const IDENTITY: Operator = Operator {
    cost: Cost::View,
    kind: Kind::Conversion,
    normalize: Some(|node, emit| {
        node.replace(node.operands[0], emit);
        Ok(())
    }),
    ..Operator::elementwise(OnnxOp::Identity, |_, element| {
        let [x] = element.operands();
        x
    })
};
