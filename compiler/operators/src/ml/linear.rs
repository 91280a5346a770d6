//! LinearRegressor and LinearClassifier: `x · coefficientsᵀ + intercepts`, and the labels of scores.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::View;
use dialects::onnx::views::ml::{LinearClassifier, LinearRegressor};
use ir::{Attribute, DimExpr, Op, Type, Value};

use super::scores::{Labels, both_scores, column, transformed};
use super::{expect_features, features, float_constant, rows};
use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::shape::{Answer, Node};

pub(crate) const LINEAR_REGRESSOR: Operator = Operator {
    shapes: Some(|node| {
        let regressor: LinearRegressor = node.view();
        let Some(shape) = node.shape_of(regressor.x) else { return Ok(vec![]) };
        let coefficients = regressor.coefficients.as_ref().map_or(0, Vec::len);
        expect_features(node, regressor.x, coefficients, regressor.targets.max(0) as usize)?;
        Ok(vec![Some(vec![rows(&shape)?, DimExpr::Constant(regressor.targets.max(0))])])
    }),
    compose: Some(|emit, op| {
        let regressor = LinearRegressor::of(&emit.body, op);
        let coefficients = regressor.coefficients.unwrap_or_default();
        let intercepts = regressor.intercepts.unwrap_or_default();
        let scores = scores(emit, regressor.x, &coefficients, &intercepts, regressor.targets)?;
        Ok(vec![Some(transformed(emit, scores, regressor.post_transform))])
    }),
    ..Operator::of(OnnxOp::MlLinearRegressor)
};

pub(crate) const LINEAR_CLASSIFIER: Operator = Operator {
    types: Some(|node, index| {
        let classifier = LinearClassifier::read(node);
        Some(if index == 0 { labels(&classifier).tensor() } else { Type::unranked_tensor(Type::F32) })
    }),
    shapes: Some(classifier_shapes),
    compose: Some(classify),
    ..Operator::of(OnnxOp::MlLinearClassifier)
};

fn labels(classifier: &LinearClassifier) -> Labels {
    Labels::of(classifier.classlabels_ints.clone(), classifier.classlabels_strings.clone())
}

/// The number of scores: one for each intercept, or for each label without intercepts.
fn score_count(classifier: &LinearClassifier, labels: &Labels) -> usize {
    classifier.intercepts.as_ref().map_or(labels.len(), Vec::len)
}

fn classifier_shapes(node: &mut Node<'_, '_>) -> Answer {
    let classifier: LinearClassifier = node.view();
    let labels = labels(&classifier);
    let columns = match (score_count(&classifier, &labels), labels.len()) {
        (1, 2) => 2,
        (count, _) => count,
    };
    let Some(shape) = node.shape_of(classifier.x) else { return Ok(vec![]) };
    let rows = rows(&shape)?;
    expect_features(node, classifier.x, classifier.coefficients.len(), score_count(&classifier, &labels))?;
    Ok(vec![Some(vec![rows.clone()]), Some(vec![rows, DimExpr::Constant(columns as i64)])])
}

fn classify(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let classifier = LinearClassifier::of(&emit.body, op);
    let labels = labels(&classifier);
    let count = score_count(&classifier, &labels);
    let intercepts = classifier.intercepts.unwrap_or_default();
    let scores = scores(emit, classifier.x, &classifier.coefficients, &intercepts, count as i64)?;
    let (label, scores) = match (count, labels.len()) {
        (1, 2) => {
            let score = column(emit, scores, 0);
            let both = both_scores(emit, score, false, classifier.post_transform);
            (labels.by_threshold(emit, score, 0.0), both)
        }
        (scored, labelled) if scored > labelled => {
            return Err(Problem::input(format!("has {scored} scores, but {labelled} labels")));
        }
        _ => (labels.best(emit, scores), transformed(emit, scores, classifier.post_transform)),
    };
    Ok(vec![Some(label), Some(scores)])
}

/// `x · coefficientsᵀ + intercepts`, with a row of coefficients for each score.
pub(super) fn scores(
    emit: &mut Emitter,
    x: Value,
    coefficients: &[f32],
    intercepts: &[f32],
    count: i64,
) -> Result<Value, Problem> {
    let columns = coefficients.len() as i64 / count.max(1);
    let intercepts_fit = intercepts.is_empty() || intercepts.len() as i64 == count;
    if count < 1 || columns * count != coefficients.len() as i64 || !intercepts_fit {
        return Err(Problem::input(format!(
            "has {} coefficients and {} intercepts for {count} scores",
            coefficients.len(),
            intercepts.len()
        )));
    }
    let x = features(emit, x)?;
    let coefficients = float_constant(emit, &[count, columns], coefficients);
    let mut operands = vec![x, coefficients];
    if !intercepts.is_empty() {
        operands.push(float_constant(emit, &[count], intercepts));
    }
    Ok(emit.op("Gemm", &operands, [("transB", Attribute::i64(1))]))
}
