//! Operators that the standard also has, with the same or another name.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::microsoft;
use ir::{Attribute, Type};

use crate::graph::{Node, Problem};
use crate::operator::Operator;

pub(crate) const DEQUANTIZE_LINEAR: Operator =
    Operator::read_as(OnnxOp::MicrosoftDequantizeLinear, |node, _| standard(node, "DequantizeLinear"));

pub(crate) const EXPAND_DIMS: Operator = Operator::read_as(OnnxOp::MicrosoftExpandDims, |node, emit| {
    let expand: microsoft::ExpandDims = node.view(emit);
    let axis = emit.convert(expand.axis, &Type::I64);
    let list = emit.integers(&[-1]);
    let axes = emit.plain("Reshape", &[axis, list]);
    node.set_operand(1, axes, emit);
    standard(node, "Unsqueeze")
});

pub(crate) const GATHER_ND: Operator = Operator::read_as(OnnxOp::MicrosoftGatherND, |node, emit| {
    let gather: microsoft::GatherND = node.view(emit);
    let indices = emit.convert(gather.indices, &Type::I64);
    node.set_operand(1, indices, emit);
    standard(node, "GatherND")
});

pub(crate) const GELU: Operator = Operator::read_as(OnnxOp::MicrosoftGelu, |node, _| standard(node, "Gelu"));

pub(crate) const GRID_SAMPLE: Operator = Operator::read_as(OnnxOp::MicrosoftGridSample, |node, emit| {
    let sample: microsoft::GridSample = node.view(emit);
    let mode = match &*sample.mode {
        "bilinear" => "linear",
        "bicubic" => "cubic",
        other => other,
    };
    node.attributes.set("mode", Attribute::string(mode));
    standard(node, "GridSample")
});

pub(crate) const PAD: Operator = Operator::read_as(OnnxOp::MicrosoftPad, |node, emit| {
    let pad: microsoft::Pad = node.view(emit);
    // they may be a matrix with one row
    let list = emit.integers(&[-1]);
    let pads = emit.plain("Reshape", &[pad.pads, list]);
    node.set_operand(1, pads, emit);
    standard(node, "Pad")
});

pub(crate) const QUANTIZE_LINEAR: Operator =
    Operator::read_as(OnnxOp::MicrosoftQuantizeLinear, |node, _| standard(node, "QuantizeLinear"));

pub(crate) const RANGE: Operator = Operator::read_as(OnnxOp::MicrosoftRange, |node, emit| {
    let range: microsoft::Range = node.view(emit);
    let scalar = emit.integers(&[]);
    // they may be lists of one
    let [start, limit] = [range.start, range.limit].map(|value| emit.plain("Reshape", &[value, scalar]));
    let delta = match range.delta {
        Some(delta) => emit.plain("Reshape", &[delta, scalar]),
        None => emit.number_like(1.0, start),
    };
    node.operands = vec![start, limit, delta];
    standard(node, "Range")
});

pub(crate) const TRILU: Operator = Operator::read_as(OnnxOp::MicrosoftTrilu, |node, _| standard(node, "Trilu"));

pub(crate) const UNIQUE: Operator = Operator::read_as(OnnxOp::MicrosoftUnique, |node, emit| {
    let unique: microsoft::Unique = node.view(emit);
    let [values, _, inverse, counts] = emit.results("Unique", &[unique.x], [("sorted", Attribute::i64(0))]);
    node.results = Some(vec![values, inverse, counts]);
    Ok(())
});

/// Changes the node's domain to the default one.
pub(super) fn standard(node: &mut Node, name: &str) -> Result<(), Problem> {
    node.domain = "ai.onnx";
    node.name = name.into();
    Ok(())
}
