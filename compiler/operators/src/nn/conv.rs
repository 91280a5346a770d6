//! Conv: shape rule and derivative.
//!
//! - Signature: `dialects/src/onnx/schemas.txt`
//! - Lowering: `structured/convolution.rs`
//! - Optimisations: the rules whose names contain `conv` in `compiler/optimize/src/rules`, `structured/channel_blocks.rs` (blocked
//!   layouts), `compiler/lower/src/winograd.rs`
//! - Tests: cases of the backend suite (`tests/tests/conformance.rs`), `compiler/driver/tests/derivatives.rs`,
//!   `compiler/optimize/src/tests`, `tests/passes/convolution-*.mlir` and `use-winograd*.mlir` there

use std::sync::Arc;

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, AutoPad, View};
use ir::{Attribute, Attributes, DimExpr, Value};

use super::sliding::{Sliding, WindowAttributes, spatial};
use crate::graph::{Differential, Emitter, Problem};
use crate::operator::{Cost, Demand, Kind, Operator, Rank};
use crate::shape::{Answer, Condition, Node, Reading};
use crate::structured::convolution;

/// The data of a convolution have the rank of its weights.
pub(super) fn rank_of_weights(reading: &Reading<'_>, operand: usize, weights: Value) -> Demand {
    let rank = reading.rank(weights).filter(|_| operand == 0);
    Demand { rank: rank.map(Rank::Exactly), beyond_result: (operand == 0).then_some(0), ..Demand::default() }
}

pub(crate) const CONV: Operator = Operator {
    demands: Some(|reading, operand| rank_of_weights(reading, operand, reading.view::<views::Conv>().w)),
    cost: Cost::Products(|operands, _| 2.0 * operands[1].iter().skip(1).product::<f64>()),
    kind: Kind::Contraction,
    shapes: Some(|node| {
        let convolution = ConvolutionOptions::of(node.view());
        convolution_shape(node, &convolution)
    }),
    lower: Some(|lowering, op| {
        let convolution = ConvolutionOptions::of(View::of(lowering.source, op));
        convolution::lower(lowering, op, &convolution)
    }),
    derivative: Some(differentiate),
    ..Operator::of(OnnxOp::Conv)
};

/// The operand's adjoint is the transposed convolution of the result's adjoint. That of the weights is the convolution
/// of the operand with the result's adjoint as a kernel, with batch and channels swapped, and stride and dilation
/// swapped.
fn differentiate(emit: &mut Emitter, differential: &Differential<'_>) -> Result<Vec<Option<Value>>, Problem> {
    let conv: views::Conv = differential.view(emit);
    let ([x, w], y, adjoint) = differential.parts(emit);
    let shapes = [x, w, y].map(|value| emit.body.value_type(value).static_shape());
    let [Some(input), Some(weights), Some(result)] = shapes else {
        return Err(Problem::unsupported("is differentiated only where all extents are known"));
    };
    if conv.group != 1 || !matches!(conv.auto_pad, AutoPad::Notset | AutoPad::Valid) {
        return Err(Problem::unsupported("is differentiated only without groups, and with explicit padding"));
    }
    let rank = input.len() - 2;
    let list =
        |given: Option<Arc<[i64]>>, count: usize, default: i64| given.unwrap_or_else(|| vec![default; count].into());
    let (strides, dilations) = (list(conv.strides, rank, 1), list(conv.dilations, rank, 1));
    let pads = list(conv.pads.filter(|_| conv.auto_pad == AutoPad::Notset), 2 * rank, 0);
    // elements after the last window
    let rests: Vec<i64> = (0..rank)
        .map(|axis| {
            let reach = (weights[2 + axis] - 1) * dilations[axis] + 1;
            input[2 + axis] + pads[axis] + pads[rank + axis] - reach - (result[2 + axis] - 1) * strides[axis]
        })
        .collect();
    let turned = Attributes::from([
        ("strides", Attribute::i64_array(&strides)),
        ("dilations", Attribute::i64_array(&dilations)),
        ("pads", Attribute::i64_array(&pads)),
        ("output_padding", Attribute::i64_array(&rests)),
    ]);
    let by_x = emit.op("ConvTranspose", &[adjoint, w], turned);
    let swapped: Vec<i64> = [1, 0].into_iter().chain(2..input.len() as i64).collect();
    let (images, kernels) = (emit.transpose(x, &swapped), emit.transpose(adjoint, &swapped));
    let cut: Vec<i64> = (0..rank).map(|axis| pads[rank + axis] - rests[axis]).collect();
    let padding: Vec<i64> = [0, 0].iter().chain(&pads[..rank]).chain(&[0, 0]).chain(&cut).copied().collect();
    let (padding, zero) = (emit.integers(&padding), emit.number_like(0.0, x));
    let images = emit.plain("Pad", &[images, padding, zero]);
    let crossed = [("strides", Attribute::i64_array(&dilations)), ("dilations", Attribute::i64_array(&strides))];
    let by_w = emit.op("Conv", &[images, kernels], crossed);
    let by_w = emit.transpose(by_w, &swapped);
    let axes = emit.integers(&[0].into_iter().chain(2..input.len() as i64).collect::<Vec<_>>());
    let by_b = emit.op("ReduceSum", &[adjoint, axes], [("keepdims", Attribute::i64(0))]);
    Ok(vec![Some(by_x), Some(by_w), Some(by_b)])
}

/// The options of all convolutions.
pub(crate) struct ConvolutionOptions {
    pub(crate) x: Value,
    pub(crate) w: Value,
    pub(crate) bias: Option<Value>,
    pub(crate) groups: i64,
    pub(crate) sliding: Sliding,
}

impl ConvolutionOptions {
    fn of(conv: views::Conv) -> ConvolutionOptions {
        let views::Conv { x, w, b, auto_pad, dilations, group, pads, strides, .. } = conv;
        ConvolutionOptions { x, w, bias: b, groups: group, sliding: Sliding { auto_pad, dilations, pads, strides } }
    }
}

/// The shape of a convolution's result.
pub(crate) fn convolution_shape(node: &mut Node<'_, '_>, convolution: &ConvolutionOptions) -> Answer {
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
    let window = WindowAttributes::new(&convolution.sliding, kernel.to_vec())?;
    let mut shape = vec![batch.clone(), outputs.clone()];
    for (axis, extent) in extents.iter().enumerate() {
        shape.push(window.places(node, axis, extent)?);
    }
    Ok(vec![Some(shape)])
}

/// The number of groups, which must divide `channels`.
pub(super) fn group_count(groups: i64, channels: &DimExpr) -> Result<DimExpr, String> {
    if groups < 1 || channels.as_constant().is_some_and(|channels| channels % groups != 0) {
        return Err(format!("{channels} channels cannot be divided into {groups} groups"));
    }
    Ok(DimExpr::Constant(groups))
}
