//! QuantizeLinear: `saturate(round(x / scale) + zero point)`.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Op, Type, Value};

use super::parameters::{Layout, quantized};
use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::shape;
use crate::types::{element_type, tensor_of, without_shape};

pub(crate) const QUANTIZE_LINEAR: Operator = Operator {
    types: Some(|node, _| {
        let quantize = views::QuantizeLinear::read(node);
        let stated = || tensor_of(quantize.output_dtype).unwrap_or(Type::unranked_tensor(Type::unsigned(8)));
        Some(quantize.y_zero_point.map_or_else(stated, |zero_point| without_shape(node.body.value_type(zero_point))))
    }),
    shapes: Some(shape::like_first),
    compose: Some(compose),
    ..Operator::of(OnnxOp::QuantizeLinear)
};

fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let quantize = views::QuantizeLinear::of(&emit.body, op);
    let zero_point = quantize.y_zero_point;
    let target = match (zero_point, quantize.output_dtype) {
        (Some(zero_point), _) => emit.element(zero_point),
        (None, 0) => Type::unsigned(8),
        (None, number) => element_type(number as i32).map_err(|what| Problem::input(format!("{what} as output")))?,
    };
    let layout = Layout { tensor: quantize.x, axis: quantize.axis, block: quantize.block_size };
    let scale = layout.spread(emit, quantize.y_scale)?;
    let zero_point = zero_point.map(|zero_point| layout.spread(emit, zero_point)).transpose()?;
    let result = quantized(emit, quantize.x, scale, zero_point, &target, quantize.saturate);
    Ok(vec![Some(result)])
}
