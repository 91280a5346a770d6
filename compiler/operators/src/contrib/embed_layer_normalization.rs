//! EmbedLayerNormalization, QEmbedLayerNormalization: the sum of the embeddings of words, positions and segments, normalized.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::microsoft;
use ir::{Attribute, Type, Value};

use super::quantized::dequantized;
use crate::graph::Emitter;
use crate::operator::Operator;

pub(crate) const EMBED_LAYER_NORMALIZATION: Operator =
    Operator::read_as(OnnxOp::MicrosoftEmbedLayerNormalization, |node, emit| {
        let layer: microsoft::EmbedLayerNormalization = node.view(emit);
        let embeddings = Embeddings {
            words: (layer.word_embedding, layer.input_ids),
            positions: (layer.position_embedding, layer.position_ids),
            segments: layer.segment_embedding.zip(layer.segment_ids),
            gamma: layer.gamma,
            beta: layer.beta,
            mask: layer.mask,
            epsilon: layer.epsilon,
        };
        node.results = Some(embeddings.normalized(emit).to_vec());
        Ok(())
    });

pub(crate) const QEMBED_LAYER_NORMALIZATION: Operator =
    Operator::read_as(OnnxOp::MicrosoftQEmbedLayerNormalization, |node, emit| {
        let layer: microsoft::QEmbedLayerNormalization = node.view(emit);
        let mut table = |q, scale, zero_point| dequantized(emit, q, (scale, Some(zero_point)));
        let words = table(layer.word_embedding_quant, layer.word_embedding_scale, layer.word_embedding_zero_point);
        let positions =
            table(layer.position_embedding_quant, layer.position_embedding_scale, layer.position_embedding_zero_point);
        let segments =
            match (layer.segment_embedding, layer.segment_embedding_scale, layer.segment_embedding_zero_point) {
                (Some(q), Some(scale), Some(zero_point)) => Some(table(q, scale, zero_point)),
                _ => None,
            };
        let gamma = table(layer.gamma_quant, layer.gamma_scale, layer.gamma_zero_point);
        let beta = table(layer.beta_quant, layer.beta_scale, layer.beta_zero_point);
        let embeddings = Embeddings {
            words: (words, layer.input_ids),
            positions: (positions, None),
            segments: segments.zip(layer.segment_ids),
            gamma,
            beta,
            mask: layer.mask,
            epsilon: layer.epsilon,
        };
        let [result, lengths, _] = embeddings.normalized(emit);
        node.results = Some(vec![result, lengths]);
        Ok(())
    });

/// The operands of both operators: tables, and indices into them.
struct Embeddings {
    words: (Value, Value),
    /// Default indices count up.
    positions: (Value, Option<Value>),
    segments: Option<(Value, Value)>,
    gamma: Value,
    beta: Value,
    mask: Option<Value>,
    epsilon: f64,
}

impl Embeddings {
    /// The normalized sum, the lengths of the sequences, and the sum.
    fn normalized(&self, emit: &mut Emitter) -> [Value; 3] {
        let (table, ids) = self.words;
        let words = rows(emit, table, ids);
        let positions = match self.positions {
            (table, Some(ids)) => rows(emit, table, ids),
            (table, None) => {
                let (start, end) = (emit.integers(&[0]), emit.extent(ids, 1));
                emit.slice(table, start, end, 0)
            }
        };
        let mut sum = emit.plain("Add", &[words, positions]);
        if let Some((table, ids)) = self.segments {
            let segments = rows(emit, table, ids);
            sum = emit.plain("Add", &[sum, segments]);
        }
        let epsilon = Attribute::f32(self.epsilon as f32);
        let result = emit.op("LayerNormalization", &[sum, self.gamma, self.beta], [("epsilon", epsilon)]);
        [result, lengths(emit, self.mask, ids), sum]
    }
}

fn rows(emit: &mut Emitter, embedding: Value, ids: Value) -> Value {
    emit.op("Gather", &[embedding, ids], [("axis", Attribute::i64(0))])
}

/// The number of ones of the mask for each sequence; zero without a mask.
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
