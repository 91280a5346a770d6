//! Where: elements of one tensor or of another.

use dialects::onnx::OnnxOp;

use crate::operator::Operator;

pub(crate) const WHERE: Operator = Operator::elementwise(OnnxOp::Where, |s, element| {
    let [condition, yes, no] = element.operands();
    s.select(condition, yes, no)
})
.costing(1.0);
