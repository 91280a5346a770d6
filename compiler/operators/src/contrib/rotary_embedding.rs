//! RotaryEmbedding with all positions, or only the first of them.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{View, microsoft};
use ir::{Attribute, Op, Value};

use crate::graph::{Emitter, Problem};
use crate::nn::{join_heads, split_heads};
use crate::operator::Operator;
use crate::shape;

pub(crate) const ROTARY_EMBEDDING: Operator = Operator {
    shapes: Some(shape::like_first),
    compose: Some(compose),
    ..Operator::of(OnnxOp::MicrosoftRotaryEmbedding)
};

fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let node = microsoft::RotaryEmbedding::of(&emit.body, op);
    if node.is_packed_batching.unwrap_or(0) != 0 {
        return Err(Problem::unsupported("packs sequences of different lengths"));
    }
    let flat = emit.known_rank(node.input)? == 3;
    let input = match (flat, node.num_heads.unwrap_or(0)) {
        (false, _) => node.input,
        (true, 0) => split_by_size(emit, node.input, node.cos_cache),
        (true, heads) => split_heads(emit, node.input, heads),
    };
    let positions = match emit.known_rank(node.position_ids)? {
        1 => {
            let rows = emit.extent(input, 2);
            let row = emit.count_up(rows);
            let row = emit.unsqueeze(row, &[0]);
            emit.plain("Add", &[row, node.position_ids])
        }
        _ => node.position_ids,
    };
    let attributes = [
        ("interleaved", Attribute::i64(node.interleaved.unwrap_or(0))),
        ("rotary_embedding_dim", Attribute::i64(node.rotary_embedding_dim.unwrap_or(0))),
    ];
    let turned = emit.op("RotaryEmbedding", &[input, node.cos_cache, node.sin_cache, positions], attributes);
    Ok(vec![Some(if flat { join_heads(emit, turned) } else { turned })])
}

/// `[B, S, H * D]` as `[B, H, S, D]`, for a cache with `D / 2` columns.
fn split_by_size(emit: &mut Emitter, value: Value, cache: Value) -> Value {
    let (half, two) = (emit.extent(cache, 1), emit.integers(&[2]));
    let size = emit.plain("Mul", &[half, two]);
    let rest = emit.integers(&[0, 0, -1]);
    let shape = emit.list(&[rest, size]);
    let split = emit.plain("Reshape", &[value, shape]);
    emit.transpose(split, &[0, 2, 1, 3])
}
