//! Operators that move elements: attributes that became operands.

use ir::Attribute;

use crate::graph::Emitter;
use crate::graph::{Node, Problem};

/// `axes` becomes the second operand.
pub(crate) fn axes_to_input(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    node.integers_to_input("axes", 1, emit);
    Ok(())
}

/// `paddings` is called `pads`.
pub(super) fn pad_2(node: &mut Node, _: &mut Emitter) -> Result<(), Problem> {
    if let Some(pads) = node.attributes.remove("paddings") {
        node.attributes.set("pads", pads);
    }
    Ok(())
}

/// Pads and value become operands.
pub(super) fn pad_11(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    node.integers_to_input("pads", 1, emit);
    node.float_to_input("value", 2, emit)
}

/// Bounds and axes become operands.
pub(super) fn slice_10(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    node.integers_to_input("starts", 1, emit);
    node.integers_to_input("ends", 2, emit);
    node.integers_to_input("axes", 3, emit);
    Ok(())
}

/// The sizes become an operand.
pub(super) fn split_13(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    node.integers_to_input("split", 1, emit);
    Ok(())
}

/// A split without sizes states how many parts there are.
pub(super) fn split_18(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    if node.operand(1, emit).is_none() {
        node.attributes.set("num_outputs", Attribute::i64(node.outputs.len() as i64));
    }
    Ok(())
}

/// The first Scan had a batch axis and sequence lengths.
pub(super) fn scan_9(_: &mut Node, _: &mut Emitter) -> Result<(), Problem> {
    Err(Problem::unsupported("is supported from opset 9 on"))
}
