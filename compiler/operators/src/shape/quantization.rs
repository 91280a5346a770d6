//! Operators on quantised tensors.

use super::node::Node;
use super::{Answer, Rule};

pub(super) fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "QuantizeLinear" | "DequantizeLinear" => super::math::like_first,
        "DynamicQuantizeLinear" => dynamic,
        _ => return None,
    })
}

fn dynamic(node: &mut Node<'_, '_>) -> Answer {
    Ok(vec![node.shape(0), Some(vec![]), Some(vec![])])
}
