//! Normalisations, attention and losses: layers with results beside the first.

use ir::DimExpr;

use super::node::Node;
use super::{Answer, Rule};

pub(super) fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "InstanceNormalization" | "GroupNormalization" | "RMSNormalization" => super::math::like_first,
        "BatchNormalization" => batch,
        "LayerNormalization" => layer,
        _ => return None,
    })
}

fn batch(node: &mut Node<'_, '_>) -> Answer {
    let input = node.shape(0);
    if let (Some(input), Some(scale)) = (&input, node.shape(1))
        && let ([_, channels, ..], [count]) = (input.as_slice(), scale.as_slice())
        && super::node::differ(channels, count)
    {
        return Err(format!("{channels} channels for a scale of {count} elements"));
    }
    Ok(vec![input, node.shape(3), node.shape(4)])
}

fn layer(node: &mut Node<'_, '_>) -> Answer {
    let Some(shape) = node.shape(0) else { return Ok(vec![]) };
    let axis = node.axis("axis", -1, shape.len())?;
    let mut statistics = shape.clone();
    statistics[axis..].fill(DimExpr::ONE);
    Ok(vec![Some(shape), Some(statistics.clone()), Some(statistics)])
}
