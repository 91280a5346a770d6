//! Attention: `softmax(scale · Q Kᵀ + bias) V` with masks, sliding windows, caches and shared heads. Since 23.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Attribute, DimExpr, Op, Type, Value};

use super::heads::{group_bias, group_heads, have_same_heads, join_groups, join_heads, split_heads};
use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::shape::{Answer, Node};

pub(crate) const ATTENTION: Operator =
    Operator { shapes: Some(shapes), compose: Some(compose), ..Operator::of(OnnxOp::Attention) };

/// Scaled dot-product attention on `[batch, heads, sequence, size]` or `[batch, sequence, heads * size]` operands.
fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let attention: views::Attention = node.view();
    let operands = (node.shape_of(attention.q), node.shape_of(attention.k), node.shape_of(attention.v));
    let (Some(query), Some(key), Some(value)) = operands else { return Ok(vec![]) };
    let q = by_head(node, &query, attention.q_num_heads, ["Q", "q_num_heads"])?;
    let k = by_head(node, &key, attention.kv_num_heads, ["K", "kv_num_heads"])?;
    let v = by_head(node, &value, attention.kv_num_heads, ["V", "kv_num_heads"])?;
    node.expect_equal(&q[3], &k[3], "the head sizes of Q and K,")?;
    node.expect_equal(&k[1], &v[1], "the heads of K and V,")?;
    node.expect_multiple((&q[1], "heads of Q"), (&k[1], "heads of K"))?;
    let past = |past: Option<Value>| match past.and_then(|past| node.shape_of(past)).as_deref() {
        Some([_, _, past, _]) => past.clone(),
        _ => DimExpr::ZERO,
    };
    let (total_keys, total_values) = (k[2].add(&past(attention.past_key)), v[2].add(&past(attention.past_value)));
    let result = match query.len() {
        3 => vec![q[0].clone(), q[2].clone(), q[1].mul(&v[3])],
        _ => vec![q[0].clone(), q[1].clone(), q[2].clone(), v[3].clone()],
    };
    let keys = vec![k[0].clone(), k[1].clone(), total_keys.clone(), k[3].clone()];
    let values = vec![v[0].clone(), v[1].clone(), total_values, v[3].clone()];
    let scores = vec![q[0].clone(), q[1].clone(), q[2].clone(), total_keys];
    Ok(vec![Some(result), Some(keys), Some(values), Some(scores)])
}

/// The extents `[batch, heads, sequence, size]` of an operand, and the attribute that states its heads if it has rank 3.
fn by_head(
    node: &mut Node<'_, '_>,
    shape: &[DimExpr],
    count: Option<i64>,
    [name, attribute]: [&str; 2],
) -> Result<[DimExpr; 4], String> {
    match shape {
        [batch, sequence, hidden] => {
            let count = count.ok_or_else(|| format!("'{name}' has rank 3, which needs attribute '{attribute}'"))?;
            let count = DimExpr::Constant(count);
            let size = node.expect_multiple((hidden, &format!("columns of {name}")), (&count, attribute))?;
            Ok([batch.clone(), count, sequence.clone(), size])
        }
        [batch, heads, sequence, size] => Ok([batch, heads, sequence, size].map(DimExpr::clone)),
        _ => Err(format!("'{name}' has rank {}, expected 3 or 4", shape.len())),
    }
}

