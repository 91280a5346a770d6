//! The classical models of `ai.onnx.ml`: one row of features in, one row of results out.

use ir::{Attribute, DimExpr};

use super::node::Node;
use super::{Answer, Rule};

pub(super) fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "ml.SVMClassifier" => classify_by_vectors,
        "ml.SVMRegressor" => |node| regress(node, ""),
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
