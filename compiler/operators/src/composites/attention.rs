//! Attention and rotary position embeddings.

use ir::{Attribute, Type, Value};

use crate::graph::Emitter;
use crate::graph::{Node, Problem};

/// `softmax(scale * Q · Kᵀ + bias) · V` with heads in axis 1; several heads of `Q` may share one of `K` and `V`.
pub(super) fn attention(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let flat = emit.known_rank(node.operands[0])? == 3;
    let heads = [node.integer("q_num_heads", 0), node.integer("kv_num_heads", 0), node.integer("kv_num_heads", 0)];
    let mut operands: Vec<Value> = node.operands[..3].to_vec();
    if flat {
        operands = operands.iter().zip(heads).map(|(&operand, heads)| split_heads(emit, operand, heads)).collect();
    }
    let [query, key, value] = operands[..] else { return Err(Problem::input("lacks an input")) };
    let along = |emit: &mut Emitter, past: Option<Value>, new: Value| match past {
        Some(past) => emit.op("Concat", &[past, new], [("axis", Attribute::i64(2))]),
        None => new,
    };
    let (past_key, past_value) = (node.given(4, emit), node.given(5, emit));
    let (key, value) = (along(emit, past_key, key), along(emit, past_value, value));
    let scores = scores(node, emit, query, key);
    let capped = match node.float("softcap", 0.0) {
        0.0 => scores,
        cap => {
            let cap = emit.number_like(cap, scores);
            let quotient = emit.plain("Div", &[scores, cap]);
            let bounded = emit.plain("Tanh", &[quotient]);
            emit.plain("Mul", &[bounded, cap])
        }
    };
    let bias = bias(node, emit, query, key, past_key);
    let biased = bias.map_or(capped, |bias| emit.plain("Add", &[capped, bias]));
    let weights = probabilities(node, emit, biased, bias);
    let result = weighted_values(emit, query, weights, value);
    let result = if flat { join_heads(emit, result) } else { result };
    let shown = match node.integer("qk_matmul_output_mode", 0) {
        0 => scores,
        1 => capped,
        2 => biased,
        _ => weights,
    };
    node.finish(&[Some(result), Some(key), Some(value), Some(shown)], emit);
    Ok(())
}

/// `[B, S, H * D]` as `[B, H, S, D]`.
fn split_heads(emit: &mut Emitter, value: Value, heads: i64) -> Value {
    let shape = emit.integers(&[0, 0, heads, -1]);
    let split = emit.plain("Reshape", &[value, shape]);
    emit.transpose(split, &[0, 2, 1, 3])
}

/// `[B, H, S, D]` as `[B, S, H * D]`.
fn join_heads(emit: &mut Emitter, value: Value) -> Value {
    let moved = emit.transpose(value, &[0, 2, 1, 3]);
    let shape = emit.integers(&[0, 0, -1]);
    emit.plain("Reshape", &[moved, shape])
}

/// `[B, G * H, …]` as `[B, H, G, …]`, where `shared` has `H` heads.
fn group_heads(emit: &mut Emitter, value: Value, shared: Value) -> Value {
    let (batch, heads) = (emit.extent(value, 0), emit.extent(shared, 1));
    let rest = emit.op("Shape", &[value], [("start", Attribute::i64(2))]);
    let all = emit.extent(value, 1);
    let group = emit.plain("Div", &[all, heads]);
    let shape = emit.list(&[batch, heads, group, rest]);
    emit.plain("Reshape", &[value, shape])
}

/// The product of a tensor with heads in axis 1 and one with as many or fewer, `[B, H, S, N]`.
fn headwise_product(emit: &mut Emitter, left: Value, right: Value) -> Value {
    let grouped = group_heads(emit, left, right);
    let shared = emit.unsqueeze(right, &[2]);
    let product = emit.plain("MatMul", &[grouped, shared]);
    let rows = emit.op("Shape", &[left], [("end", Attribute::i64(3))]);
    let columns = emit.extent(right, -1);
    let shape = emit.list(&[rows, columns]);
    emit.plain("Reshape", &[product, shape])
}

/// `scale * Q · Kᵀ`; both factors are scaled by the root.
fn scores(node: &Node, emit: &mut Emitter, query: Value, key: Value) -> Value {
    let root = match node.attributes.float("scale") {
        Some(scale) => emit.number_like(scale.sqrt(), query),
        None => {
            let size = emit.extent(query, -1);
            let size = emit.convert(size, &Type::F32);
            let root = emit.plain("Sqrt", &[size]);
            let scale = emit.plain("Reciprocal", &[root]);
            let root = emit.plain("Sqrt", &[scale]);
            emit.plain("CastLike", &[root, query])
        }
    };
    let columns = emit.transpose(key, &[0, 1, 3, 2]);
    let (query, columns) = (emit.plain("Mul", &[query, root]), emit.plain("Mul", &[columns, root]));
    headwise_product(emit, query, columns)
}

fn weighted_values(emit: &mut Emitter, query: Value, weights: Value, value: Value) -> Value {
    let weights = emit.plain("CastLike", &[weights, query]);
    headwise_product(emit, weights, value)
}

