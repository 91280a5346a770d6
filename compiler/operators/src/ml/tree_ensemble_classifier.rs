//! TreeEnsembleClassifier: the scores of a TreeEnsembleRegressor, and their labels.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::ml::{TreeEnsembleClassifier, TreeEnsembleRegressor};
use dialects::onnx::views::{Reader, View};
use ir::{Attribute, Attributes, DimExpr, Op, Type, Value};

use super::rows;
use super::scores::{Labels, both_scores, column, transformed};
use super::tree_ensemble::{forest_of_lists, numbers};
use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::shape::{Answer, Node};

pub(crate) const TREE_ENSEMBLE_CLASSIFIER: Operator = Operator {
    types: Some(|node, index| {
        Some(if index == 0 { labels(node.attributes).tensor() } else { Type::unranked_tensor(Type::F32) })
    }),
    shapes: Some(shapes),
    conditions: Some(conditions),
    compose: Some(compose),
    ..Operator::of(OnnxOp::MlTreeEnsembleClassifier)
};

/// Only the labels, because reading the lists of all nodes takes long.
fn labels(attributes: &Attributes) -> Labels {
    let text = |label: &Attribute| if let Attribute::String(text) = label { Some(text.clone()) } else { None };
    let strings = attributes.get("classlabels_strings").and_then(Attribute::as_array);
    let strings = strings.and_then(|strings| strings.iter().map(text).collect());
    Labels::of(attributes.integers("classlabels_int64s"), strings)
}

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let classes = DimExpr::Constant(labels(node.attributes()).len() as i64);
    let Some(shape) = node.shape(0) else { return Ok(vec![]) };
    let rows = rows(&shape)?;
    Ok(vec![Some(vec![rows.clone()]), Some(vec![rows, classes])])
}

/// Those of the regressor that computes the scores.
fn conditions(node: &Reader<'_>) -> Result<(), String> {
    let classifier = TreeEnsembleClassifier::read(node);
    let base = numbers(classifier.base_values_as_tensor.as_ref(), classifier.base_values);
    let attributes = regressor(node.attributes.clone(), labels(node.attributes).len(), &base);
    forest_of_lists(TreeEnsembleRegressor::read(&Reader { attributes: &attributes, ..*node })).map(drop)
}

/// If all weights are for one of two classes, their sum is compared with a threshold: ½ if it is a probability, which
/// is assumed if no weight is negative.
fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let classifier = TreeEnsembleClassifier::of(&emit.body, op);
    let labels = labels(&emit.body.op(op).attributes);
    let ids = classifier.class_ids.unwrap_or_default();
    let base = numbers(classifier.base_values_as_tensor.as_ref(), classifier.base_values);
    let weights = numbers(classifier.class_weights_as_tensor.as_ref(), classifier.class_weights);
    let signed = weights.iter().any(|&weight| weight < 0.0);
    let threshold = if signed { 0.0 } else { 0.5 };
    let only = ids.first().copied().filter(|first| ids.iter().all(|id| id == first));
    let attributes = regressor(emit.body.op(op).attributes.clone(), labels.len(), &base);
    let scores = emit.ml("TreeEnsembleRegressor", &[classifier.x], attributes);
    let transform = classifier.post_transform;
    let (label, scores) = match only.filter(|_| labels.len() == 2) {
        Some(0) if base.len() < 2 => {
            let score = column(emit, scores, 0);
            (labels.by_threshold(emit, score, threshold), both_scores(emit, score, signed, transform))
        }
        Some(class) => {
            let score = column(emit, scores, class);
            (labels.by_threshold(emit, score, threshold), transformed(emit, scores, transform))
        }
        None => (labels.best(emit, scores), transformed(emit, scores, transform)),
    };
    Ok(vec![Some(label), Some(scores)])
}

/// The attributes of the regressor that computes the scores. A single base value is for the first of two classes.
fn regressor(mut attributes: Attributes, classes: usize, base: &[f64]) -> Attributes {
    for entry in ["treeids", "nodeids", "ids", "weights", "weights_as_tensor"] {
        if let Some(list) = attributes.remove(&format!("class_{entry}")) {
            attributes.set(format!("target_{entry}"), list);
        }
    }
    for name in ["classlabels_int64s", "classlabels_strings", "post_transform"] {
        attributes.remove(name);
    }
    attributes.set("n_targets", Attribute::i64(classes as i64));
    attributes.set("aggregate_function", Attribute::string("SUM"));
    if let (&[base], 2) = (base, classes) {
        attributes.remove("base_values_as_tensor");
        attributes.set("base_values", Attribute::float_list(&[base as f32, 0.0]));
    }
    attributes
}
