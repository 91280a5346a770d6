//! Splits concatenations of very many tensors: a kernel has one loop nest for each operand.

use dialects::{OpCodes, tensor};
use ir::{Body, Builder, Op, Type, Value};

/// The maximum number of operands of one concatenation.
const OPERANDS: usize = 64;

/// Turns a `tensor.concat` of more operands into one of concatenations.
pub(crate) fn split_wide_concat(body: &mut Body, op: Op) {
    if !body.is(op, tensor::CONCAT) || body.op(op).operands().len() <= OPERANDS {
        return;
    }
    let mut parts = body.op(op).operands().to_vec();
    while parts.len() > OPERANDS {
        parts = parts.chunks(OPERANDS).map(|chunk| join(body, op, chunk)).collect();
    }
    body.set_operands(op, &parts);
}

/// The concatenation of some of the operands of `op`, before it.
fn join(body: &mut Body, op: Op, parts: &[Value]) -> Value {
    if let [only] = parts {
        return *only;
    }
    let attributes = body.op(op).attributes.clone();
    let axis = attributes.integer("dim").expect("tensor.concat has a dimension") as usize;
    let result = body.value_type(body.result(op, 0)).clone();
    let mut shape = Vec::from(result.shape().expect("structured tensors are ranked"));
    let extent = |part: &Value| body.value_type(*part).shape().expect("structured tensors are ranked")[axis];
    shape[axis] = parts.iter().map(extent).sum();
    Builder::before(body, op).value(tensor::CONCAT, parts, Type::tensor(shape, result.element().clone()), attributes)
}
