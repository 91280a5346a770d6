//! One form where the newest schema allows several, and operators that do nothing in inference.

use crate::graph::Emitter;
use crate::graph::{Node, Problem};

/// Brings a node of the newest version to the form the compiler reads.
pub(super) fn normalise(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    match &*node.name {
        "Resize" => resize(node, emit),
        _ => Ok(()),
    }
}

/// An empty tensor stands for an omitted operand; the region of interest is read in one mode only.
fn resize(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let mode = node.attributes.str("coordinate_transformation_mode");
    if mode != Some("tf_crop_and_resize") && node.operands.len() > 1 {
        node.operands[1] = emit.none;
    }
    for operand in node.operands.iter_mut().skip(1) {
        if emit.body.value_type(*operand).static_shape().is_some_and(|shape| shape == [0]) {
            *operand = emit.none;
        }
    }
    Ok(())
}
