//! GroupQueryAttention: several heads share keys and values, which are cached; the sequences of a batch may have
//! different lengths in the cache.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{View, microsoft};
use ir::{Attribute, DimExpr, Op, Type, Value};

use super::{BIASED, Heads, WEIGHTS, extent, length};
use crate::graph::{Emitter, Problem};
use crate::nn::split_heads;
use crate::operator::Operator;
use crate::shape::{Answer, Node};

pub(crate) const GROUP_QUERY_ATTENTION: Operator =
    Operator { shapes: Some(shapes), compose: Some(compose), ..Operator::of(OnnxOp::MicrosoftGroupQueryAttention) };

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let attention: microsoft::GroupQueryAttention = node.view();
    let Some(query) = node.shape_of(attention.query) else { return Ok(vec![]) };
    let [batch, rows, hidden] = query.as_slice() else { return Err("queries must have rank 3".to_string()) };
    let heads = DimExpr::Constant(attention.num_heads);
    let shared = DimExpr::Constant(attention.kv_num_heads);
    node.expect_multiple((&heads, "heads"), (&shared, "heads of keys and values"))?;
    let all = match attention.key {
        Some(_) => heads.clone(),
        // keys and values come after the queries
        None => heads.add(&shared.mul(&DimExpr::Constant(2))),
    };
    let size = node.expect_multiple((hidden, "columns of the query"), (&all, "heads"))?;
    let result = vec![batch.clone(), rows.clone(), heads.mul(&size)];
    if node.result_count() == 1 {
        return Ok(vec![Some(result)]);
    }
    let past = attention.past_key.map(|past| extent(node.shape_of(past).as_deref(), 2));
    let all = match past {
        None => Some(rows.clone()),
        Some(past) => {
            past.zip(node.number_of(attention.total_sequence_length)).map(|(past, all)| DimExpr::max(&past, &all))
        }
    };
    let all = all.unwrap_or_else(|| node.fresh(1, 2));
    let cache = Some(vec![batch.clone(), shared, all.clone(), size.clone()]);
    Ok(vec![Some(result), cache.clone(), cache, Some(vec![batch.clone(), heads, rows.clone(), all])])
}

fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let node = microsoft::GroupQueryAttention::of(&emit.body, op);
    if node.sliding_window_cache != 0 {
        return Err(Problem::unsupported("keeps no more keys than a window has"));
    }
    if node.k_quant_type != "NONE" || node.v_quant_type != "NONE" {
        return Err(Problem::unsupported("has a quantized cache"));
    }
    let [query, key, value] = by_head(emit, &node);
    let rows = Rows::of(emit, &node);
    let (query, key) =
        (normalized(emit, query, node.q_norm_weight, &node), normalized(emit, key, node.k_norm_weight, &node));
    let [query, key] = match (node.do_rotary, node.cos_cache, node.sin_cache) {
        (Some(1), Some(cos), Some(sin)) => [query, key].map(|value| rows.turned(emit, value, [cos, sin], &node)),
        _ => [query, key],
    };
    let length = rows.longest;
    let key = rows.cached(emit, node.past_key, key, length);
    let value = rows.cached(emit, node.past_value, value, length);
    let mask = rows.visible(emit, &node, query, key);
    let (key_read, value_read, mask) = with_sink(emit, &node, key, value, mask);
    let shown = if node.qk_output == 1 { BIASED } else { WEIGHTS };
    let softcap = node.softcap.unwrap_or(0.0);
    let heads = Heads {
        query,
        key: key_read,
        value: value_read,
        past: None,
        mask: Some(mask),
        causal: false,
        scale: node.scale,
        softcap,
        shown,
    };
    let [result, _, _, shown] = heads.attend(emit);
    Ok([result, key, value, shown].map(Some).to_vec())
}

/// Queries, keys and values by head.
fn by_head(emit: &mut Emitter, node: &microsoft::GroupQueryAttention) -> [Value; 3] {
    let (heads, shared) = (node.num_heads, node.kv_num_heads);
    if let (Some(key), Some(value)) = (node.key, node.value) {
        return [(node.query, heads), (key, shared), (value, shared)]
            .map(|(part, heads)| split_heads(emit, part, heads));
    }
    let all = split_heads(emit, node.query, heads + 2 * shared);
    let bounds = [(0, heads), (heads, heads + shared), (heads + shared, heads + 2 * shared)];
    bounds.map(|(first, end)| {
        let (first, end) = (emit.integers(&[first]), emit.integers(&[end]));
        emit.slice(all, first, end, 1)
    })
}

fn normalized(emit: &mut Emitter, value: Value, weight: Option<Value>, node: &microsoft::GroupQueryAttention) -> Value {
    let Some(weight) = weight else { return value };
    emit.op("RMSNormalization", &[value, weight], [("epsilon", Attribute::f32(node.qk_norm_epsilon as f32))])
}

/// The positions of the new rows of each sequence.
struct Rows {
    /// The position of the first one, `[batch]`: 0 for a prompt, whose end may be padding.
    start: Value,
    /// The positions of all, `[batch, rows]`.
    places: Value,
    /// The number of rows of each sequence including the new ones, `[batch]`.
    lengths: Value,
    /// The length of the longest one, a list of one.
    longest: Value,
}

