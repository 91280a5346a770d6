//! Normalisations, attention and losses: layers with results beside the first.

use ir::DimExpr;

use super::node::Node;
use super::{Answer, Rule};

pub(super) fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "InstanceNormalization"
        | "GroupNormalization"
        | "RMSNormalization"
        | "LRN"
        | "LpNormalization"
        | "MeanVarianceNormalization"
        | "RotaryEmbedding" => super::math::like_first,
        "BatchNormalization" => batch,
        "LayerNormalization" => layer,
        "Attention" => attention,
        "LinearAttention" => linear_attention,
        "CausalConvWithState" => causal_convolution,
        "NegativeLogLikelihoodLoss" | "SoftmaxCrossEntropyLoss" => loss,
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

/// Scaled dot-product attention on `[batch, heads, sequence, size]` or `[batch, sequence, heads * size]` operands.
fn attention(node: &mut Node<'_, '_>) -> Answer {
    let (Some(query), Some(key), Some(value)) = (node.shape(0), node.shape(1), node.shape(2)) else {
        return Ok(vec![]);
    };
    let heads = |name: &str| DimExpr::Constant(node.integer(name, 1).max(1));
    let (query_heads, pair_heads) = (heads("q_num_heads"), heads("kv_num_heads"));
    let by_head = |shape: &[DimExpr], count: &DimExpr| match shape {
        [batch, sequence, hidden] => Some([batch.clone(), count.clone(), sequence.clone(), hidden.floor_div(count)]),
        [batch, heads, sequence, size] => Some([batch, heads, sequence, size].map(DimExpr::clone)),
        _ => None,
    };
    let split = (by_head(&query, &query_heads), by_head(&key, &pair_heads), by_head(&value, &pair_heads));
    let (Some(q), Some(k), Some(v)) = split else { return Err("operands must have rank 3 or 4".to_string()) };
    let past = |index: usize| match node.shape(index).as_deref() {
        Some([_, _, past, _]) => past.clone(),
        _ => DimExpr::ZERO,
    };
    let (total_keys, total_values) = (k[2].add(&past(4)), v[2].add(&past(5)));
    let result = match query.len() {
        3 => vec![q[0].clone(), q[2].clone(), q[1].mul(&v[3])],
        _ => vec![q[0].clone(), q[1].clone(), q[2].clone(), v[3].clone()],
    };
    let keys = vec![k[0].clone(), k[1].clone(), total_keys.clone(), k[3].clone()];
    let values = vec![v[0].clone(), v[1].clone(), total_values, v[3].clone()];
    let scores = vec![q[0].clone(), q[1].clone(), q[2].clone(), total_keys];
    Ok(vec![Some(result), Some(keys), Some(values), Some(scores)])
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

fn causal_convolution(node: &mut Node<'_, '_>) -> Answer {
    let (Some(input), Some(weights)) = (node.shape(0), node.shape(1)) else { return Ok(vec![]) };
    let ([batch, channels, _], [_, _, kernel]) = (input.as_slice(), weights.as_slice()) else {
        return Err("operands must have rank 3".to_string());
    };
    let state = vec![batch.clone(), channels.clone(), kernel.sub(&DimExpr::ONE)];
    Ok(vec![Some(input), Some(state)])
}

fn loss(node: &mut Node<'_, '_>) -> Answer {
    let reduced = node.text("reduction") != Some("none");
    let total = if reduced { Some(vec![]) } else { node.shape(1) };
    Ok(vec![total, node.shape(0)])
}
