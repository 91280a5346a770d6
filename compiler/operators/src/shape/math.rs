//! Shape rules of many operators: the shape of the first operand, or of all operands broadcast together.

use ir::Attribute;

use super::Answer;
use super::node::{Node, normalize_axis};

/// The first result has the shape of the first operand.
pub(crate) fn like_first(node: &mut Node<'_, '_>) -> Answer {
    Ok(vec![node.shape(0)])
}

/// Every result has the shape of the first operand.
pub(crate) fn like_first_each(node: &mut Node<'_, '_>) -> Answer {
    Ok(vec![node.shape(0); node.result_count()])
}

/// The broadcast of all operands.
pub(crate) fn broadcast_operands(node: &mut Node<'_, '_>) -> Answer {
    let mut joined = vec![];
    for index in 0..node.operand_count() {
        match node.shape(index) {
            Some(shape) => joined = node.broadcast(&joined, &shape)?,
            None => return Ok(vec![]),
        }
    }
    Ok(vec![Some(joined)])
}

/// The first result has the shape of the first operand, which has the axis `axis`.
pub(crate) fn like_first_along_axis(node: &mut Node<'_, '_>) -> Answer {
    let shape = node.shape(0);
    if let (Some(shape), Some(axis)) = (&shape, node.attribute("axis").and_then(Attribute::as_integer)) {
        normalize_axis(axis, shape.len())?;
    }
    Ok(vec![shape])
}