/// `softmax(scale * Q · Kᵀ + bias) · V` with heads in axis 1; several heads of `Q` may share one of `K` and `V`.
fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let attention = views::Attention::of(&emit.body, op);
    let flat = emit.known_rank(attention.q)? == 3;
    let mut by_head = |operand: Value, heads: Option<i64>| match flat {
        true => split_heads(emit, operand, heads.unwrap_or(0)),
        false => operand,
    };
    let query = by_head(attention.q, attention.q_num_heads);
    let (key, value) = (by_head(attention.k, attention.kv_num_heads), by_head(attention.v, attention.kv_num_heads));
    let along = |emit: &mut Emitter, past: Option<Value>, new: Value| match past {
        Some(past) => emit.op("Concat", &[past, new], [("axis", Attribute::i64(2))]),
        None => new,
    };
    let (key, value) = (along(emit, attention.past_key, key), along(emit, attention.past_value, value));
    // heads that share keys and values form a separate axis
    let is_grouped = !have_same_heads(emit, query, key);
    let [queries, keys, values] = match is_grouped {
        true => [group_heads(emit, query, key), emit.unsqueeze(key, &[2]), emit.unsqueeze(value, &[2])],
        false => [query, key, value],
    };
    let scores = scores(&attention, emit, queries, keys)?;
    let capped = match attention.softcap {
        0.0 => scores,
        cap => {
            let cap = emit.number_like(cap, scores);
            let quotient = emit.plain("Div", &[scores, cap]);
            let bounded = emit.plain("Tanh", &[quotient]);
            emit.plain("Mul", &[bounded, cap])
        }
    };
    let mut bias = bias(&attention, emit, query, key);
    if let Some(bias) = bias.as_mut().filter(|_| is_grouped) {
        *bias = group_bias(emit, *bias, query, key)?;
    }
    let biased = bias.map_or(capped, |bias| emit.plain("Add", &[capped, bias]));
    let weights = probabilities(&attention, emit, biased, bias);
    let like = emit.plain("CastLike", &[weights, query]);
    let result = emit.plain("MatMul", &[like, values]);
    let result = if is_grouped { join_groups(emit, result) } else { result };
    let result = if flat { join_heads(emit, result) } else { result };
    let shown = match attention.qk_matmul_output_mode {
        0 => scores,
        1 => capped,
        2 => biased,
        _ => weights,
    };
    let shown = if is_grouped { join_groups(emit, shown) } else { shown };
    Ok(vec![Some(result), Some(key), Some(value), Some(shown)])
}

/// `scale * Q · Kᵀ`: the query is scaled, but for narrow types both factors are scaled by the root, so that neither
/// overflows.
fn scores(attention: &views::Attention, emit: &mut Emitter, query: Value, key: Value) -> Result<Value, Problem> {
    let is_wide = [Type::F32, Type::F64].contains(&emit.element(query));
    let factor = match attention.scale {
        Some(scale) => emit.number_like(if is_wide { scale } else { scale.sqrt() }, query),
        None => {
            let size = emit.extent(query, -1);
            let size = emit.convert(size, &Type::F32);
            let root = emit.plain("Sqrt", &[size]);
            let scale = emit.plain("Reciprocal", &[root]);
            let factor = if is_wide { scale } else { emit.plain("Sqrt", &[scale]) };
            emit.plain("CastLike", &[factor, query])
        }
    };
    let rank = emit.known_rank(key)?;
    let order: Vec<i64> = (0..rank - 2).chain([rank - 1, rank - 2]).collect();
    let columns = emit.transpose(key, &order);
    let columns = if is_wide { columns } else { emit.plain("Mul", &[columns, factor]) };
    let query = emit.plain("Mul", &[query, factor]);
    Ok(emit.plain("MatMul", &[query, columns]))
}

/// The term that is added to the scores: the mask, and minus infinity where a query does not attend; `None` if there is
/// none.
fn bias(attention: &views::Attention, emit: &mut Emitter, query: Value, key: Value) -> Option<Value> {
    let lowest = emit.number_like(f64::NEG_INFINITY, query);
    let zero = emit.number_like(0.0, query);
    let lengths = attention.nonpad_kv_seqlen;
    let mask = attention.attn_mask.map(|mask| {
        let added = match emit.element(mask) == Type::I1 {
            true => emit.plain("Where", &[mask, zero, lowest]),
            false => emit.plain("CastLike", &[mask, query]),
        };
        // a mask may have fewer columns than there are keys; one column applies to all keys
        let count = |value: Value, axis: fn(&[DimExpr]) -> Option<&DimExpr>| {
            emit.shape(value).and_then(|shape| axis(&shape)?.as_constant())
        };
        let [own, wanted] = [count(mask, |shape| shape.last()), count(key, |shape| shape.get(2))];
        let is_shorter = own.zip(wanted).is_some_and(|(own, wanted)| own != 1 && own < wanted);
        if lengths.is_some() || is_shorter { lengthened(emit, added, key, lowest) } else { added }
    });
    let hidden = hidden(attention, emit, query, key);
    let hidden = hidden.into_iter().reduce(|a, b| emit.plain("Or", &[a, b]));
    match (hidden, mask) {
        (Some(hidden), mask) => Some(emit.plain("Where", &[hidden, lowest, mask.unwrap_or(zero)])),
        (None, mask) => mask,
    }
}

