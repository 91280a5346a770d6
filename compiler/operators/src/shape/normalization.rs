//! Normalisations, attention and losses: layers with results beside the first.

use ir::DimExpr;

use super::node::Node;
use super::{Answer, Rule};

pub(super) fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "InstanceNormalization" | "GroupNormalization" | "RMSNormalization" => super::math::like_first,
        "BatchNormalization" => batch,
        "LayerNormalization" => layer,
        "LinearAttention" => linear_attention,
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

/// Attention with a recurrent state, on `[batch, sequence, heads * size]` operands.
fn linear_attention(node: &mut Node<'_, '_>) -> Answer {
    let (Some(query), Some(key), Some(value)) = (node.shape(0), node.shape(1), node.shape(2)) else {
        return Ok(vec![]);
    };
    let ([batch, sequence, _], [_, _, keys], [_, _, values]) = (query.as_slice(), key.as_slice(), value.as_slice())
    else {
        return Err("operands must have rank 3".to_string());
    };
    let heads = |name: &str| DimExpr::Constant(node.integer(name, 1).max(1));
    let (query_heads, pair_heads) = (heads("q_num_heads"), heads("kv_num_heads"));
    let size = values.floor_div(&pair_heads);
    let result = vec![batch.clone(), sequence.clone(), query_heads.mul(&size)];
    let state = vec![batch.clone(), pair_heads.clone(), keys.floor_div(&pair_heads), size];
    Ok(vec![Some(result), Some(state)])
}
