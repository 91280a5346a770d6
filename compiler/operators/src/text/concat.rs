//! StringConcat: elementwise concatenation of texts. Since 20.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Op, Type};

use crate::operator::Operator;
use crate::shape::broadcast_operands;
use crate::structured::calls::Argument::Lowered;
use crate::structured::{Lowering, Unsupported};
use crate::types::element_number;

pub(crate) const STRING_CONCAT: Operator =
    Operator { shapes: Some(broadcast_operands), lower: Some(lower), ..Operator::of(OnnxOp::StringConcat) };

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::StringConcat::of(lowering.source, op);
    let shape = lowering.shape(lowering.source.op(op).results()[0]);
    let kind = element_number(lowering.source.value_type(node.x).element()).unwrap_or(0);
    let [x, y] = [node.x, node.y].map(|operand| {
        let from = lowering.shape(operand);
        let value = lowering.value(operand);
        let input = lowering.broadcast_input(value, &from, &shape);
        Lowered(lowering.pointwise(&[input], &shape, Type::I64, |_, elements| elements[0]), kind)
    });
    lowering.call(op, "concat_strings", &[x, y])
}
