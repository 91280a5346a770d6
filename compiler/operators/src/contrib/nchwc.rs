//! Images with blocked channels, `[N, C / b, H, W, b]` with declared shape `[N, C, H, W]`, which ONNX Runtime's
//! optimiser writes for the processor it runs on. They are read as images in the standard's layout, with their channels
//! padded to whole blocks. The layout that the compiler itself chooses is in `structured/channel_blocks.rs`.
//!
//! Elementwise operators and concatenations of whole blocks are the same in both layouts, and ONNX Runtime does not
//! change them. Two things depend on the layout: weights, which are converted to the standard's order, and a Reshape
//! that turns the blocks into an axis.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::nchwc as views;
use ir::{Attribute, DenseElements, Value};

use super::channels_last::{channels_first, channels_last};
use super::fused_conv::{finished, present, without_activation};
use super::same::standard;
use crate::graph::{Emitter, Node, Problem};
use crate::operator::{Kind, Operator};
use crate::table;
use crate::upgrade::floats;

/// The domain of these operators.
pub const DOMAIN: &str = "com.microsoft.nchwc";

/// The block sizes for vectors of 256 and of 512 bits. Processors with vectors of 128 bits have the larger size or
/// none.
pub const BLOCKS: [i64; 2] = [8, 16];

/// The number of axes of an image.
const RANK: i64 = 4;

/// The permutation that makes a block the last axis, and back.
const SPLIT: [i64; 5] = [0, 1, 3, 4, 2];
const JOINED: [i64; 5] = [0, 1, 4, 2, 3];

pub(crate) const AVERAGE_POOL: Operator =
    Operator::read_as(OnnxOp::NchwcAveragePool, |node, _| standard(node, "AveragePool"));

pub(crate) const CONV: Operator = Operator::read_as(OnnxOp::NchwcConv, |node, emit| {
    let conv: views::Conv = node.view(emit);
    let weights = weights(emit, conv.w, conv.group)?;
    let operands = present([Some(conv.x), Some(weights), conv.b]);
    let product = emit.op("Conv", &operands, without_activation(&node.attributes));
    let result = finished(emit, product, conv.sum, conv.activation.as_deref(), conv.activation_params.as_deref())?;
    node.replace(result, emit);
    Ok(())
});

pub(crate) const GLOBAL_AVERAGE_POOL: Operator =
    Operator::read_as(OnnxOp::NchwcGlobalAveragePool, |node, _| standard(node, "GlobalAveragePool"));

pub(crate) const GLOBAL_MAX_POOL: Operator =
    Operator::read_as(OnnxOp::NchwcGlobalMaxPool, |node, _| standard(node, "GlobalMaxPool"));

pub(crate) const MAX_POOL: Operator = Operator::read_as(OnnxOp::NchwcMaxPool, |node, _| standard(node, "MaxPool"));

/// Pads with zeros to a whole block.
pub(crate) const REORDER_INPUT: Operator = Operator::read_as(OnnxOp::NchwcReorderInput, |node, emit| {
    let reorder: views::ReorderInput = node.view(emit);
    let block = block(emit);
    let axis = if reorder.channels_last == 0 { 1 } else { RANK as usize - 1 };
    let shape = emit.body.value_type(reorder.x).shape();
    let channels = shape.and_then(|shape| shape.get(axis).copied().flatten());
    let x = if reorder.channels_last == 0 { reorder.x } else { channels_first(emit, reorder.x, RANK) };
    let missing = match channels {
        Some(channels) => emit.integers(&[-channels & (block - 1)]),
        None => {
            let (channels, block, most) = (emit.extent(x, 1), emit.integers(&[block]), emit.integers(&[block - 1]));
            let following = emit.plain("Add", &[channels, most]);
            let last = emit.plain("Mod", &[following, block]);
            emit.plain("Sub", &[most, last])
        }
    };
    let result = match emit.known(missing).and_then(DenseElements::integers).as_deref() {
        Some([0]) => x,
        _ => {
            let before = emit.integers(&[0; RANK as usize + 1]);
            let after = emit.integers(&[0; 2]);
            let pads = emit.list(&[before, missing, after]);
            emit.plain("Pad", &[x, pads])
        }
    };
    node.replace(result, emit);
    Ok(())
});

pub(crate) const REORDER_OUTPUT: Operator = Operator::read_as(OnnxOp::NchwcReorderOutput, |node, emit| {
    let reorder: views::ReorderOutput = node.view(emit);
    if reorder.channels < 1 {
        return Err(Problem::input("has attribute \"channels\", which is not positive"));
    }
    let (start, end) = (emit.integers(&[0]), emit.integers(&[reorder.channels]));
    let image = emit.slice(reorder.x, start, end, 1);
    let result = if reorder.channels_last == 0 { image } else { channels_last(emit, image, RANK) };
    node.replace(result, emit);
    Ok(())
});