impl Rows {
    fn of(emit: &mut Emitter, node: &microsoft::GroupQueryAttention) -> Rows {
        let count = emit.extent(node.query, 1);
        let (zero, one, list) = (emit.integers(&[0]), emit.integers(&[1]), emit.integers(&[-1]));
        let last = emit.convert(node.seqlens_k, &Type::I64);
        let last = emit.plain("Reshape", &[last, list]);
        let mut lengths = emit.plain("Add", &[last, one]);
        // with a cache the rows would not fit
        if node.past_key.is_none() {
            let all = emit.plain("Add", &[count, one]);
            let allowed = emit.count_up(all);
            lengths = emit.op("Gather", &[allowed, lengths], []);
        }
        let start = emit.plain("Sub", &[lengths, count]);
        let start = emit.plain("Max", &[start, zero]);
        let first = emit.unsqueeze(start, &[1]);
        let row = emit.count_up(count);
        let places = emit.plain("Add", &[first, row]);
        let longest = length(emit, node.total_sequence_length);
        Rows { start, places, lengths, longest }
    }

    /// Queries or keys, rotated by the angles of their positions.
    fn turned(
        &self,
        emit: &mut Emitter,
        value: Value,
        [cos, sin]: [Value; 2],
        node: &microsoft::GroupQueryAttention,
    ) -> Value {
        let places = node.position_ids.unwrap_or(self.places);
        let part = extent(emit.shape(cos).as_deref(), 1).and_then(|half| half.as_constant());
        let attributes = [
            ("interleaved", Attribute::i64(node.rotary_interleaved.unwrap_or(0))),
            ("rotary_embedding_dim", Attribute::i64(part.map_or(0, |half| 2 * half))),
        ];
        emit.op("RotaryEmbedding", &[value, cos, sin, places], attributes)
    }

    /// The cache with the new rows at their positions; it grows if it is too short.
    fn cached(&self, emit: &mut Emitter, past: Option<Value>, new: Value, length: Value) -> Value {
        let Some(past) = past else { return new };
        let (own, none) = (emit.extent(past, 2), emit.integers(&[0]));
        let missing = emit.plain("Sub", &[length, own]);
        let missing = emit.plain("Max", &[missing, none]);
        let (outer, size) = (emit.op("Shape", &[past], [("end", Attribute::i64(2))]), emit.extent(past, 3));
        let (zero, shape) = (emit.number_like(0.0, past), emit.list(&[outer, missing, size]));
        let empty = emit.plain("Expand", &[zero, shape]);
        let room = emit.op("Concat", &[past, empty], [("axis", Attribute::i64(2))]);
        emit.op("TensorScatter", &[room, new, self.start], [("axis", Attribute::i64(2))])
    }

    /// The term that is added to the scores: the bias, and minus infinity where a query does not attend.
    fn visible(&self, emit: &mut Emitter, node: &microsoft::GroupQueryAttention, query: Value, key: Value) -> Value {
        let keys = emit.extent(key, 2);
        let column = emit.count_up(keys);
        let mut seen = match node.causal {
            0 => {
                let lengths = emit.unsqueeze(self.lengths, &[1, 2, 3]);
                emit.plain("Less", &[column, lengths])
            }
            _ => {
                let place = emit.unsqueeze(self.places, &[1, 3]);
                emit.plain("LessOrEqual", &[column, place])
            }
        };
        if node.local_window_size > 0 {
            let (place, window) = (emit.unsqueeze(self.places, &[1, 3]), emit.integers(&[node.local_window_size]));
            let edge = emit.plain("Sub", &[place, window]);
            let near = emit.plain("Greater", &[column, edge]);
            seen = emit.plain("And", &[seen, near]);
        }
        let lowest = emit.number_like(f64::NEG_INFINITY, query);
        let bias = node.attention_bias.map(|bias| widened(emit, bias, keys));
        let bias = bias.unwrap_or_else(|| emit.number_like(0.0, query));
        emit.plain("Where", &[seen, bias, lowest])
    }
}

/// A bias with as many columns as there are keys: a cache may have more room than keys.
fn widened(emit: &mut Emitter, bias: Value, keys: Value) -> Value {
    let (own, none) = (emit.extent(bias, -1), emit.integers(&[0]));
    let missing = emit.plain("Sub", &[keys, own]);
    let pads = emit.list(&[none, missing]);
    let (fill, axis) = (emit.number_like(0.0, bias), emit.integers(&[-1]));
    emit.plain("Pad", &[bias, pads, fill, axis])
}

/// A sink adds to the sum that weights are divided by: one more key with a constant score for every query, and with
/// value zero.
fn with_sink(
    emit: &mut Emitter,
    node: &microsoft::GroupQueryAttention,
    key: Value,
    value: Value,
    mask: Value,
) -> (Value, Value, Value) {
    let sink = match node.head_sink {
        Some(sink) => emit.unsqueeze(sink, &[0, 2, 3]),
        None if node.smooth_softmax == 1 => {
            let zero = emit.number_like(0.0, mask);
            emit.unsqueeze(zero, &[0, 1, 2, 3])
        }
        None => return (key, value, mask),
    };
    let pads = emit.integers(&[0, 1]);
    let axis = emit.integers(&[2]);
    let [key, value] = [key, value].map(|rows| {
        let zero = emit.number_like(0.0, rows);
        emit.plain("Pad", &[rows, pads, zero, axis])
    });
    let (batch, rows) = (emit.extent(mask, 0), emit.extent(mask, 2));
    let (heads, one) = (emit.integers(&[node.num_heads]), emit.integers(&[1]));
    let shape = emit.list(&[batch, heads, rows, one]);
    let column = emit.plain("Expand", &[sink, shape]);
    let keys = emit.extent(mask, 3);
    let shape = emit.list(&[batch, heads, rows, keys]);
    let mask = emit.plain("Expand", &[mask, shape]);
    let mask = emit.op("Concat", &[mask, column], [("axis", Attribute::i64(3))]);
    (key, value, mask)
}
