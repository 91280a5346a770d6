//! OneHotEncoder: 1 at the place of a category, 0 at those of the others.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::View;
use dialects::onnx::views::ml::OneHotEncoder;
use ir::{DenseElements, DimExpr, Type};

use super::scores::Labels;
use crate::graph::Problem;
use crate::operator::Operator;

pub(crate) const ONE_HOT_ENCODER: Operator = Operator {
    shapes: Some(|node| {
        let encoder: OneHotEncoder = node.view();
        let categories = DimExpr::Constant(Labels::of(encoder.cats_int64s, encoder.cats_strings).len() as i64);
        Ok(vec![node.shape_of(encoder.x).map(|shape| [shape.as_slice(), &[categories]].concat())])
    }),
    compose: Some(|emit, op| {
        let encoder = OneHotEncoder::of(&emit.body, op);
        if encoder.zeros == 0 {
            return Err(Problem::unsupported("fails on unknown categories, which is not supported"));
        }
        let (x, categories) = match Labels::of(encoder.cats_int64s, encoder.cats_strings) {
            Labels::Integers(labels) => (emit.convert(encoder.x, &Type::I64), emit.integers(&labels)),
            Labels::Strings(labels) => {
                let r#type = Type::static_tensor(&[labels.len() as i64], emit.element(encoder.x));
                (encoder.x, emit.constant(DenseElements::from_strings(r#type, &labels)))
            }
        };
        let x = emit.unsqueeze(x, &[-1]);
        let same = emit.plain("Equal", &[x, categories]);
        Ok(vec![Some(emit.convert(same, &Type::F32))])
    }),
    ..Operator::of(OnnxOp::MlOneHotEncoder)
};
