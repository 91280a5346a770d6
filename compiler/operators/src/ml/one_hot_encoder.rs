//! OneHotEncoder: 1 at the index of a category, 0 at the others.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::View;
use dialects::onnx::views::ml::OneHotEncoder;
use ir::{Attribute, DimExpr, Type, Value};

use super::label_encoder::text;
use super::scores::Labels;
use crate::graph::Emitter;
use crate::operator::Operator;

pub(crate) const ONE_HOT_ENCODER: Operator = Operator {
    shapes: Some(|node| {
        let encoder: OneHotEncoder = node.view();
        let categories = DimExpr::Constant(Labels::of(encoder.cats_int64s, encoder.cats_strings).len() as i64);
        Ok(vec![node.shape_of(encoder.x).map(|shape| [shape.as_slice(), &[categories]].concat())])
    }),
    compose: Some(|emit, op| {
        let encoder = OneHotEncoder::of(&emit.body, op);
        // if the model has both kinds of categories, those of the operand's type apply
        let is_text = emit.element(encoder.x) == text();
        let (labels, mut x) = match is_text {
            true => (Labels::Strings(encoder.cats_strings.unwrap_or_default()), encoder.x),
            false => {
                let integers = Labels::Integers(encoder.cats_int64s.unwrap_or_default());
                (integers, emit.convert(encoder.x, &Type::I64))
            }
        };
        let mut categories = emit.constant(labels.elements());
        if encoder.zeros == 0 {
            (x, categories) = places(emit, x, &labels);
        }
        let x = emit.unsqueeze(x, &[-1]);
        let same = emit.plain("Equal", &[x, categories]);
        Ok(vec![Some(emit.convert(same, &Type::F32))])
    }),
    ..Operator::of(OnnxOp::MlOneHotEncoder)
};

/// The indices of elements among the labels, and the numbers of all indices. An element that is not a label gets the
/// index after the last, whose lookup fails the run.
fn places(emit: &mut Emitter, x: Value, labels: &Labels) -> (Value, Value) {
    let count = labels.len() as i64;
    let places: Vec<i64> = (0..count).collect();
    let keys = match labels {
        Labels::Integers(labels) => ("keys_int64s", Attribute::integer_list(labels)),
        Labels::Strings(labels) => {
            ("keys_strings", Attribute::Array(labels.iter().map(|label| Attribute::string(label)).collect()))
        }
    };
    let values = ("values_int64s", Attribute::integer_list(&places));
    let place = emit.ml("LabelEncoder", &[x], [keys, values, ("default_int64", Attribute::i64(count))]);
    let places = emit.integers(&places);
    (emit.op("Gather", &[places, place], [("axis", Attribute::i64(0))]), places)
}
