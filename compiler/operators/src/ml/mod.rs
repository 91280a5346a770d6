//! The classical models of `ai.onnx.ml`: one row of features in, one row of results out.

mod forest;
mod scores;
mod tables;
mod tree_ensemble;
mod tree_ensemble_classifier;

use ir::DimExpr;

use crate::operator::Operator;

pub(crate) const OPERATORS: &[&Operator] = &[
    &tree_ensemble::TREE_ENSEMBLE,
    &tree_ensemble::TREE_ENSEMBLE_REGRESSOR,
    &tree_ensemble_classifier::TREE_ENSEMBLE_CLASSIFIER,
];

/// The number of rows; a vector is one row.
fn rows(shape: &[DimExpr]) -> Result<DimExpr, String> {
    match shape {
        [_] => Ok(DimExpr::ONE),
        [rows, _] => Ok(rows.clone()),
        _ => Err(format!("features must be a vector or a matrix, but have rank {}", shape.len())),
    }
}