/// What is added to the scores: the mask, and minus infinity where a query does not look. `None` when there is nothing.
fn bias(node: &Node, emit: &mut Emitter, query: Value, key: Value, past: Option<Value>) -> Option<Value> {
    let lowest = emit.number_like(f64::NEG_INFINITY, query);
    let zero = emit.number_like(0.0, query);
    let lengths = node.given(6, emit);
    let mask = node.given(3, emit).map(|mask| {
        let added = match emit.element(mask) == Type::I1 {
            true => emit.plain("Where", &[mask, zero, lowest]),
            false => emit.plain("CastLike", &[mask, query]),
        };
        // the mask of an external cache may be shorter than the cache
        if lengths.is_some() { lengthened(emit, added, key, lowest) } else { added }
    });
    let hidden = hidden(node, emit, query, key, past, lengths);
    let hidden = hidden.into_iter().reduce(|a, b| emit.plain("Or", &[a, b]));
    match (hidden, mask) {
        (Some(hidden), mask) => Some(emit.plain("Where", &[hidden, lowest, mask.unwrap_or(zero)])),
        (None, mask) => mask,
    }
}

/// A mask with `fill` behind it, up to the number of keys.
fn lengthened(emit: &mut Emitter, mask: Value, key: Value, fill: Value) -> Value {
    let (wanted, own) = (emit.extent(key, 2), emit.extent(mask, -1));
    let missing = emit.plain("Sub", &[wanted, own]);
    let (nothing, axes) = (emit.integers(&[0]), emit.integers(&[-1]));
    let pads = emit.list(&[nothing, missing]);
    emit.plain("Pad", &[mask, pads, fill, axes])
}

/// Where queries do not look, each broadcasting to `[B, H, S, T]`: ahead, out of their window, at padding.
fn hidden(
    node: &Node,
    emit: &mut Emitter,
    query: Value,
    key: Value,
    past: Option<Value>,
    lengths: Option<Value>,
) -> Vec<Value> {
    let rows = emit.extent(query, 2);
    let offset = match (past, lengths) {
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
    if node.integer("is_causal", 0) == 1 {
        hidden.push(emit.plain("Less", &[position, column]));
    }
    let left = node.integer("left_window_size", -1);
    if left >= 0 {
        let (distance, left) = (emit.plain("Sub", &[position, column]), emit.integers(&[left]));
        hidden.push(emit.plain("Greater", &[distance, left]));
    }
    let right = node.integer("right_window_size", -1);
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

/// Softmax; rows in which everything is hidden are zero.
fn probabilities(node: &Node, emit: &mut Emitter, scores: Value, bias: Option<Value>) -> Value {
    let wide = match node.integer("softmax_precision", 0) {
        0 => scores,
        precision => emit.op("Cast", &[scores], [("to", Attribute::i64(precision))]),
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

/// Pairs of elements, halves apart or side by side, turned by the angles of their position.
pub(super) fn rotary_embedding(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let input = node.operands[0];
    let flat = emit.known_rank(input)? == 3;
    let interleaved = node.integer("interleaved", 0) == 1;
    let input = match flat {
        true => split_heads(emit, input, node.integer("num_heads", 0)),
        false => input,
    };
    let (zero, end) = (emit.integers(&[0]), emit.extent(input, 3));
    let turned = match node.integer("rotary_embedding_dim", 0) {
        0 => end,
        size => emit.integers(&[size]),
    };
    let rotated = emit.slice(input, zero, turned, 3);
    let rest = emit.slice(input, turned, end, 3);
    let angles = |emit: &mut Emitter, cache: Value| {
        let own = match node.given(3, emit) {
            Some(positions) => emit.op("Gather", &[cache, positions], [("axis", Attribute::i64(0))]),
            None => cache,
        };
        emit.unsqueeze(own, &[1])
    };
    let (cos, sin) = (angles(emit, node.operands[1]), angles(emit, node.operands[2]));
    let two = emit.integers(&[2]);
    let half = emit.plain("Div", &[turned, two]);
    let (a, b) = match interleaved {
        true => {
            let (axes, one) = (emit.integers(&[3]), emit.integers(&[1]));
            let every = |emit: &mut Emitter, start: Value| emit.plain("Slice", &[rotated, start, turned, axes, two]);
            (every(emit, zero), every(emit, one))
        }
        false => (emit.slice(rotated, zero, half, 3), emit.slice(rotated, half, turned, 3)),
    };
    let product = |emit: &mut Emitter, a: Value, b: Value| emit.plain("Mul", &[a, b]);
    let (a_cos, b_sin) = (product(emit, a, cos), product(emit, b, sin));
    let (a_sin, b_cos) = (product(emit, a, sin), product(emit, b, cos));
    let (first, second) = (emit.plain("Sub", &[a_cos, b_sin]), emit.plain("Add", &[a_sin, b_cos]));
    let turned = match interleaved {
        true => {
            let (first, second) = (emit.unsqueeze(first, &[4]), emit.unsqueeze(second, &[4]));
            let pairs = emit.op("Concat", &[first, second], [("axis", Attribute::i64(4))]);
            let shape = emit.plain("Shape", &[rotated]);
            emit.plain("Reshape", &[pairs, shape])
        }
        false => emit.op("Concat", &[first, second], [("axis", Attribute::i64(3))]),
    };
    let whole = emit.op("Concat", &[turned, rest], [("axis", Attribute::i64(3))]);
    let result = if flat { join_heads(emit, whole) } else { whole };
    node.finish(&[Some(result)], emit);
    Ok(())
}
