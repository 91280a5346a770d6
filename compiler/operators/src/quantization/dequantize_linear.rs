//! DequantizeLinear: `(x - zero point) · scale`.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Attribute, Op, Type, Value};

use super::parameters::{Layout, has_one_scale, shapes};
use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::structured::elementwise::Element;
use crate::structured::scalars::Scalars;
use crate::types::{computed_in, tensor_of, type_number, without_shape};

pub(crate) const DEQUANTIZE_LINEAR: Operator = Operator {
    types: Some(|node, _| {
        let dequantize = views::DequantizeLinear::read(node);
        tensor_of(dequantize.output_dtype).or_else(|| Some(without_shape(node.body.value_type(dequantize.x_scale))))
    }),
    shapes: Some(|node| {
        let dequantize: views::DequantizeLinear = node.view();
        let parameters = [(Some(dequantize.x_scale), "x_scale"), (dequantize.x_zero_point, "x_zero_point")];
        shapes(node, &layout(&dequantize), parameters)
    }),
    compose: Some(compose),
    lowers: Some(|body, op| body.value_type(body.operand(op, 0)).element().is_integer() && has_one_scale(body, op)),
    scalar: Some(scalar),
    ..Operator::of(OnnxOp::DequantizeLinear)
};

fn layout(dequantize: &views::DequantizeLinear) -> Layout {
    Layout { tensor: dequantize.x, axis: dequantize.axis, block: dequantize.block_size }
}

fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let dequantize = views::DequantizeLinear::of(&emit.body, op);
    let (x, scale) = (dequantize.x, dequantize.x_scale);
    let target = match dequantize.output_dtype {
        0 => type_number(&emit.element(scale)),
        number => number,
    };
    let layout = layout(&dequantize);
    let factor = layout.spread(emit, scale)?;
    let factor = emit.widened(factor);
    let wide = emit.element(factor);
    let shifted = match dequantize.x_zero_point {
        Some(zero_point) if emit.element(x) == Type::I32 => {
            let zero_point = layout.spread(emit, zero_point)?;
            let difference = emit.plain("Sub", &[x, zero_point]);
            emit.convert(difference, &wide)
        }
        Some(zero_point) => {
            // converted first, because some element types cannot be moved
            let zero_point = emit.convert(zero_point, &wide);
            let (x, zero_point) = (emit.convert(x, &wide), layout.spread(emit, zero_point)?);
            emit.plain("Sub", &[x, zero_point])
        }
        None => emit.convert(x, &wide),
    };
    let product = emit.plain("Mul", &[shifted, factor]);
    let result = emit.op("Cast", &[product], [("to", Attribute::i64(target))]);
    Ok(vec![Some(result)])
}

/// With one scale and one zero point for all elements, from integers.
fn scalar(s: &mut Scalars<'_, '_>, element: &Element<'_>) -> Value {
    let [x, scale] = element.operands();
    let wide = computed_in(&s.type_of(scale));
    let mut zero_point = element.get(2);
    // differences of int32 wrap around, as in ONNX Runtime; narrower ones are exact in floats
    let x = match zero_point.filter(|_| s.type_of(x) == Type::I32) {
        Some(offset) => {
            zero_point = None;
            s.sub(x, offset)
        }
        None => x,
    };
    let [mut x, scale] =
        [(x, 0), (scale, 1)].map(|(value, index)| s.cast(value, &wide, element.is_unsigned(index), false));
    if let Some(zero_point) = zero_point {
        let zero_point = s.cast(zero_point, &wide, element.is_unsigned(2), false);
        x = s.sub(x, zero_point);
    }
    let product = s.mul(x, scale);
    s.cast(product, &element.result_type(), false, false)
}
