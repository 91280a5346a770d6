//! ONNX Runtime's attention operators, expressed by the standard's `Attention`.

pub(super) mod group_query;
mod mask;
pub(super) mod multi_head;
pub(super) mod packed;

use ir::{Attribute, Attributes, DimExpr, Type, Value};

use crate::graph::Emitter;

/// Queries, keys and values, with heads in axis 1, and the options of attention.
struct Heads {
    query: Value,
    key: Value,
    value: Value,
    /// Keys and values that come before these.
    past: Option<[Value; 2]>,
    /// The term that is added to the scores; false hides a key.
    mask: Option<Value>,
    causal: bool,
    /// `None` for the reciprocal root of a head's size.
    scale: Option<f64>,
    softcap: f64,
    /// The scores that are the last result, by the standard's number.
    shown: i64,
}

/// The scores with mask and bias, and their softmax.
const BIASED: i64 = 2;
const WEIGHTS: i64 = 3;

impl Heads {
    /// The result with heads joined, all keys, all values, and the requested scores.
    fn attend(self, emit: &mut Emitter) -> [Value; 4] {
        let past = self.past.map(|past| past.map(Some)).unwrap_or_default();
        let optional = [self.mask, past[0], past[1]].map(|operand| operand.unwrap_or(emit.none));
        let operands = [[self.query, self.key, self.value], optional].concat();
        let mut attributes = Attributes::from([
            ("is_causal", Attribute::i64(i64::from(self.causal))),
            ("softcap", Attribute::f32(self.softcap as f32)),
            ("qk_matmul_output_mode", Attribute::i64(self.shown)),
        ]);
        // zero means the default
        if let Some(scale) = self.scale.filter(|&scale| scale != 0.0) {
            attributes.set("scale", Attribute::f32(scale as f32));
        }
        let [result, key, value, shown] = emit.results("Attention", &operands, attributes);
        [crate::nn::join_heads(emit, result), key, value, shown]
    }
}

/// The sum of the terms that are present.
fn total(emit: &mut Emitter, terms: impl IntoIterator<Item = Option<Value>>) -> Option<Value> {
    terms.into_iter().flatten().reduce(|a, b| emit.plain("Add", &[a, b]))
}

/// A count as a list of one.
fn length(emit: &mut Emitter, count: Value) -> Value {
    let (count, list) = (emit.convert(count, &Type::I64), emit.integers(&[1]));
    emit.plain("Reshape", &[count, list])
}

/// Extent `axis` of a shape that may be unknown or shorter.
fn extent(shape: Option<&[DimExpr]>, axis: usize) -> Option<DimExpr> {
    shape?.get(axis).cloned()
}
