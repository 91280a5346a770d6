//! DynamicQuantizeLinear: to uint8, with a scale and a zero point that follow from the data. Since 11.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Attribute, Op, Type, Value};

use super::parameters::quantized;
use crate::graph::{Emitter, Problem};
use crate::operator::Operator;

pub(crate) const DYNAMIC_QUANTIZE_LINEAR: Operator = Operator {
    shapes: Some(|node| {
        let views::DynamicQuantizeLinear { x } = node.view();
        Ok(vec![node.shape_of(x), Some(vec![]), Some(vec![])])
    }),
    compose: Some(compose),
    ..Operator::of(OnnxOp::DynamicQuantizeLinear)
};

/// Scale and zero point follow from the minimum and maximum, between which zero must be.
fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let views::DynamicQuantizeLinear { x } = View::of(&emit.body, op);
    let (zero, most) = (emit.number_like(0.0, x), emit.number_like(255.0, x));
    let all = [("keepdims", Attribute::i64(0))];
    let low = emit.op("ReduceMin", &[x], all.clone());
    let high = emit.op("ReduceMax", &[x], all);
    let (low, high) = (emit.plain("Min", &[low, zero]), emit.plain("Max", &[high, zero]));
    let range = emit.plain("Sub", &[high, low]);
    let scale = emit.plain("Div", &[range, most]);
    let offset = emit.plain("Div", &[low, scale]);
    let offset = emit.plain("Sub", &[zero, offset]);
    let offset = emit.plain("Clip", &[offset, zero, most]);
    let offset = emit.plain("Round", &[offset]);
    let zero_point = emit.convert(offset, &Type::unsigned(8));
    let result = quantized(emit, x, scale, Some(zero_point), &Type::unsigned(8), 1);
    Ok(vec![Some(result), Some(scale), Some(zero_point)])
}
