//! QuantizeLinear: `saturate(round(x / scale) + zero point)`.

use dialects::math;
use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Op, Type, Value};

use super::parameters::{Layout, has_one_scale, quantized, range, shapes};
use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::structured::elementwise::Element;
use crate::structured::scalars::Scalars;
use crate::types::{computed_in, element_type, tensor_of, without_shape};

pub(crate) const QUANTIZE_LINEAR: Operator = Operator {
    types: Some(|node, _| {
        let quantize = views::QuantizeLinear::read(node);
        let stated = || tensor_of(quantize.output_dtype).unwrap_or(Type::unranked_tensor(Type::unsigned(8)));
        Some(quantize.y_zero_point.map_or_else(stated, |zero_point| without_shape(node.body.value_type(zero_point))))
    }),
    shapes: Some(|node| {
        let quantize: views::QuantizeLinear = node.view();
        let parameters = [(Some(quantize.y_scale), "y_scale"), (quantize.y_zero_point, "y_zero_point")];
        shapes(node, &layout(&quantize), parameters)
    }),
    compose: Some(compose),
    lowers: Some(|body, op| body.value_type(body.result(op, 0)).element().is_integer() && has_one_scale(body, op)),
    scalar: Some(scalar),
    ..Operator::of(OnnxOp::QuantizeLinear)
};

fn layout(quantize: &views::QuantizeLinear) -> Layout {
    Layout { tensor: quantize.x, axis: quantize.axis, block: quantize.block_size }
}

fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let quantize = views::QuantizeLinear::of(&emit.body, op);
    let zero_point = quantize.y_zero_point;
    let target = match (zero_point, quantize.output_dtype) {
        (Some(zero_point), _) => emit.element(zero_point),
        (None, 0) => Type::unsigned(8),
        (None, number) => element_type(number as i32).map_err(|what| Problem::input(format!("{what} as output")))?,
    };
    let layout = layout(&quantize);
    let scale = layout.spread(emit, quantize.y_scale)?;
    let zero_point = zero_point.map(|zero_point| layout.spread(emit, zero_point)).transpose()?;
    let result = quantized(emit, quantize.x, scale, zero_point, &target, quantize.saturate);
    Ok(vec![Some(result)])
}

/// With one scale and one zero point for all elements, to integers.
fn scalar(s: &mut Scalars<'_, '_>, element: &Element<'_>) -> Value {
    let [x, scale] = element.operands();
    let wide = computed_in(&s.type_of(scale));
    let [x, scale] = [(x, 0), (scale, 1)].map(|(value, index)| s.cast(value, &wide, element.is_unsigned(index), false));
    let quotient = s.div(x, scale);
    let mut rounded = s.same(math::ROUNDEVEN, &[quotient]);
    if let Some(zero_point) = element.get(2) {
        let zero_point = s.cast(zero_point, &wide, element.is_unsigned(2), false);
        rounded = s.add(rounded, zero_point);
    }
    let (target, is_unsigned) = (element.result_type(), element.is_result_unsigned());
    let [low, high] = range(target.bit_width().expect("integers have a width"), is_unsigned);
    let [low, high] = [low, high].map(|bound| s.number(bound, &wide));
    let raised = s.max(rounded, low);
    let clipped = s.min(raised, high);
    s.cast(clipped, &target, false, is_unsigned)
}
