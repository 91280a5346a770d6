//! RotaryEmbedding: rotary position embeddings. Since 23.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Attribute, Op, Value};

use super::heads::{join_heads, split_heads};
use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::shape;

pub(crate) const ROTARY_EMBEDDING: Operator =
    Operator { shapes: Some(shape::like_first), compose: Some(compose), ..Operator::of(OnnxOp::RotaryEmbedding) };

/// Pairs of elements, half a row apart or adjacent, rotated by the angles of their position.
fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let embedding = views::RotaryEmbedding::of(&emit.body, op);
    let flat = emit.known_rank(embedding.x)? == 3;
    let interleaved = embedding.interleaved == 1;
    let input = match flat {
        true => split_heads(emit, embedding.x, embedding.num_heads.unwrap_or(0)),
        false => embedding.x,
    };
    let (zero, end) = (emit.integers(&[0]), emit.extent(input, 3));
    let turned = match embedding.rotary_embedding_dim {
        0 => end,
        size => emit.integers(&[size]),
    };
    let rotated = emit.slice(input, zero, turned, 3);
    let rest = (embedding.rotary_embedding_dim != 0).then(|| emit.slice(input, turned, end, 3));
    let angles = |emit: &mut Emitter, cache: Value| {
        let own = match embedding.position_ids {
            Some(positions) => emit.op("Gather", &[cache, positions], [("axis", Attribute::i64(0))]),
            None => cache,
        };
        emit.unsqueeze(own, &[1])
    };
    let (cos, sin) = (angles(emit, embedding.cos_cache), angles(emit, embedding.sin_cache));
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
    let whole = match rest {
        Some(rest) => emit.op("Concat", &[turned, rest], [("axis", Attribute::i64(3))]),
        None => turned,
    };
    let result = if flat { join_heads(emit, whole) } else { whole };
    Ok(vec![Some(result)])
}
