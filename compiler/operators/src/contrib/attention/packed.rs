//! Attention and QAttention: queries, keys and values are one matrix product of the input.

use std::sync::Arc;

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{View, microsoft};
use ir::{Attribute, DimExpr, Op, Value};

use super::mask::Padding;
use super::{Heads, extent, total};
use crate::graph::{Emitter, Problem};
use crate::nn::split_heads;
use crate::operator::Operator;
use crate::quantization::IntegerProduct;
use crate::shape::{Answer, Node};

pub(crate) const ATTENTION: Operator = Operator {
    shapes: Some(|node| Packed::attention(&node.view()).shapes(node)),
    compose: Some(compose),
    ..Operator::of(OnnxOp::MicrosoftAttention)
};

pub(crate) const QATTENTION: Operator = Operator {
    shapes: Some(|node| Packed::quantized(&node.view()).shapes(node)),
    compose: Some(compose_quantized),
    ..Operator::of(OnnxOp::MicrosoftQAttention)
};

/// The options of both operators.
struct Packed {
    input: Value,
    weights: Value,
    mask: Option<Value>,
    past: Option<Value>,
    bias: Option<Value>,
    heads: i64,
    /// The numbers of columns of queries, keys and values, equal if they are not given.
    sizes: Option<Arc<[i64]>>,
    filter: Option<f64>,
    scale: Option<f64>,
    causal: bool,
}

impl Packed {
    fn attention(node: &microsoft::Attention) -> Packed {
        Packed {
            input: node.input,
            weights: node.weights,
            mask: node.mask_index,
            past: node.past,
            bias: node.attention_bias,
            heads: node.num_heads,
            sizes: node.qkv_hidden_sizes.clone().filter(|sizes| sizes.len() == 3),
            filter: node.mask_filter_value,
            scale: node.scale,
            causal: node.unidirectional != 0,
        }
    }

    fn quantized(node: &microsoft::QAttention) -> Packed {
        Packed {
            input: node.input,
            weights: node.weight,
            mask: node.mask_index,
            past: node.past,
            bias: None,
            heads: node.num_heads,
            sizes: None,
            filter: node.mask_filter_value,
            scale: node.scale,
            causal: node.unidirectional != 0,
        }
    }

    fn shapes(&self, node: &mut Node<'_, '_>) -> Answer {
        let (Some(input), Some(weights)) = (node.shape_of(self.input), node.shape_of(self.weights)) else {
            return Ok(vec![]);
        };
        let ([batch, rows, features], [inputs, columns]) = (input.as_slice(), weights.as_slice()) else {
            return Err("the input must have rank 3 and the weights rank 2".to_string());
        };
        node.expect_equal(features, inputs, "features and rows of the weights")?;
        let heads = DimExpr::Constant(self.heads);
        let size = |part: usize| match &self.sizes {
            Some(sizes) => DimExpr::Constant(sizes[part]),
            None => columns.floor_div(&DimExpr::Constant(3)),
        };
        for part in 0..3 {
            node.expect_multiple((&size(part), "columns of queries, keys or values"), (&heads, "heads"))?;
        }
        let past = self.past.and_then(|past| node.shape_of(past));
        let past = extent(past.as_deref(), 3).unwrap_or(DimExpr::ZERO);
        let pair = [DimExpr::Constant(2), batch.clone(), heads.clone(), past.add(rows), size(1).floor_div(&heads)];
        Ok(vec![Some(vec![batch.clone(), rows.clone(), size(2)]), Some(pair.to_vec())])
    }

    /// Attention from the product of input and weights.
    fn compose(&self, emit: &mut Emitter, product: Value, has_present: bool) -> Result<Vec<Option<Value>>, Problem> {
        let batch = emit.extent(self.input, 0);
        let axis = ("axis", Attribute::i64(-1));
        let parts: [Value; 3] = match &self.sizes {
            Some(sizes) => {
                let sizes = emit.integers(sizes);
                emit.results("Split", &[product, sizes], [axis])
            }
            None => emit.results("Split", &[product], [axis, ("num_outputs", Attribute::i64(3))]),
        };
        let [query, key, value] = parts.map(|part| split_heads(emit, part, self.heads));
        let past = self.past.map(|past| [0, 1].map(|part| part_of(emit, past, part)));
        let rows = emit.extent(key, 2);
        let keys = match past {
            Some([past, _]) => {
                let past = emit.extent(past, 2);
                emit.plain("Add", &[past, rows])
            }
            None => rows,
        };
        let padding = self.mask.map(|mask| Padding { mask, filter: self.filter, batch, keys }.bias(emit, query));
        let mask = total(emit, [padding.transpose()?, self.bias]);
        let (causal, scale) = (self.causal, self.scale);
        let heads = Heads { query, key, value, past, mask, causal, scale, softcap: 0.0, shown: 0 };
        let [result, key, value, _] = heads.attend(emit);
        if !has_present {
            return Ok(vec![Some(result)]);
        }
        let pair = [key, value].map(|part| emit.unsqueeze(part, &[0]));
        let present = emit.op("Concat", &pair, [("axis", Attribute::i64(0))]);
        Ok(vec![Some(result), Some(present)])
    }
}

/// Keys (0) or values (1) of a cache.
fn part_of(emit: &mut Emitter, cache: Value, part: i64) -> Value {
    let index = emit.integer(part);
    emit.op("Gather", &[cache, index], [("axis", Attribute::i64(0))])
}

fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let node = microsoft::Attention::of(&emit.body, op);
    if node.do_rotary == Some(1) {
        return Err(Problem::unsupported("rotates, but no angles are provided"));
    }
    if node.past_sequence_length.is_some() {
        return Err(Problem::unsupported("shares the buffer of past and present"));
    }
    let product = emit.plain("MatMul", &[node.input, node.weights]);
    let biased = node.bias.map_or(product, |bias| emit.plain("Add", &[product, bias]));
    Packed::attention(&node).compose(emit, biased, emit.body.op(op).results().len() > 1)
}

fn compose_quantized(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let node = microsoft::QAttention::of(&emit.body, op);
    if node.do_rotary == Some(1) {
        return Err(Problem::unsupported("rotates, but no angles are provided"));
    }
    let product = IntegerProduct {
        factors: [node.input, node.weight],
        zero_points: [node.input_zero_point, node.weight_zero_point],
        scales: [node.input_scale, node.weight_scale],
        bias: Some(node.bias),
    };
    let product = product.emit(emit);
    Packed::quantized(&node).compose(emit, product, emit.body.op(op).results().len() > 1)
}