/// A mask padded with `fill` to the number of keys.
fn lengthened(emit: &mut Emitter, mask: Value, key: Value, fill: Value) -> Value {
    let (wanted, own) = (emit.extent(key, 2), emit.extent(mask, -1));
    let missing = emit.plain("Sub", &[wanted, own]);
    let (nothing, axes) = (emit.integers(&[0]), emit.integers(&[-1]));
    let pads = emit.list(&[nothing, missing]);
    emit.plain("Pad", &[mask, pads, fill, axes])
}

/// Where queries do not attend, each broadcasting to `[B, H, S, T]`: to later keys, outside of their sliding window, to
/// padding.
fn hidden(attention: &views::Attention, emit: &mut Emitter, query: Value, key: Value) -> Vec<Value> {
    let lengths = attention.nonpad_kv_seqlen;
    let rows = emit.extent(query, 2);
    let offset = match (attention.past_key, lengths) {
        (Some(past), _) => emit.extent(past, 2),
        (None, Some(lengths)) => {
            let offset = emit.plain("Sub", &[lengths, rows]);
            emit.unsqueeze(offset, &[1, 2, 3])
        }
        (None, None) => emit.integers(&[0]),
    };
    let row = emit.count_up(rows);
    let row = emit.unsqueeze(row, &[1]);
    let position = emit.plain("Add", &[row, offset]);
    let columns = emit.extent(key, 2);
    let column = emit.count_up(columns);
    let mut hidden = Vec::new();
    if attention.is_causal == 1 {
        hidden.push(emit.plain("Less", &[position, column]));
    }
    let left = attention.left_window_size;
    if left >= 0 {
        let (distance, left) = (emit.plain("Sub", &[position, column]), emit.integers(&[left]));
        hidden.push(emit.plain("Greater", &[distance, left]));
    }
    let right = attention.right_window_size;
    if right >= 0 {
        let (distance, right) = (emit.plain("Sub", &[column, position]), emit.integers(&[right]));
        hidden.push(emit.plain("Greater", &[distance, right]));
    }
    if let Some(lengths) = lengths {
        let length = emit.unsqueeze(lengths, &[1, 2, 3]);
        hidden.push(emit.plain("GreaterOrEqual", &[column, length]));
    }
    hidden
}

/// Softmax; rows without a visible key are zero.
fn probabilities(attention: &views::Attention, emit: &mut Emitter, scores: Value, bias: Option<Value>) -> Value {
    let wide = match attention.softmax_precision {
        None => scores,
        Some(precision) => emit.op("Cast", &[scores], [("to", Attribute::i64(precision))]),
    };
    let weights = emit.op("Softmax", &[wide], [("axis", Attribute::i64(-1))]);
    let weights = emit.plain("CastLike", &[weights, scores]);
    let Some(bias) = bias else { return weights };
    let axes = emit.integers(&[-1]);
    let most = emit.op("ReduceMax", &[bias, axes], [("keepdims", Attribute::i64(1))]);
    let (lowest, zero) = (emit.number_like(f64::NEG_INFINITY, bias), emit.number_like(0.0, weights));
    let blind = emit.plain("Equal", &[most, lowest]);
    emit.plain("Where", &[blind, zero, weights])
}
