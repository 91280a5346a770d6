//! FlexAttention: attention whose scores and probabilities may be modified by graphs. ai.onnx.preview, since 1.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Attribute, Op, Type, Value};

use super::heads::{headwise_product, inverse_root_size};
use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::shape::{Answer, Node};

/// Regions in order.
const SCORE_MOD: usize = 0;
const PROB_MOD: usize = 1;

pub(crate) const FLEX_ATTENTION: Operator =
    Operator { shapes: Some(shapes), compose: Some(compose), ..Operator::of(OnnxOp::PreviewFlexAttention) };

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let attention: views::preview::FlexAttention = node.view();
    let (Some(mut query), Some(value)) = (node.shape_of(attention.q), node.shape_of(attention.v)) else {
        return Ok(vec![]);
    };
    if query.len() != 4 || value.len() != 4 {
        return Err("operands must have rank 4".to_string());
    }
    query[3] = value[3].clone();
    Ok(vec![Some(query)])
}

fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let attention = views::preview::FlexAttention::of(&emit.body, op);
    let element = emit.element(attention.q);
    let precision = match attention.softmax_precision {
        Some(number) => crate::types::element_type(number as i32).map_err(Problem::input)?,
        None if element == Type::F64 => Type::F64,
        None => Type::F32,
    };
    let [query, key] = [attention.q, attention.k].map(|operand| emit.convert(operand, &precision));
    let columns = emit.transpose(key, &[0, 1, 3, 2]);
    let product = headwise_product(emit, query, columns);
    let scale = match attention.scale {
        Some(scale) => emit.number_like(scale, product),
        None => inverse_root_size(emit, query, product),
    };
    let mut scores = emit.plain("Mul", &[product, scale]);
    scores = emit.inline_region(op, SCORE_MOD, scores)?;
    let mut weights = emit.op("Softmax", &[scores], [("axis", Attribute::i64(-1))]);
    weights = emit.inline_region(op, PROB_MOD, weights)?;
    let value = emit.convert(attention.v, &precision);
    let result = headwise_product(emit, weights, value);
    Ok(vec![Some(emit.convert(result, &element))])
}
