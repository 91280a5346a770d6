//! MultiHeadAttention and DecoderMaskedMultiHeadAttention: queries, keys and values are separate, or packed in one
//! tensor.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{View, microsoft};
use ir::{Attribute, DimExpr, Op, Value};

use super::mask::Padding;
use super::{Heads, WEIGHTS, extent, length, total};
use crate::graph::{Emitter, Problem};
use crate::nn::split_heads;
use crate::operator::Operator;
use crate::shape::{Answer, Node};

pub(crate) const MULTI_HEAD_ATTENTION: Operator = Operator {
    shapes: Some(|node| MultiHead::of(&node.view()).shapes(node)),
    compose: Some(|emit, op| {
        let node = microsoft::MultiHeadAttention::of(&emit.body, op);
        if node.cache_indirection.is_some() {
            return Err(Problem::unsupported("searches along several beams"));
        }
        MultiHead::of(&node).compose(emit)
    }),
    ..Operator::of(OnnxOp::MicrosoftMultiHeadAttention)
};

pub(crate) const DECODER_MASKED_MULTI_HEAD_ATTENTION: Operator = Operator {
    shapes: Some(|node| MultiHead::of_decoder(&node.view()).shapes(node)),
    compose: Some(compose_decoder),
    ..Operator::of(OnnxOp::MicrosoftDecoderMaskedMultiHeadAttention)
};

fn compose_decoder(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let node = microsoft::DecoderMaskedMultiHeadAttention::of(&emit.body, op);
    if node.cache_indirection.is_some() {
        return Err(Problem::unsupported("searches along several beams"));
    }
    MultiHead::of_decoder(&node).compose(emit)
}

/// The options of both operators.
struct MultiHead {
    query: Value,
    key: Option<Value>,
    value: Option<Value>,
    /// The biases of queries, keys and values, concatenated.
    bias: Option<Value>,
    padding: Option<Value>,
    added: Option<Value>,
    past: Option<[Value; 2]>,
    /// The length of the past, if its buffer has room for more.
    used: Option<Value>,
    heads: i64,
    filter: Option<f64>,
    scale: Option<f64>,
    causal: bool,
}

impl MultiHead {
    fn of(node: &microsoft::MultiHeadAttention) -> MultiHead {
        MultiHead {
            query: node.query,
            key: node.key,
            value: node.value,
            bias: node.bias,
            padding: node.key_padding_mask,
            added: node.attention_bias,
            past: node.past_key.zip(node.past_value).map(<[Value; 2]>::from),
            used: node.past_sequence_length,
            heads: node.num_heads,
            filter: node.mask_filter_value,
            scale: node.scale,
            causal: node.unidirectional != 0,
        }
    }

    fn of_decoder(node: &microsoft::DecoderMaskedMultiHeadAttention) -> MultiHead {
        MultiHead {
            query: node.query,
            key: node.key,
            value: node.value,
            bias: node.bias,
            padding: node.mask_index,
            added: node.attention_bias,
            past: node.past_key.zip(node.past_value).map(<[Value; 2]>::from),
            used: node.past_sequence_length.filter(|_| node.past_present_share_buffer == Some(1)),
            heads: node.num_heads,
            filter: node.mask_filter_value,
            scale: node.scale,
            causal: false,
        }
    }

    fn shapes(&self, node: &mut Node<'_, '_>) -> Answer {
        let Some(query) = node.shape_of(self.query) else { return Ok(vec![]) };
        let heads = DimExpr::Constant(self.heads);
        let (batch, rows, size) = match query.as_slice() {
            [batch, rows, hidden] => {
                (batch, rows, node.expect_multiple((hidden, "columns of the query"), (&heads, "heads"))?)
            }
            [batch, rows, _, _, size] => (batch, rows, size.clone()),
            _ => return Err("queries must have rank 3, or 5 where they are packed".to_string()),
        };
        let pair = match (self.key, self.value) {
            (None, _) => Some((rows.clone(), size.clone())),
            (Some(key), value) => node.shape_of(key).and_then(|key| match (key.as_slice(), value) {
                ([_, rows, _, _, size], _) => Some((rows.clone(), size.clone())),
                ([_, _, rows, _], Some(value)) => Some((rows.clone(), extent(node.shape_of(value).as_deref(), 3)?)),
                ([_, rows, _], Some(value)) => {
                    let hidden = extent(node.shape_of(value).as_deref(), 2)?;
                    Some((rows.clone(), hidden.floor_div(&heads)))
                }
                _ => None,
            }),
        };
        let Some((keys, value_size)) = pair else { return Ok(vec![]) };
        let past = self.past.and_then(|[past, _]| node.shape_of(past));
        let room = extent(past.as_deref(), 2).unwrap_or(DimExpr::ZERO);
        let seen = match self.used {
            None => Some(room.add(&keys)),
            Some(used) => node.number_of(used).map(|used| used.add(&keys)),
        };
        let seen = match seen {
            Some(seen) => seen,
            None if node.result_count() > 3 => node.fresh(3, 3),
            // never read
            None => DimExpr::ZERO,
        };
        let keys = if self.used.is_some() { room } else { seen.clone() };
        let of =
            |rows: &DimExpr, columns: &DimExpr| Some(vec![batch.clone(), heads.clone(), rows.clone(), columns.clone()]);
        let result = vec![batch.clone(), rows.clone(), heads.mul(&value_size)];
        Ok(vec![Some(result), of(&keys, &size), of(&keys, &value_size), of(rows, &seen)])
    }

