//! Normalisations, attention and losses: layers with results beside the first.

use ir::DimExpr;

use super::node::Node;
use super::{Answer, Rule};

pub(super) fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "InstanceNormalization" | "GroupNormalization" => by_channel,
        "RMSNormalization" => layer,
        "BatchNormalization" => batch,
        "LayerNormalization" => layer,
        _ => return None,
    })
}

fn by_channel(node: &mut Node<'_, '_>) -> Answer {
    let input = node.shape(0);
    if let Some([_, channels, ..]) = input.as_deref() {
        let groups = node.integer("num_groups", 1);
        if groups < 1 || channels.as_constant().is_some_and(|channels| channels % groups != 0) {
            return Err(format!("{channels} channels cannot be divided into {groups} groups"));
        }
        for (index, what) in [(1, "the scale"), (2, "the bias")] {
            node.expect_shape(index, std::slice::from_ref(channels), what)?;
        }
    }
    Ok(vec![input])
}

fn batch(node: &mut Node<'_, '_>) -> Answer {
    let input = node.shape(0);
    if let Some([_, channels, ..]) = input.as_deref() {
        for (index, what) in [(1, "the scale"), (2, "the bias"), (3, "the mean"), (4, "the variance")] {
            node.expect_shape(index, std::slice::from_ref(channels), what)?;
        }
    }
    Ok(vec![input, node.shape(3), node.shape(4)])
}

fn layer(node: &mut Node<'_, '_>) -> Answer {
    let Some(shape) = node.shape(0) else { return Ok(vec![]) };
    let axis = node.axis("axis", -1, shape.len())?;
    for (index, what) in [(1, "the scale"), (2, "the bias")] {
        node.expect_stretches(index, &shape, what)?;
    }
    let mut statistics = shape.clone();
    statistics[axis..].fill(DimExpr::ONE);
    Ok(vec![Some(shape), Some(statistics.clone()), Some(statistics)])
}
