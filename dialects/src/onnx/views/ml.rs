// Generated from the schemas; UPDATE=1 cargo test -p onnxc-dialects regenerates it.
#![allow(missing_docs, reason = "the names are ONNX's")]

use std::sync::Arc;

use ir::{DenseElements, Value};

use super::super::OnnxOp;
use super::{Reader, View, required};
use super::enumerations::{CastMapTarget, KernelType, MapForm, Norm, PostTransform};

#[derive(Clone, Debug)]
pub struct ArrayFeatureExtractor { pub x: Value, pub y: Value }
impl View for ArrayFeatureExtractor {
    const OPERATOR: OnnxOp = OnnxOp::MlArrayFeatureExtractor;
    fn read(node: &Reader<'_>) -> Self { ArrayFeatureExtractor { x: node.operand(0), y: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct Binarizer { pub x: Value, pub threshold: f64 }
impl View for Binarizer {
    const OPERATOR: OnnxOp = OnnxOp::MlBinarizer;
    fn read(node: &Reader<'_>) -> Self { Binarizer { x: node.operand(0), threshold: node.float("threshold").unwrap_or(0.0) } }
}

#[derive(Clone, Debug)]
pub struct CastMap { pub x: Value, pub cast_to: CastMapTarget, pub map_form: MapForm, pub max_map: i64 }
impl View for CastMap {
    const OPERATOR: OnnxOp = OnnxOp::MlCastMap;
    fn read(node: &Reader<'_>) -> Self { CastMap { x: node.operand(0), cast_to: node.choice("cast_to").unwrap_or(CastMapTarget::ToFloat), map_form: node.choice("map_form").unwrap_or(MapForm::Dense), max_map: node.integer("max_map").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct CategoryMapper { pub x: Value, pub cats_int64s: Option<Arc<[i64]>>, pub cats_strings: Option<Vec<Arc<str>>>, pub default_int64: i64, pub default_string: String }
impl View for CategoryMapper {
    const OPERATOR: OnnxOp = OnnxOp::MlCategoryMapper;
    fn read(node: &Reader<'_>) -> Self { CategoryMapper { x: node.operand(0), cats_int64s: node.integers("cats_int64s"), cats_strings: node.strings("cats_strings"), default_int64: node.integer("default_int64").unwrap_or(-1), default_string: node.string("default_string").unwrap_or_else(|| "_Unused".into()) } }
}

#[derive(Clone, Debug)]
pub struct DictVectorizer { pub x: Value, pub int64_vocabulary: Option<Arc<[i64]>>, pub string_vocabulary: Option<Vec<Arc<str>>> }
impl View for DictVectorizer {
    const OPERATOR: OnnxOp = OnnxOp::MlDictVectorizer;
    fn read(node: &Reader<'_>) -> Self { DictVectorizer { x: node.operand(0), int64_vocabulary: node.integers("int64_vocabulary"), string_vocabulary: node.strings("string_vocabulary") } }
}

#[derive(Clone, Debug)]
pub struct FeatureVectorizer { pub x: Vec<Value>, pub inputdimensions: Option<Arc<[i64]>> }
impl View for FeatureVectorizer {
    const OPERATOR: OnnxOp = OnnxOp::MlFeatureVectorizer;
    fn read(node: &Reader<'_>) -> Self { FeatureVectorizer { x: node.variadic(0), inputdimensions: node.integers("inputdimensions") } }
}

#[derive(Clone, Debug)]
pub struct Imputer { pub x: Value, pub imputed_value_floats: Option<Vec<f32>>, pub imputed_value_int64s: Option<Arc<[i64]>>, pub replaced_value_float: f64, pub replaced_value_int64: i64 }
impl View for Imputer {
    const OPERATOR: OnnxOp = OnnxOp::MlImputer;
    fn read(node: &Reader<'_>) -> Self { Imputer { x: node.operand(0), imputed_value_floats: node.floats("imputed_value_floats"), imputed_value_int64s: node.integers("imputed_value_int64s"), replaced_value_float: node.float("replaced_value_float").unwrap_or(0.0), replaced_value_int64: node.integer("replaced_value_int64").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct LabelEncoder { pub x: Value, pub default_float: f64, pub default_int64: i64, pub default_string: String, pub default_tensor: Option<Arc<DenseElements>>, pub keys_floats: Option<Vec<f32>>, pub keys_int64s: Option<Arc<[i64]>>, pub keys_strings: Option<Vec<Arc<str>>>, pub keys_tensor: Option<Arc<DenseElements>>, pub values_floats: Option<Vec<f32>>, pub values_int64s: Option<Arc<[i64]>>, pub values_strings: Option<Vec<Arc<str>>>, pub values_tensor: Option<Arc<DenseElements>> }
impl View for LabelEncoder {
    const OPERATOR: OnnxOp = OnnxOp::MlLabelEncoder;
    fn read(node: &Reader<'_>) -> Self { LabelEncoder { x: node.operand(0), default_float: node.float("default_float").unwrap_or(-0.0), default_int64: node.integer("default_int64").unwrap_or(-1), default_string: node.string("default_string").unwrap_or_else(|| "_Unused".into()), default_tensor: node.tensor("default_tensor"), keys_floats: node.floats("keys_floats"), keys_int64s: node.integers("keys_int64s"), keys_strings: node.strings("keys_strings"), keys_tensor: node.tensor("keys_tensor"), values_floats: node.floats("values_floats"), values_int64s: node.integers("values_int64s"), values_strings: node.strings("values_strings"), values_tensor: node.tensor("values_tensor") } }
}

#[derive(Clone, Debug)]
pub struct LinearClassifier { pub x: Value, pub classlabels_ints: Option<Arc<[i64]>>, pub classlabels_strings: Option<Vec<Arc<str>>>, pub coefficients: Vec<f32>, pub intercepts: Option<Vec<f32>>, pub multi_class: i64, pub post_transform: PostTransform }
impl View for LinearClassifier {
    const OPERATOR: OnnxOp = OnnxOp::MlLinearClassifier;
    fn read(node: &Reader<'_>) -> Self { LinearClassifier { x: node.operand(0), classlabels_ints: node.integers("classlabels_ints"), classlabels_strings: node.strings("classlabels_strings"), coefficients: required(node.floats("coefficients")), intercepts: node.floats("intercepts"), multi_class: node.integer("multi_class").unwrap_or(0), post_transform: node.choice("post_transform").unwrap_or(PostTransform::None) } }
}

#[derive(Clone, Debug)]
pub struct LinearRegressor { pub x: Value, pub coefficients: Option<Vec<f32>>, pub intercepts: Option<Vec<f32>>, pub post_transform: PostTransform, pub targets: i64 }
impl View for LinearRegressor {
    const OPERATOR: OnnxOp = OnnxOp::MlLinearRegressor;
    fn read(node: &Reader<'_>) -> Self { LinearRegressor { x: node.operand(0), coefficients: node.floats("coefficients"), intercepts: node.floats("intercepts"), post_transform: node.choice("post_transform").unwrap_or(PostTransform::None), targets: node.integer("targets").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct Normalizer { pub x: Value, pub norm: Norm }
impl View for Normalizer {
    const OPERATOR: OnnxOp = OnnxOp::MlNormalizer;
    fn read(node: &Reader<'_>) -> Self { Normalizer { x: node.operand(0), norm: node.choice("norm").unwrap_or(Norm::Max) } }
}

#[derive(Clone, Debug)]
pub struct OneHotEncoder { pub x: Value, pub cats_int64s: Option<Arc<[i64]>>, pub cats_strings: Option<Vec<Arc<str>>>, pub zeros: i64 }
impl View for OneHotEncoder {
    const OPERATOR: OnnxOp = OnnxOp::MlOneHotEncoder;
    fn read(node: &Reader<'_>) -> Self { OneHotEncoder { x: node.operand(0), cats_int64s: node.integers("cats_int64s"), cats_strings: node.strings("cats_strings"), zeros: node.integer("zeros").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct SVMClassifier { pub x: Value, pub classlabels_ints: Option<Arc<[i64]>>, pub classlabels_strings: Option<Vec<Arc<str>>>, pub coefficients: Option<Vec<f32>>, pub kernel_params: Option<Vec<f32>>, pub kernel_type: KernelType, pub post_transform: PostTransform, pub prob_a: Option<Vec<f32>>, pub prob_b: Option<Vec<f32>>, pub rho: Option<Vec<f32>>, pub support_vectors: Option<Vec<f32>>, pub vectors_per_class: Option<Arc<[i64]>> }
impl View for SVMClassifier {
    const OPERATOR: OnnxOp = OnnxOp::MlSVMClassifier;
    fn read(node: &Reader<'_>) -> Self { SVMClassifier { x: node.operand(0), classlabels_ints: node.integers("classlabels_ints"), classlabels_strings: node.strings("classlabels_strings"), coefficients: node.floats("coefficients"), kernel_params: node.floats("kernel_params"), kernel_type: node.choice("kernel_type").unwrap_or(KernelType::Linear), post_transform: node.choice("post_transform").unwrap_or(PostTransform::None), prob_a: node.floats("prob_a"), prob_b: node.floats("prob_b"), rho: node.floats("rho"), support_vectors: node.floats("support_vectors"), vectors_per_class: node.integers("vectors_per_class") } }
}

#[derive(Clone, Debug)]
pub struct SVMRegressor { pub x: Value, pub coefficients: Option<Vec<f32>>, pub kernel_params: Option<Vec<f32>>, pub kernel_type: KernelType, pub n_supports: i64, pub one_class: i64, pub post_transform: PostTransform, pub rho: Option<Vec<f32>>, pub support_vectors: Option<Vec<f32>> }
impl View for SVMRegressor {
    const OPERATOR: OnnxOp = OnnxOp::MlSVMRegressor;
    fn read(node: &Reader<'_>) -> Self { SVMRegressor { x: node.operand(0), coefficients: node.floats("coefficients"), kernel_params: node.floats("kernel_params"), kernel_type: node.choice("kernel_type").unwrap_or(KernelType::Linear), n_supports: node.integer("n_supports").unwrap_or(0), one_class: node.integer("one_class").unwrap_or(0), post_transform: node.choice("post_transform").unwrap_or(PostTransform::None), rho: node.floats("rho"), support_vectors: node.floats("support_vectors") } }
}

#[derive(Clone, Debug)]
pub struct Scaler { pub x: Value, pub offset: Option<Vec<f32>>, pub scale: Option<Vec<f32>> }
impl View for Scaler {
    const OPERATOR: OnnxOp = OnnxOp::MlScaler;
    fn read(node: &Reader<'_>) -> Self { Scaler { x: node.operand(0), offset: node.floats("offset"), scale: node.floats("scale") } }
}

#[derive(Clone, Debug)]
pub struct TreeEnsemble { pub x: Value, pub aggregate_function: i64, pub leaf_targetids: Arc<[i64]>, pub leaf_weights: Arc<DenseElements>, pub membership_values: Option<Arc<DenseElements>>, pub n_targets: Option<i64>, pub nodes_falseleafs: Arc<[i64]>, pub nodes_falsenodeids: Arc<[i64]>, pub nodes_featureids: Arc<[i64]>, pub nodes_hitrates: Option<Arc<DenseElements>>, pub nodes_missing_value_tracks_true: Option<Arc<[i64]>>, pub nodes_modes: Arc<DenseElements>, pub nodes_splits: Arc<DenseElements>, pub nodes_trueleafs: Arc<[i64]>, pub nodes_truenodeids: Arc<[i64]>, pub post_transform: i64, pub tree_roots: Arc<[i64]> }
impl View for TreeEnsemble {
    const OPERATOR: OnnxOp = OnnxOp::MlTreeEnsemble;
    fn read(node: &Reader<'_>) -> Self { TreeEnsemble { x: node.operand(0), aggregate_function: node.integer("aggregate_function").unwrap_or(1), leaf_targetids: required(node.integers("leaf_targetids")), leaf_weights: required(node.tensor("leaf_weights")), membership_values: node.tensor("membership_values"), n_targets: node.integer("n_targets"), nodes_falseleafs: required(node.integers("nodes_falseleafs")), nodes_falsenodeids: required(node.integers("nodes_falsenodeids")), nodes_featureids: required(node.integers("nodes_featureids")), nodes_hitrates: node.tensor("nodes_hitrates"), nodes_missing_value_tracks_true: node.integers("nodes_missing_value_tracks_true"), nodes_modes: required(node.tensor("nodes_modes")), nodes_splits: required(node.tensor("nodes_splits")), nodes_trueleafs: required(node.integers("nodes_trueleafs")), nodes_truenodeids: required(node.integers("nodes_truenodeids")), post_transform: node.integer("post_transform").unwrap_or(0), tree_roots: required(node.integers("tree_roots")) } }
}

#[derive(Clone, Debug)]
pub struct TreeEnsembleClassifier { pub x: Value, pub base_values: Option<Vec<f32>>, pub base_values_as_tensor: Option<Arc<DenseElements>>, pub class_ids: Option<Arc<[i64]>>, pub class_nodeids: Option<Arc<[i64]>>, pub class_treeids: Option<Arc<[i64]>>, pub class_weights: Option<Vec<f32>>, pub class_weights_as_tensor: Option<Arc<DenseElements>>, pub classlabels_int64s: Option<Arc<[i64]>>, pub classlabels_strings: Option<Vec<Arc<str>>>, pub nodes_falsenodeids: Option<Arc<[i64]>>, pub nodes_featureids: Option<Arc<[i64]>>, pub nodes_hitrates: Option<Vec<f32>>, pub nodes_hitrates_as_tensor: Option<Arc<DenseElements>>, pub nodes_missing_value_tracks_true: Option<Arc<[i64]>>, pub nodes_modes: Option<Vec<Arc<str>>>, pub nodes_nodeids: Option<Arc<[i64]>>, pub nodes_treeids: Option<Arc<[i64]>>, pub nodes_truenodeids: Option<Arc<[i64]>>, pub nodes_values: Option<Vec<f32>>, pub nodes_values_as_tensor: Option<Arc<DenseElements>>, pub post_transform: PostTransform }
impl View for TreeEnsembleClassifier {
    const OPERATOR: OnnxOp = OnnxOp::MlTreeEnsembleClassifier;
    fn read(node: &Reader<'_>) -> Self { TreeEnsembleClassifier { x: node.operand(0), base_values: node.floats("base_values"), base_values_as_tensor: node.tensor("base_values_as_tensor"), class_ids: node.integers("class_ids"), class_nodeids: node.integers("class_nodeids"), class_treeids: node.integers("class_treeids"), class_weights: node.floats("class_weights"), class_weights_as_tensor: node.tensor("class_weights_as_tensor"), classlabels_int64s: node.integers("classlabels_int64s"), classlabels_strings: node.strings("classlabels_strings"), nodes_falsenodeids: node.integers("nodes_falsenodeids"), nodes_featureids: node.integers("nodes_featureids"), nodes_hitrates: node.floats("nodes_hitrates"), nodes_hitrates_as_tensor: node.tensor("nodes_hitrates_as_tensor"), nodes_missing_value_tracks_true: node.integers("nodes_missing_value_tracks_true"), nodes_modes: node.strings("nodes_modes"), nodes_nodeids: node.integers("nodes_nodeids"), nodes_treeids: node.integers("nodes_treeids"), nodes_truenodeids: node.integers("nodes_truenodeids"), nodes_values: node.floats("nodes_values"), nodes_values_as_tensor: node.tensor("nodes_values_as_tensor"), post_transform: node.choice("post_transform").unwrap_or(PostTransform::None) } }
}

#[derive(Clone, Debug)]
pub struct TreeEnsembleRegressor { pub x: Value, pub aggregate_function: String, pub base_values: Option<Vec<f32>>, pub base_values_as_tensor: Option<Arc<DenseElements>>, pub n_targets: Option<i64>, pub nodes_falsenodeids: Option<Arc<[i64]>>, pub nodes_featureids: Option<Arc<[i64]>>, pub nodes_hitrates: Option<Vec<f32>>, pub nodes_hitrates_as_tensor: Option<Arc<DenseElements>>, pub nodes_missing_value_tracks_true: Option<Arc<[i64]>>, pub nodes_modes: Option<Vec<Arc<str>>>, pub nodes_nodeids: Option<Arc<[i64]>>, pub nodes_treeids: Option<Arc<[i64]>>, pub nodes_truenodeids: Option<Arc<[i64]>>, pub nodes_values: Option<Vec<f32>>, pub nodes_values_as_tensor: Option<Arc<DenseElements>>, pub post_transform: PostTransform, pub target_ids: Option<Arc<[i64]>>, pub target_nodeids: Option<Arc<[i64]>>, pub target_treeids: Option<Arc<[i64]>>, pub target_weights: Option<Vec<f32>>, pub target_weights_as_tensor: Option<Arc<DenseElements>> }
impl View for TreeEnsembleRegressor {
    const OPERATOR: OnnxOp = OnnxOp::MlTreeEnsembleRegressor;
    fn read(node: &Reader<'_>) -> Self { TreeEnsembleRegressor { x: node.operand(0), aggregate_function: node.string("aggregate_function").unwrap_or_else(|| "SUM".into()), base_values: node.floats("base_values"), base_values_as_tensor: node.tensor("base_values_as_tensor"), n_targets: node.integer("n_targets"), nodes_falsenodeids: node.integers("nodes_falsenodeids"), nodes_featureids: node.integers("nodes_featureids"), nodes_hitrates: node.floats("nodes_hitrates"), nodes_hitrates_as_tensor: node.tensor("nodes_hitrates_as_tensor"), nodes_missing_value_tracks_true: node.integers("nodes_missing_value_tracks_true"), nodes_modes: node.strings("nodes_modes"), nodes_nodeids: node.integers("nodes_nodeids"), nodes_treeids: node.integers("nodes_treeids"), nodes_truenodeids: node.integers("nodes_truenodeids"), nodes_values: node.floats("nodes_values"), nodes_values_as_tensor: node.tensor("nodes_values_as_tensor"), post_transform: node.choice("post_transform").unwrap_or(PostTransform::None), target_ids: node.integers("target_ids"), target_nodeids: node.integers("target_nodeids"), target_treeids: node.integers("target_treeids"), target_weights: node.floats("target_weights"), target_weights_as_tensor: node.tensor("target_weights_as_tensor") } }
}

#[derive(Clone, Debug)]
pub struct ZipMap { pub x: Value, pub classlabels_int64s: Option<Arc<[i64]>>, pub classlabels_strings: Option<Vec<Arc<str>>> }
impl View for ZipMap {
    const OPERATOR: OnnxOp = OnnxOp::MlZipMap;
    fn read(node: &Reader<'_>) -> Self { ZipMap { x: node.operand(0), classlabels_int64s: node.integers("classlabels_int64s"), classlabels_strings: node.strings("classlabels_strings") } }
}
