//! FeatureVectorizer: concatenates the features of several operands, as floats.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::View;
use dialects::onnx::views::ml::FeatureVectorizer;
use ir::{Attribute, DimExpr};

use super::{features, rows};
use crate::operator::Operator;

pub(crate) const FEATURE_VECTORIZER: Operator = Operator {
    shapes: Some(|node| {
        let vectorizer: FeatureVectorizer = node.view();
        let mut count: Option<DimExpr> = None;
        let mut columns = DimExpr::ZERO;
        for (at, &operand) in vectorizer.x.iter().enumerate() {
            let Some(shape) = node.shape_of(operand) else { return Ok(vec![]) };
            let own = rows(&shape)?;
            if let Some(count) = &count {
                node.expect_equal(count, &own, "numbers of rows")?;
            }
            count.get_or_insert(own);
            let width = shape.last().expect("rows have columns");
            if let Some(&stated) = vectorizer.inputdimensions.as_ref().and_then(|stated| stated.get(at)) {
                node.expect_equal(&DimExpr::Constant(stated), width, "stated and actual numbers of features")?;
            }
            columns = columns.add(width);
        }
        Ok(vec![count.map(|count| vec![count, columns])])
    }),
    compose: Some(|emit, op| {
        let vectorizer = FeatureVectorizer::of(&emit.body, op);
        let parts = vectorizer.x.iter().map(|&part| features(emit, part)).collect::<Result<Vec<_>, _>>()?;
        Ok(vec![Some(emit.op("Concat", &parts, [("axis", Attribute::i64(1))]))])
    }),
    ..Operator::of(OnnxOp::MlFeatureVectorizer)
};