pub(crate) const UPSAMPLE: Operator = Operator::read_as(OnnxOp::NchwcUpsample, |node, emit| {
    let upsample: views::Upsample = node.view(emit);
    let scales = upsample.scales.ok_or_else(|| Problem::input("lacks attribute \"scales\""))?;
    if scales.len() != RANK as usize {
        return Err(Problem::input(format!("has {} scales, not {RANK}", scales.len())));
    }
    if let Some(scale) = scales.iter().find(|&&scale| scale < 1) {
        return Err(Problem::input(format!("has a scale of {scale}, which is not positive")));
    }
    let scales: Vec<f32> = scales.iter().map(|&scale| scale as f32).collect();
    let scales = emit.constant(floats(&scales));
    let attributes = [
        ("mode", Attribute::string(&upsample.mode)),
        ("coordinate_transformation_mode", Attribute::string(&upsample.coordinate_transformation_mode)),
        ("nearest_mode", Attribute::string("floor")),
    ];
    let result = emit.op("Resize", &[upsample.x, emit.none, scales], attributes);
    node.replace(result, emit);
    Ok(())
});

/// The number of channels of a block.
fn block(emit: &Emitter) -> i64 {
    emit.channel_block.unwrap_or(16)
}

/// Weights in the standard's order. Weights of a depthwise convolution, and those for an image that is not blocked
/// because it has fewer channels than a block, are only blocked by output channels, `[O / b, I, H, W, b]`; others by
/// both, `[O / b, I / b, H, W, b, b]`, output channels last.
fn weights(emit: &mut Emitter, weights: Value, group: i64) -> Result<Value, Problem> {
    let block = block(emit);
    let shape = emit.body.value_type(weights).static_shape();
    let shape = shape.ok_or_else(|| Problem::unsupported("has weights of unknown shape"))?;
    let &[outputs, inputs, height, width] = &*shape else {
        return Err(Problem::input(format!("has weights of rank {}, not {RANK}", shape.len())));
    };
    let are_inputs_whole = if group == 1 { inputs < block } else { inputs == 1 && outputs == group };
    if outputs % block != 0 || !are_inputs_whole && inputs % block != 0 {
        let message = format!("has weights of shape {shape:?}, which are not blocks of {block} channels");
        return Err(Problem::input(message));
    }
    let (blocked, order): (Vec<i64>, &[i64]) = match are_inputs_whole {
        true => (vec![outputs / block, inputs, height, width, block], &[0, 4, 1, 2, 3]),
        false => (vec![outputs / block, inputs / block, height, width, block, block], &[0, 5, 1, 4, 2, 3]),
    };
    let blocked = emit.integers(&blocked);
    let blocked = emit.plain("Reshape", &[weights, blocked]);
    let ordered = emit.transpose(blocked, order);
    let shape = emit.integers(&shape);
    Ok(emit.plain("Reshape", &[ordered, shape]))
}

/// A Reshape that turns the blocks of an image into a separate last axis, or back, changes the order of the elements in
/// the standard's layout. ONNX Runtime uses it to add images whose extents it cannot compare.
pub(crate) fn reshape_blocks(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let (Some(block), &[x, shape, ..]) = (emit.channel_block, &node.operands[..]) else { return Ok(()) };
    let result = match emit.known(shape).and_then(DenseElements::integers).as_deref() {
        Some(&[0, blocks, 0, 0, size]) if size == block => {
            let channels = emit.integers(&[0, blocks, block]);
            let (height, width) = (emit.extent(x, 2), emit.extent(x, 3));
            let shape = emit.list(&[channels, height, width]);
            let split = emit.plain("Reshape", &[x, shape]);
            emit.transpose(split, &SPLIT)
        }
        Some(&[0, channels, 0, 0]) if is_split(emit, x) => {
            let joined = emit.transpose(x, &JOINED);
            let channels = emit.integers(&[0, channels]);
            let (height, width) = (emit.extent(x, 2), emit.extent(x, 3));
            let shape = emit.list(&[channels, height, width]);
            emit.plain("Reshape", &[joined, shape])
        }
        _ => return Ok(()),
    };
    node.replace(result, emit);
    Ok(())
}

/// Whether a value is computed elementwise from images with blocks as a separate axis.
fn is_split(emit: &Emitter, mut value: Value) -> bool {
    while let Some(op) = emit.body.defining_op(value) {
        let operation = emit.body.op(op);
        let order = operation.attributes.integers("perm");
        if emit.body.name(op) == "onnx.Transpose" && order.as_deref() == Some(&SPLIT[..]) {
            return true;
        }
        let is_elementwise = table::row_of(emit.body.name(op)).is_some_and(|row| row.kind == Kind::Elementwise);
        match operation.operands().first() {
            Some(&operand) if is_elementwise => value = operand,
            _ => return false,
        }
    }
    false
}
