//! EmbedLayerNormalization: the sum of the embeddings of words, positions and segments, normalized.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::microsoft;
use ir::{Attribute, Type, Value};

use crate::graph::Emitter;
use crate::operator::Operator;

pub(crate) const EMBED_LAYER_NORMALIZATION: Operator =
    Operator::read_as(OnnxOp::MicrosoftEmbedLayerNormalization, |node, emit| {
        let layer: microsoft::EmbedLayerNormalization = node.view(emit);
        let words = rows(emit, layer.word_embedding, layer.input_ids);
        let positions = match layer.position_ids {
            Some(ids) => rows(emit, layer.position_embedding, ids),
            None => {
                let (start, end) = (emit.integers(&[0]), emit.extent(layer.input_ids, 1));
                emit.slice(layer.position_embedding, start, end, 0)
            }
        };
        let mut sum = emit.plain("Add", &[words, positions]);
        if let (Some(embedding), Some(ids)) = (layer.segment_embedding, layer.segment_ids) {
            let segments = rows(emit, embedding, ids);
            sum = emit.plain("Add", &[sum, segments]);
        }
        let epsilon = Attribute::f32(layer.epsilon as f32);
        let result = emit.op("LayerNormalization", &[sum, layer.gamma, layer.beta], [("epsilon", epsilon)]);
        let lengths = lengths(emit, layer.mask, layer.input_ids);
        node.results = Some(vec![result, lengths, sum]);
        Ok(())
    });

fn rows(emit: &mut Emitter, embedding: Value, ids: Value) -> Value {
    emit.op("Gather", &[embedding, ids], [("axis", Attribute::i64(0))])
}

/// How many ones the mask has for each sequence; zero without a mask.
fn lengths(emit: &mut Emitter, mask: Option<Value>, ids: Value) -> Value {
    let Some(mask) = mask else {
        let (zero, batch) = (emit.integer(0), emit.extent(ids, 0));
        let zero = emit.convert(zero, &Type::I32);
        return emit.plain("Expand", &[zero, batch]);
    };
    let one = emit.number_like(1.0, mask);
    let ones = emit.plain("Equal", &[mask, one]);
    let (ones, axes) = (emit.convert(ones, &Type::I32), emit.integers(&[1]));
    emit.op("ReduceSum", &[ones, axes], [("keepdims", Attribute::i64(0))])
}
