//! The classical models of `ai.onnx.ml`: one row of features in, one row of results out.

use ir::{Attribute, DimExpr};

use super::node::Node;
use super::{Answer, Rule};

pub(super) fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "ml.Binarizer" | "ml.CategoryMapper" | "ml.Imputer" | "ml.LabelEncoder" | "ml.Normalizer" | "ml.Scaler" => {
            super::math::like_first
        }
        "ml.LinearClassifier" => classify,
        "ml.SVMClassifier" => classify_by_vectors,
        "ml.LinearRegressor" => |node| regress(node, "targets"),
        "ml.SVMRegressor" => |node| regress(node, ""),
        "ml.ArrayFeatureExtractor" => extract_features,
        "ml.OneHotEncoder" => encode_one_hot,
        "ml.FeatureVectorizer" => join_features,
        _ => return None,
    })
}

/// Number of entries of a list attribute.
fn length(node: &Node<'_, '_>, names: &[&str]) -> Option<i64> {
    let entries = |name: &&str| match node.attribute(name)? {
        Attribute::Array(entries) => Some(entries.len() as i64),
        Attribute::DenseArray(_, entries) => Some(entries.len() as i64),
        _ => None,
    };
    names.iter().find_map(|name| entries(name).filter(|&count| count > 0))
}

/// The number of rows of operand 0; a vector is one row.
fn rows(node: &Node<'_, '_>) -> Option<DimExpr> {
    match node.shape(0)?.as_slice() {
        [] | [_] => Some(DimExpr::ONE),
        [rows, ..] => Some(rows.clone()),
    }
}

fn classify(node: &mut Node<'_, '_>) -> Answer {
    let Some(rows) = rows(node) else { return Ok(vec![]) };
    let labels = ["classlabels_ints", "classlabels_int64s", "classlabels_strings", "intercepts"];
    let classes = length(node, &labels).map(DimExpr::Constant);
    let classes = classes.unwrap_or_else(|| node.fresh(1, 1));
    Ok(vec![Some(vec![rows.clone()]), Some(vec![rows, classes])])
}

/// With probabilities there is a column a class; without, one a pair of classes.
fn classify_by_vectors(node: &mut Node<'_, '_>) -> Answer {
    let Some(rows) = rows(node) else { return Ok(vec![]) };
    let classes = length(node, &["classlabels_ints", "classlabels_strings"]);
    let columns = match (classes, length(node, &["prob_a"])) {
        (Some(classes), Some(_)) => DimExpr::Constant(classes),
        _ => node.fresh(1, 1),
    };
    Ok(vec![Some(vec![rows.clone()]), Some(vec![rows, columns])])
}

fn regress(node: &mut Node<'_, '_>, targets: &str) -> Answer {
    let columns = DimExpr::Constant(node.integer(targets, 1));
    Ok(vec![rows(node).map(|rows| vec![rows, columns])])
}

fn extract_features(node: &mut Node<'_, '_>) -> Answer {
    let (Some(mut shape), Some(places)) = (node.shape(0), node.shape(1)) else { return Ok(vec![]) };
    let count = DimExpr::product(&places);
    match shape.len() {
        0 | 1 => shape = vec![DimExpr::ONE, count],
        rank => shape[rank - 1] = count,
    }
    Ok(vec![Some(shape)])
}

fn encode_one_hot(node: &mut Node<'_, '_>) -> Answer {
    let categories = length(node, &["cats_int64s", "cats_strings"]).ok_or("it has no categories")?;
    Ok(vec![node.shape(0).map(|shape| [shape.as_slice(), &[DimExpr::Constant(categories)]].concat())])
}

fn join_features(node: &mut Node<'_, '_>) -> Answer {
    let columns = node.integers("inputdimensions").map(|counts| DimExpr::Constant(counts.iter().sum()));
    let columns = columns.unwrap_or_else(|| node.fresh(0, 1));
    Ok(vec![rows(node).map(|rows| vec![rows, columns])])
}