    fn compose(&self, emit: &mut Emitter) -> Result<Vec<Option<Value>>, Problem> {
        let parts = self.parts(emit)?;
        let batch = emit.extent(self.query, 0);
        let parts = self.with_bias(emit, parts)?;
        let mut by_head = vec![];
        for part in parts {
            by_head.push(if emit.known_rank(part)? == 3 { split_heads(emit, part, self.heads) } else { part });
        }
        let (query, key, value) = (by_head[0], by_head[1], by_head[2]);
        let mut keys = emit.extent(key, 2);
        let past = self.past.map(|past| past.map(|past| self.front(emit, past)));
        if let Some([past, _]) = past {
            let past = emit.extent(past, 2);
            keys = emit.plain("Add", &[past, keys]);
        }
        let padding = self.padding.map(|mask| Padding { mask, filter: self.filter, batch, keys }.bias(emit, query));
        let mask = total(emit, [padding.transpose()?, self.added]);
        let (causal, scale) = (self.causal, self.scale);
        let heads = Heads { query, key, value, past, mask, causal, scale, softcap: 0.0, shown: WEIGHTS };
        let [result, all_keys, all_values, weights] = heads.attend(emit);
        let present = match (self.past, self.used) {
            (Some([keys, values]), Some(used)) => [filled(emit, keys, key, used), filled(emit, values, value, used)],
            _ => [all_keys, all_values],
        };
        Ok([result, present[0], present[1], weights].map(Some).to_vec())
    }

    /// The used part of a cache.
    fn front(&self, emit: &mut Emitter, cache: Value) -> Value {
        let Some(used) = self.used else { return cache };
        let (start, used) = (emit.integers(&[0]), length(emit, used));
        emit.slice(cache, start, used, 2)
    }

    /// Queries, keys and values, each `[batch, rows, hidden]`, or keys and values by head.
    fn parts(&self, emit: &mut Emitter) -> Result<[Value; 3], Problem> {
        Ok(match (self.key, self.value) {
            (Some(key), Some(value)) => [self.query, key, value],
            (Some(key), None) => [self.query, unpacked(emit, key, 0), unpacked(emit, key, 1)],
            (None, _) if emit.known_rank(self.query)? == 5 => [0, 1, 2].map(|part| unpacked(emit, self.query, part)),
            (None, _) => return Err(Problem::unsupported("has no keys, though its queries are not packed with them")),
        })
    }

    /// Keys and values that are given by head had their bias added before.
    fn with_bias(&self, emit: &mut Emitter, parts: [Value; 3]) -> Result<[Value; 3], Problem> {
        let Some(bias) = self.bias else { return Ok(parts) };
        let flat = emit.known_rank(parts[1])? == 3;
        let mut start = emit.integers(&[0]);
        let mut sums = parts;
        for (index, part) in parts.into_iter().enumerate() {
            if index > 0 && !flat {
                break;
            }
            let size = emit.extent(part, 2);
            let end = emit.plain("Add", &[start, size]);
            let own = emit.slice(bias, start, end, 0);
            sums[index] = emit.plain("Add", &[part, own]);
            start = end;
        }
        Ok(sums)
    }
}

/// A cache with new rows after those in use.
fn filled(emit: &mut Emitter, cache: Value, new: Value, used: Value) -> Value {
    let (batch, used) = (emit.extent(cache, 0), length(emit, used));
    let places = emit.plain("Expand", &[used, batch]);
    emit.op("TensorScatter", &[cache, new, places], [("axis", Attribute::i64(2))])
}

/// A part of `[batch, rows, heads, parts, size]`, as `[batch, rows, heads * size]`.
fn unpacked(emit: &mut Emitter, packed: Value, part: i64) -> Value {
    let index = emit.integer(part);
    let part = emit.op("Gather", &[packed, index], [("axis", Attribute::i64(3))]);
    let shape = emit.integers(&[0, 0, -1]);
    emit.plain("Reshape", &[part, shape])
}
