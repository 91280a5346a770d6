//! Conv.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{DimExpr, Value};

use super::sliding::{Sliding, Window, spatial};
use crate::operator::{Cost, Demand, Kind, Operator, Rank};
use crate::shape::{Answer, Condition, Node};
use crate::structured::convolution;

pub(crate) const CONV: Operator = Operator {
    demands: Some(|reading, operand| {
        let rank = reading.rank(reading.view::<views::Conv>().w).filter(|_| operand == 0);
        Demand { rank: rank.map(Rank::Exactly), beyond_result: (operand == 0).then_some(0) }
    }),
    cost: Cost::Products(|operands, _| 2.0 * operands[1].iter().skip(1).product::<f64>()),
    kind: Kind::Contraction,
    shapes: Some(|node| {
        let convolution = Convolution::of(node.view());
        convolution_shape(node, &convolution)
    }),
    lower: Some(|lowering, op| {
        let convolution = Convolution::of(View::of(lowering.source, op));
        convolution::lower(lowering, op, &convolution)
    }),
    ..Operator::of(OnnxOp::Conv)
};

/// What convolutions of every kind say.
pub(crate) struct Convolution {
    pub(crate) x: Value,
    pub(crate) w: Value,
    pub(crate) bias: Option<Value>,
    pub(crate) groups: i64,
    pub(crate) sliding: Sliding,
}

impl Convolution {
    fn of(conv: views::Conv) -> Convolution {
        let views::Conv { x, w, b, auto_pad, dilations, group, pads, strides, .. } = conv;
        Convolution { x, w, bias: b, groups: group, sliding: Sliding { auto_pad, dilations, pads, strides } }
    }
}

/// The shape of a convolution's result.
pub(crate) fn convolution_shape(node: &mut Node<'_, '_>, convolution: &Convolution) -> Answer {
    let operands = (node.shape_of(convolution.x), node.shape_of(convolution.w));
    let (Some(input), Some(weights)) = operands else { return Ok(vec![]) };
    let (batch, channels, extents) = spatial(&input)?;
    let (outputs, per_group, kernel) = spatial(&weights)?;
    if kernel.len() != extents.len() {
        return Err(format!("weights of rank {} for an operand of rank {}", weights.len(), input.len()));
    }
    let groups = group_count(convolution.groups, outputs)?;
    node.require(Condition::Equal(channels.clone(), per_group.mul(&groups)), || {
        format!("{channels} channels for weights of {per_group} channels in {groups} groups")
    })?;
    node.expect_shape(convolution.bias, std::slice::from_ref(outputs), "the bias")?;
    let window = Window::new(&convolution.sliding, kernel.to_vec())?;
    let mut shape = vec![batch.clone(), outputs.clone()];
    for (axis, extent) in extents.iter().enumerate() {
        shape.push(window.places(node, axis, extent)?);
    }
    Ok(vec![Some(shape)])
}

/// The number of groups, which `channels` are divided into.
pub(super) fn group_count(groups: i64, channels: &DimExpr) -> Result<DimExpr, String> {
    if groups < 1 || channels.as_constant().is_some_and(|channels| channels % groups != 0) {
        return Err(format!("{channels} channels cannot be divided into {groups} groups"));
    }
    Ok(DimExpr::Constant(groups))
}
