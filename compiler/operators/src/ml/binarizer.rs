//! Binarizer: 1 above a threshold, 0 elsewhere.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::View;
use dialects::onnx::views::ml::Binarizer;
use ir::Type;

use crate::operator::Operator;
use crate::shape::like_first;

pub(crate) const BINARIZER: Operator = Operator {
    shapes: Some(like_first),
    compose: Some(|emit, op| {
        let binarizer = Binarizer::of(&emit.body, op);
        let element = emit.element(binarizer.x);
        // integers are compared as floats: the threshold may be between two of them
        let x = if element.is_float() { binarizer.x } else { emit.convert(binarizer.x, &Type::F64) };
        let threshold = emit.number_like(binarizer.threshold, x);
        let above = emit.plain("Greater", &[x, threshold]);
        Ok(vec![Some(emit.convert(above, &element))])
    }),
    ..Operator::of(OnnxOp::MlBinarizer)
};
