// Generated from the schemas; UPDATE=1 cargo test -p onnxc-dialects regenerates it.
#![allow(missing_docs, reason = "the names are ONNX's")]

use std::sync::Arc;

use ir::{DenseElements, Type, Value};

use super::super::OnnxOp;
use super::{Reader, View, required};
use super::enumerations::{AspectRatioPolicy, AutoPad, CacheMode, CaseChange, ConvolutionActivation, CoordinateTransformation, DepthOrder, Direction, GeluApproximation, GridMode, GridPadding, LossReduction, NearestMode, PadMode, PixelFormat, ResizeMode, RoiCoordinates, RoiMode, ScaleRounding, ScatterReduction, ShiftDirection, UpdateRule, WeightingMode};

#[derive(Clone, Debug)]
pub struct Abs { pub x: Value }
impl View for Abs {
    const OPERATOR: OnnxOp = OnnxOp::Abs;
    fn read(node: &Reader<'_>) -> Self { Abs { x: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Acos { pub input: Value }
impl View for Acos {
    const OPERATOR: OnnxOp = OnnxOp::Acos;
    fn read(node: &Reader<'_>) -> Self { Acos { input: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Acosh { pub input: Value }
impl View for Acosh {
    const OPERATOR: OnnxOp = OnnxOp::Acosh;
    fn read(node: &Reader<'_>) -> Self { Acosh { input: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Add { pub a: Value, pub b: Value }
impl View for Add {
    const OPERATOR: OnnxOp = OnnxOp::Add;
    fn read(node: &Reader<'_>) -> Self { Add { a: node.operand(0), b: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct AffineGrid { pub theta: Value, pub size: Value, pub align_corners: i64 }
impl View for AffineGrid {
    const OPERATOR: OnnxOp = OnnxOp::AffineGrid;
    fn read(node: &Reader<'_>) -> Self { AffineGrid { theta: node.operand(0), size: node.operand(1), align_corners: node.integer("align_corners").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct And { pub a: Value, pub b: Value }
impl View for And {
    const OPERATOR: OnnxOp = OnnxOp::And;
    fn read(node: &Reader<'_>) -> Self { And { a: node.operand(0), b: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct ArgMax { pub data: Value, pub axis: i64, pub keepdims: i64, pub select_last_index: i64 }
impl View for ArgMax {
    const OPERATOR: OnnxOp = OnnxOp::ArgMax;
    fn read(node: &Reader<'_>) -> Self { ArgMax { data: node.operand(0), axis: node.integer("axis").unwrap_or(0), keepdims: node.integer("keepdims").unwrap_or(1), select_last_index: node.integer("select_last_index").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct ArgMin { pub data: Value, pub axis: i64, pub keepdims: i64, pub select_last_index: i64 }
impl View for ArgMin {
    const OPERATOR: OnnxOp = OnnxOp::ArgMin;
    fn read(node: &Reader<'_>) -> Self { ArgMin { data: node.operand(0), axis: node.integer("axis").unwrap_or(0), keepdims: node.integer("keepdims").unwrap_or(1), select_last_index: node.integer("select_last_index").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct Asin { pub input: Value }
impl View for Asin {
    const OPERATOR: OnnxOp = OnnxOp::Asin;
    fn read(node: &Reader<'_>) -> Self { Asin { input: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Asinh { pub input: Value }
impl View for Asinh {
    const OPERATOR: OnnxOp = OnnxOp::Asinh;
    fn read(node: &Reader<'_>) -> Self { Asinh { input: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Atan { pub input: Value }
impl View for Atan {
    const OPERATOR: OnnxOp = OnnxOp::Atan;
    fn read(node: &Reader<'_>) -> Self { Atan { input: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Atanh { pub input: Value }
impl View for Atanh {
    const OPERATOR: OnnxOp = OnnxOp::Atanh;
    fn read(node: &Reader<'_>) -> Self { Atanh { input: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Attention { pub q: Value, pub k: Value, pub v: Value, pub attn_mask: Option<Value>, pub past_key: Option<Value>, pub past_value: Option<Value>, pub nonpad_kv_seqlen: Option<Value>, pub is_causal: i64, pub kv_num_heads: Option<i64>, pub left_window_size: i64, pub q_num_heads: Option<i64>, pub qk_matmul_output_mode: i64, pub right_window_size: i64, pub scale: Option<f64>, pub softcap: f64, pub softmax_precision: Option<i64> }
impl View for Attention {
    const OPERATOR: OnnxOp = OnnxOp::Attention;
    fn read(node: &Reader<'_>) -> Self { Attention { q: node.operand(0), k: node.operand(1), v: node.operand(2), attn_mask: node.optional(3), past_key: node.optional(4), past_value: node.optional(5), nonpad_kv_seqlen: node.optional(6), is_causal: node.integer("is_causal").unwrap_or(0), kv_num_heads: node.integer("kv_num_heads"), left_window_size: node.integer("left_window_size").unwrap_or(-1), q_num_heads: node.integer("q_num_heads"), qk_matmul_output_mode: node.integer("qk_matmul_output_mode").unwrap_or(0), right_window_size: node.integer("right_window_size").unwrap_or(-1), scale: node.float("scale"), softcap: node.float("softcap").unwrap_or(0.0), softmax_precision: node.integer("softmax_precision") } }
}

#[derive(Clone, Debug)]
pub struct AveragePool { pub x: Value, pub auto_pad: AutoPad, pub ceil_mode: i64, pub count_include_pad: i64, pub dilations: Option<Arc<[i64]>>, pub kernel_shape: Arc<[i64]>, pub pads: Option<Arc<[i64]>>, pub strides: Option<Arc<[i64]>> }
impl View for AveragePool {
    const OPERATOR: OnnxOp = OnnxOp::AveragePool;
    fn read(node: &Reader<'_>) -> Self { AveragePool { x: node.operand(0), auto_pad: node.choice("auto_pad").unwrap_or(AutoPad::Notset), ceil_mode: node.integer("ceil_mode").unwrap_or(0), count_include_pad: node.integer("count_include_pad").unwrap_or(0), dilations: node.integers("dilations"), kernel_shape: required(node.integers("kernel_shape")), pads: node.integers("pads"), strides: node.integers("strides") } }
}

#[derive(Clone, Debug)]
pub struct BatchNormalization { pub x: Value, pub scale: Value, pub b: Value, pub input_mean: Value, pub input_var: Value, pub epsilon: f64, pub momentum: f64, pub training_mode: i64 }
impl View for BatchNormalization {
    const OPERATOR: OnnxOp = OnnxOp::BatchNormalization;
    fn read(node: &Reader<'_>) -> Self { BatchNormalization { x: node.operand(0), scale: node.operand(1), b: node.operand(2), input_mean: node.operand(3), input_var: node.operand(4), epsilon: node.float("epsilon").unwrap_or(9.999999747378752e-6), momentum: node.float("momentum").unwrap_or(0.8999999761581421), training_mode: node.integer("training_mode").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct Bernoulli { pub input: Value, pub dtype: Option<i64>, pub seed: Option<f64> }
impl View for Bernoulli {
    const OPERATOR: OnnxOp = OnnxOp::Bernoulli;
    fn read(node: &Reader<'_>) -> Self { Bernoulli { input: node.operand(0), dtype: node.integer("dtype"), seed: node.float("seed") } }
}

#[derive(Clone, Debug)]
pub struct BitCast { pub input: Value, pub to: i64 }
impl View for BitCast {
    const OPERATOR: OnnxOp = OnnxOp::BitCast;
    fn read(node: &Reader<'_>) -> Self { BitCast { input: node.operand(0), to: required(node.integer("to")) } }
}

#[derive(Clone, Debug)]
pub struct BitShift { pub x: Value, pub y: Value, pub direction: ShiftDirection }
impl View for BitShift {
    const OPERATOR: OnnxOp = OnnxOp::BitShift;
    fn read(node: &Reader<'_>) -> Self { BitShift { x: node.operand(0), y: node.operand(1), direction: required(node.choice("direction")) } }
}

#[derive(Clone, Debug)]
pub struct BitwiseAnd { pub a: Value, pub b: Value }
impl View for BitwiseAnd {
    const OPERATOR: OnnxOp = OnnxOp::BitwiseAnd;
    fn read(node: &Reader<'_>) -> Self { BitwiseAnd { a: node.operand(0), b: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct BitwiseNot { pub x: Value }
impl View for BitwiseNot {
    const OPERATOR: OnnxOp = OnnxOp::BitwiseNot;
    fn read(node: &Reader<'_>) -> Self { BitwiseNot { x: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct BitwiseOr { pub a: Value, pub b: Value }
impl View for BitwiseOr {
    const OPERATOR: OnnxOp = OnnxOp::BitwiseOr;
    fn read(node: &Reader<'_>) -> Self { BitwiseOr { a: node.operand(0), b: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct BitwiseXor { pub a: Value, pub b: Value }
impl View for BitwiseXor {
    const OPERATOR: OnnxOp = OnnxOp::BitwiseXor;
    fn read(node: &Reader<'_>) -> Self { BitwiseXor { a: node.operand(0), b: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct BlackmanWindow { pub size: Value, pub output_datatype: i64, pub periodic: i64 }
impl View for BlackmanWindow {
    const OPERATOR: OnnxOp = OnnxOp::BlackmanWindow;
    fn read(node: &Reader<'_>) -> Self { BlackmanWindow { size: node.operand(0), output_datatype: node.integer("output_datatype").unwrap_or(1), periodic: node.integer("periodic").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct Cast { pub input: Value, pub round_mode: ScaleRounding, pub saturate: i64, pub to: i64 }
impl View for Cast {
    const OPERATOR: OnnxOp = OnnxOp::Cast;
    fn read(node: &Reader<'_>) -> Self { Cast { input: node.operand(0), round_mode: node.choice("round_mode").unwrap_or(ScaleRounding::Up), saturate: node.integer("saturate").unwrap_or(1), to: required(node.integer("to")) } }
}

#[derive(Clone, Debug)]
pub struct CastLike { pub input: Value, pub target_type: Value, pub round_mode: ScaleRounding, pub saturate: i64 }
impl View for CastLike {
    const OPERATOR: OnnxOp = OnnxOp::CastLike;
    fn read(node: &Reader<'_>) -> Self { CastLike { input: node.operand(0), target_type: node.operand(1), round_mode: node.choice("round_mode").unwrap_or(ScaleRounding::Up), saturate: node.integer("saturate").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct CausalConvWithState { pub input: Value, pub weight: Value, pub bias: Option<Value>, pub past_state: Option<Value>, pub activation: ConvolutionActivation }
impl View for CausalConvWithState {
    const OPERATOR: OnnxOp = OnnxOp::CausalConvWithState;
    fn read(node: &Reader<'_>) -> Self { CausalConvWithState { input: node.operand(0), weight: node.operand(1), bias: node.optional(2), past_state: node.optional(3), activation: node.choice("activation").unwrap_or(ConvolutionActivation::None) } }
}

#[derive(Clone, Debug)]
pub struct Ceil { pub x: Value }
impl View for Ceil {
    const OPERATOR: OnnxOp = OnnxOp::Ceil;
    fn read(node: &Reader<'_>) -> Self { Ceil { x: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Celu { pub x: Value, pub alpha: f64 }
impl View for Celu {
    const OPERATOR: OnnxOp = OnnxOp::Celu;
    fn read(node: &Reader<'_>) -> Self { Celu { x: node.operand(0), alpha: node.float("alpha").unwrap_or(1.0) } }
}

#[derive(Clone, Debug)]
pub struct CenterCropPad { pub input_data: Value, pub shape: Value, pub axes: Option<Arc<[i64]>> }
impl View for CenterCropPad {
    const OPERATOR: OnnxOp = OnnxOp::CenterCropPad;
    fn read(node: &Reader<'_>) -> Self { CenterCropPad { input_data: node.operand(0), shape: node.operand(1), axes: node.integers("axes") } }
}

#[derive(Clone, Debug)]
pub struct Clip { pub input: Value, pub min: Option<Value>, pub max: Option<Value> }
impl View for Clip {
    const OPERATOR: OnnxOp = OnnxOp::Clip;
    fn read(node: &Reader<'_>) -> Self { Clip { input: node.operand(0), min: node.optional(1), max: node.optional(2) } }
}

#[derive(Clone, Debug)]
pub struct Col2Im { pub input: Value, pub image_shape: Value, pub block_shape: Value, pub dilations: Option<Arc<[i64]>>, pub pads: Option<Arc<[i64]>>, pub strides: Option<Arc<[i64]>> }
impl View for Col2Im {
    const OPERATOR: OnnxOp = OnnxOp::Col2Im;
    fn read(node: &Reader<'_>) -> Self { Col2Im { input: node.operand(0), image_shape: node.operand(1), block_shape: node.operand(2), dilations: node.integers("dilations"), pads: node.integers("pads"), strides: node.integers("strides") } }
}

#[derive(Clone, Debug)]
pub struct Compress { pub input: Value, pub condition: Value, pub axis: Option<i64> }
impl View for Compress {
    const OPERATOR: OnnxOp = OnnxOp::Compress;
    fn read(node: &Reader<'_>) -> Self { Compress { input: node.operand(0), condition: node.operand(1), axis: node.integer("axis") } }
}

#[derive(Clone, Debug)]
pub struct Concat { pub inputs: Vec<Value>, pub axis: i64 }
impl View for Concat {
    const OPERATOR: OnnxOp = OnnxOp::Concat;
    fn read(node: &Reader<'_>) -> Self { Concat { inputs: node.variadic(0), axis: required(node.integer("axis")) } }
}

#[derive(Clone, Debug)]
pub struct ConcatFromSequence { pub input_sequence: Value, pub axis: i64, pub new_axis: i64 }
impl View for ConcatFromSequence {
    const OPERATOR: OnnxOp = OnnxOp::ConcatFromSequence;
    fn read(node: &Reader<'_>) -> Self { ConcatFromSequence { input_sequence: node.operand(0), axis: required(node.integer("axis")), new_axis: node.integer("new_axis").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct Constant { pub sparse_value: Option<Arc<DenseElements>>, pub value: Option<Arc<DenseElements>>, pub value_float: Option<f64>, pub value_floats: Option<Vec<f32>>, pub value_int: Option<i64>, pub value_ints: Option<Arc<[i64]>>, pub value_string: Option<String>, pub value_strings: Option<Vec<Arc<str>>> }
impl View for Constant {
    const OPERATOR: OnnxOp = OnnxOp::Constant;
    fn read(node: &Reader<'_>) -> Self { Constant { sparse_value: node.tensor("sparse_value"), value: node.tensor("value"), value_float: node.float("value_float"), value_floats: node.floats("value_floats"), value_int: node.integer("value_int"), value_ints: node.integers("value_ints"), value_string: node.string("value_string"), value_strings: node.strings("value_strings") } }
}

#[derive(Clone, Debug)]
pub struct ConstantOfShape { pub input: Value, pub value: Option<Arc<DenseElements>> }
impl View for ConstantOfShape {
    const OPERATOR: OnnxOp = OnnxOp::ConstantOfShape;
    fn read(node: &Reader<'_>) -> Self { ConstantOfShape { input: node.operand(0), value: node.tensor("value") } }
}

#[derive(Clone, Debug)]
pub struct Conv { pub x: Value, pub w: Value, pub b: Option<Value>, pub auto_pad: AutoPad, pub dilations: Option<Arc<[i64]>>, pub group: i64, pub kernel_shape: Option<Arc<[i64]>>, pub pads: Option<Arc<[i64]>>, pub strides: Option<Arc<[i64]>> }
impl View for Conv {
    const OPERATOR: OnnxOp = OnnxOp::Conv;
    fn read(node: &Reader<'_>) -> Self { Conv { x: node.operand(0), w: node.operand(1), b: node.optional(2), auto_pad: node.choice("auto_pad").unwrap_or(AutoPad::Notset), dilations: node.integers("dilations"), group: node.integer("group").unwrap_or(1), kernel_shape: node.integers("kernel_shape"), pads: node.integers("pads"), strides: node.integers("strides") } }
}

#[derive(Clone, Debug)]
pub struct ConvInteger { pub x: Value, pub w: Value, pub x_zero_point: Option<Value>, pub w_zero_point: Option<Value>, pub auto_pad: AutoPad, pub dilations: Option<Arc<[i64]>>, pub group: i64, pub kernel_shape: Option<Arc<[i64]>>, pub pads: Option<Arc<[i64]>>, pub strides: Option<Arc<[i64]>> }
impl View for ConvInteger {
    const OPERATOR: OnnxOp = OnnxOp::ConvInteger;
    fn read(node: &Reader<'_>) -> Self { ConvInteger { x: node.operand(0), w: node.operand(1), x_zero_point: node.optional(2), w_zero_point: node.optional(3), auto_pad: node.choice("auto_pad").unwrap_or(AutoPad::Notset), dilations: node.integers("dilations"), group: node.integer("group").unwrap_or(1), kernel_shape: node.integers("kernel_shape"), pads: node.integers("pads"), strides: node.integers("strides") } }
}

#[derive(Clone, Debug)]
pub struct ConvTranspose { pub x: Value, pub w: Value, pub b: Option<Value>, pub auto_pad: AutoPad, pub dilations: Option<Arc<[i64]>>, pub group: i64, pub kernel_shape: Option<Arc<[i64]>>, pub output_padding: Option<Arc<[i64]>>, pub output_shape: Option<Arc<[i64]>>, pub pads: Option<Arc<[i64]>>, pub strides: Option<Arc<[i64]>> }
impl View for ConvTranspose {
    const OPERATOR: OnnxOp = OnnxOp::ConvTranspose;
    fn read(node: &Reader<'_>) -> Self { ConvTranspose { x: node.operand(0), w: node.operand(1), b: node.optional(2), auto_pad: node.choice("auto_pad").unwrap_or(AutoPad::Notset), dilations: node.integers("dilations"), group: node.integer("group").unwrap_or(1), kernel_shape: node.integers("kernel_shape"), output_padding: node.integers("output_padding"), output_shape: node.integers("output_shape"), pads: node.integers("pads"), strides: node.integers("strides") } }
}

#[derive(Clone, Debug)]
pub struct Cos { pub input: Value }
impl View for Cos {
    const OPERATOR: OnnxOp = OnnxOp::Cos;
    fn read(node: &Reader<'_>) -> Self { Cos { input: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Cosh { pub input: Value }
impl View for Cosh {
    const OPERATOR: OnnxOp = OnnxOp::Cosh;
    fn read(node: &Reader<'_>) -> Self { Cosh { input: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct CumProd { pub x: Value, pub axis: Value, pub exclusive: i64, pub reverse: i64 }
impl View for CumProd {
    const OPERATOR: OnnxOp = OnnxOp::CumProd;
    fn read(node: &Reader<'_>) -> Self { CumProd { x: node.operand(0), axis: node.operand(1), exclusive: node.integer("exclusive").unwrap_or(0), reverse: node.integer("reverse").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct CumSum { pub x: Value, pub axis: Value, pub exclusive: i64, pub reverse: i64 }
impl View for CumSum {
    const OPERATOR: OnnxOp = OnnxOp::CumSum;
    fn read(node: &Reader<'_>) -> Self { CumSum { x: node.operand(0), axis: node.operand(1), exclusive: node.integer("exclusive").unwrap_or(0), reverse: node.integer("reverse").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct DFT { pub input: Value, pub dft_length: Option<Value>, pub axis: Option<Value>, pub inverse: i64, pub onesided: i64 }
impl View for DFT {
    const OPERATOR: OnnxOp = OnnxOp::DFT;
    fn read(node: &Reader<'_>) -> Self { DFT { input: node.operand(0), dft_length: node.optional(1), axis: node.optional(2), inverse: node.integer("inverse").unwrap_or(0), onesided: node.integer("onesided").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct DeformConv { pub x: Value, pub w: Value, pub offset: Value, pub b: Option<Value>, pub mask: Option<Value>, pub dilations: Option<Arc<[i64]>>, pub group: i64, pub kernel_shape: Option<Arc<[i64]>>, pub offset_group: i64, pub pads: Option<Arc<[i64]>>, pub strides: Option<Arc<[i64]>> }
impl View for DeformConv {
    const OPERATOR: OnnxOp = OnnxOp::DeformConv;
    fn read(node: &Reader<'_>) -> Self { DeformConv { x: node.operand(0), w: node.operand(1), offset: node.operand(2), b: node.optional(3), mask: node.optional(4), dilations: node.integers("dilations"), group: node.integer("group").unwrap_or(1), kernel_shape: node.integers("kernel_shape"), offset_group: node.integer("offset_group").unwrap_or(1), pads: node.integers("pads"), strides: node.integers("strides") } }
}

#[derive(Clone, Debug)]
pub struct DepthToSpace { pub input: Value, pub blocksize: i64, pub mode: DepthOrder }
impl View for DepthToSpace {
    const OPERATOR: OnnxOp = OnnxOp::DepthToSpace;
    fn read(node: &Reader<'_>) -> Self { DepthToSpace { input: node.operand(0), blocksize: required(node.integer("blocksize")), mode: node.choice("mode").unwrap_or(DepthOrder::Dcr) } }
}

#[derive(Clone, Debug)]
pub struct DequantizeLinear { pub x: Value, pub x_scale: Value, pub x_zero_point: Option<Value>, pub axis: i64, pub block_size: i64, pub output_dtype: i64 }
impl View for DequantizeLinear {
    const OPERATOR: OnnxOp = OnnxOp::DequantizeLinear;
    fn read(node: &Reader<'_>) -> Self { DequantizeLinear { x: node.operand(0), x_scale: node.operand(1), x_zero_point: node.optional(2), axis: node.integer("axis").unwrap_or(1), block_size: node.integer("block_size").unwrap_or(0), output_dtype: node.integer("output_dtype").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct Det { pub x: Value }
impl View for Det {
    const OPERATOR: OnnxOp = OnnxOp::Det;
    fn read(node: &Reader<'_>) -> Self { Det { x: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Div { pub a: Value, pub b: Value }
impl View for Div {
    const OPERATOR: OnnxOp = OnnxOp::Div;
    fn read(node: &Reader<'_>) -> Self { Div { a: node.operand(0), b: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct Dropout { pub data: Value, pub ratio: Option<Value>, pub training_mode: Option<Value>, pub seed: Option<i64> }
impl View for Dropout {
    const OPERATOR: OnnxOp = OnnxOp::Dropout;
    fn read(node: &Reader<'_>) -> Self { Dropout { data: node.operand(0), ratio: node.optional(1), training_mode: node.optional(2), seed: node.integer("seed") } }
}

#[derive(Clone, Debug)]
pub struct DynamicQuantizeLinear { pub x: Value }
impl View for DynamicQuantizeLinear {
    const OPERATOR: OnnxOp = OnnxOp::DynamicQuantizeLinear;
    fn read(node: &Reader<'_>) -> Self { DynamicQuantizeLinear { x: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Einsum { pub inputs: Vec<Value>, pub equation: String }
impl View for Einsum {
    const OPERATOR: OnnxOp = OnnxOp::Einsum;
    fn read(node: &Reader<'_>) -> Self { Einsum { inputs: node.variadic(0), equation: required(node.string("equation")) } }
}

#[derive(Clone, Debug)]
pub struct Elu { pub x: Value, pub alpha: f64 }
impl View for Elu {
    const OPERATOR: OnnxOp = OnnxOp::Elu;
    fn read(node: &Reader<'_>) -> Self { Elu { x: node.operand(0), alpha: node.float("alpha").unwrap_or(1.0) } }
}

#[derive(Clone, Debug)]
pub struct Equal { pub a: Value, pub b: Value }
impl View for Equal {
    const OPERATOR: OnnxOp = OnnxOp::Equal;
    fn read(node: &Reader<'_>) -> Self { Equal { a: node.operand(0), b: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct Erf { pub input: Value }
impl View for Erf {
    const OPERATOR: OnnxOp = OnnxOp::Erf;
    fn read(node: &Reader<'_>) -> Self { Erf { input: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Exp { pub input: Value }
impl View for Exp {
    const OPERATOR: OnnxOp = OnnxOp::Exp;
    fn read(node: &Reader<'_>) -> Self { Exp { input: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Expand { pub input: Value, pub shape: Value }
impl View for Expand {
    const OPERATOR: OnnxOp = OnnxOp::Expand;
    fn read(node: &Reader<'_>) -> Self { Expand { input: node.operand(0), shape: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct EyeLike { pub input: Value, pub dtype: Option<i64>, pub k: i64 }
impl View for EyeLike {
    const OPERATOR: OnnxOp = OnnxOp::EyeLike;
    fn read(node: &Reader<'_>) -> Self { EyeLike { input: node.operand(0), dtype: node.integer("dtype"), k: node.integer("k").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct Flatten { pub input: Value, pub axis: i64 }
impl View for Flatten {
    const OPERATOR: OnnxOp = OnnxOp::Flatten;
    fn read(node: &Reader<'_>) -> Self { Flatten { input: node.operand(0), axis: node.integer("axis").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct Floor { pub x: Value }
impl View for Floor {
    const OPERATOR: OnnxOp = OnnxOp::Floor;
    fn read(node: &Reader<'_>) -> Self { Floor { x: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct GRU { pub x: Value, pub w: Value, pub r: Value, pub b: Option<Value>, pub sequence_lens: Option<Value>, pub initial_h: Option<Value>, pub activation_alpha: Option<Vec<f32>>, pub activation_beta: Option<Vec<f32>>, pub activations: Option<Vec<Arc<str>>>, pub clip: Option<f64>, pub direction: Direction, pub hidden_size: Option<i64>, pub layout: i64, pub linear_before_reset: i64 }
impl View for GRU {
    const OPERATOR: OnnxOp = OnnxOp::GRU;
    fn read(node: &Reader<'_>) -> Self { GRU { x: node.operand(0), w: node.operand(1), r: node.operand(2), b: node.optional(3), sequence_lens: node.optional(4), initial_h: node.optional(5), activation_alpha: node.floats("activation_alpha"), activation_beta: node.floats("activation_beta"), activations: node.strings("activations"), clip: node.float("clip"), direction: node.choice("direction").unwrap_or(Direction::Forward), hidden_size: node.integer("hidden_size"), layout: node.integer("layout").unwrap_or(0), linear_before_reset: node.integer("linear_before_reset").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct Gather { pub data: Value, pub indices: Value, pub axis: i64 }
impl View for Gather {
    const OPERATOR: OnnxOp = OnnxOp::Gather;
    fn read(node: &Reader<'_>) -> Self { Gather { data: node.operand(0), indices: node.operand(1), axis: node.integer("axis").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct GatherElements { pub data: Value, pub indices: Value, pub axis: i64 }
impl View for GatherElements {
    const OPERATOR: OnnxOp = OnnxOp::GatherElements;
    fn read(node: &Reader<'_>) -> Self { GatherElements { data: node.operand(0), indices: node.operand(1), axis: node.integer("axis").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct GatherND { pub data: Value, pub indices: Value, pub batch_dims: i64 }
impl View for GatherND {
    const OPERATOR: OnnxOp = OnnxOp::GatherND;
    fn read(node: &Reader<'_>) -> Self { GatherND { data: node.operand(0), indices: node.operand(1), batch_dims: node.integer("batch_dims").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct Gelu { pub x: Value, pub approximate: GeluApproximation }
impl View for Gelu {
    const OPERATOR: OnnxOp = OnnxOp::Gelu;
    fn read(node: &Reader<'_>) -> Self { Gelu { x: node.operand(0), approximate: node.choice("approximate").unwrap_or(GeluApproximation::None) } }
}

#[derive(Clone, Debug)]
pub struct Gemm { pub a: Value, pub b: Value, pub c: Option<Value>, pub alpha: f64, pub beta: f64, pub trans_a: i64, pub trans_b: i64 }
impl View for Gemm {
    const OPERATOR: OnnxOp = OnnxOp::Gemm;
    fn read(node: &Reader<'_>) -> Self { Gemm { a: node.operand(0), b: node.operand(1), c: node.optional(2), alpha: node.float("alpha").unwrap_or(1.0), beta: node.float("beta").unwrap_or(1.0), trans_a: node.integer("transA").unwrap_or(0), trans_b: node.integer("transB").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct GlobalAveragePool { pub x: Value }
impl View for GlobalAveragePool {
    const OPERATOR: OnnxOp = OnnxOp::GlobalAveragePool;
    fn read(node: &Reader<'_>) -> Self { GlobalAveragePool { x: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct GlobalLpPool { pub x: Value, pub p: i64 }
impl View for GlobalLpPool {
    const OPERATOR: OnnxOp = OnnxOp::GlobalLpPool;
    fn read(node: &Reader<'_>) -> Self { GlobalLpPool { x: node.operand(0), p: node.integer("p").unwrap_or(2) } }
}

#[derive(Clone, Debug)]
pub struct GlobalMaxPool { pub x: Value }
impl View for GlobalMaxPool {
    const OPERATOR: OnnxOp = OnnxOp::GlobalMaxPool;
    fn read(node: &Reader<'_>) -> Self { GlobalMaxPool { x: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Greater { pub a: Value, pub b: Value }
impl View for Greater {
    const OPERATOR: OnnxOp = OnnxOp::Greater;
    fn read(node: &Reader<'_>) -> Self { Greater { a: node.operand(0), b: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct GreaterOrEqual { pub a: Value, pub b: Value }
impl View for GreaterOrEqual {
    const OPERATOR: OnnxOp = OnnxOp::GreaterOrEqual;
    fn read(node: &Reader<'_>) -> Self { GreaterOrEqual { a: node.operand(0), b: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct GridSample { pub x: Value, pub grid: Value, pub align_corners: i64, pub mode: GridMode, pub padding_mode: GridPadding }
impl View for GridSample {
    const OPERATOR: OnnxOp = OnnxOp::GridSample;
    fn read(node: &Reader<'_>) -> Self { GridSample { x: node.operand(0), grid: node.operand(1), align_corners: node.integer("align_corners").unwrap_or(0), mode: node.choice("mode").unwrap_or(GridMode::Linear), padding_mode: node.choice("padding_mode").unwrap_or(GridPadding::Zeros) } }
}

#[derive(Clone, Debug)]
pub struct GroupNormalization { pub x: Value, pub scale: Value, pub bias: Value, pub epsilon: f64, pub num_groups: i64, pub stash_type: i64 }
impl View for GroupNormalization {
    const OPERATOR: OnnxOp = OnnxOp::GroupNormalization;
    fn read(node: &Reader<'_>) -> Self { GroupNormalization { x: node.operand(0), scale: node.operand(1), bias: node.operand(2), epsilon: node.float("epsilon").unwrap_or(9.999999747378752e-6), num_groups: required(node.integer("num_groups")), stash_type: node.integer("stash_type").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct HammingWindow { pub size: Value, pub output_datatype: i64, pub periodic: i64 }
impl View for HammingWindow {
    const OPERATOR: OnnxOp = OnnxOp::HammingWindow;
    fn read(node: &Reader<'_>) -> Self { HammingWindow { size: node.operand(0), output_datatype: node.integer("output_datatype").unwrap_or(1), periodic: node.integer("periodic").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct HannWindow { pub size: Value, pub output_datatype: i64, pub periodic: i64 }
impl View for HannWindow {
    const OPERATOR: OnnxOp = OnnxOp::HannWindow;
    fn read(node: &Reader<'_>) -> Self { HannWindow { size: node.operand(0), output_datatype: node.integer("output_datatype").unwrap_or(1), periodic: node.integer("periodic").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct HardSigmoid { pub x: Value, pub alpha: f64, pub beta: f64 }
impl View for HardSigmoid {
    const OPERATOR: OnnxOp = OnnxOp::HardSigmoid;
    fn read(node: &Reader<'_>) -> Self { HardSigmoid { x: node.operand(0), alpha: node.float("alpha").unwrap_or(0.20000000298023224), beta: node.float("beta").unwrap_or(0.5) } }
}

#[derive(Clone, Debug)]
pub struct HardSwish { pub x: Value }
impl View for HardSwish {
    const OPERATOR: OnnxOp = OnnxOp::HardSwish;
    fn read(node: &Reader<'_>) -> Self { HardSwish { x: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Hardmax { pub input: Value, pub axis: i64 }
impl View for Hardmax {
    const OPERATOR: OnnxOp = OnnxOp::Hardmax;
    fn read(node: &Reader<'_>) -> Self { Hardmax { input: node.operand(0), axis: node.integer("axis").unwrap_or(-1) } }
}

#[derive(Clone, Debug)]
pub struct Identity { pub input: Value }
impl View for Identity {
    const OPERATOR: OnnxOp = OnnxOp::Identity;
    fn read(node: &Reader<'_>) -> Self { Identity { input: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct If { pub cond: Value }
impl View for If {
    const OPERATOR: OnnxOp = OnnxOp::If;
    fn read(node: &Reader<'_>) -> Self { If { cond: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct ImageDecoder { pub encoded_stream: Value, pub pixel_format: PixelFormat }
impl View for ImageDecoder {
    const OPERATOR: OnnxOp = OnnxOp::ImageDecoder;
    fn read(node: &Reader<'_>) -> Self { ImageDecoder { encoded_stream: node.operand(0), pixel_format: node.choice("pixel_format").unwrap_or(PixelFormat::Rgb) } }
}

#[derive(Clone, Debug)]
pub struct InstanceNormalization { pub input: Value, pub scale: Value, pub b: Value, pub epsilon: f64 }
impl View for InstanceNormalization {
    const OPERATOR: OnnxOp = OnnxOp::InstanceNormalization;
    fn read(node: &Reader<'_>) -> Self { InstanceNormalization { input: node.operand(0), scale: node.operand(1), b: node.operand(2), epsilon: node.float("epsilon").unwrap_or(9.999999747378752e-6) } }
}

#[derive(Clone, Debug)]
pub struct IsInf { pub x: Value, pub detect_negative: i64, pub detect_positive: i64 }
impl View for IsInf {
    const OPERATOR: OnnxOp = OnnxOp::IsInf;
    fn read(node: &Reader<'_>) -> Self { IsInf { x: node.operand(0), detect_negative: node.integer("detect_negative").unwrap_or(1), detect_positive: node.integer("detect_positive").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct IsNaN { pub x: Value }
impl View for IsNaN {
    const OPERATOR: OnnxOp = OnnxOp::IsNaN;
    fn read(node: &Reader<'_>) -> Self { IsNaN { x: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct LRN { pub x: Value, pub alpha: f64, pub beta: f64, pub bias: f64, pub size: i64 }
impl View for LRN {
    const OPERATOR: OnnxOp = OnnxOp::LRN;
    fn read(node: &Reader<'_>) -> Self { LRN { x: node.operand(0), alpha: node.float("alpha").unwrap_or(9.999999747378752e-5), beta: node.float("beta").unwrap_or(0.75), bias: node.float("bias").unwrap_or(1.0), size: required(node.integer("size")) } }
}

#[derive(Clone, Debug)]
pub struct LSTM { pub x: Value, pub w: Value, pub r: Value, pub b: Option<Value>, pub sequence_lens: Option<Value>, pub initial_h: Option<Value>, pub initial_c: Option<Value>, pub p: Option<Value>, pub activation_alpha: Option<Vec<f32>>, pub activation_beta: Option<Vec<f32>>, pub activations: Option<Vec<Arc<str>>>, pub clip: Option<f64>, pub direction: Direction, pub hidden_size: Option<i64>, pub input_forget: i64, pub layout: i64 }
impl View for LSTM {
    const OPERATOR: OnnxOp = OnnxOp::LSTM;
    fn read(node: &Reader<'_>) -> Self { LSTM { x: node.operand(0), w: node.operand(1), r: node.operand(2), b: node.optional(3), sequence_lens: node.optional(4), initial_h: node.optional(5), initial_c: node.optional(6), p: node.optional(7), activation_alpha: node.floats("activation_alpha"), activation_beta: node.floats("activation_beta"), activations: node.strings("activations"), clip: node.float("clip"), direction: node.choice("direction").unwrap_or(Direction::Forward), hidden_size: node.integer("hidden_size"), input_forget: node.integer("input_forget").unwrap_or(0), layout: node.integer("layout").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct LayerNormalization { pub x: Value, pub scale: Value, pub b: Option<Value>, pub axis: i64, pub epsilon: f64, pub stash_type: i64 }
impl View for LayerNormalization {
    const OPERATOR: OnnxOp = OnnxOp::LayerNormalization;
    fn read(node: &Reader<'_>) -> Self { LayerNormalization { x: node.operand(0), scale: node.operand(1), b: node.optional(2), axis: node.integer("axis").unwrap_or(-1), epsilon: node.float("epsilon").unwrap_or(9.999999747378752e-6), stash_type: node.integer("stash_type").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct LeakyRelu { pub x: Value, pub alpha: f64 }
impl View for LeakyRelu {
    const OPERATOR: OnnxOp = OnnxOp::LeakyRelu;
    fn read(node: &Reader<'_>) -> Self { LeakyRelu { x: node.operand(0), alpha: node.float("alpha").unwrap_or(0.009999999776482582) } }
}

#[derive(Clone, Debug)]
pub struct Less { pub a: Value, pub b: Value }
impl View for Less {
    const OPERATOR: OnnxOp = OnnxOp::Less;
    fn read(node: &Reader<'_>) -> Self { Less { a: node.operand(0), b: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct LessOrEqual { pub a: Value, pub b: Value }
impl View for LessOrEqual {
    const OPERATOR: OnnxOp = OnnxOp::LessOrEqual;
    fn read(node: &Reader<'_>) -> Self { LessOrEqual { a: node.operand(0), b: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct LinearAttention { pub query: Value, pub key: Value, pub value: Value, pub past_state: Option<Value>, pub decay: Option<Value>, pub beta: Option<Value>, pub chunk_size: i64, pub kv_num_heads: i64, pub q_num_heads: i64, pub scale: f64, pub update_rule: UpdateRule }
impl View for LinearAttention {
    const OPERATOR: OnnxOp = OnnxOp::LinearAttention;
    fn read(node: &Reader<'_>) -> Self { LinearAttention { query: node.operand(0), key: node.operand(1), value: node.operand(2), past_state: node.optional(3), decay: node.optional(4), beta: node.optional(5), chunk_size: node.integer("chunk_size").unwrap_or(64), kv_num_heads: required(node.integer("kv_num_heads")), q_num_heads: required(node.integer("q_num_heads")), scale: node.float("scale").unwrap_or(0.0), update_rule: node.choice("update_rule").unwrap_or(UpdateRule::GatedDelta) } }
}

#[derive(Clone, Debug)]
pub struct Log { pub input: Value }
impl View for Log {
    const OPERATOR: OnnxOp = OnnxOp::Log;
    fn read(node: &Reader<'_>) -> Self { Log { input: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct LogSoftmax { pub input: Value, pub axis: i64 }
impl View for LogSoftmax {
    const OPERATOR: OnnxOp = OnnxOp::LogSoftmax;
    fn read(node: &Reader<'_>) -> Self { LogSoftmax { input: node.operand(0), axis: node.integer("axis").unwrap_or(-1) } }
}

#[derive(Clone, Debug)]
pub struct Loop { pub m: Option<Value>, pub cond: Option<Value>, pub v_initial: Vec<Value> }
impl View for Loop {
    const OPERATOR: OnnxOp = OnnxOp::Loop;
    fn read(node: &Reader<'_>) -> Self { Loop { m: node.optional(0), cond: node.optional(1), v_initial: node.variadic(2) } }
}

#[derive(Clone, Debug)]
pub struct LpNormalization { pub input: Value, pub axis: i64, pub p: i64 }
impl View for LpNormalization {
    const OPERATOR: OnnxOp = OnnxOp::LpNormalization;
    fn read(node: &Reader<'_>) -> Self { LpNormalization { input: node.operand(0), axis: node.integer("axis").unwrap_or(-1), p: node.integer("p").unwrap_or(2) } }
}

#[derive(Clone, Debug)]
pub struct LpPool { pub x: Value, pub auto_pad: AutoPad, pub ceil_mode: i64, pub dilations: Option<Arc<[i64]>>, pub kernel_shape: Arc<[i64]>, pub p: i64, pub pads: Option<Arc<[i64]>>, pub strides: Option<Arc<[i64]>> }
impl View for LpPool {
    const OPERATOR: OnnxOp = OnnxOp::LpPool;
    fn read(node: &Reader<'_>) -> Self { LpPool { x: node.operand(0), auto_pad: node.choice("auto_pad").unwrap_or(AutoPad::Notset), ceil_mode: node.integer("ceil_mode").unwrap_or(0), dilations: node.integers("dilations"), kernel_shape: required(node.integers("kernel_shape")), p: node.integer("p").unwrap_or(2), pads: node.integers("pads"), strides: node.integers("strides") } }
}

#[derive(Clone, Debug)]
pub struct MatMul { pub a: Value, pub b: Value }
impl View for MatMul {
    const OPERATOR: OnnxOp = OnnxOp::MatMul;
    fn read(node: &Reader<'_>) -> Self { MatMul { a: node.operand(0), b: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct MatMulInteger { pub a: Value, pub b: Value, pub a_zero_point: Option<Value>, pub b_zero_point: Option<Value> }
impl View for MatMulInteger {
    const OPERATOR: OnnxOp = OnnxOp::MatMulInteger;
    fn read(node: &Reader<'_>) -> Self { MatMulInteger { a: node.operand(0), b: node.operand(1), a_zero_point: node.optional(2), b_zero_point: node.optional(3) } }
}

#[derive(Clone, Debug)]
pub struct Max { pub data_0: Vec<Value> }
impl View for Max {
    const OPERATOR: OnnxOp = OnnxOp::Max;
    fn read(node: &Reader<'_>) -> Self { Max { data_0: node.variadic(0) } }
}

#[derive(Clone, Debug)]
pub struct MaxPool { pub x: Value, pub auto_pad: AutoPad, pub ceil_mode: i64, pub dilations: Option<Arc<[i64]>>, pub kernel_shape: Arc<[i64]>, pub pads: Option<Arc<[i64]>>, pub storage_order: i64, pub strides: Option<Arc<[i64]>> }
impl View for MaxPool {
    const OPERATOR: OnnxOp = OnnxOp::MaxPool;
    fn read(node: &Reader<'_>) -> Self { MaxPool { x: node.operand(0), auto_pad: node.choice("auto_pad").unwrap_or(AutoPad::Notset), ceil_mode: node.integer("ceil_mode").unwrap_or(0), dilations: node.integers("dilations"), kernel_shape: required(node.integers("kernel_shape")), pads: node.integers("pads"), storage_order: node.integer("storage_order").unwrap_or(0), strides: node.integers("strides") } }
}

#[derive(Clone, Debug)]
pub struct MaxRoiPool { pub x: Value, pub rois: Value, pub pooled_shape: Arc<[i64]>, pub spatial_scale: f64 }
impl View for MaxRoiPool {
    const OPERATOR: OnnxOp = OnnxOp::MaxRoiPool;
    fn read(node: &Reader<'_>) -> Self { MaxRoiPool { x: node.operand(0), rois: node.operand(1), pooled_shape: required(node.integers("pooled_shape")), spatial_scale: node.float("spatial_scale").unwrap_or(1.0) } }
}

#[derive(Clone, Debug)]
pub struct MaxUnpool { pub x: Value, pub i: Value, pub output_shape: Option<Value>, pub kernel_shape: Arc<[i64]>, pub pads: Option<Arc<[i64]>>, pub strides: Option<Arc<[i64]>> }
impl View for MaxUnpool {
    const OPERATOR: OnnxOp = OnnxOp::MaxUnpool;
    fn read(node: &Reader<'_>) -> Self { MaxUnpool { x: node.operand(0), i: node.operand(1), output_shape: node.optional(2), kernel_shape: required(node.integers("kernel_shape")), pads: node.integers("pads"), strides: node.integers("strides") } }
}

#[derive(Clone, Debug)]
pub struct Mean { pub data_0: Vec<Value> }
impl View for Mean {
    const OPERATOR: OnnxOp = OnnxOp::Mean;
    fn read(node: &Reader<'_>) -> Self { Mean { data_0: node.variadic(0) } }
}

#[derive(Clone, Debug)]
pub struct MeanVarianceNormalization { pub x: Value, pub axes: Arc<[i64]> }
impl View for MeanVarianceNormalization {
    const OPERATOR: OnnxOp = OnnxOp::MeanVarianceNormalization;
    fn read(node: &Reader<'_>) -> Self { MeanVarianceNormalization { x: node.operand(0), axes: node.integers("axes").unwrap_or_else(|| [0, 2, 3].into()) } }
}

#[derive(Clone, Debug)]
pub struct MelWeightMatrix { pub num_mel_bins: Value, pub dft_length: Value, pub sample_rate: Value, pub lower_edge_hertz: Value, pub upper_edge_hertz: Value, pub output_datatype: i64 }
impl View for MelWeightMatrix {
    const OPERATOR: OnnxOp = OnnxOp::MelWeightMatrix;
    fn read(node: &Reader<'_>) -> Self { MelWeightMatrix { num_mel_bins: node.operand(0), dft_length: node.operand(1), sample_rate: node.operand(2), lower_edge_hertz: node.operand(3), upper_edge_hertz: node.operand(4), output_datatype: node.integer("output_datatype").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct Min { pub data_0: Vec<Value> }
impl View for Min {
    const OPERATOR: OnnxOp = OnnxOp::Min;
    fn read(node: &Reader<'_>) -> Self { Min { data_0: node.variadic(0) } }
}

#[derive(Clone, Debug)]
pub struct Mish { pub x: Value }
impl View for Mish {
    const OPERATOR: OnnxOp = OnnxOp::Mish;
    fn read(node: &Reader<'_>) -> Self { Mish { x: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Mod { pub a: Value, pub b: Value, pub fmod: i64 }
impl View for Mod {
    const OPERATOR: OnnxOp = OnnxOp::Mod;
    fn read(node: &Reader<'_>) -> Self { Mod { a: node.operand(0), b: node.operand(1), fmod: node.integer("fmod").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct Mul { pub a: Value, pub b: Value }
impl View for Mul {
    const OPERATOR: OnnxOp = OnnxOp::Mul;
    fn read(node: &Reader<'_>) -> Self { Mul { a: node.operand(0), b: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct Multinomial { pub input: Value, pub dtype: i64, pub sample_size: i64, pub seed: Option<f64> }
impl View for Multinomial {
    const OPERATOR: OnnxOp = OnnxOp::Multinomial;
    fn read(node: &Reader<'_>) -> Self { Multinomial { input: node.operand(0), dtype: node.integer("dtype").unwrap_or(6), sample_size: node.integer("sample_size").unwrap_or(1), seed: node.float("seed") } }
}

#[derive(Clone, Debug)]
pub struct Neg { pub x: Value }
impl View for Neg {
    const OPERATOR: OnnxOp = OnnxOp::Neg;
    fn read(node: &Reader<'_>) -> Self { Neg { x: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct NegativeLogLikelihoodLoss { pub input: Value, pub target: Value, pub weight: Option<Value>, pub ignore_index: Option<i64>, pub reduction: LossReduction }
impl View for NegativeLogLikelihoodLoss {
    const OPERATOR: OnnxOp = OnnxOp::NegativeLogLikelihoodLoss;
    fn read(node: &Reader<'_>) -> Self { NegativeLogLikelihoodLoss { input: node.operand(0), target: node.operand(1), weight: node.optional(2), ignore_index: node.integer("ignore_index"), reduction: node.choice("reduction").unwrap_or(LossReduction::Mean) } }
}

#[derive(Clone, Debug)]
pub struct NonMaxSuppression { pub boxes: Value, pub scores: Value, pub max_output_boxes_per_class: Option<Value>, pub iou_threshold: Option<Value>, pub score_threshold: Option<Value>, pub center_point_box: i64 }
impl View for NonMaxSuppression {
    const OPERATOR: OnnxOp = OnnxOp::NonMaxSuppression;
    fn read(node: &Reader<'_>) -> Self { NonMaxSuppression { boxes: node.operand(0), scores: node.operand(1), max_output_boxes_per_class: node.optional(2), iou_threshold: node.optional(3), score_threshold: node.optional(4), center_point_box: node.integer("center_point_box").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct NonZero { pub x: Value }
impl View for NonZero {
    const OPERATOR: OnnxOp = OnnxOp::NonZero;
    fn read(node: &Reader<'_>) -> Self { NonZero { x: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Not { pub x: Value }
impl View for Not {
    const OPERATOR: OnnxOp = OnnxOp::Not;
    fn read(node: &Reader<'_>) -> Self { Not { x: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct OneHot { pub indices: Value, pub depth: Value, pub values: Value, pub axis: i64 }
impl View for OneHot {
    const OPERATOR: OnnxOp = OnnxOp::OneHot;
    fn read(node: &Reader<'_>) -> Self { OneHot { indices: node.operand(0), depth: node.operand(1), values: node.operand(2), axis: node.integer("axis").unwrap_or(-1) } }
}

#[derive(Clone, Debug)]
pub struct Optional { pub input: Option<Value>, pub r#type: Option<Type> }
impl View for Optional {
    const OPERATOR: OnnxOp = OnnxOp::Optional;
    fn read(node: &Reader<'_>) -> Self { Optional { input: node.optional(0), r#type: node.element_type("type") } }
}

#[derive(Clone, Debug)]
pub struct OptionalGetElement { pub input: Value }
impl View for OptionalGetElement {
    const OPERATOR: OnnxOp = OnnxOp::OptionalGetElement;
    fn read(node: &Reader<'_>) -> Self { OptionalGetElement { input: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct OptionalHasElement { pub input: Option<Value> }
impl View for OptionalHasElement {
    const OPERATOR: OnnxOp = OnnxOp::OptionalHasElement;
    fn read(node: &Reader<'_>) -> Self { OptionalHasElement { input: node.optional(0) } }
}

#[derive(Clone, Debug)]
pub struct Or { pub a: Value, pub b: Value }
impl View for Or {
    const OPERATOR: OnnxOp = OnnxOp::Or;
    fn read(node: &Reader<'_>) -> Self { Or { a: node.operand(0), b: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct PRelu { pub x: Value, pub slope: Value }
impl View for PRelu {
    const OPERATOR: OnnxOp = OnnxOp::PRelu;
    fn read(node: &Reader<'_>) -> Self { PRelu { x: node.operand(0), slope: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct Pad { pub data: Value, pub pads: Value, pub constant_value: Option<Value>, pub axes: Option<Value>, pub mode: PadMode }
impl View for Pad {
    const OPERATOR: OnnxOp = OnnxOp::Pad;
    fn read(node: &Reader<'_>) -> Self { Pad { data: node.operand(0), pads: node.operand(1), constant_value: node.optional(2), axes: node.optional(3), mode: node.choice("mode").unwrap_or(PadMode::Constant) } }
}

#[derive(Clone, Debug)]
pub struct Pow { pub x: Value, pub y: Value }
impl View for Pow {
    const OPERATOR: OnnxOp = OnnxOp::Pow;
    fn read(node: &Reader<'_>) -> Self { Pow { x: node.operand(0), y: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct QLinearConv { pub x: Value, pub x_scale: Value, pub x_zero_point: Value, pub w: Value, pub w_scale: Value, pub w_zero_point: Value, pub y_scale: Value, pub y_zero_point: Value, pub b: Option<Value>, pub auto_pad: AutoPad, pub dilations: Option<Arc<[i64]>>, pub group: i64, pub kernel_shape: Option<Arc<[i64]>>, pub pads: Option<Arc<[i64]>>, pub strides: Option<Arc<[i64]>> }
impl View for QLinearConv {
    const OPERATOR: OnnxOp = OnnxOp::QLinearConv;
    fn read(node: &Reader<'_>) -> Self { QLinearConv { x: node.operand(0), x_scale: node.operand(1), x_zero_point: node.operand(2), w: node.operand(3), w_scale: node.operand(4), w_zero_point: node.operand(5), y_scale: node.operand(6), y_zero_point: node.operand(7), b: node.optional(8), auto_pad: node.choice("auto_pad").unwrap_or(AutoPad::Notset), dilations: node.integers("dilations"), group: node.integer("group").unwrap_or(1), kernel_shape: node.integers("kernel_shape"), pads: node.integers("pads"), strides: node.integers("strides") } }
}

#[derive(Clone, Debug)]
pub struct QLinearMatMul { pub a: Value, pub a_scale: Value, pub a_zero_point: Value, pub b: Value, pub b_scale: Value, pub b_zero_point: Value, pub y_scale: Value, pub y_zero_point: Value }
impl View for QLinearMatMul {
    const OPERATOR: OnnxOp = OnnxOp::QLinearMatMul;
    fn read(node: &Reader<'_>) -> Self { QLinearMatMul { a: node.operand(0), a_scale: node.operand(1), a_zero_point: node.operand(2), b: node.operand(3), b_scale: node.operand(4), b_zero_point: node.operand(5), y_scale: node.operand(6), y_zero_point: node.operand(7) } }
}

#[derive(Clone, Debug)]
pub struct QuantizeLinear { pub x: Value, pub y_scale: Value, pub y_zero_point: Option<Value>, pub axis: i64, pub block_size: i64, pub output_dtype: i64, pub precision: i64, pub saturate: i64 }
impl View for QuantizeLinear {
    const OPERATOR: OnnxOp = OnnxOp::QuantizeLinear;
    fn read(node: &Reader<'_>) -> Self { QuantizeLinear { x: node.operand(0), y_scale: node.operand(1), y_zero_point: node.optional(2), axis: node.integer("axis").unwrap_or(1), block_size: node.integer("block_size").unwrap_or(0), output_dtype: node.integer("output_dtype").unwrap_or(0), precision: node.integer("precision").unwrap_or(0), saturate: node.integer("saturate").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct RMSNormalization { pub x: Value, pub scale: Value, pub axis: i64, pub epsilon: f64, pub stash_type: i64 }
impl View for RMSNormalization {
    const OPERATOR: OnnxOp = OnnxOp::RMSNormalization;
    fn read(node: &Reader<'_>) -> Self { RMSNormalization { x: node.operand(0), scale: node.operand(1), axis: node.integer("axis").unwrap_or(-1), epsilon: node.float("epsilon").unwrap_or(9.999999747378752e-6), stash_type: node.integer("stash_type").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct RNN { pub x: Value, pub w: Value, pub r: Value, pub b: Option<Value>, pub sequence_lens: Option<Value>, pub initial_h: Option<Value>, pub activation_alpha: Option<Vec<f32>>, pub activation_beta: Option<Vec<f32>>, pub activations: Vec<Arc<str>>, pub clip: Option<f64>, pub direction: Direction, pub hidden_size: Option<i64>, pub layout: i64 }
impl View for RNN {
    const OPERATOR: OnnxOp = OnnxOp::RNN;
    fn read(node: &Reader<'_>) -> Self { RNN { x: node.operand(0), w: node.operand(1), r: node.operand(2), b: node.optional(3), sequence_lens: node.optional(4), initial_h: node.optional(5), activation_alpha: node.floats("activation_alpha"), activation_beta: node.floats("activation_beta"), activations: node.strings("activations").unwrap_or_else(|| vec!["Tanh".into(), "Tanh".into()]), clip: node.float("clip"), direction: node.choice("direction").unwrap_or(Direction::Forward), hidden_size: node.integer("hidden_size"), layout: node.integer("layout").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct RandomNormal { pub dtype: i64, pub mean: f64, pub scale: f64, pub seed: Option<f64>, pub shape: Arc<[i64]> }
impl View for RandomNormal {
    const OPERATOR: OnnxOp = OnnxOp::RandomNormal;
    fn read(node: &Reader<'_>) -> Self { RandomNormal { dtype: node.integer("dtype").unwrap_or(1), mean: node.float("mean").unwrap_or(0.0), scale: node.float("scale").unwrap_or(1.0), seed: node.float("seed"), shape: required(node.integers("shape")) } }
}

#[derive(Clone, Debug)]
pub struct RandomNormalLike { pub input: Value, pub dtype: Option<i64>, pub mean: f64, pub scale: f64, pub seed: Option<f64> }
impl View for RandomNormalLike {
    const OPERATOR: OnnxOp = OnnxOp::RandomNormalLike;
    fn read(node: &Reader<'_>) -> Self { RandomNormalLike { input: node.operand(0), dtype: node.integer("dtype"), mean: node.float("mean").unwrap_or(0.0), scale: node.float("scale").unwrap_or(1.0), seed: node.float("seed") } }
}

#[derive(Clone, Debug)]
pub struct RandomUniform { pub dtype: i64, pub high: f64, pub low: f64, pub seed: Option<f64>, pub shape: Arc<[i64]> }
impl View for RandomUniform {
    const OPERATOR: OnnxOp = OnnxOp::RandomUniform;
    fn read(node: &Reader<'_>) -> Self { RandomUniform { dtype: node.integer("dtype").unwrap_or(1), high: node.float("high").unwrap_or(1.0), low: node.float("low").unwrap_or(0.0), seed: node.float("seed"), shape: required(node.integers("shape")) } }
}

#[derive(Clone, Debug)]
pub struct RandomUniformLike { pub input: Value, pub dtype: Option<i64>, pub high: f64, pub low: f64, pub seed: Option<f64> }
impl View for RandomUniformLike {
    const OPERATOR: OnnxOp = OnnxOp::RandomUniformLike;
    fn read(node: &Reader<'_>) -> Self { RandomUniformLike { input: node.operand(0), dtype: node.integer("dtype"), high: node.float("high").unwrap_or(1.0), low: node.float("low").unwrap_or(0.0), seed: node.float("seed") } }
}

#[derive(Clone, Debug)]
pub struct Range { pub start: Value, pub limit: Value, pub delta: Value, pub stash_type: i64 }
impl View for Range {
    const OPERATOR: OnnxOp = OnnxOp::Range;
    fn read(node: &Reader<'_>) -> Self { Range { start: node.operand(0), limit: node.operand(1), delta: node.operand(2), stash_type: node.integer("stash_type").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct Reciprocal { pub x: Value }
impl View for Reciprocal {
    const OPERATOR: OnnxOp = OnnxOp::Reciprocal;
    fn read(node: &Reader<'_>) -> Self { Reciprocal { x: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct ReduceL1 { pub data: Value, pub axes: Option<Value>, pub keepdims: i64, pub noop_with_empty_axes: i64 }
impl View for ReduceL1 {
    const OPERATOR: OnnxOp = OnnxOp::ReduceL1;
    fn read(node: &Reader<'_>) -> Self { ReduceL1 { data: node.operand(0), axes: node.optional(1), keepdims: node.integer("keepdims").unwrap_or(1), noop_with_empty_axes: node.integer("noop_with_empty_axes").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct ReduceL2 { pub data: Value, pub axes: Option<Value>, pub keepdims: i64, pub noop_with_empty_axes: i64 }
impl View for ReduceL2 {
    const OPERATOR: OnnxOp = OnnxOp::ReduceL2;
    fn read(node: &Reader<'_>) -> Self { ReduceL2 { data: node.operand(0), axes: node.optional(1), keepdims: node.integer("keepdims").unwrap_or(1), noop_with_empty_axes: node.integer("noop_with_empty_axes").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct ReduceLogSum { pub data: Value, pub axes: Option<Value>, pub keepdims: i64, pub noop_with_empty_axes: i64 }
impl View for ReduceLogSum {
    const OPERATOR: OnnxOp = OnnxOp::ReduceLogSum;
    fn read(node: &Reader<'_>) -> Self { ReduceLogSum { data: node.operand(0), axes: node.optional(1), keepdims: node.integer("keepdims").unwrap_or(1), noop_with_empty_axes: node.integer("noop_with_empty_axes").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct ReduceLogSumExp { pub data: Value, pub axes: Option<Value>, pub keepdims: i64, pub noop_with_empty_axes: i64 }
impl View for ReduceLogSumExp {
    const OPERATOR: OnnxOp = OnnxOp::ReduceLogSumExp;
    fn read(node: &Reader<'_>) -> Self { ReduceLogSumExp { data: node.operand(0), axes: node.optional(1), keepdims: node.integer("keepdims").unwrap_or(1), noop_with_empty_axes: node.integer("noop_with_empty_axes").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct ReduceMax { pub data: Value, pub axes: Option<Value>, pub keepdims: i64, pub noop_with_empty_axes: i64 }
impl View for ReduceMax {
    const OPERATOR: OnnxOp = OnnxOp::ReduceMax;
    fn read(node: &Reader<'_>) -> Self { ReduceMax { data: node.operand(0), axes: node.optional(1), keepdims: node.integer("keepdims").unwrap_or(1), noop_with_empty_axes: node.integer("noop_with_empty_axes").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct ReduceMean { pub data: Value, pub axes: Option<Value>, pub keepdims: i64, pub noop_with_empty_axes: i64 }
impl View for ReduceMean {
    const OPERATOR: OnnxOp = OnnxOp::ReduceMean;
    fn read(node: &Reader<'_>) -> Self { ReduceMean { data: node.operand(0), axes: node.optional(1), keepdims: node.integer("keepdims").unwrap_or(1), noop_with_empty_axes: node.integer("noop_with_empty_axes").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct ReduceMin { pub data: Value, pub axes: Option<Value>, pub keepdims: i64, pub noop_with_empty_axes: i64 }
impl View for ReduceMin {
    const OPERATOR: OnnxOp = OnnxOp::ReduceMin;
    fn read(node: &Reader<'_>) -> Self { ReduceMin { data: node.operand(0), axes: node.optional(1), keepdims: node.integer("keepdims").unwrap_or(1), noop_with_empty_axes: node.integer("noop_with_empty_axes").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct ReduceProd { pub data: Value, pub axes: Option<Value>, pub keepdims: i64, pub noop_with_empty_axes: i64 }
impl View for ReduceProd {
    const OPERATOR: OnnxOp = OnnxOp::ReduceProd;
    fn read(node: &Reader<'_>) -> Self { ReduceProd { data: node.operand(0), axes: node.optional(1), keepdims: node.integer("keepdims").unwrap_or(1), noop_with_empty_axes: node.integer("noop_with_empty_axes").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct ReduceSum { pub data: Value, pub axes: Option<Value>, pub keepdims: i64, pub noop_with_empty_axes: i64 }
impl View for ReduceSum {
    const OPERATOR: OnnxOp = OnnxOp::ReduceSum;
    fn read(node: &Reader<'_>) -> Self { ReduceSum { data: node.operand(0), axes: node.optional(1), keepdims: node.integer("keepdims").unwrap_or(1), noop_with_empty_axes: node.integer("noop_with_empty_axes").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct ReduceSumSquare { pub data: Value, pub axes: Option<Value>, pub keepdims: i64, pub noop_with_empty_axes: i64 }
impl View for ReduceSumSquare {
    const OPERATOR: OnnxOp = OnnxOp::ReduceSumSquare;
    fn read(node: &Reader<'_>) -> Self { ReduceSumSquare { data: node.operand(0), axes: node.optional(1), keepdims: node.integer("keepdims").unwrap_or(1), noop_with_empty_axes: node.integer("noop_with_empty_axes").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct RegexFullMatch { pub x: Value, pub pattern: Option<String> }
impl View for RegexFullMatch {
    const OPERATOR: OnnxOp = OnnxOp::RegexFullMatch;
    fn read(node: &Reader<'_>) -> Self { RegexFullMatch { x: node.operand(0), pattern: node.string("pattern") } }
}

#[derive(Clone, Debug)]
pub struct Relu { pub x: Value }
impl View for Relu {
    const OPERATOR: OnnxOp = OnnxOp::Relu;
    fn read(node: &Reader<'_>) -> Self { Relu { x: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Reshape { pub data: Value, pub shape: Value, pub allowzero: i64 }
impl View for Reshape {
    const OPERATOR: OnnxOp = OnnxOp::Reshape;
    fn read(node: &Reader<'_>) -> Self { Reshape { data: node.operand(0), shape: node.operand(1), allowzero: node.integer("allowzero").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct Resize { pub x: Value, pub roi: Option<Value>, pub scales: Option<Value>, pub sizes: Option<Value>, pub antialias: i64, pub axes: Option<Arc<[i64]>>, pub coordinate_transformation_mode: CoordinateTransformation, pub cubic_coeff_a: f64, pub exclude_outside: i64, pub extrapolation_value: f64, pub keep_aspect_ratio_policy: AspectRatioPolicy, pub mode: ResizeMode, pub nearest_mode: NearestMode }
impl View for Resize {
    const OPERATOR: OnnxOp = OnnxOp::Resize;
    fn read(node: &Reader<'_>) -> Self { Resize { x: node.operand(0), roi: node.optional(1), scales: node.optional(2), sizes: node.optional(3), antialias: node.integer("antialias").unwrap_or(0), axes: node.integers("axes"), coordinate_transformation_mode: node.choice("coordinate_transformation_mode").unwrap_or(CoordinateTransformation::HalfPixel), cubic_coeff_a: node.float("cubic_coeff_a").unwrap_or(-0.75), exclude_outside: node.integer("exclude_outside").unwrap_or(0), extrapolation_value: node.float("extrapolation_value").unwrap_or(0.0), keep_aspect_ratio_policy: node.choice("keep_aspect_ratio_policy").unwrap_or(AspectRatioPolicy::Stretch), mode: node.choice("mode").unwrap_or(ResizeMode::Nearest), nearest_mode: node.choice("nearest_mode").unwrap_or(NearestMode::RoundPreferFloor) } }
}

#[derive(Clone, Debug)]
pub struct ReverseSequence { pub input: Value, pub sequence_lens: Value, pub batch_axis: i64, pub time_axis: i64 }
impl View for ReverseSequence {
    const OPERATOR: OnnxOp = OnnxOp::ReverseSequence;
    fn read(node: &Reader<'_>) -> Self { ReverseSequence { input: node.operand(0), sequence_lens: node.operand(1), batch_axis: node.integer("batch_axis").unwrap_or(1), time_axis: node.integer("time_axis").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct RoiAlign { pub x: Value, pub rois: Value, pub batch_indices: Value, pub coordinate_transformation_mode: RoiCoordinates, pub mode: RoiMode, pub output_height: i64, pub output_width: i64, pub sampling_ratio: i64, pub spatial_scale: f64 }
impl View for RoiAlign {
    const OPERATOR: OnnxOp = OnnxOp::RoiAlign;
    fn read(node: &Reader<'_>) -> Self { RoiAlign { x: node.operand(0), rois: node.operand(1), batch_indices: node.operand(2), coordinate_transformation_mode: node.choice("coordinate_transformation_mode").unwrap_or(RoiCoordinates::HalfPixel), mode: node.choice("mode").unwrap_or(RoiMode::Avg), output_height: node.integer("output_height").unwrap_or(1), output_width: node.integer("output_width").unwrap_or(1), sampling_ratio: node.integer("sampling_ratio").unwrap_or(0), spatial_scale: node.float("spatial_scale").unwrap_or(1.0) } }
}

#[derive(Clone, Debug)]
pub struct RotaryEmbedding { pub x: Value, pub cos_cache: Value, pub sin_cache: Value, pub position_ids: Option<Value>, pub interleaved: i64, pub num_heads: Option<i64>, pub rotary_embedding_dim: i64 }
impl View for RotaryEmbedding {
    const OPERATOR: OnnxOp = OnnxOp::RotaryEmbedding;
    fn read(node: &Reader<'_>) -> Self { RotaryEmbedding { x: node.operand(0), cos_cache: node.operand(1), sin_cache: node.operand(2), position_ids: node.optional(3), interleaved: node.integer("interleaved").unwrap_or(0), num_heads: node.integer("num_heads"), rotary_embedding_dim: node.integer("rotary_embedding_dim").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct Round { pub x: Value }
impl View for Round {
    const OPERATOR: OnnxOp = OnnxOp::Round;
    fn read(node: &Reader<'_>) -> Self { Round { x: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct STFT { pub signal: Value, pub frame_step: Value, pub window: Option<Value>, pub frame_length: Option<Value>, pub onesided: i64 }
impl View for STFT {
    const OPERATOR: OnnxOp = OnnxOp::STFT;
    fn read(node: &Reader<'_>) -> Self { STFT { signal: node.operand(0), frame_step: node.operand(1), window: node.optional(2), frame_length: node.optional(3), onesided: node.integer("onesided").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct Scan { pub initial_state_and_scan_inputs: Vec<Value>, pub num_scan_inputs: i64, pub scan_input_axes: Option<Arc<[i64]>>, pub scan_input_directions: Option<Arc<[i64]>>, pub scan_output_axes: Option<Arc<[i64]>>, pub scan_output_directions: Option<Arc<[i64]>> }
impl View for Scan {
    const OPERATOR: OnnxOp = OnnxOp::Scan;
    fn read(node: &Reader<'_>) -> Self { Scan { initial_state_and_scan_inputs: node.variadic(0), num_scan_inputs: required(node.integer("num_scan_inputs")), scan_input_axes: node.integers("scan_input_axes"), scan_input_directions: node.integers("scan_input_directions"), scan_output_axes: node.integers("scan_output_axes"), scan_output_directions: node.integers("scan_output_directions") } }
}

#[derive(Clone, Debug)]
pub struct ScatterElements { pub data: Value, pub indices: Value, pub updates: Value, pub axis: i64, pub reduction: ScatterReduction }
impl View for ScatterElements {
    const OPERATOR: OnnxOp = OnnxOp::ScatterElements;
    fn read(node: &Reader<'_>) -> Self { ScatterElements { data: node.operand(0), indices: node.operand(1), updates: node.operand(2), axis: node.integer("axis").unwrap_or(0), reduction: node.choice("reduction").unwrap_or(ScatterReduction::None) } }
}

#[derive(Clone, Debug)]
pub struct ScatterND { pub data: Value, pub indices: Value, pub updates: Value, pub reduction: ScatterReduction }
impl View for ScatterND {
    const OPERATOR: OnnxOp = OnnxOp::ScatterND;
    fn read(node: &Reader<'_>) -> Self { ScatterND { data: node.operand(0), indices: node.operand(1), updates: node.operand(2), reduction: node.choice("reduction").unwrap_or(ScatterReduction::None) } }
}

#[derive(Clone, Debug)]
pub struct Selu { pub x: Value, pub alpha: f64, pub gamma: f64 }
impl View for Selu {
    const OPERATOR: OnnxOp = OnnxOp::Selu;
    fn read(node: &Reader<'_>) -> Self { Selu { x: node.operand(0), alpha: node.float("alpha").unwrap_or(1.6732631921768188), gamma: node.float("gamma").unwrap_or(1.0507010221481323) } }
}

#[derive(Clone, Debug)]
pub struct SequenceAt { pub input_sequence: Value, pub position: Value }
impl View for SequenceAt {
    const OPERATOR: OnnxOp = OnnxOp::SequenceAt;
    fn read(node: &Reader<'_>) -> Self { SequenceAt { input_sequence: node.operand(0), position: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct SequenceConstruct { pub inputs: Vec<Value> }
impl View for SequenceConstruct {
    const OPERATOR: OnnxOp = OnnxOp::SequenceConstruct;
    fn read(node: &Reader<'_>) -> Self { SequenceConstruct { inputs: node.variadic(0) } }
}

#[derive(Clone, Debug)]
pub struct SequenceEmpty { pub dtype: Option<i64> }
impl View for SequenceEmpty {
    const OPERATOR: OnnxOp = OnnxOp::SequenceEmpty;
    fn read(node: &Reader<'_>) -> Self { SequenceEmpty { dtype: node.integer("dtype") } }
}

#[derive(Clone, Debug)]
pub struct SequenceErase { pub input_sequence: Value, pub position: Option<Value> }
impl View for SequenceErase {
    const OPERATOR: OnnxOp = OnnxOp::SequenceErase;
    fn read(node: &Reader<'_>) -> Self { SequenceErase { input_sequence: node.operand(0), position: node.optional(1) } }
}

#[derive(Clone, Debug)]
pub struct SequenceInsert { pub input_sequence: Value, pub tensor: Value, pub position: Option<Value> }
impl View for SequenceInsert {
    const OPERATOR: OnnxOp = OnnxOp::SequenceInsert;
    fn read(node: &Reader<'_>) -> Self { SequenceInsert { input_sequence: node.operand(0), tensor: node.operand(1), position: node.optional(2) } }
}

#[derive(Clone, Debug)]
pub struct SequenceLength { pub input_sequence: Value }
impl View for SequenceLength {
    const OPERATOR: OnnxOp = OnnxOp::SequenceLength;
    fn read(node: &Reader<'_>) -> Self { SequenceLength { input_sequence: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct SequenceMap { pub input_sequence: Value, pub additional_inputs: Vec<Value> }
impl View for SequenceMap {
    const OPERATOR: OnnxOp = OnnxOp::SequenceMap;
    fn read(node: &Reader<'_>) -> Self { SequenceMap { input_sequence: node.operand(0), additional_inputs: node.variadic(1) } }
}

#[derive(Clone, Debug)]
pub struct Shape { pub data: Value, pub end: Option<i64>, pub start: i64 }
impl View for Shape {
    const OPERATOR: OnnxOp = OnnxOp::Shape;
    fn read(node: &Reader<'_>) -> Self { Shape { data: node.operand(0), end: node.integer("end"), start: node.integer("start").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct Shrink { pub input: Value, pub bias: f64, pub lambd: f64 }
impl View for Shrink {
    const OPERATOR: OnnxOp = OnnxOp::Shrink;
    fn read(node: &Reader<'_>) -> Self { Shrink { input: node.operand(0), bias: node.float("bias").unwrap_or(0.0), lambd: node.float("lambd").unwrap_or(0.5) } }
}

#[derive(Clone, Debug)]
pub struct Sigmoid { pub x: Value }
impl View for Sigmoid {
    const OPERATOR: OnnxOp = OnnxOp::Sigmoid;
    fn read(node: &Reader<'_>) -> Self { Sigmoid { x: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Sign { pub input: Value }
impl View for Sign {
    const OPERATOR: OnnxOp = OnnxOp::Sign;
    fn read(node: &Reader<'_>) -> Self { Sign { input: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Sin { pub input: Value }
impl View for Sin {
    const OPERATOR: OnnxOp = OnnxOp::Sin;
    fn read(node: &Reader<'_>) -> Self { Sin { input: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Sinh { pub input: Value }
impl View for Sinh {
    const OPERATOR: OnnxOp = OnnxOp::Sinh;
    fn read(node: &Reader<'_>) -> Self { Sinh { input: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Size { pub data: Value }
impl View for Size {
    const OPERATOR: OnnxOp = OnnxOp::Size;
    fn read(node: &Reader<'_>) -> Self { Size { data: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Slice { pub data: Value, pub starts: Value, pub ends: Value, pub axes: Option<Value>, pub steps: Option<Value> }
impl View for Slice {
    const OPERATOR: OnnxOp = OnnxOp::Slice;
    fn read(node: &Reader<'_>) -> Self { Slice { data: node.operand(0), starts: node.operand(1), ends: node.operand(2), axes: node.optional(3), steps: node.optional(4) } }
}

#[derive(Clone, Debug)]
pub struct Softmax { pub input: Value, pub axis: i64 }
impl View for Softmax {
    const OPERATOR: OnnxOp = OnnxOp::Softmax;
    fn read(node: &Reader<'_>) -> Self { Softmax { input: node.operand(0), axis: node.integer("axis").unwrap_or(-1) } }
}

#[derive(Clone, Debug)]
pub struct SoftmaxCrossEntropyLoss { pub scores: Value, pub labels: Value, pub weights: Option<Value>, pub ignore_index: Option<i64>, pub reduction: LossReduction }
impl View for SoftmaxCrossEntropyLoss {
    const OPERATOR: OnnxOp = OnnxOp::SoftmaxCrossEntropyLoss;
    fn read(node: &Reader<'_>) -> Self { SoftmaxCrossEntropyLoss { scores: node.operand(0), labels: node.operand(1), weights: node.optional(2), ignore_index: node.integer("ignore_index"), reduction: node.choice("reduction").unwrap_or(LossReduction::Mean) } }
}

#[derive(Clone, Debug)]
pub struct Softplus { pub x: Value }
impl View for Softplus {
    const OPERATOR: OnnxOp = OnnxOp::Softplus;
    fn read(node: &Reader<'_>) -> Self { Softplus { x: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Softsign { pub input: Value }
impl View for Softsign {
    const OPERATOR: OnnxOp = OnnxOp::Softsign;
    fn read(node: &Reader<'_>) -> Self { Softsign { input: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct SpaceToDepth { pub input: Value, pub blocksize: i64, pub mode: DepthOrder }
impl View for SpaceToDepth {
    const OPERATOR: OnnxOp = OnnxOp::SpaceToDepth;
    fn read(node: &Reader<'_>) -> Self { SpaceToDepth { input: node.operand(0), blocksize: required(node.integer("blocksize")), mode: node.choice("mode").unwrap_or(DepthOrder::Dcr) } }
}

#[derive(Clone, Debug)]
pub struct Split { pub input: Value, pub split: Option<Value>, pub axis: i64, pub num_outputs: Option<i64> }
impl View for Split {
    const OPERATOR: OnnxOp = OnnxOp::Split;
    fn read(node: &Reader<'_>) -> Self { Split { input: node.operand(0), split: node.optional(1), axis: node.integer("axis").unwrap_or(0), num_outputs: node.integer("num_outputs") } }
}

#[derive(Clone, Debug)]
pub struct SplitToSequence { pub input: Value, pub split: Option<Value>, pub axis: i64, pub keepdims: i64 }
impl View for SplitToSequence {
    const OPERATOR: OnnxOp = OnnxOp::SplitToSequence;
    fn read(node: &Reader<'_>) -> Self { SplitToSequence { input: node.operand(0), split: node.optional(1), axis: node.integer("axis").unwrap_or(0), keepdims: node.integer("keepdims").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct Sqrt { pub x: Value }
impl View for Sqrt {
    const OPERATOR: OnnxOp = OnnxOp::Sqrt;
    fn read(node: &Reader<'_>) -> Self { Sqrt { x: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Squeeze { pub data: Value, pub axes: Option<Value> }
impl View for Squeeze {
    const OPERATOR: OnnxOp = OnnxOp::Squeeze;
    fn read(node: &Reader<'_>) -> Self { Squeeze { data: node.operand(0), axes: node.optional(1) } }
}

#[derive(Clone, Debug)]
pub struct StringConcat { pub x: Value, pub y: Value }
impl View for StringConcat {
    const OPERATOR: OnnxOp = OnnxOp::StringConcat;
    fn read(node: &Reader<'_>) -> Self { StringConcat { x: node.operand(0), y: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct StringNormalizer { pub x: Value, pub case_change_action: CaseChange, pub is_case_sensitive: i64, pub locale: Option<String>, pub stopwords: Option<Vec<Arc<str>>> }
impl View for StringNormalizer {
    const OPERATOR: OnnxOp = OnnxOp::StringNormalizer;
    fn read(node: &Reader<'_>) -> Self { StringNormalizer { x: node.operand(0), case_change_action: node.choice("case_change_action").unwrap_or(CaseChange::None), is_case_sensitive: node.integer("is_case_sensitive").unwrap_or(0), locale: node.string("locale"), stopwords: node.strings("stopwords") } }
}

#[derive(Clone, Debug)]
pub struct StringSplit { pub x: Value, pub delimiter: Option<String>, pub maxsplit: Option<i64> }
impl View for StringSplit {
    const OPERATOR: OnnxOp = OnnxOp::StringSplit;
    fn read(node: &Reader<'_>) -> Self { StringSplit { x: node.operand(0), delimiter: node.string("delimiter"), maxsplit: node.integer("maxsplit") } }
}

#[derive(Clone, Debug)]
pub struct Sub { pub a: Value, pub b: Value }
impl View for Sub {
    const OPERATOR: OnnxOp = OnnxOp::Sub;
    fn read(node: &Reader<'_>) -> Self { Sub { a: node.operand(0), b: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct Sum { pub data_0: Vec<Value> }
impl View for Sum {
    const OPERATOR: OnnxOp = OnnxOp::Sum;
    fn read(node: &Reader<'_>) -> Self { Sum { data_0: node.variadic(0) } }
}

#[derive(Clone, Debug)]
pub struct SwiGLU { pub a: Value, pub b: Value, pub alpha: f64 }
impl View for SwiGLU {
    const OPERATOR: OnnxOp = OnnxOp::SwiGLU;
    fn read(node: &Reader<'_>) -> Self { SwiGLU { a: node.operand(0), b: node.operand(1), alpha: node.float("alpha").unwrap_or(1.0) } }
}

#[derive(Clone, Debug)]
pub struct Swish { pub x: Value, pub alpha: f64 }
impl View for Swish {
    const OPERATOR: OnnxOp = OnnxOp::Swish;
    fn read(node: &Reader<'_>) -> Self { Swish { x: node.operand(0), alpha: node.float("alpha").unwrap_or(1.0) } }
}

#[derive(Clone, Debug)]
pub struct Tan { pub input: Value }
impl View for Tan {
    const OPERATOR: OnnxOp = OnnxOp::Tan;
    fn read(node: &Reader<'_>) -> Self { Tan { input: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Tanh { pub input: Value }
impl View for Tanh {
    const OPERATOR: OnnxOp = OnnxOp::Tanh;
    fn read(node: &Reader<'_>) -> Self { Tanh { input: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct TensorScatter { pub past_cache: Value, pub update: Value, pub write_indices: Option<Value>, pub axis: i64, pub mode: CacheMode }
impl View for TensorScatter {
    const OPERATOR: OnnxOp = OnnxOp::TensorScatter;
    fn read(node: &Reader<'_>) -> Self { TensorScatter { past_cache: node.operand(0), update: node.operand(1), write_indices: node.optional(2), axis: node.integer("axis").unwrap_or(-2), mode: node.choice("mode").unwrap_or(CacheMode::Linear) } }
}

#[derive(Clone, Debug)]
pub struct TfIdfVectorizer { pub x: Value, pub max_gram_length: i64, pub max_skip_count: i64, pub min_gram_length: i64, pub mode: WeightingMode, pub ngram_counts: Arc<[i64]>, pub ngram_indexes: Arc<[i64]>, pub pool_int64s: Option<Arc<[i64]>>, pub pool_strings: Option<Vec<Arc<str>>>, pub weights: Option<Vec<f32>> }
impl View for TfIdfVectorizer {
    const OPERATOR: OnnxOp = OnnxOp::TfIdfVectorizer;
    fn read(node: &Reader<'_>) -> Self { TfIdfVectorizer { x: node.operand(0), max_gram_length: required(node.integer("max_gram_length")), max_skip_count: required(node.integer("max_skip_count")), min_gram_length: required(node.integer("min_gram_length")), mode: required(node.choice("mode")), ngram_counts: required(node.integers("ngram_counts")), ngram_indexes: required(node.integers("ngram_indexes")), pool_int64s: node.integers("pool_int64s"), pool_strings: node.strings("pool_strings"), weights: node.floats("weights") } }
}

#[derive(Clone, Debug)]
pub struct ThresholdedRelu { pub x: Value, pub alpha: f64 }
impl View for ThresholdedRelu {
    const OPERATOR: OnnxOp = OnnxOp::ThresholdedRelu;
    fn read(node: &Reader<'_>) -> Self { ThresholdedRelu { x: node.operand(0), alpha: node.float("alpha").unwrap_or(1.0) } }
}

#[derive(Clone, Debug)]
pub struct Tile { pub input: Value, pub repeats: Value }
impl View for Tile {
    const OPERATOR: OnnxOp = OnnxOp::Tile;
    fn read(node: &Reader<'_>) -> Self { Tile { input: node.operand(0), repeats: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct TopK { pub x: Value, pub k: Value, pub axis: i64, pub largest: i64, pub sorted: i64 }
impl View for TopK {
    const OPERATOR: OnnxOp = OnnxOp::TopK;
    fn read(node: &Reader<'_>) -> Self { TopK { x: node.operand(0), k: node.operand(1), axis: node.integer("axis").unwrap_or(-1), largest: node.integer("largest").unwrap_or(1), sorted: node.integer("sorted").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct Transpose { pub data: Value, pub perm: Option<Arc<[i64]>> }
impl View for Transpose {
    const OPERATOR: OnnxOp = OnnxOp::Transpose;
    fn read(node: &Reader<'_>) -> Self { Transpose { data: node.operand(0), perm: node.integers("perm") } }
}

#[derive(Clone, Debug)]
pub struct Trilu { pub input: Value, pub k: Option<Value>, pub upper: i64 }
impl View for Trilu {
    const OPERATOR: OnnxOp = OnnxOp::Trilu;
    fn read(node: &Reader<'_>) -> Self { Trilu { input: node.operand(0), k: node.optional(1), upper: node.integer("upper").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct Unique { pub x: Value, pub axis: Option<i64>, pub sorted: i64 }
impl View for Unique {
    const OPERATOR: OnnxOp = OnnxOp::Unique;
    fn read(node: &Reader<'_>) -> Self { Unique { x: node.operand(0), axis: node.integer("axis"), sorted: node.integer("sorted").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct Unsqueeze { pub data: Value, pub axes: Value }
impl View for Unsqueeze {
    const OPERATOR: OnnxOp = OnnxOp::Unsqueeze;
    fn read(node: &Reader<'_>) -> Self { Unsqueeze { data: node.operand(0), axes: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct Where { pub condition: Value, pub x: Value, pub y: Value }
impl View for Where {
    const OPERATOR: OnnxOp = OnnxOp::Where;
    fn read(node: &Reader<'_>) -> Self { Where { condition: node.operand(0), x: node.operand(1), y: node.operand(2) } }
}

#[derive(Clone, Debug)]
pub struct Xor { pub a: Value, pub b: Value }
impl View for Xor {
    const OPERATOR: OnnxOp = OnnxOp::Xor;
    fn read(node: &Reader<'_>) -> Self { Xor { a: node.operand(0), b: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct Affine { pub x: Value, pub alpha: f64, pub beta: f64 }
impl View for Affine {
    const OPERATOR: OnnxOp = OnnxOp::Affine;
    fn read(node: &Reader<'_>) -> Self { Affine { x: node.operand(0), alpha: node.float("alpha").unwrap_or(1.0), beta: node.float("beta").unwrap_or(0.0) } }
}

#[derive(Clone, Debug)]
pub struct Crop { pub input: Value, pub border: Option<Arc<[i64]>>, pub scale: Option<Arc<[i64]>> }
impl View for Crop {
    const OPERATOR: OnnxOp = OnnxOp::Crop;
    fn read(node: &Reader<'_>) -> Self { Crop { input: node.operand(0), border: node.integers("border"), scale: node.integers("scale") } }
}

#[derive(Clone, Debug)]
pub struct DynamicSlice { pub data: Value, pub starts: Value, pub ends: Value, pub axes: Option<Value> }
impl View for DynamicSlice {
    const OPERATOR: OnnxOp = OnnxOp::DynamicSlice;
    fn read(node: &Reader<'_>) -> Self { DynamicSlice { data: node.operand(0), starts: node.operand(1), ends: node.operand(2), axes: node.optional(3) } }
}

#[derive(Clone, Debug)]
pub struct GivenTensorFill { pub shape: Option<Value>, pub extra_shape: Option<Arc<[i64]>>, pub input_as_shape: Option<i64>, pub shape_attribute: Option<Arc<[i64]>>, pub values: Option<Vec<f32>> }
impl View for GivenTensorFill {
    const OPERATOR: OnnxOp = OnnxOp::GivenTensorFill;
    fn read(node: &Reader<'_>) -> Self { GivenTensorFill { shape: node.optional(0), extra_shape: node.integers("extra_shape"), input_as_shape: node.integer("input_as_shape"), shape_attribute: node.integers("shape"), values: node.floats("values") } }
}

#[derive(Clone, Debug)]
pub struct ImageScaler { pub input: Value, pub bias: Option<Vec<f32>>, pub scale: f64 }
impl View for ImageScaler {
    const OPERATOR: OnnxOp = OnnxOp::ImageScaler;
    fn read(node: &Reader<'_>) -> Self { ImageScaler { input: node.operand(0), bias: node.floats("bias"), scale: node.float("scale").unwrap_or(1.0) } }
}

#[derive(Clone, Debug)]
pub struct ParametricSoftplus { pub x: Value, pub alpha: Option<f64>, pub beta: Option<f64> }
impl View for ParametricSoftplus {
    const OPERATOR: OnnxOp = OnnxOp::ParametricSoftplus;
    fn read(node: &Reader<'_>) -> Self { ParametricSoftplus { x: node.operand(0), alpha: node.float("alpha"), beta: node.float("beta") } }
}

#[derive(Clone, Debug)]
pub struct Scale { pub input: Value, pub scale: f64 }
impl View for Scale {
    const OPERATOR: OnnxOp = OnnxOp::Scale;
    fn read(node: &Reader<'_>) -> Self { Scale { input: node.operand(0), scale: node.float("scale").unwrap_or(1.0) } }
}

#[derive(Clone, Debug)]
pub struct ScaledTanh { pub input: Value, pub alpha: Option<f64>, pub beta: Option<f64> }
impl View for ScaledTanh {
    const OPERATOR: OnnxOp = OnnxOp::ScaledTanh;
    fn read(node: &Reader<'_>) -> Self { ScaledTanh { input: node.operand(0), alpha: node.float("alpha"), beta: node.float("beta") } }
}

#[derive(Clone, Debug)]
pub struct SimplifiedLayerNormalization { pub x: Value, pub scale: Value, pub axis: i64, pub epsilon: f64, pub stash_type: i64 }
impl View for SimplifiedLayerNormalization {
    const OPERATOR: OnnxOp = OnnxOp::SimplifiedLayerNormalization;
    fn read(node: &Reader<'_>) -> Self { SimplifiedLayerNormalization { x: node.operand(0), scale: node.operand(1), axis: node.integer("axis").unwrap_or(-1), epsilon: node.float("epsilon").unwrap_or(9.999999747378752e-6), stash_type: node.integer("stash_type").unwrap_or(1) } }
}
