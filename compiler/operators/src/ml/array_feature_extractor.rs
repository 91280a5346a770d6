//! ArrayFeatureExtractor: the features at given indices of the last axis.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::View;
use dialects::onnx::views::ml::ArrayFeatureExtractor;
use ir::{Attribute, DimExpr};

use crate::operator::Operator;

pub(crate) const ARRAY_FEATURE_EXTRACTOR: Operator = Operator {
    shapes: Some(|node| {
        let extractor: ArrayFeatureExtractor = node.view();
        let shapes = (node.shape_of(extractor.x), node.shape_of(extractor.y));
        let (Some(shape), Some(places)) = shapes else { return Ok(vec![]) };
        let count = DimExpr::product(&places);
        Ok(vec![Some(match shape.as_slice() {
            [] => return Err("a scalar has no features".to_string()),
            [_] => vec![DimExpr::ONE, count],
            [front @ .., _] => [front, &[count]].concat(),
        })])
    }),
    compose: Some(|emit, op| {
        let extractor = ArrayFeatureExtractor::of(&emit.body, op);
        let is_row = emit.known_rank(extractor.x)? == 1;
        let x = if is_row { emit.unsqueeze(extractor.x, &[0]) } else { extractor.x };
        let all = emit.integers(&[-1]);
        let places = emit.plain("Reshape", &[extractor.y, all]);
        Ok(vec![Some(emit.op("Gather", &[x, places], [("axis", Attribute::i64(-1))]))])
    }),
    ..Operator::of(OnnxOp::MlArrayFeatureExtractor)
};
