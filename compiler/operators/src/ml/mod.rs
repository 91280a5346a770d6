//! The classical models of `ai.onnx.ml`: one row of features in, one row of results out.

mod array_feature_extractor;
mod binarizer;
mod constant_arrays;
mod coupling;
mod feature_vectorizer;
mod forest;
mod imputer;
mod label_encoder;
mod linear;
mod maps;
mod normalizer;
mod one_hot_encoder;
mod scaler;
mod scores;
mod support_vectors;
mod tree_ensemble;
mod tree_ensemble_classifier;

use ir::{Blob, DenseElements, DimExpr, Type, Value};

use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::shape::{Answer, Condition, Node, like_first};

pub(crate) const OPERATORS: &[&Operator] = &[
    &array_feature_extractor::ARRAY_FEATURE_EXTRACTOR,
    &binarizer::BINARIZER,
    &feature_vectorizer::FEATURE_VECTORIZER,
    &imputer::IMPUTER,
    &label_encoder::CATEGORY_MAPPER,
    &label_encoder::LABEL_ENCODER,
    &linear::LINEAR_CLASSIFIER,
    &linear::LINEAR_REGRESSOR,
    &maps::CAST_MAP,
    &maps::DICT_VECTORIZER,
    &maps::ZIP_MAP,
    &normalizer::NORMALIZER,
    &one_hot_encoder::ONE_HOT_ENCODER,
    &scaler::SCALER,
    &support_vectors::SVM_CLASSIFIER,
    &support_vectors::SVM_REGRESSOR,
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

/// The shape of the features, for each of which, or for all, lists have a number.
fn like_features(node: &mut Node<'_, '_>, x: Value, lists: &[(&str, Option<usize>)]) -> Answer {
    let Some(features) = node.shape_of(x).and_then(|shape| shape.last().cloned()) else { return like_first(node) };
    for &(name, length) in lists {
        let Some(length) = length else { continue };
        let message = || format!("'{name}' has {length} elements, expected 1, or one for each of {features} features");
        node.require(Condition::Stretches(DimExpr::Constant(length as i64), features.clone()), message)?;
    }
    like_first(node)
}

/// States that rows have as many features as there are coefficients for each of `count` vectors.
fn expect_features(node: &mut Node<'_, '_>, x: Value, coefficients: usize, count: usize) -> Result<(), String> {
    let Some(features) = node.shape_of(x).and_then(|shape| shape.last().cloned()) else { return Ok(()) };
    if count == 0 || !coefficients.is_multiple_of(count) {
        // reported where they are read
        return Ok(());
    }
    let each = coefficients / count;
    let message = || format!("rows have {features} features, the coefficients are for {each}");
    node.require(Condition::Equal(features.clone(), DimExpr::Constant(each as i64)), message)
}

/// Features as a matrix of floats; a vector is one row.
fn features(emit: &mut Emitter, x: Value) -> Result<Value, Problem> {
    let x = emit.convert(x, &Type::F32);
    Ok(if emit.known_rank(x)? == 1 { emit.unsqueeze(x, &[0]) } else { x })
}

/// A constant of 32-bit floats.
fn float_constant(emit: &mut Emitter, shape: &[i64], numbers: &[f32]) -> Value {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    emit.constant(DenseElements::new(Type::static_tensor(shape, Type::F32), Blob::copy_of(&bytes)))
}
