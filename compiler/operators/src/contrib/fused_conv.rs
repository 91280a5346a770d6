//! Convolutions and pools with an activation after them, or with channels last.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::microsoft;
use ir::{Attribute, Attributes, Value};

use super::activation::activated;
use super::channels_last::{image_rank, with_channels_first};
use crate::graph::{Emitter, Problem};
use crate::operator::Operator;

pub(crate) const FUSED_CONV: Operator = Operator::read_as(OnnxOp::MicrosoftFusedConv, |node, emit| {
    let conv: microsoft::FusedConv = node.view(emit);
    let operands = present([Some(conv.x), Some(conv.w), conv.b]);
    let product = emit.op("Conv", &operands, without_activation(&node.attributes));
    let result = finished(emit, product, conv.z, conv.activation.as_deref(), conv.activation_params.as_deref())?;
    node.replace(result, emit);
    Ok(())
});

pub(crate) const NHWC_CONV: Operator = Operator::read_as(OnnxOp::MicrosoftNhwcConv, |node, emit| {
    let conv: microsoft::NhwcConv = node.view(emit);
    let rank = image_rank(emit, Some(conv.w), conv.kernel_shape.as_deref())?;
    let operands = present([Some(conv.x), Some(conv.w), conv.b]);
    let result = with_channels_first(emit, rank, "Conv", &operands, node.attributes.clone());
    node.replace(result, emit);
    Ok(())
});

pub(crate) const NHWC_FUSED_CONV: Operator = Operator::read_as(OnnxOp::MicrosoftNhwcFusedConv, |node, emit| {
    let conv: microsoft::NhwcFusedConv = node.view(emit);
    let rank = image_rank(emit, Some(conv.w), conv.kernel_shape.as_deref())?;
    let operands = present([Some(conv.x), Some(conv.w), conv.b]);
    let product = with_channels_first(emit, rank, "Conv", &operands, without_activation(&node.attributes));
    let result = finished(emit, product, conv.z, conv.activation.as_deref(), conv.activation_params.as_deref())?;
    node.replace(result, emit);
    Ok(())
});

pub(crate) const NHWC_MAX_POOL: Operator = Operator::read_as(OnnxOp::MicrosoftNhwcMaxPool, |node, emit| {
    let pool: microsoft::NhwcMaxPool = node.view(emit);
    let rank = image_rank(emit, None, Some(&pool.kernel_shape))?;
    let result = with_channels_first(emit, rank, "MaxPool", &[pool.x], node.attributes.clone());
    node.replace(result, emit);
    Ok(())
});

pub(super) fn present(operands: [Option<Value>; 3]) -> Vec<Value> {
    operands.into_iter().flatten().collect()
}

/// The attributes of the convolution alone.
pub(super) fn without_activation(attributes: &Attributes) -> Attributes {
    let mut attributes = attributes.clone();
    attributes.remove("activation");
    attributes.remove("activation_params");
    attributes
}

/// The activation of a convolution's result plus an optional term.
pub(super) fn finished(
    emit: &mut Emitter,
    product: Value,
    added: Option<Value>,
    activation: Option<&str>,
    numbers: Option<&[f32]>,
) -> Result<Value, Problem> {
    let sum = added.map_or(product, |added| emit.plain("Add", &[product, added]));
    let number = |index: usize| numbers.and_then(|numbers| numbers.get(index)).copied();
    match activation {
        None | Some("") => Ok(sum),
        Some("Clip") => {
            let bound = |emit: &mut Emitter, index| match number(index) {
                Some(bound) => emit.number_like(f64::from(bound), sum),
                None => emit.none,
            };
            let (low, high) = (bound(emit, 0), bound(emit, 1));
            Ok(emit.plain("Clip", &[sum, low, high]))
        }
        Some(name) => {
            let numbers = [("alpha", number(0).map(Attribute::f32)), ("beta", number(1).map(Attribute::f32))];
            activated(emit, sum, name, &numbers)
        }
    }
}
