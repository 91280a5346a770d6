// Generated from the schemas; UPDATE=1 cargo test -p onnxc-dialects regenerates it.
#![allow(missing_docs, reason = "the names are ONNX's")]

use std::sync::Arc;

use ir::{Value};

use super::super::OnnxOp;
use super::{Reader, View, required};
use super::enumerations::{AutoPad, ConvolutionActivation, Direction, GridPadding, PadMode, UpdateRule};

#[derive(Clone, Debug)]
pub struct Attention { pub input: Value, pub weights: Value, pub bias: Option<Value>, pub mask_index: Option<Value>, pub past: Option<Value>, pub attention_bias: Option<Value>, pub past_sequence_length: Option<Value>, pub do_rotary: Option<i64>, pub mask_filter_value: Option<f64>, pub num_heads: i64, pub past_present_share_buffer: Option<i64>, pub qkv_hidden_sizes: Option<Arc<[i64]>>, pub rotary_embedding_dim: Option<i64>, pub scale: Option<f64>, pub unidirectional: i64 }
impl View for Attention {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftAttention;
    fn read(node: &Reader<'_>) -> Self { Attention { input: node.operand(0), weights: node.operand(1), bias: node.optional(2), mask_index: node.optional(3), past: node.optional(4), attention_bias: node.optional(5), past_sequence_length: node.optional(6), do_rotary: node.integer("do_rotary"), mask_filter_value: node.float("mask_filter_value"), num_heads: required(node.integer("num_heads")), past_present_share_buffer: node.integer("past_present_share_buffer"), qkv_hidden_sizes: node.integers("qkv_hidden_sizes"), rotary_embedding_dim: node.integer("rotary_embedding_dim"), scale: node.float("scale"), unidirectional: node.integer("unidirectional").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct AttnLSTM { pub x: Value, pub w: Value, pub r: Value, pub b: Option<Value>, pub sequence_lens: Option<Value>, pub initial_h: Option<Value>, pub initial_c: Option<Value>, pub p: Option<Value>, pub qw: Option<Value>, pub mw: Option<Value>, pub v: Option<Value>, pub m: Option<Value>, pub memory_seq_lens: Option<Value>, pub aw: Option<Value>, pub activation_alpha: Option<Vec<f32>>, pub activation_beta: Option<Vec<f32>>, pub activations: Option<Vec<Arc<str>>>, pub clip: Option<f64>, pub direction: String, pub hidden_size: Option<i64>, pub input_forget: i64 }
impl View for AttnLSTM {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftAttnLSTM;
    fn read(node: &Reader<'_>) -> Self { AttnLSTM { x: node.operand(0), w: node.operand(1), r: node.operand(2), b: node.optional(3), sequence_lens: node.optional(4), initial_h: node.optional(5), initial_c: node.optional(6), p: node.optional(7), qw: node.optional(8), mw: node.optional(9), v: node.optional(10), m: node.optional(11), memory_seq_lens: node.optional(12), aw: node.optional(13), activation_alpha: node.floats("activation_alpha"), activation_beta: node.floats("activation_beta"), activations: node.strings("activations"), clip: node.float("clip"), direction: node.string("direction").unwrap_or_else(|| "forward".into()), hidden_size: node.integer("hidden_size"), input_forget: node.integer("input_forget").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct BeamSearch { pub input_ids: Value, pub max_length: Value, pub min_length: Option<Value>, pub num_beams: Value, pub num_return_sequences: Value, pub length_penalty: Option<Value>, pub repetition_penalty: Option<Value>, pub vocab_mask: Option<Value>, pub prefix_vocab_mask: Option<Value>, pub attention_mask: Option<Value>, pub decoder_input_ids: Option<Value>, pub logits_processor: Option<Value>, pub decoder_start_token_id: i64, pub early_stopping: i64, pub eos_token_id: i64, pub model_type: i64, pub no_repeat_ngram_size: i64, pub pad_token_id: i64, pub vocab_size: i64 }
impl View for BeamSearch {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftBeamSearch;
    fn read(node: &Reader<'_>) -> Self { BeamSearch { input_ids: node.operand(0), max_length: node.operand(1), min_length: node.optional(2), num_beams: node.operand(3), num_return_sequences: node.operand(4), length_penalty: node.optional(5), repetition_penalty: node.optional(6), vocab_mask: node.optional(7), prefix_vocab_mask: node.optional(8), attention_mask: node.optional(9), decoder_input_ids: node.optional(10), logits_processor: node.optional(11), decoder_start_token_id: node.integer("decoder_start_token_id").unwrap_or(-1), early_stopping: node.integer("early_stopping").unwrap_or(0), eos_token_id: required(node.integer("eos_token_id")), model_type: node.integer("model_type").unwrap_or(0), no_repeat_ngram_size: node.integer("no_repeat_ngram_size").unwrap_or(0), pad_token_id: required(node.integer("pad_token_id")), vocab_size: node.integer("vocab_size").unwrap_or(-1) } }
}

#[derive(Clone, Debug)]
pub struct BiasAdd { pub x: Value, pub bias: Value, pub skip: Value }
impl View for BiasAdd {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftBiasAdd;
    fn read(node: &Reader<'_>) -> Self { BiasAdd { x: node.operand(0), bias: node.operand(1), skip: node.operand(2) } }
}

#[derive(Clone, Debug)]
pub struct BiasDropout { pub data: Value, pub bias: Value, pub residual: Option<Value>, pub ratio: Option<Value>, pub training_mode: Option<Value>, pub seed: Option<i64> }
impl View for BiasDropout {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftBiasDropout;
    fn read(node: &Reader<'_>) -> Self { BiasDropout { data: node.operand(0), bias: node.operand(1), residual: node.optional(2), ratio: node.optional(3), training_mode: node.optional(4), seed: node.integer("seed") } }
}

#[derive(Clone, Debug)]
pub struct BiasGelu { pub a: Value, pub b: Value }
impl View for BiasGelu {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftBiasGelu;
    fn read(node: &Reader<'_>) -> Self { BiasGelu { a: node.operand(0), b: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct BiasSoftmax { pub data: Value, pub bias: Value, pub axis: i64, pub is_inner_broadcast: i64 }
impl View for BiasSoftmax {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftBiasSoftmax;
    fn read(node: &Reader<'_>) -> Self { BiasSoftmax { data: node.operand(0), bias: node.operand(1), axis: node.integer("axis").unwrap_or(1), is_inner_broadcast: required(node.integer("is_inner_broadcast")) } }
}

#[derive(Clone, Debug)]
pub struct BiasSplitGelu { pub x: Value, pub bias: Value }
impl View for BiasSplitGelu {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftBiasSplitGelu;
    fn read(node: &Reader<'_>) -> Self { BiasSplitGelu { x: node.operand(0), bias: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct BifurcationDetector { pub src_tokens: Value, pub cur_tokens: Value, pub prev_suffix_match_idx: Value, pub pred_tokens: Option<Value>, pub max_ngram_size: i64, pub min_ngram_size: i64 }
impl View for BifurcationDetector {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftBifurcationDetector;
    fn read(node: &Reader<'_>) -> Self { BifurcationDetector { src_tokens: node.operand(0), cur_tokens: node.operand(1), prev_suffix_match_idx: node.operand(2), pred_tokens: node.optional(3), max_ngram_size: node.integer("max_ngram_size").unwrap_or(3), min_ngram_size: node.integer("min_ngram_size").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct BitmaskBiasDropout { pub data: Value, pub bias: Value, pub residual: Option<Value>, pub ratio: Option<Value>, pub training_mode: Option<Value>, pub seed: Option<i64> }
impl View for BitmaskBiasDropout {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftBitmaskBiasDropout;
    fn read(node: &Reader<'_>) -> Self { BitmaskBiasDropout { data: node.operand(0), bias: node.operand(1), residual: node.optional(2), ratio: node.optional(3), training_mode: node.optional(4), seed: node.integer("seed") } }
}

#[derive(Clone, Debug)]
pub struct BitmaskDropout { pub data: Value, pub ratio: Option<Value>, pub training_mode: Option<Value>, pub seed: Option<i64> }
impl View for BitmaskDropout {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftBitmaskDropout;
    fn read(node: &Reader<'_>) -> Self { BitmaskDropout { data: node.operand(0), ratio: node.optional(1), training_mode: node.optional(2), seed: node.integer("seed") } }
}

#[derive(Clone, Debug)]
pub struct BranchwiseRMSNorm { pub x: Value, pub scale: Option<Value>, pub epsilon: f64, pub num_branches: i64 }
impl View for BranchwiseRMSNorm {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftBranchwiseRMSNorm;
    fn read(node: &Reader<'_>) -> Self { BranchwiseRMSNorm { x: node.operand(0), scale: node.optional(1), epsilon: node.float("epsilon").unwrap_or(9.999999747378752e-6), num_branches: node.integer("num_branches").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct CDist { pub a: Value, pub b: Value, pub metric: String }
impl View for CDist {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftCDist;
    fn read(node: &Reader<'_>) -> Self { CDist { a: node.operand(0), b: node.operand(1), metric: node.string("metric").unwrap_or_else(|| "sqeuclidean".into()) } }
}

#[derive(Clone, Debug)]
pub struct CausalConvWithState { pub input: Value, pub weight: Value, pub bias: Option<Value>, pub past_state: Option<Value>, pub activation: ConvolutionActivation, pub channels_last: i64, pub dilation: i64, pub ndim: i64, pub state_window: i64 }
impl View for CausalConvWithState {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftCausalConvWithState;
    fn read(node: &Reader<'_>) -> Self { CausalConvWithState { input: node.operand(0), weight: node.operand(1), bias: node.optional(2), past_state: node.optional(3), activation: node.choice("activation").unwrap_or(ConvolutionActivation::None), channels_last: node.integer("channels_last").unwrap_or(0), dilation: node.integer("dilation").unwrap_or(1), ndim: node.integer("ndim").unwrap_or(1), state_window: node.integer("state_window").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct ComplexMul { pub a: Value, pub b: Value }
impl View for ComplexMul {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftComplexMul;
    fn read(node: &Reader<'_>) -> Self { ComplexMul { a: node.operand(0), b: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct ComplexMulConj { pub a: Value, pub b: Value }
impl View for ComplexMulConj {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftComplexMulConj;
    fn read(node: &Reader<'_>) -> Self { ComplexMulConj { a: node.operand(0), b: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct ConvTransposeWithDynamicPads { pub x: Value, pub w: Value, pub pads: Option<Value>, pub b: Option<Value>, pub auto_pad: AutoPad, pub dilations: Option<Arc<[i64]>>, pub group: i64, pub kernel_shape: Option<Arc<[i64]>>, pub output_padding: Option<Arc<[i64]>>, pub strides: Option<Arc<[i64]>> }
impl View for ConvTransposeWithDynamicPads {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftConvTransposeWithDynamicPads;
    fn read(node: &Reader<'_>) -> Self { ConvTransposeWithDynamicPads { x: node.operand(0), w: node.operand(1), pads: node.optional(2), b: node.optional(3), auto_pad: node.choice("auto_pad").unwrap_or(AutoPad::Notset), dilations: node.integers("dilations"), group: node.integer("group").unwrap_or(1), kernel_shape: node.integers("kernel_shape"), output_padding: node.integers("output_padding"), strides: node.integers("strides") } }
}

#[derive(Clone, Debug)]
pub struct CropAndResize { pub x: Value, pub rois: Value, pub batch_indices: Value, pub crop_size: Value, pub extrapolation_value: f64, pub mode: String }
impl View for CropAndResize {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftCropAndResize;
    fn read(node: &Reader<'_>) -> Self { CropAndResize { x: node.operand(0), rois: node.operand(1), batch_indices: node.operand(2), crop_size: node.operand(3), extrapolation_value: node.float("extrapolation_value").unwrap_or(0.0), mode: node.string("mode").unwrap_or_else(|| "bilinear".into()) } }
}

#[derive(Clone, Debug)]
pub struct DecoderAttention { pub query: Value, pub key: Value, pub q_weight: Value, pub kv_weight: Value, pub bias: Value, pub key_padding_mask: Option<Value>, pub key_cache: Option<Value>, pub value_cache: Option<Value>, pub static_kv: Value, pub use_past: Value, pub has_layer_state: Value, pub has_key_padding_mask: Value, pub mask_filter_value: Option<f64>, pub num_heads: i64 }
impl View for DecoderAttention {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftDecoderAttention;
    fn read(node: &Reader<'_>) -> Self { DecoderAttention { query: node.operand(0), key: node.operand(1), q_weight: node.operand(2), kv_weight: node.operand(3), bias: node.operand(4), key_padding_mask: node.optional(5), key_cache: node.optional(6), value_cache: node.optional(7), static_kv: node.operand(8), use_past: node.operand(9), has_layer_state: node.operand(10), has_key_padding_mask: node.operand(11), mask_filter_value: node.float("mask_filter_value"), num_heads: required(node.integer("num_heads")) } }
}

#[derive(Clone, Debug)]
pub struct DecoderMaskedMultiHeadAttention { pub query: Value, pub key: Option<Value>, pub value: Option<Value>, pub mask_index: Option<Value>, pub attention_bias: Option<Value>, pub past_key: Option<Value>, pub past_value: Option<Value>, pub past_sequence_length: Option<Value>, pub beam_width: Option<Value>, pub cache_indirection: Option<Value>, pub bias: Option<Value>, pub mask_filter_value: Option<f64>, pub num_heads: i64, pub output_qk: Option<i64>, pub past_present_share_buffer: Option<i64>, pub scale: Option<f64> }
impl View for DecoderMaskedMultiHeadAttention {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftDecoderMaskedMultiHeadAttention;
    fn read(node: &Reader<'_>) -> Self { DecoderMaskedMultiHeadAttention { query: node.operand(0), key: node.optional(1), value: node.optional(2), mask_index: node.optional(3), attention_bias: node.optional(4), past_key: node.optional(5), past_value: node.optional(6), past_sequence_length: node.optional(7), beam_width: node.optional(8), cache_indirection: node.optional(9), bias: node.optional(10), mask_filter_value: node.float("mask_filter_value"), num_heads: required(node.integer("num_heads")), output_qk: node.integer("output_qk"), past_present_share_buffer: node.integer("past_present_share_buffer"), scale: node.float("scale") } }
}

#[derive(Clone, Debug)]
pub struct DecoderMaskedSelfAttention { pub input: Value, pub weights: Value, pub bias: Value, pub mask_index: Option<Value>, pub past: Value, pub attention_bias: Option<Value>, pub past_sequence_length: Value, pub beam_width: Option<Value>, pub cache_indirection: Option<Value>, pub do_rotary: Option<i64>, pub mask_filter_value: Option<f64>, pub num_heads: i64, pub past_present_share_buffer: Option<i64>, pub scale: Option<f64> }
impl View for DecoderMaskedSelfAttention {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftDecoderMaskedSelfAttention;
    fn read(node: &Reader<'_>) -> Self { DecoderMaskedSelfAttention { input: node.operand(0), weights: node.operand(1), bias: node.operand(2), mask_index: node.optional(3), past: node.operand(4), attention_bias: node.optional(5), past_sequence_length: node.operand(6), beam_width: node.optional(7), cache_indirection: node.optional(8), do_rotary: node.integer("do_rotary"), mask_filter_value: node.float("mask_filter_value"), num_heads: required(node.integer("num_heads")), past_present_share_buffer: node.integer("past_present_share_buffer"), scale: node.float("scale") } }
}

#[derive(Clone, Debug)]
pub struct DequantizeBFP { pub x: Value, pub shape: Value, pub strides: Value, pub bfp_type: i64, pub block_dim: i64, pub dtype: i64 }
impl View for DequantizeBFP {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftDequantizeBFP;
    fn read(node: &Reader<'_>) -> Self { DequantizeBFP { x: node.operand(0), shape: node.operand(1), strides: node.operand(2), bfp_type: required(node.integer("bfp_type")), block_dim: node.integer("block_dim").unwrap_or(-1), dtype: node.integer("dtype").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct DequantizeLinear { pub x: Value, pub x_scale: Value, pub x_zero_point: Option<Value>, pub axis: Option<i64> }
impl View for DequantizeLinear {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftDequantizeLinear;
    fn read(node: &Reader<'_>) -> Self { DequantizeLinear { x: node.operand(0), x_scale: node.operand(1), x_zero_point: node.optional(2), axis: node.integer("axis") } }
}

#[derive(Clone, Debug)]
pub struct DequantizeWithOrder { pub input: Value, pub scale_input: Value, pub order_input: i64, pub order_output: i64, pub to: i64 }
impl View for DequantizeWithOrder {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftDequantizeWithOrder;
    fn read(node: &Reader<'_>) -> Self { DequantizeWithOrder { input: node.operand(0), scale_input: node.operand(1), order_input: required(node.integer("order_input")), order_output: required(node.integer("order_output")), to: required(node.integer("to")) } }
}

#[derive(Clone, Debug)]
pub struct DynamicQuantizeLSTM { pub x: Value, pub w: Value, pub r: Value, pub b: Option<Value>, pub sequence_lens: Option<Value>, pub initial_h: Option<Value>, pub initial_c: Option<Value>, pub p: Option<Value>, pub w_scale: Value, pub w_zero_point: Value, pub r_scale: Value, pub r_zero_point: Value, pub activation_alpha: Option<Vec<f32>>, pub activation_beta: Option<Vec<f32>>, pub activations: Option<Vec<Arc<str>>>, pub clip: Option<f64>, pub direction: Direction, pub hidden_size: Option<i64>, pub input_forget: i64 }
impl View for DynamicQuantizeLSTM {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftDynamicQuantizeLSTM;
    fn read(node: &Reader<'_>) -> Self { DynamicQuantizeLSTM { x: node.operand(0), w: node.operand(1), r: node.operand(2), b: node.optional(3), sequence_lens: node.optional(4), initial_h: node.optional(5), initial_c: node.optional(6), p: node.optional(7), w_scale: node.operand(8), w_zero_point: node.operand(9), r_scale: node.operand(10), r_zero_point: node.operand(11), activation_alpha: node.floats("activation_alpha"), activation_beta: node.floats("activation_beta"), activations: node.strings("activations"), clip: node.float("clip"), direction: node.choice("direction").unwrap_or(Direction::Forward), hidden_size: node.integer("hidden_size"), input_forget: node.integer("input_forget").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct DynamicQuantizeMatMul { pub a: Value, pub b: Value, pub b_scale: Value, pub b_zero_point: Option<Value>, pub bias: Option<Value> }
impl View for DynamicQuantizeMatMul {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftDynamicQuantizeMatMul;
    fn read(node: &Reader<'_>) -> Self { DynamicQuantizeMatMul { a: node.operand(0), b: node.operand(1), b_scale: node.operand(2), b_zero_point: node.optional(3), bias: node.optional(4) } }
}

#[derive(Clone, Debug)]
pub struct DynamicSparseAttention { pub query: Value, pub key: Option<Value>, pub value: Option<Value>, pub past_key: Option<Value>, pub past_value: Option<Value>, pub auxiliary_key: Option<Value>, pub auxiliary_value: Option<Value>, pub selected_indices: Value, pub selected_counts: Value, pub seqlens_k: Value, pub total_sequence_length: Value, pub cos_cache: Option<Value>, pub sin_cache: Option<Value>, pub position_ids: Option<Value>, pub q_norm_weight: Option<Value>, pub k_norm_weight: Option<Value>, pub head_sink: Option<Value>, pub attention_mode: String, pub auxiliary_kv_shared: i64, pub do_rotary: i64, pub is_causal: i64, pub kv_num_heads: i64, pub local_window_size: i64, pub num_heads: i64, pub qk_norm_epsilon: f64, pub rotary_interleaved: i64, pub rotary_offset: i64, pub scale: Option<f64>, pub selected_kv_source: String, pub smooth_softmax: i64 }
impl View for DynamicSparseAttention {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftDynamicSparseAttention;
    fn read(node: &Reader<'_>) -> Self { DynamicSparseAttention { query: node.operand(0), key: node.optional(1), value: node.optional(2), past_key: node.optional(3), past_value: node.optional(4), auxiliary_key: node.optional(5), auxiliary_value: node.optional(6), selected_indices: node.operand(7), selected_counts: node.operand(8), seqlens_k: node.operand(9), total_sequence_length: node.operand(10), cos_cache: node.optional(11), sin_cache: node.optional(12), position_ids: node.optional(13), q_norm_weight: node.optional(14), k_norm_weight: node.optional(15), head_sink: node.optional(16), attention_mode: node.string("attention_mode").unwrap_or_else(|| "selected_only".into()), auxiliary_kv_shared: node.integer("auxiliary_kv_shared").unwrap_or(0), do_rotary: node.integer("do_rotary").unwrap_or(0), is_causal: node.integer("is_causal").unwrap_or(1), kv_num_heads: required(node.integer("kv_num_heads")), local_window_size: node.integer("local_window_size").unwrap_or(-1), num_heads: required(node.integer("num_heads")), qk_norm_epsilon: node.float("qk_norm_epsilon").unwrap_or(9.999999974752427e-7), rotary_interleaved: node.integer("rotary_interleaved").unwrap_or(0), rotary_offset: node.integer("rotary_offset").unwrap_or(0), scale: node.float("scale"), selected_kv_source: node.string("selected_kv_source").unwrap_or_else(|| "main".into()), smooth_softmax: node.integer("smooth_softmax").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct DynamicTimeWarping { pub input: Value }
impl View for DynamicTimeWarping {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftDynamicTimeWarping;
    fn read(node: &Reader<'_>) -> Self { DynamicTimeWarping { input: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct EPContext { pub inputs: Vec<Value>, pub embed_mode: i64, pub ep_cache_context: Option<String>, pub ep_sdk_version: Option<String>, pub hardware_architecture: Option<String>, pub main_context: i64, pub max_size: i64, pub notes: Option<String>, pub onnx_model_filename: Option<String>, pub partition_name: Option<String>, pub source: Option<String> }
impl View for EPContext {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftEPContext;
    fn read(node: &Reader<'_>) -> Self { EPContext { inputs: node.variadic(0), embed_mode: node.integer("embed_mode").unwrap_or(1), ep_cache_context: node.string("ep_cache_context"), ep_sdk_version: node.string("ep_sdk_version"), hardware_architecture: node.string("hardware_architecture"), main_context: node.integer("main_context").unwrap_or(1), max_size: node.integer("max_size").unwrap_or(0), notes: node.string("notes"), onnx_model_filename: node.string("onnx_model_filename"), partition_name: node.string("partition_name"), source: node.string("source") } }
}

#[derive(Clone, Debug)]
pub struct EmbedLayerNormalization { pub input_ids: Value, pub segment_ids: Option<Value>, pub word_embedding: Value, pub position_embedding: Value, pub segment_embedding: Option<Value>, pub gamma: Value, pub beta: Value, pub mask: Option<Value>, pub position_ids: Option<Value>, pub epsilon: f64, pub mask_index_type: Option<i64> }
impl View for EmbedLayerNormalization {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftEmbedLayerNormalization;
    fn read(node: &Reader<'_>) -> Self { EmbedLayerNormalization { input_ids: node.operand(0), segment_ids: node.optional(1), word_embedding: node.operand(2), position_embedding: node.operand(3), segment_embedding: node.optional(4), gamma: node.operand(5), beta: node.operand(6), mask: node.optional(7), position_ids: node.optional(8), epsilon: node.float("epsilon").unwrap_or(9.999999960041972e-13), mask_index_type: node.integer("mask_index_type") } }
}

#[derive(Clone, Debug)]
pub struct EngramGate { pub key: Value, pub query: Value, pub value: Value, pub key_norm_scale: Value, pub query_norm_scale: Value, pub conv_norm_scale: Option<Value>, pub epsilon: f64 }
impl View for EngramGate {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftEngramGate;
    fn read(node: &Reader<'_>) -> Self { EngramGate { key: node.operand(0), query: node.operand(1), value: node.operand(2), key_norm_scale: node.operand(3), query_norm_scale: node.operand(4), conv_norm_scale: node.optional(5), epsilon: node.float("epsilon").unwrap_or(9.999999747378752e-6) } }
}

#[derive(Clone, Debug)]
pub struct ExpandDims { pub x: Value, pub axis: Value }
impl View for ExpandDims {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftExpandDims;
    fn read(node: &Reader<'_>) -> Self { ExpandDims { x: node.operand(0), axis: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct FastGelu { pub x: Value, pub bias: Option<Value> }
impl View for FastGelu {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftFastGelu;
    fn read(node: &Reader<'_>) -> Self { FastGelu { x: node.operand(0), bias: node.optional(1) } }
}

#[derive(Clone, Debug)]
pub struct FusedConv { pub x: Value, pub w: Value, pub b: Option<Value>, pub z: Option<Value>, pub activation: Option<String>, pub activation_params: Option<Vec<f32>>, pub auto_pad: AutoPad, pub dilations: Option<Arc<[i64]>>, pub group: i64, pub kernel_shape: Option<Arc<[i64]>>, pub pads: Option<Arc<[i64]>>, pub strides: Option<Arc<[i64]>> }
impl View for FusedConv {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftFusedConv;
    fn read(node: &Reader<'_>) -> Self { FusedConv { x: node.operand(0), w: node.operand(1), b: node.optional(2), z: node.optional(3), activation: node.string("activation"), activation_params: node.floats("activation_params"), auto_pad: node.choice("auto_pad").unwrap_or(AutoPad::Notset), dilations: node.integers("dilations"), group: node.integer("group").unwrap_or(1), kernel_shape: node.integers("kernel_shape"), pads: node.integers("pads"), strides: node.integers("strides") } }
}

#[derive(Clone, Debug)]
pub struct FusedGemm { pub a: Value, pub b: Value, pub c: Option<Value>, pub activation: Option<String>, pub activation_alpha: Option<f64>, pub activation_beta: Option<f64>, pub activation_gamma: Option<f64>, pub alpha: f64, pub beta: f64, pub trans_a: i64, pub trans_b: i64 }
impl View for FusedGemm {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftFusedGemm;
    fn read(node: &Reader<'_>) -> Self { FusedGemm { a: node.operand(0), b: node.operand(1), c: node.optional(2), activation: node.string("activation"), activation_alpha: node.float("activation_alpha"), activation_beta: node.float("activation_beta"), activation_gamma: node.float("activation_gamma"), alpha: node.float("alpha").unwrap_or(1.0), beta: node.float("beta").unwrap_or(1.0), trans_a: node.integer("transA").unwrap_or(0), trans_b: node.integer("transB").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct FusedMatMul { pub a: Value, pub b: Value, pub alpha: f64, pub trans_a: i64, pub trans_b: i64, pub trans_batch_a: i64, pub trans_batch_b: i64 }
impl View for FusedMatMul {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftFusedMatMul;
    fn read(node: &Reader<'_>) -> Self { FusedMatMul { a: node.operand(0), b: node.operand(1), alpha: node.float("alpha").unwrap_or(1.0), trans_a: node.integer("transA").unwrap_or(0), trans_b: node.integer("transB").unwrap_or(0), trans_batch_a: node.integer("transBatchA").unwrap_or(0), trans_batch_b: node.integer("transBatchB").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct FusedMatMulActivation { pub a: Value, pub b: Value, pub activation: String, pub activation_alpha: Option<f64>, pub activation_axis: Option<i64>, pub activation_beta: Option<f64>, pub activation_gamma: Option<f64>, pub alpha: f64, pub trans_a: i64, pub trans_b: i64, pub trans_batch_a: i64, pub trans_batch_b: i64 }
impl View for FusedMatMulActivation {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftFusedMatMulActivation;
    fn read(node: &Reader<'_>) -> Self { FusedMatMulActivation { a: node.operand(0), b: node.operand(1), activation: required(node.string("activation")), activation_alpha: node.float("activation_alpha"), activation_axis: node.integer("activation_axis"), activation_beta: node.float("activation_beta"), activation_gamma: node.float("activation_gamma"), alpha: node.float("alpha").unwrap_or(1.0), trans_a: node.integer("transA").unwrap_or(0), trans_b: node.integer("transB").unwrap_or(0), trans_batch_a: node.integer("transBatchA").unwrap_or(0), trans_batch_b: node.integer("transBatchB").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct GatedAdd { pub x: Value, pub y: Value, pub gate: Value }
impl View for GatedAdd {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftGatedAdd;
    fn read(node: &Reader<'_>) -> Self { GatedAdd { x: node.operand(0), y: node.operand(1), gate: node.operand(2) } }
}

#[derive(Clone, Debug)]
pub struct GatedDeltaNet { pub query: Value, pub key: Option<Value>, pub value: Option<Value>, pub cu_seqlens: Option<Value>, pub decay: Option<Value>, pub beta: Option<Value>, pub initial_state: Option<Value>, pub a_log: Option<Value>, pub dt_bias: Option<Value>, pub capture_count: Option<Value>, pub state_update_active: Option<Value>, pub beta_activation: String, pub chunk_size: i64, pub gate_activation: String, pub qk_l2_norm: i64, pub scale: f64, pub state_update_capacity: i64, pub update_rule: String }
impl View for GatedDeltaNet {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftGatedDeltaNet;
    fn read(node: &Reader<'_>) -> Self { GatedDeltaNet { query: node.operand(0), key: node.optional(1), value: node.optional(2), cu_seqlens: node.optional(3), decay: node.optional(4), beta: node.optional(5), initial_state: node.optional(6), a_log: node.optional(7), dt_bias: node.optional(8), capture_count: node.optional(9), state_update_active: node.optional(10), beta_activation: node.string("beta_activation").unwrap_or_else(|| "none".into()), chunk_size: node.integer("chunk_size").unwrap_or(64), gate_activation: node.string("gate_activation").unwrap_or_else(|| "none".into()), qk_l2_norm: node.integer("qk_l2_norm").unwrap_or(0), scale: node.float("scale").unwrap_or(0.0), state_update_capacity: node.integer("state_update_capacity").unwrap_or(0), update_rule: node.string("update_rule").unwrap_or_else(|| "gated_delta".into()) } }
}

#[derive(Clone, Debug)]
pub struct GatedRMSNorm { pub x: Value, pub scale: Value, pub gate: Value, pub activation: String, pub epsilon: f64 }
impl View for GatedRMSNorm {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftGatedRMSNorm;
    fn read(node: &Reader<'_>) -> Self { GatedRMSNorm { x: node.operand(0), scale: node.operand(1), gate: node.operand(2), activation: node.string("activation").unwrap_or_else(|| "silu".into()), epsilon: node.float("epsilon").unwrap_or(9.999999747378752e-6) } }
}

#[derive(Clone, Debug)]
pub struct GatedRelativePositionBias { pub query_layer: Value, pub query_bias: Value, pub rel_pos: Value, pub weight: Value, pub bias: Value, pub eco_a: Value, pub token_offset: Option<Value>, pub num_heads: i64 }
impl View for GatedRelativePositionBias {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftGatedRelativePositionBias;
    fn read(node: &Reader<'_>) -> Self { GatedRelativePositionBias { query_layer: node.operand(0), query_bias: node.operand(1), rel_pos: node.operand(2), weight: node.operand(3), bias: node.operand(4), eco_a: node.operand(5), token_offset: node.optional(6), num_heads: required(node.integer("num_heads")) } }
}

#[derive(Clone, Debug)]
pub struct GatherBlockQuantized { pub data: Value, pub indices: Value, pub scales: Value, pub zero_points: Option<Value>, pub bits: i64, pub block_size: i64, pub gather_axis: i64, pub quantize_axis: i64 }
impl View for GatherBlockQuantized {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftGatherBlockQuantized;
    fn read(node: &Reader<'_>) -> Self { GatherBlockQuantized { data: node.operand(0), indices: node.operand(1), scales: node.operand(2), zero_points: node.optional(3), bits: node.integer("bits").unwrap_or(4), block_size: node.integer("block_size").unwrap_or(128), gather_axis: node.integer("gather_axis").unwrap_or(0), quantize_axis: node.integer("quantize_axis").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct GatherND { pub data: Value, pub indices: Value }
impl View for GatherND {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftGatherND;
    fn read(node: &Reader<'_>) -> Self { GatherND { data: node.operand(0), indices: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct Gelu { pub x: Value }
impl View for Gelu {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftGelu;
    fn read(node: &Reader<'_>) -> Self { Gelu { x: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct GemmFastGelu { pub x: Value, pub w: Value, pub bias: Option<Value> }
impl View for GemmFastGelu {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftGemmFastGelu;
    fn read(node: &Reader<'_>) -> Self { GemmFastGelu { x: node.operand(0), w: node.operand(1), bias: node.optional(2) } }
}

#[derive(Clone, Debug)]
pub struct GemmFloat8 { pub a: Value, pub b: Value, pub c: Option<Value>, pub scale_a: Option<Value>, pub scale_b: Option<Value>, pub scale_y: Option<Value>, pub activation: Option<String>, pub alpha: f64, pub beta: f64, pub dtype: i64, pub trans_a: i64, pub trans_b: i64 }
impl View for GemmFloat8 {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftGemmFloat8;
    fn read(node: &Reader<'_>) -> Self { GemmFloat8 { a: node.operand(0), b: node.operand(1), c: node.optional(2), scale_a: node.optional(3), scale_b: node.optional(4), scale_y: node.optional(5), activation: node.string("activation"), alpha: node.float("alpha").unwrap_or(1.0), beta: node.float("beta").unwrap_or(0.0), dtype: node.integer("dtype").unwrap_or(1), trans_a: node.integer("transA").unwrap_or(0), trans_b: node.integer("transB").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct GemmaRotaryEmbedding { pub emb: Value, pub q: Value, pub q_rot: Value, pub k: Value, pub k_rot: Value }
impl View for GemmaRotaryEmbedding {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftGemmaRotaryEmbedding;
    fn read(node: &Reader<'_>) -> Self { GemmaRotaryEmbedding { emb: node.operand(0), q: node.operand(1), q_rot: node.operand(2), k: node.operand(3), k_rot: node.operand(4) } }
}

#[derive(Clone, Debug)]
pub struct GreedySearch { pub input_ids: Value, pub max_length: Value, pub min_length: Option<Value>, pub repetition_penalty: Option<Value>, pub vocab_mask: Option<Value>, pub prefix_vocab_mask: Option<Value>, pub attention_mask: Option<Value>, pub decoder_start_token_id: i64, pub eos_token_id: i64, pub model_type: i64, pub no_repeat_ngram_size: i64, pub pad_token_id: i64, pub vocab_size: i64 }
impl View for GreedySearch {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftGreedySearch;
    fn read(node: &Reader<'_>) -> Self { GreedySearch { input_ids: node.operand(0), max_length: node.operand(1), min_length: node.optional(2), repetition_penalty: node.optional(3), vocab_mask: node.optional(4), prefix_vocab_mask: node.optional(5), attention_mask: node.optional(6), decoder_start_token_id: node.integer("decoder_start_token_id").unwrap_or(-1), eos_token_id: required(node.integer("eos_token_id")), model_type: node.integer("model_type").unwrap_or(0), no_repeat_ngram_size: node.integer("no_repeat_ngram_size").unwrap_or(0), pad_token_id: required(node.integer("pad_token_id")), vocab_size: node.integer("vocab_size").unwrap_or(-1) } }
}

#[derive(Clone, Debug)]
pub struct GridSample { pub x: Value, pub grid: Value, pub align_corners: i64, pub mode: String, pub padding_mode: GridPadding }
impl View for GridSample {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftGridSample;
    fn read(node: &Reader<'_>) -> Self { GridSample { x: node.operand(0), grid: node.operand(1), align_corners: node.integer("align_corners").unwrap_or(0), mode: node.string("mode").unwrap_or_else(|| "bilinear".into()), padding_mode: node.choice("padding_mode").unwrap_or(GridPadding::Zeros) } }
}

#[derive(Clone, Debug)]
pub struct GroupNorm { pub x: Value, pub gamma: Value, pub beta: Value, pub activation: i64, pub channels_last: i64, pub epsilon: f64, pub groups: i64 }
impl View for GroupNorm {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftGroupNorm;
    fn read(node: &Reader<'_>) -> Self { GroupNorm { x: node.operand(0), gamma: node.operand(1), beta: node.operand(2), activation: required(node.integer("activation")), channels_last: node.integer("channels_last").unwrap_or(1), epsilon: node.float("epsilon").unwrap_or(9.999999747378752e-6), groups: required(node.integer("groups")) } }
}

#[derive(Clone, Debug)]
pub struct GroupQueryAttention { pub query: Value, pub key: Option<Value>, pub value: Option<Value>, pub past_key: Option<Value>, pub past_value: Option<Value>, pub seqlens_k: Value, pub total_sequence_length: Value, pub cos_cache: Option<Value>, pub sin_cache: Option<Value>, pub position_ids: Option<Value>, pub attention_bias: Option<Value>, pub head_sink: Option<Value>, pub k_scale: Option<Value>, pub v_scale: Option<Value>, pub q_norm_weight: Option<Value>, pub k_norm_weight: Option<Value>, pub causal: i64, pub do_rotary: Option<i64>, pub k_quant_type: String, pub kv_cache_bit_width: Option<i64>, pub kv_num_heads: i64, pub local_window_size: i64, pub num_heads: i64, pub qk_norm_epsilon: f64, pub qk_output: i64, pub rotary_interleaved: Option<i64>, pub scale: Option<f64>, pub sliding_window_cache: i64, pub smooth_softmax: i64, pub softcap: Option<f64>, pub v_quant_type: String }
impl View for GroupQueryAttention {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftGroupQueryAttention;
    fn read(node: &Reader<'_>) -> Self { GroupQueryAttention { query: node.operand(0), key: node.optional(1), value: node.optional(2), past_key: node.optional(3), past_value: node.optional(4), seqlens_k: node.operand(5), total_sequence_length: node.operand(6), cos_cache: node.optional(7), sin_cache: node.optional(8), position_ids: node.optional(9), attention_bias: node.optional(10), head_sink: node.optional(11), k_scale: node.optional(12), v_scale: node.optional(13), q_norm_weight: node.optional(14), k_norm_weight: node.optional(15), causal: node.integer("causal").unwrap_or(1), do_rotary: node.integer("do_rotary"), k_quant_type: node.string("k_quant_type").unwrap_or_else(|| "NONE".into()), kv_cache_bit_width: node.integer("kv_cache_bit_width"), kv_num_heads: required(node.integer("kv_num_heads")), local_window_size: node.integer("local_window_size").unwrap_or(-1), num_heads: required(node.integer("num_heads")), qk_norm_epsilon: node.float("qk_norm_epsilon").unwrap_or(9.999999974752427e-7), qk_output: node.integer("qk_output").unwrap_or(0), rotary_interleaved: node.integer("rotary_interleaved"), scale: node.float("scale"), sliding_window_cache: node.integer("sliding_window_cache").unwrap_or(0), smooth_softmax: node.integer("smooth_softmax").unwrap_or(-1), softcap: node.float("softcap"), v_quant_type: node.string("v_quant_type").unwrap_or_else(|| "NONE".into()) } }
}

#[derive(Clone, Debug)]
pub struct HyperConnectionPostMix { pub streams: Value, pub block_output: Value, pub post_mix: Value, pub stream_mix: Option<Value>, pub num_branches: i64 }
impl View for HyperConnectionPostMix {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftHyperConnectionPostMix;
    fn read(node: &Reader<'_>) -> Self { HyperConnectionPostMix { streams: node.operand(0), block_output: node.operand(1), post_mix: node.operand(2), stream_mix: node.optional(3), num_branches: node.integer("num_branches").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct HyperConnectionPreMix { pub streams: Value, pub pre_mix: Value, pub num_branches: i64, pub reduction_scale: f64 }
impl View for HyperConnectionPreMix {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftHyperConnectionPreMix;
    fn read(node: &Reader<'_>) -> Self { HyperConnectionPreMix { streams: node.operand(0), pre_mix: node.operand(1), num_branches: node.integer("num_branches").unwrap_or(0), reduction_scale: node.float("reduction_scale").unwrap_or(1.0) } }
}

#[derive(Clone, Debug)]
pub struct Inverse { pub x: Value }
impl View for Inverse {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftInverse;
    fn read(node: &Reader<'_>) -> Self { Inverse { x: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Irfft { pub x: Value, pub normalized: i64, pub onesided: i64, pub signal_ndim: i64 }
impl View for Irfft {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftIrfft;
    fn read(node: &Reader<'_>) -> Self { Irfft { x: node.operand(0), normalized: node.integer("normalized").unwrap_or(0), onesided: node.integer("onesided").unwrap_or(1), signal_ndim: required(node.integer("signal_ndim")) } }
}

#[derive(Clone, Debug)]
pub struct IsAllFinite { pub input: Vec<Value>, pub isinf_only: i64, pub isnan_only: i64 }
impl View for IsAllFinite {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftIsAllFinite;
    fn read(node: &Reader<'_>) -> Self { IsAllFinite { input: node.variadic(0), isinf_only: node.integer("isinf_only").unwrap_or(0), isnan_only: node.integer("isnan_only").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct LinearAttention { pub query: Value, pub key: Value, pub value: Value, pub past_state: Option<Value>, pub decay: Option<Value>, pub beta: Option<Value>, pub chunk_size: i64, pub kv_num_heads: i64, pub q_num_heads: i64, pub scale: f64, pub state_window: i64, pub update_rule: UpdateRule }
impl View for LinearAttention {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftLinearAttention;
    fn read(node: &Reader<'_>) -> Self { LinearAttention { query: node.operand(0), key: node.operand(1), value: node.operand(2), past_state: node.optional(3), decay: node.optional(4), beta: node.optional(5), chunk_size: node.integer("chunk_size").unwrap_or(64), kv_num_heads: required(node.integer("kv_num_heads")), q_num_heads: required(node.integer("q_num_heads")), scale: node.float("scale").unwrap_or(0.0), state_window: node.integer("state_window").unwrap_or(0), update_rule: node.choice("update_rule").unwrap_or(UpdateRule::GatedDelta) } }
}

#[derive(Clone, Debug)]
pub struct LinearAttentionGate { pub a: Value, pub dt_bias: Value, pub decay_scale: Value, pub b: Option<Value> }
impl View for LinearAttentionGate {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftLinearAttentionGate;
    fn read(node: &Reader<'_>) -> Self { LinearAttentionGate { a: node.operand(0), dt_bias: node.operand(1), decay_scale: node.operand(2), b: node.optional(3) } }
}

#[derive(Clone, Debug)]
pub struct LongformerAttention { pub input: Value, pub weight: Value, pub bias: Value, pub mask: Value, pub global_weight: Value, pub global_bias: Value, pub global: Value, pub num_heads: i64, pub window: i64 }
impl View for LongformerAttention {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftLongformerAttention;
    fn read(node: &Reader<'_>) -> Self { LongformerAttention { input: node.operand(0), weight: node.operand(1), bias: node.operand(2), mask: node.operand(3), global_weight: node.operand(4), global_bias: node.operand(5), global: node.operand(6), num_heads: required(node.integer("num_heads")), window: required(node.integer("window")) } }
}

#[derive(Clone, Debug)]
pub struct MRotaryEmbedding { pub input: Value, pub position_ids: Value, pub cos_cache: Value, pub sin_cache: Value, pub interleaved: Option<i64>, pub is_packed_batching: Option<i64>, pub mrope_layout: Option<i64>, pub mrope_section: Arc<[i64]>, pub num_heads: Option<i64>, pub rotary_embedding_dim: Option<i64>, pub scale: Option<f64> }
impl View for MRotaryEmbedding {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftMRotaryEmbedding;
    fn read(node: &Reader<'_>) -> Self { MRotaryEmbedding { input: node.operand(0), position_ids: node.operand(1), cos_cache: node.operand(2), sin_cache: node.operand(3), interleaved: node.integer("interleaved"), is_packed_batching: node.integer("is_packed_batching"), mrope_layout: node.integer("mrope_layout"), mrope_section: required(node.integers("mrope_section")), num_heads: node.integer("num_heads"), rotary_embedding_dim: node.integer("rotary_embedding_dim"), scale: node.float("scale") } }
}

#[derive(Clone, Debug)]
pub struct MatMulBlockQuantizedFp4Weight { pub a: Value, pub b: Value, pub weight_scale: Value, pub weight_scale_2: Value, pub input_scale: Option<Value>, pub bias: Option<Value>, pub block_size: i64 }
impl View for MatMulBlockQuantizedFp4Weight {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftMatMulBlockQuantizedFp4Weight;
    fn read(node: &Reader<'_>) -> Self { MatMulBlockQuantizedFp4Weight { a: node.operand(0), b: node.operand(1), weight_scale: node.operand(2), weight_scale_2: node.operand(3), input_scale: node.optional(4), bias: node.optional(5), block_size: node.integer("block_size").unwrap_or(16) } }
}

#[derive(Clone, Debug)]
pub struct MatMulBlockQuantizedFp8Weight { pub a: Value, pub b: Value, pub b_scale: Value, pub a_scale: Option<Value>, pub bias: Option<Value>, pub block_size: i64 }
impl View for MatMulBlockQuantizedFp8Weight {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftMatMulBlockQuantizedFp8Weight;
    fn read(node: &Reader<'_>) -> Self { MatMulBlockQuantizedFp8Weight { a: node.operand(0), b: node.operand(1), b_scale: node.operand(2), a_scale: node.optional(3), bias: node.optional(4), block_size: node.integer("block_size").unwrap_or(128) } }
}

#[derive(Clone, Debug)]
pub struct MatMulBnb4 { pub a: Value, pub b: Value, pub absmax: Value, pub k: i64, pub n: i64, pub block_size: i64, pub quant_type: i64, pub training_mode: i64, pub trans_b: i64 }
impl View for MatMulBnb4 {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftMatMulBnb4;
    fn read(node: &Reader<'_>) -> Self { MatMulBnb4 { a: node.operand(0), b: node.operand(1), absmax: node.operand(2), k: required(node.integer("K")), n: required(node.integer("N")), block_size: required(node.integer("block_size")), quant_type: required(node.integer("quant_type")), training_mode: node.integer("training_mode").unwrap_or(0), trans_b: node.integer("transB").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct MatMulFpQ4 { pub a: Value, pub b: Value, pub b_shape: Value, pub blk_quant_type: i64 }
impl View for MatMulFpQ4 {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftMatMulFpQ4;
    fn read(node: &Reader<'_>) -> Self { MatMulFpQ4 { a: node.operand(0), b: node.operand(1), b_shape: node.operand(2), blk_quant_type: node.integer("blk_quant_type").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct MatMulInteger16 { pub a: Value, pub b: Value }
impl View for MatMulInteger16 {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftMatMulInteger16;
    fn read(node: &Reader<'_>) -> Self { MatMulInteger16 { a: node.operand(0), b: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct MatMulIntegerToFloat { pub a: Value, pub b: Value, pub a_scale: Value, pub b_scale: Value, pub a_zero_point: Option<Value>, pub b_zero_point: Option<Value>, pub bias: Option<Value> }
impl View for MatMulIntegerToFloat {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftMatMulIntegerToFloat;
    fn read(node: &Reader<'_>) -> Self { MatMulIntegerToFloat { a: node.operand(0), b: node.operand(1), a_scale: node.operand(2), b_scale: node.operand(3), a_zero_point: node.optional(4), b_zero_point: node.optional(5), bias: node.optional(6) } }
}

#[derive(Clone, Debug)]
pub struct MatMulNBits { pub a: Value, pub b: Value, pub scales: Value, pub zero_points: Option<Value>, pub g_idx: Option<Value>, pub bias: Option<Value>, pub k: i64, pub n: i64, pub accuracy_level: i64, pub bits: i64, pub block_size: i64, pub weight_prepacked: i64 }
impl View for MatMulNBits {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftMatMulNBits;
    fn read(node: &Reader<'_>) -> Self { MatMulNBits { a: node.operand(0), b: node.operand(1), scales: node.operand(2), zero_points: node.optional(3), g_idx: node.optional(4), bias: node.optional(5), k: required(node.integer("K")), n: required(node.integer("N")), accuracy_level: node.integer("accuracy_level").unwrap_or(0), bits: node.integer("bits").unwrap_or(4), block_size: required(node.integer("block_size")), weight_prepacked: node.integer("weight_prepacked").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct MatMulNBitsMlp { pub a: Value, pub skip: Option<Value>, pub norm_scale: Option<Value>, pub gate_b: Value, pub gate_scales: Value, pub gate_bias: Option<Value>, pub up_b: Value, pub up_scales: Value, pub up_bias: Option<Value>, pub k: i64, pub n: i64, pub accuracy_level: i64, pub activation: String, pub bits: i64, pub block_size: i64, pub epsilon: f64 }
impl View for MatMulNBitsMlp {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftMatMulNBitsMlp;
    fn read(node: &Reader<'_>) -> Self { MatMulNBitsMlp { a: node.operand(0), skip: node.optional(1), norm_scale: node.optional(2), gate_b: node.operand(3), gate_scales: node.operand(4), gate_bias: node.optional(5), up_b: node.operand(6), up_scales: node.operand(7), up_bias: node.optional(8), k: required(node.integer("K")), n: required(node.integer("N")), accuracy_level: node.integer("accuracy_level").unwrap_or(0), activation: required(node.string("activation")), bits: node.integer("bits").unwrap_or(4), block_size: required(node.integer("block_size")), epsilon: node.float("epsilon").unwrap_or(9.999999747378752e-6) } }
}

#[derive(Clone, Debug)]
pub struct MatMulNBitsQkv { pub a: Value, pub skip: Option<Value>, pub norm_scale: Value, pub q_b: Value, pub q_scales: Value, pub q_bias: Option<Value>, pub k_b: Value, pub k_scales: Value, pub k_bias: Option<Value>, pub v_b: Value, pub v_scales: Value, pub v_bias: Option<Value>, pub k: i64, pub nkv: i64, pub nq: i64, pub accuracy_level: i64, pub bits: i64, pub block_size: i64, pub epsilon: f64 }
impl View for MatMulNBitsQkv {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftMatMulNBitsQkv;
    fn read(node: &Reader<'_>) -> Self { MatMulNBitsQkv { a: node.operand(0), skip: node.optional(1), norm_scale: node.operand(2), q_b: node.operand(3), q_scales: node.operand(4), q_bias: node.optional(5), k_b: node.operand(6), k_scales: node.operand(7), k_bias: node.optional(8), v_b: node.operand(9), v_scales: node.operand(10), v_bias: node.optional(11), k: required(node.integer("K")), nkv: required(node.integer("Nkv")), nq: required(node.integer("Nq")), accuracy_level: node.integer("accuracy_level").unwrap_or(0), bits: node.integer("bits").unwrap_or(4), block_size: required(node.integer("block_size")), epsilon: node.float("epsilon").unwrap_or(9.999999974752427e-7) } }
}

#[derive(Clone, Debug)]
pub struct MaxpoolWithMask { pub x: Value, pub m: Value, pub auto_pad: AutoPad, pub kernel_shape: Option<Arc<[i64]>>, pub pads: Option<Arc<[i64]>>, pub storage_order: i64, pub strides: Option<Arc<[i64]>> }
impl View for MaxpoolWithMask {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftMaxpoolWithMask;
    fn read(node: &Reader<'_>) -> Self { MaxpoolWithMask { x: node.operand(0), m: node.operand(1), auto_pad: node.choice("auto_pad").unwrap_or(AutoPad::Notset), kernel_shape: node.integers("kernel_shape"), pads: node.integers("pads"), storage_order: node.integer("storage_order").unwrap_or(0), strides: node.integers("strides") } }
}

#[derive(Clone, Debug)]
pub struct MoE { pub input: Value, pub router_probs: Value, pub fc1_experts_weights: Value, pub fc1_experts_bias: Option<Value>, pub fc2_experts_weights: Value, pub fc2_experts_bias: Option<Value>, pub fc3_experts_weights: Option<Value>, pub fc3_experts_bias: Option<Value>, pub activation_alpha: f64, pub activation_beta: f64, pub activation_type: String, pub k: i64, pub normalize_routing_weights: i64, pub swiglu_fusion: i64, pub swiglu_limit: Option<f64>, pub use_sparse_mixer: i64 }
impl View for MoE {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftMoE;
    fn read(node: &Reader<'_>) -> Self { MoE { input: node.operand(0), router_probs: node.operand(1), fc1_experts_weights: node.operand(2), fc1_experts_bias: node.optional(3), fc2_experts_weights: node.operand(4), fc2_experts_bias: node.optional(5), fc3_experts_weights: node.optional(6), fc3_experts_bias: node.optional(7), activation_alpha: node.float("activation_alpha").unwrap_or(1.0), activation_beta: node.float("activation_beta").unwrap_or(0.0), activation_type: node.string("activation_type").unwrap_or_else(|| "relu".into()), k: node.integer("k").unwrap_or(1), normalize_routing_weights: node.integer("normalize_routing_weights").unwrap_or(0), swiglu_fusion: node.integer("swiglu_fusion").unwrap_or(0), swiglu_limit: node.float("swiglu_limit"), use_sparse_mixer: node.integer("use_sparse_mixer").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct MulInteger { pub a: Value, pub a_zero_point: Option<Value>, pub b: Value, pub b_zero_point: Option<Value> }
impl View for MulInteger {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftMulInteger;
    fn read(node: &Reader<'_>) -> Self { MulInteger { a: node.operand(0), a_zero_point: node.optional(1), b: node.operand(2), b_zero_point: node.optional(3) } }
}

#[derive(Clone, Debug)]
pub struct MultiHeadAttention { pub query: Value, pub key: Option<Value>, pub value: Option<Value>, pub bias: Option<Value>, pub key_padding_mask: Option<Value>, pub attention_bias: Option<Value>, pub past_key: Option<Value>, pub past_value: Option<Value>, pub past_sequence_length: Option<Value>, pub cache_indirection: Option<Value>, pub mask_filter_value: Option<f64>, pub num_heads: i64, pub scale: Option<f64>, pub unidirectional: i64 }
impl View for MultiHeadAttention {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftMultiHeadAttention;
    fn read(node: &Reader<'_>) -> Self { MultiHeadAttention { query: node.operand(0), key: node.optional(1), value: node.optional(2), bias: node.optional(3), key_padding_mask: node.optional(4), attention_bias: node.optional(5), past_key: node.optional(6), past_value: node.optional(7), past_sequence_length: node.optional(8), cache_indirection: node.optional(9), mask_filter_value: node.float("mask_filter_value"), num_heads: required(node.integer("num_heads")), scale: node.float("scale"), unidirectional: node.integer("unidirectional").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct MurmurHash3 { pub x: Value, pub positive: i64, pub seed: i64 }
impl View for MurmurHash3 {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftMurmurHash3;
    fn read(node: &Reader<'_>) -> Self { MurmurHash3 { x: node.operand(0), positive: node.integer("positive").unwrap_or(1), seed: node.integer("seed").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct NGramHashMapping { pub input_ids: Value, pub multipliers: Value, pub vocab_sizes: Value, pub past_ids: Option<Value>, pub head_offsets: Option<Value>, pub eos_token_id: Option<Value>, pub segment_ids: Option<Value>, pub max_ngram_size: i64, pub n_head_per_ngram: i64, pub pad_id: i64, pub reset_on_eos: i64 }
impl View for NGramHashMapping {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftNGramHashMapping;
    fn read(node: &Reader<'_>) -> Self { NGramHashMapping { input_ids: node.operand(0), multipliers: node.operand(1), vocab_sizes: node.operand(2), past_ids: node.optional(3), head_offsets: node.optional(4), eos_token_id: node.optional(5), segment_ids: node.optional(6), max_ngram_size: required(node.integer("max_ngram_size")), n_head_per_ngram: required(node.integer("n_head_per_ngram")), pad_id: required(node.integer("pad_id")), reset_on_eos: node.integer("reset_on_eos").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct NGramRepeatBlock { pub input_ids: Value, pub scores: Value, pub ngram_size: i64 }
impl View for NGramRepeatBlock {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftNGramRepeatBlock;
    fn read(node: &Reader<'_>) -> Self { NGramRepeatBlock { input_ids: node.operand(0), scores: node.operand(1), ngram_size: required(node.integer("ngram_size")) } }
}

#[derive(Clone, Debug)]
pub struct NhwcConv { pub x: Value, pub w: Value, pub b: Option<Value>, pub auto_pad: AutoPad, pub dilations: Option<Arc<[i64]>>, pub group: i64, pub kernel_shape: Option<Arc<[i64]>>, pub pads: Option<Arc<[i64]>>, pub strides: Option<Arc<[i64]>> }
impl View for NhwcConv {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftNhwcConv;
    fn read(node: &Reader<'_>) -> Self { NhwcConv { x: node.operand(0), w: node.operand(1), b: node.optional(2), auto_pad: node.choice("auto_pad").unwrap_or(AutoPad::Notset), dilations: node.integers("dilations"), group: node.integer("group").unwrap_or(1), kernel_shape: node.integers("kernel_shape"), pads: node.integers("pads"), strides: node.integers("strides") } }
}

#[derive(Clone, Debug)]
pub struct NhwcFusedConv { pub x: Value, pub w: Value, pub b: Option<Value>, pub z: Option<Value>, pub activation: Option<String>, pub activation_params: Option<Vec<f32>>, pub auto_pad: AutoPad, pub dilations: Option<Arc<[i64]>>, pub group: i64, pub kernel_shape: Option<Arc<[i64]>>, pub pads: Option<Arc<[i64]>>, pub strides: Option<Arc<[i64]>> }
impl View for NhwcFusedConv {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftNhwcFusedConv;
    fn read(node: &Reader<'_>) -> Self { NhwcFusedConv { x: node.operand(0), w: node.operand(1), b: node.optional(2), z: node.optional(3), activation: node.string("activation"), activation_params: node.floats("activation_params"), auto_pad: node.choice("auto_pad").unwrap_or(AutoPad::Notset), dilations: node.integers("dilations"), group: node.integer("group").unwrap_or(1), kernel_shape: node.integers("kernel_shape"), pads: node.integers("pads"), strides: node.integers("strides") } }
}

#[derive(Clone, Debug)]
pub struct NhwcMaxPool { pub x: Value, pub auto_pad: AutoPad, pub ceil_mode: i64, pub dilations: Option<Arc<[i64]>>, pub kernel_shape: Arc<[i64]>, pub pads: Option<Arc<[i64]>>, pub strides: Option<Arc<[i64]>> }
impl View for NhwcMaxPool {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftNhwcMaxPool;
    fn read(node: &Reader<'_>) -> Self { NhwcMaxPool { x: node.operand(0), auto_pad: node.choice("auto_pad").unwrap_or(AutoPad::Notset), ceil_mode: node.integer("ceil_mode").unwrap_or(0), dilations: node.integers("dilations"), kernel_shape: required(node.integers("kernel_shape")), pads: node.integers("pads"), strides: node.integers("strides") } }
}

#[derive(Clone, Debug)]
pub struct PackedAttention { pub input: Value, pub weights: Value, pub bias: Value, pub token_offset: Value, pub cumulative_sequence_length: Value, pub attention_bias: Option<Value>, pub num_heads: i64, pub qkv_hidden_sizes: Option<Arc<[i64]>>, pub scale: Option<f64> }
impl View for PackedAttention {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftPackedAttention;
    fn read(node: &Reader<'_>) -> Self { PackedAttention { input: node.operand(0), weights: node.operand(1), bias: node.operand(2), token_offset: node.operand(3), cumulative_sequence_length: node.operand(4), attention_bias: node.optional(5), num_heads: required(node.integer("num_heads")), qkv_hidden_sizes: node.integers("qkv_hidden_sizes"), scale: node.float("scale") } }
}

#[derive(Clone, Debug)]
pub struct PackedMultiHeadAttention { pub query: Value, pub key: Option<Value>, pub value: Option<Value>, pub bias: Option<Value>, pub token_offset: Value, pub cumulative_sequence_length: Value, pub attention_bias: Option<Value>, pub mask_filter_value: Option<f64>, pub num_heads: i64, pub scale: Option<f64> }
impl View for PackedMultiHeadAttention {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftPackedMultiHeadAttention;
    fn read(node: &Reader<'_>) -> Self { PackedMultiHeadAttention { query: node.operand(0), key: node.optional(1), value: node.optional(2), bias: node.optional(3), token_offset: node.operand(4), cumulative_sequence_length: node.operand(5), attention_bias: node.optional(6), mask_filter_value: node.float("mask_filter_value"), num_heads: required(node.integer("num_heads")), scale: node.float("scale") } }
}

#[derive(Clone, Debug)]
pub struct PackedSparseAttentionIndexer { pub query: Value, pub key: Option<Value>, pub query_norm_weight: Value, pub key_norm_weight: Value, pub cos_cache: Value, pub sin_cache: Value, pub cumulative_sequence_lengths: Value, pub past_sequence_lengths: Value, pub gate: Option<Value>, pub position_bias: Option<Value>, pub head_weights: Option<Value>, pub position_ids: Option<Value>, pub past_key_state: Value, pub past_kv_buffer: Value, pub past_gate_buffer: Option<Value>, pub past_state_lengths: Value, pub state_update_capture_count: Option<Value>, pub state_update_active: Option<Value>, pub compress_ratio: i64, pub epsilon: f64, pub head_weight_scale: Option<f64>, pub index_topk: Option<i64>, pub policy_mode: String, pub scale: Option<f64>, pub state_capacity: i64, pub state_update_capacity: i64, pub token_budget: Option<i64> }
impl View for PackedSparseAttentionIndexer {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftPackedSparseAttentionIndexer;
    fn read(node: &Reader<'_>) -> Self { PackedSparseAttentionIndexer { query: node.operand(0), key: node.optional(1), query_norm_weight: node.operand(2), key_norm_weight: node.operand(3), cos_cache: node.operand(4), sin_cache: node.operand(5), cumulative_sequence_lengths: node.operand(6), past_sequence_lengths: node.operand(7), gate: node.optional(8), position_bias: node.optional(9), head_weights: node.optional(10), position_ids: node.optional(11), past_key_state: node.operand(12), past_kv_buffer: node.operand(13), past_gate_buffer: node.optional(14), past_state_lengths: node.operand(15), state_update_capture_count: node.optional(16), state_update_active: node.optional(17), compress_ratio: required(node.integer("compress_ratio")), epsilon: node.float("epsilon").unwrap_or(9.999999974752427e-7), head_weight_scale: node.float("head_weight_scale"), index_topk: node.integer("index_topk"), policy_mode: required(node.string("policy_mode")), scale: node.float("scale"), state_capacity: required(node.integer("state_capacity")), state_update_capacity: node.integer("state_update_capacity").unwrap_or(0), token_budget: node.integer("token_budget") } }
}

#[derive(Clone, Debug)]
pub struct Pad { pub data: Value, pub pads: Value, pub value: Option<Value>, pub mode: PadMode }
impl View for Pad {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftPad;
    fn read(node: &Reader<'_>) -> Self { Pad { data: node.operand(0), pads: node.operand(1), value: node.optional(2), mode: node.choice("mode").unwrap_or(PadMode::Constant) } }
}

#[derive(Clone, Debug)]
pub struct PagedAttention { pub query: Value, pub key: Option<Value>, pub value: Option<Value>, pub key_cache: Value, pub value_cache: Option<Value>, pub cumulative_sequence_length: Value, pub past_seqlens: Value, pub block_table: Value, pub cos_cache: Option<Value>, pub sin_cache: Option<Value>, pub slot_mapping: Option<Value>, pub head_sink: Option<Value>, pub q_norm_weight: Option<Value>, pub k_norm_weight: Option<Value>, pub k_scale: Option<Value>, pub v_scale: Option<Value>, pub attention_metadata: Option<Value>, pub do_rotary: Option<i64>, pub is_causal: i64, pub k_cache_dtype: String, pub k_quant_type: String, pub kv_cache_layout: String, pub kv_num_heads: i64, pub local_window_size: i64, pub num_heads: i64, pub qk_norm_epsilon: Option<f64>, pub rotary_interleaved: Option<i64>, pub rotary_offset: Option<i64>, pub scale: Option<f64>, pub softcap: Option<f64>, pub v_cache_dtype: String, pub v_head_size: Option<i64>, pub v_quant_type: String }
impl View for PagedAttention {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftPagedAttention;
    fn read(node: &Reader<'_>) -> Self { PagedAttention { query: node.operand(0), key: node.optional(1), value: node.optional(2), key_cache: node.operand(3), value_cache: node.optional(4), cumulative_sequence_length: node.operand(5), past_seqlens: node.operand(6), block_table: node.operand(7), cos_cache: node.optional(8), sin_cache: node.optional(9), slot_mapping: node.optional(10), head_sink: node.optional(11), q_norm_weight: node.optional(12), k_norm_weight: node.optional(13), k_scale: node.optional(14), v_scale: node.optional(15), attention_metadata: node.optional(16), do_rotary: node.integer("do_rotary"), is_causal: node.integer("is_causal").unwrap_or(1), k_cache_dtype: node.string("k_cache_dtype").unwrap_or_else(|| "".into()), k_quant_type: node.string("k_quant_type").unwrap_or_else(|| "NONE".into()), kv_cache_layout: node.string("kv_cache_layout").unwrap_or_else(|| "SEPARATE".into()), kv_num_heads: required(node.integer("kv_num_heads")), local_window_size: node.integer("local_window_size").unwrap_or(-1), num_heads: required(node.integer("num_heads")), qk_norm_epsilon: node.float("qk_norm_epsilon"), rotary_interleaved: node.integer("rotary_interleaved"), rotary_offset: node.integer("rotary_offset"), scale: node.float("scale"), softcap: node.float("softcap"), v_cache_dtype: node.string("v_cache_dtype").unwrap_or_else(|| "".into()), v_head_size: node.integer("v_head_size"), v_quant_type: node.string("v_quant_type").unwrap_or_else(|| "NONE".into()) } }
}

#[derive(Clone, Debug)]
pub struct QAttention { pub input: Value, pub weight: Value, pub bias: Value, pub input_scale: Value, pub weight_scale: Value, pub mask_index: Option<Value>, pub input_zero_point: Option<Value>, pub weight_zero_point: Option<Value>, pub past: Option<Value>, pub do_rotary: Option<i64>, pub mask_filter_value: Option<f64>, pub num_heads: i64, pub past_present_share_buffer: Option<i64>, pub scale: Option<f64>, pub unidirectional: i64 }
impl View for QAttention {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftQAttention;
    fn read(node: &Reader<'_>) -> Self { QAttention { input: node.operand(0), weight: node.operand(1), bias: node.operand(2), input_scale: node.operand(3), weight_scale: node.operand(4), mask_index: node.optional(5), input_zero_point: node.optional(6), weight_zero_point: node.optional(7), past: node.optional(8), do_rotary: node.integer("do_rotary"), mask_filter_value: node.float("mask_filter_value"), num_heads: required(node.integer("num_heads")), past_present_share_buffer: node.integer("past_present_share_buffer"), scale: node.float("scale"), unidirectional: node.integer("unidirectional").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct QEmbedLayerNormalization { pub input_ids: Value, pub segment_ids: Option<Value>, pub word_embedding_quant: Value, pub position_embedding_quant: Value, pub segment_embedding: Option<Value>, pub gamma_quant: Value, pub beta_quant: Value, pub mask: Option<Value>, pub word_embedding_scale: Value, pub position_embedding_scale: Value, pub segment_embedding_scale: Option<Value>, pub gamma_scale: Value, pub beta_scale: Value, pub word_embedding_zero_point: Value, pub position_embedding_zero_point: Value, pub segment_embedding_zero_point: Option<Value>, pub gamma_zero_point: Value, pub beta_zero_point: Value, pub epsilon: f64 }
impl View for QEmbedLayerNormalization {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftQEmbedLayerNormalization;
    fn read(node: &Reader<'_>) -> Self { QEmbedLayerNormalization { input_ids: node.operand(0), segment_ids: node.optional(1), word_embedding_quant: node.operand(2), position_embedding_quant: node.operand(3), segment_embedding: node.optional(4), gamma_quant: node.operand(5), beta_quant: node.operand(6), mask: node.optional(7), word_embedding_scale: node.operand(8), position_embedding_scale: node.operand(9), segment_embedding_scale: node.optional(10), gamma_scale: node.operand(11), beta_scale: node.operand(12), word_embedding_zero_point: node.operand(13), position_embedding_zero_point: node.operand(14), segment_embedding_zero_point: node.optional(15), gamma_zero_point: node.operand(16), beta_zero_point: node.operand(17), epsilon: node.float("epsilon").unwrap_or(9.999999960041972e-13) } }
}

#[derive(Clone, Debug)]
pub struct QGemm { pub a: Value, pub a_scale: Value, pub a_zero_point: Value, pub b: Value, pub b_scale: Value, pub b_zero_point: Value, pub c: Option<Value>, pub y_scale: Option<Value>, pub y_zero_point: Option<Value>, pub alpha: f64, pub trans_a: i64, pub trans_b: i64 }
impl View for QGemm {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftQGemm;
    fn read(node: &Reader<'_>) -> Self { QGemm { a: node.operand(0), a_scale: node.operand(1), a_zero_point: node.operand(2), b: node.operand(3), b_scale: node.operand(4), b_zero_point: node.operand(5), c: node.optional(6), y_scale: node.optional(7), y_zero_point: node.optional(8), alpha: node.float("alpha").unwrap_or(1.0), trans_a: node.integer("transA").unwrap_or(0), trans_b: node.integer("transB").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct QLinearAdd { pub a: Value, pub a_scale: Value, pub a_zero_point: Option<Value>, pub b: Value, pub b_scale: Value, pub b_zero_point: Option<Value>, pub c_scale: Value, pub c_zero_point: Option<Value> }
impl View for QLinearAdd {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftQLinearAdd;
    fn read(node: &Reader<'_>) -> Self { QLinearAdd { a: node.operand(0), a_scale: node.operand(1), a_zero_point: node.optional(2), b: node.operand(3), b_scale: node.operand(4), b_zero_point: node.optional(5), c_scale: node.operand(6), c_zero_point: node.optional(7) } }
}

#[derive(Clone, Debug)]
pub struct QLinearAveragePool { pub x: Value, pub x_scale: Value, pub x_zero_point: Option<Value>, pub y_scale: Value, pub y_zero_point: Option<Value>, pub auto_pad: AutoPad, pub ceil_mode: i64, pub channels_last: i64, pub count_include_pad: i64, pub kernel_shape: Arc<[i64]>, pub pads: Option<Arc<[i64]>>, pub strides: Option<Arc<[i64]>> }
impl View for QLinearAveragePool {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftQLinearAveragePool;
    fn read(node: &Reader<'_>) -> Self { QLinearAveragePool { x: node.operand(0), x_scale: node.operand(1), x_zero_point: node.optional(2), y_scale: node.operand(3), y_zero_point: node.optional(4), auto_pad: node.choice("auto_pad").unwrap_or(AutoPad::Notset), ceil_mode: node.integer("ceil_mode").unwrap_or(0), channels_last: node.integer("channels_last").unwrap_or(0), count_include_pad: node.integer("count_include_pad").unwrap_or(0), kernel_shape: required(node.integers("kernel_shape")), pads: node.integers("pads"), strides: node.integers("strides") } }
}

#[derive(Clone, Debug)]
pub struct QLinearConcat { pub y_scale: Value, pub y_zero_point: Value, pub inputs: Vec<Value>, pub axis: i64 }
impl View for QLinearConcat {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftQLinearConcat;
    fn read(node: &Reader<'_>) -> Self { QLinearConcat { y_scale: node.operand(0), y_zero_point: node.operand(1), inputs: node.variadic(2), axis: required(node.integer("axis")) } }
}

#[derive(Clone, Debug)]
pub struct QLinearConv { pub x: Value, pub x_scale: Value, pub x_zero_point: Value, pub w: Value, pub w_scale: Value, pub w_zero_point: Value, pub y_scale: Value, pub y_zero_point: Value, pub b: Option<Value>, pub auto_pad: AutoPad, pub channels_last: i64, pub dilations: Option<Arc<[i64]>>, pub group: i64, pub kernel_shape: Option<Arc<[i64]>>, pub pads: Option<Arc<[i64]>>, pub strides: Option<Arc<[i64]>> }
impl View for QLinearConv {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftQLinearConv;
    fn read(node: &Reader<'_>) -> Self { QLinearConv { x: node.operand(0), x_scale: node.operand(1), x_zero_point: node.operand(2), w: node.operand(3), w_scale: node.operand(4), w_zero_point: node.operand(5), y_scale: node.operand(6), y_zero_point: node.operand(7), b: node.optional(8), auto_pad: node.choice("auto_pad").unwrap_or(AutoPad::Notset), channels_last: node.integer("channels_last").unwrap_or(0), dilations: node.integers("dilations"), group: node.integer("group").unwrap_or(1), kernel_shape: node.integers("kernel_shape"), pads: node.integers("pads"), strides: node.integers("strides") } }
}

#[derive(Clone, Debug)]
pub struct QLinearGlobalAveragePool { pub x: Value, pub x_scale: Value, pub x_zero_point: Value, pub y_scale: Value, pub y_zero_point: Value, pub channels_last: i64 }
impl View for QLinearGlobalAveragePool {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftQLinearGlobalAveragePool;
    fn read(node: &Reader<'_>) -> Self { QLinearGlobalAveragePool { x: node.operand(0), x_scale: node.operand(1), x_zero_point: node.operand(2), y_scale: node.operand(3), y_zero_point: node.operand(4), channels_last: node.integer("channels_last").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct QLinearLeakyRelu { pub x: Value, pub x_scale: Value, pub x_zero_point: Option<Value>, pub y_scale: Value, pub y_zero_point: Option<Value>, pub alpha: f64 }
impl View for QLinearLeakyRelu {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftQLinearLeakyRelu;
    fn read(node: &Reader<'_>) -> Self { QLinearLeakyRelu { x: node.operand(0), x_scale: node.operand(1), x_zero_point: node.optional(2), y_scale: node.operand(3), y_zero_point: node.optional(4), alpha: node.float("alpha").unwrap_or(0.009999999776482582) } }
}

#[derive(Clone, Debug)]
pub struct QLinearMul { pub a: Value, pub a_scale: Value, pub a_zero_point: Option<Value>, pub b: Value, pub b_scale: Value, pub b_zero_point: Option<Value>, pub c_scale: Value, pub c_zero_point: Option<Value> }
impl View for QLinearMul {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftQLinearMul;
    fn read(node: &Reader<'_>) -> Self { QLinearMul { a: node.operand(0), a_scale: node.operand(1), a_zero_point: node.optional(2), b: node.operand(3), b_scale: node.operand(4), b_zero_point: node.optional(5), c_scale: node.operand(6), c_zero_point: node.optional(7) } }
}

#[derive(Clone, Debug)]
pub struct QLinearReduceMean { pub data: Value, pub data_scale: Value, pub data_zero_point: Option<Value>, pub reduced_scale: Value, pub reduced_zero_point: Option<Value>, pub axes: Arc<[i64]>, pub keepdims: i64 }
impl View for QLinearReduceMean {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftQLinearReduceMean;
    fn read(node: &Reader<'_>) -> Self { QLinearReduceMean { data: node.operand(0), data_scale: node.operand(1), data_zero_point: node.optional(2), reduced_scale: node.operand(3), reduced_zero_point: node.optional(4), axes: required(node.integers("axes")), keepdims: required(node.integer("keepdims")) } }
}

#[derive(Clone, Debug)]
pub struct QLinearSigmoid { pub x: Value, pub x_scale: Value, pub x_zero_point: Option<Value>, pub y_scale: Value, pub y_zero_point: Option<Value> }
impl View for QLinearSigmoid {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftQLinearSigmoid;
    fn read(node: &Reader<'_>) -> Self { QLinearSigmoid { x: node.operand(0), x_scale: node.operand(1), x_zero_point: node.optional(2), y_scale: node.operand(3), y_zero_point: node.optional(4) } }
}

#[derive(Clone, Debug)]
pub struct QLinearSoftmax { pub x: Value, pub x_scale: Value, pub x_zero_point: Option<Value>, pub y_scale: Value, pub y_zero_point: Value, pub axis: i64, pub opset: i64 }
impl View for QLinearSoftmax {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftQLinearSoftmax;
    fn read(node: &Reader<'_>) -> Self { QLinearSoftmax { x: node.operand(0), x_scale: node.operand(1), x_zero_point: node.optional(2), y_scale: node.operand(3), y_zero_point: node.operand(4), axis: node.integer("axis").unwrap_or(-1), opset: required(node.integer("opset")) } }
}

#[derive(Clone, Debug)]
pub struct QLinearWhere { pub condition: Value, pub x: Value, pub x_scale: Value, pub x_zero_point: Value, pub y: Value, pub y_scale: Value, pub y_zero_point: Value, pub z_scale: Value, pub z_zero_point: Value }
impl View for QLinearWhere {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftQLinearWhere;
    fn read(node: &Reader<'_>) -> Self { QLinearWhere { condition: node.operand(0), x: node.operand(1), x_scale: node.operand(2), x_zero_point: node.operand(3), y: node.operand(4), y_scale: node.operand(5), y_zero_point: node.operand(6), z_scale: node.operand(7), z_zero_point: node.operand(8) } }
}

#[derive(Clone, Debug)]
pub struct QMoE { pub input: Value, pub router_probs: Value, pub fc1_experts_weights: Value, pub fc1_scales: Option<Value>, pub fc1_experts_bias: Option<Value>, pub fc2_experts_weights: Value, pub fc2_scales: Option<Value>, pub fc2_experts_bias: Option<Value>, pub fc3_experts_weights: Option<Value>, pub fc3_scales: Option<Value>, pub fc3_experts_bias: Option<Value>, pub fc1_zero_points: Option<Value>, pub fc2_zero_points: Option<Value>, pub fc3_zero_points: Option<Value>, pub router_weights: Option<Value>, pub fc1_global_scale: Option<Value>, pub fc2_global_scale: Option<Value>, pub fc1_act_scale: Option<Value>, pub fc2_act_scale: Option<Value>, pub fc1_act_block_scale: Option<Value>, pub fc2_act_block_scale: Option<Value>, pub accuracy_level: i64, pub activation_alpha: f64, pub activation_beta: f64, pub activation_type: String, pub block_size: Option<i64>, pub expert_weight_bits: i64, pub fc1_expert_weight_bits: Option<i64>, pub fc2_expert_weight_bits: Option<i64>, pub fc3_expert_weight_bits: Option<i64>, pub k: i64, pub normalize_routing_weights: i64, pub quant_type: String, pub swiglu_fusion: i64, pub swiglu_limit: Option<f64>, pub use_sparse_mixer: i64, pub weights_prepacked: i64 }
impl View for QMoE {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftQMoE;
    fn read(node: &Reader<'_>) -> Self { QMoE { input: node.operand(0), router_probs: node.operand(1), fc1_experts_weights: node.operand(2), fc1_scales: node.optional(3), fc1_experts_bias: node.optional(4), fc2_experts_weights: node.operand(5), fc2_scales: node.optional(6), fc2_experts_bias: node.optional(7), fc3_experts_weights: node.optional(8), fc3_scales: node.optional(9), fc3_experts_bias: node.optional(10), fc1_zero_points: node.optional(11), fc2_zero_points: node.optional(12), fc3_zero_points: node.optional(13), router_weights: node.optional(14), fc1_global_scale: node.optional(15), fc2_global_scale: node.optional(16), fc1_act_scale: node.optional(17), fc2_act_scale: node.optional(18), fc1_act_block_scale: node.optional(19), fc2_act_block_scale: node.optional(20), accuracy_level: node.integer("accuracy_level").unwrap_or(0), activation_alpha: node.float("activation_alpha").unwrap_or(1.0), activation_beta: node.float("activation_beta").unwrap_or(0.0), activation_type: node.string("activation_type").unwrap_or_else(|| "relu".into()), block_size: node.integer("block_size"), expert_weight_bits: node.integer("expert_weight_bits").unwrap_or(4), fc1_expert_weight_bits: node.integer("fc1_expert_weight_bits"), fc2_expert_weight_bits: node.integer("fc2_expert_weight_bits"), fc3_expert_weight_bits: node.integer("fc3_expert_weight_bits"), k: node.integer("k").unwrap_or(1), normalize_routing_weights: node.integer("normalize_routing_weights").unwrap_or(0), quant_type: node.string("quant_type").unwrap_or_else(|| "int".into()), swiglu_fusion: node.integer("swiglu_fusion").unwrap_or(0), swiglu_limit: node.float("swiglu_limit"), use_sparse_mixer: node.integer("use_sparse_mixer").unwrap_or(0), weights_prepacked: node.integer("weights_prepacked").unwrap_or(-1) } }
}

#[derive(Clone, Debug)]
pub struct QOrderedAttention { pub input: Value, pub scale_input: Value, pub scale_q_gemm: Value, pub scale_k_gemm: Value, pub scale_v_gemm: Value, pub q_weight: Value, pub k_weight: Value, pub v_weight: Value, pub scale_q_weight: Value, pub scale_k_weight: Value, pub scale_v_weight: Value, pub q_bias: Value, pub k_bias: Value, pub v_bias: Value, pub scale_qkt_gemm: Option<Value>, pub scale_qkt_softmax: Option<Value>, pub scale_values_gemm: Value, pub mask_index: Option<Value>, pub past: Option<Value>, pub attention_bias: Option<Value>, pub num_heads: i64, pub order_input: i64, pub order_output: i64, pub order_weight: i64, pub qkv_hidden_sizes: Option<Arc<[i64]>>, pub unidirectional: i64 }
impl View for QOrderedAttention {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftQOrderedAttention;
    fn read(node: &Reader<'_>) -> Self { QOrderedAttention { input: node.operand(0), scale_input: node.operand(1), scale_q_gemm: node.operand(2), scale_k_gemm: node.operand(3), scale_v_gemm: node.operand(4), q_weight: node.operand(5), k_weight: node.operand(6), v_weight: node.operand(7), scale_q_weight: node.operand(8), scale_k_weight: node.operand(9), scale_v_weight: node.operand(10), q_bias: node.operand(11), k_bias: node.operand(12), v_bias: node.operand(13), scale_qkt_gemm: node.optional(14), scale_qkt_softmax: node.optional(15), scale_values_gemm: node.operand(16), mask_index: node.optional(17), past: node.optional(18), attention_bias: node.optional(19), num_heads: required(node.integer("num_heads")), order_input: required(node.integer("order_input")), order_output: required(node.integer("order_output")), order_weight: required(node.integer("order_weight")), qkv_hidden_sizes: node.integers("qkv_hidden_sizes"), unidirectional: node.integer("unidirectional").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct QOrderedGelu { pub x: Value, pub scale_x: Value, pub scale_y: Value, pub order_x: Option<i64>, pub order_y: Option<i64> }
impl View for QOrderedGelu {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftQOrderedGelu;
    fn read(node: &Reader<'_>) -> Self { QOrderedGelu { x: node.operand(0), scale_x: node.operand(1), scale_y: node.operand(2), order_x: node.integer("order_X"), order_y: node.integer("order_Y") } }
}

#[derive(Clone, Debug)]
pub struct QOrderedLayerNormalization { pub x: Value, pub scale_x: Value, pub scale: Value, pub b: Option<Value>, pub scale_y: Value, pub axis: i64, pub epsilon: f64, pub order_x: i64, pub order_y: i64 }
impl View for QOrderedLayerNormalization {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftQOrderedLayerNormalization;
    fn read(node: &Reader<'_>) -> Self { QOrderedLayerNormalization { x: node.operand(0), scale_x: node.operand(1), scale: node.operand(2), b: node.optional(3), scale_y: node.operand(4), axis: node.integer("axis").unwrap_or(-1), epsilon: node.float("epsilon").unwrap_or(9.999999747378752e-6), order_x: node.integer("order_X").unwrap_or(1), order_y: node.integer("order_Y").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct QOrderedLongformerAttention { pub input: Value, pub scale_input: Value, pub weight: Value, pub scale_weight: Value, pub bias: Value, pub scale_bias: Value, pub scale_qkv_gemm: Value, pub mask: Value, pub global_weight: Value, pub scale_global_weight: Value, pub global_bias: Value, pub scale_global_gemm: Value, pub global: Value, pub scale_output: Value, pub num_heads: i64, pub order_global_weight: i64, pub order_input: i64, pub order_output: i64, pub order_weight: i64, pub window: i64 }
impl View for QOrderedLongformerAttention {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftQOrderedLongformerAttention;
    fn read(node: &Reader<'_>) -> Self { QOrderedLongformerAttention { input: node.operand(0), scale_input: node.operand(1), weight: node.operand(2), scale_weight: node.operand(3), bias: node.operand(4), scale_bias: node.operand(5), scale_qkv_gemm: node.operand(6), mask: node.operand(7), global_weight: node.operand(8), scale_global_weight: node.operand(9), global_bias: node.operand(10), scale_global_gemm: node.operand(11), global: node.operand(12), scale_output: node.operand(13), num_heads: required(node.integer("num_heads")), order_global_weight: required(node.integer("order_global_weight")), order_input: required(node.integer("order_input")), order_output: required(node.integer("order_output")), order_weight: required(node.integer("order_weight")), window: required(node.integer("window")) } }
}

#[derive(Clone, Debug)]
pub struct QOrderedMatMul { pub a: Value, pub scale_a: Value, pub b: Value, pub scale_b: Value, pub scale_y: Value, pub bias: Option<Value>, pub c: Option<Value>, pub scale_c: Option<Value>, pub order_a: i64, pub order_b: i64, pub order_y: i64 }
impl View for QOrderedMatMul {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftQOrderedMatMul;
    fn read(node: &Reader<'_>) -> Self { QOrderedMatMul { a: node.operand(0), scale_a: node.operand(1), b: node.operand(2), scale_b: node.operand(3), scale_y: node.operand(4), bias: node.optional(5), c: node.optional(6), scale_c: node.optional(7), order_a: required(node.integer("order_A")), order_b: required(node.integer("order_B")), order_y: required(node.integer("order_Y")) } }
}

#[derive(Clone, Debug)]
pub struct QuantizeBFP { pub x: Value, pub bfp_type: i64, pub block_dim: i64 }
impl View for QuantizeBFP {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftQuantizeBFP;
    fn read(node: &Reader<'_>) -> Self { QuantizeBFP { x: node.operand(0), bfp_type: required(node.integer("bfp_type")), block_dim: node.integer("block_dim").unwrap_or(-1) } }
}

#[derive(Clone, Debug)]
pub struct QuantizeLinear { pub x: Value, pub y_scale: Value, pub y_zero_point: Option<Value>, pub axis: Option<i64> }
impl View for QuantizeLinear {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftQuantizeLinear;
    fn read(node: &Reader<'_>) -> Self { QuantizeLinear { x: node.operand(0), y_scale: node.operand(1), y_zero_point: node.optional(2), axis: node.integer("axis") } }
}

#[derive(Clone, Debug)]
pub struct QuantizeWithOrder { pub input: Value, pub scale_input: Value, pub order_input: i64, pub order_output: i64 }
impl View for QuantizeWithOrder {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftQuantizeWithOrder;
    fn read(node: &Reader<'_>) -> Self { QuantizeWithOrder { input: node.operand(0), scale_input: node.operand(1), order_input: required(node.integer("order_input")), order_output: required(node.integer("order_output")) } }
}

#[derive(Clone, Debug)]
pub struct QuickGelu { pub x: Value, pub alpha: f64 }
impl View for QuickGelu {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftQuickGelu;
    fn read(node: &Reader<'_>) -> Self { QuickGelu { x: node.operand(0), alpha: node.float("alpha").unwrap_or(1.7020000219345093) } }
}

#[derive(Clone, Debug)]
pub struct Range { pub start: Value, pub limit: Value, pub delta: Option<Value> }
impl View for Range {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftRange;
    fn read(node: &Reader<'_>) -> Self { Range { start: node.operand(0), limit: node.operand(1), delta: node.optional(2) } }
}

#[derive(Clone, Debug)]
pub struct ReduceSumInteger { pub data: Value, pub axes: Arc<[i64]>, pub keepdims: i64 }
impl View for ReduceSumInteger {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftReduceSumInteger;
    fn read(node: &Reader<'_>) -> Self { ReduceSumInteger { data: node.operand(0), axes: required(node.integers("axes")), keepdims: required(node.integer("keepdims")) } }
}

#[derive(Clone, Debug)]
pub struct RelativePositionBias { pub bias_table: Value, pub query_length: Value, pub key_length: Value, pub is_bidirectional: i64, pub max_distance: i64 }
impl View for RelativePositionBias {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftRelativePositionBias;
    fn read(node: &Reader<'_>) -> Self { RelativePositionBias { bias_table: node.operand(0), query_length: node.operand(1), key_length: node.operand(2), is_bidirectional: node.integer("is_bidirectional").unwrap_or(0), max_distance: required(node.integer("max_distance")) } }
}

#[derive(Clone, Debug)]
pub struct RemovePadding { pub input: Value, pub sequence_token_count: Value }
impl View for RemovePadding {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftRemovePadding;
    fn read(node: &Reader<'_>) -> Self { RemovePadding { input: node.operand(0), sequence_token_count: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct RestorePadding { pub input: Value, pub token_offset: Value }
impl View for RestorePadding {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftRestorePadding;
    fn read(node: &Reader<'_>) -> Self { RestorePadding { input: node.operand(0), token_offset: node.operand(1) } }
}

#[derive(Clone, Debug)]
pub struct Rfft { pub x: Value, pub normalized: i64, pub onesided: i64, pub signal_ndim: i64 }
impl View for Rfft {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftRfft;
    fn read(node: &Reader<'_>) -> Self { Rfft { x: node.operand(0), normalized: node.integer("normalized").unwrap_or(0), onesided: node.integer("onesided").unwrap_or(1), signal_ndim: node.integer("signal_ndim").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct RotaryEmbedding { pub input: Value, pub position_ids: Value, pub cos_cache: Value, pub sin_cache: Value, pub interleaved: Option<i64>, pub is_packed_batching: Option<i64>, pub num_heads: Option<i64>, pub rotary_embedding_dim: Option<i64>, pub scale: Option<f64> }
impl View for RotaryEmbedding {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftRotaryEmbedding;
    fn read(node: &Reader<'_>) -> Self { RotaryEmbedding { input: node.operand(0), position_ids: node.operand(1), cos_cache: node.operand(2), sin_cache: node.operand(3), interleaved: node.integer("interleaved"), is_packed_batching: node.integer("is_packed_batching"), num_heads: node.integer("num_heads"), rotary_embedding_dim: node.integer("rotary_embedding_dim"), scale: node.float("scale") } }
}

#[derive(Clone, Debug)]
pub struct SampleOp { pub x: Value }
impl View for SampleOp {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftSampleOp;
    fn read(node: &Reader<'_>) -> Self { SampleOp { x: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct Sampling { pub input_ids: Value, pub max_length: Value, pub min_length: Option<Value>, pub repetition_penalty: Option<Value>, pub vocab_mask: Option<Value>, pub prefix_vocab_mask: Option<Value>, pub attention_mask: Option<Value>, pub presence_mask: Option<Value>, pub seed: Option<Value>, pub custom: i64, pub decoder_start_token_id: i64, pub eos_token_id: i64, pub filter_value: f64, pub min_tokens_to_keep: i64, pub model_type: i64, pub no_repeat_ngram_size: i64, pub pad_token_id: i64, pub presence_penalty: f64, pub temperature: f64, pub top_p: f64, pub vocab_size: i64 }
impl View for Sampling {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftSampling;
    fn read(node: &Reader<'_>) -> Self { Sampling { input_ids: node.operand(0), max_length: node.operand(1), min_length: node.optional(2), repetition_penalty: node.optional(3), vocab_mask: node.optional(4), prefix_vocab_mask: node.optional(5), attention_mask: node.optional(6), presence_mask: node.optional(7), seed: node.optional(8), custom: node.integer("custom").unwrap_or(0), decoder_start_token_id: node.integer("decoder_start_token_id").unwrap_or(-1), eos_token_id: required(node.integer("eos_token_id")), filter_value: node.float("filter_value").unwrap_or(-1.0000000200408773e20), min_tokens_to_keep: node.integer("min_tokens_to_keep").unwrap_or(0), model_type: node.integer("model_type").unwrap_or(0), no_repeat_ngram_size: node.integer("no_repeat_ngram_size").unwrap_or(0), pad_token_id: required(node.integer("pad_token_id")), presence_penalty: node.float("presence_penalty").unwrap_or(0.0), temperature: node.float("temperature").unwrap_or(1.0), top_p: node.float("top_p").unwrap_or(0.0), vocab_size: node.integer("vocab_size").unwrap_or(-1) } }
}

#[derive(Clone, Debug)]
pub struct ScaledSiLU { pub x: Value, pub scale: Option<Value>, pub alpha: f64 }
impl View for ScaledSiLU {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftScaledSiLU;
    fn read(node: &Reader<'_>) -> Self { ScaledSiLU { x: node.operand(0), scale: node.optional(1), alpha: node.float("alpha").unwrap_or(1.0) } }
}

#[derive(Clone, Debug)]
pub struct SkipGroupNorm { pub x: Value, pub gamma: Value, pub beta: Value, pub skip: Value, pub bias: Option<Value>, pub activation: i64, pub channels_last: i64, pub epsilon: f64, pub groups: i64 }
impl View for SkipGroupNorm {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftSkipGroupNorm;
    fn read(node: &Reader<'_>) -> Self { SkipGroupNorm { x: node.operand(0), gamma: node.operand(1), beta: node.operand(2), skip: node.operand(3), bias: node.optional(4), activation: required(node.integer("activation")), channels_last: node.integer("channels_last").unwrap_or(1), epsilon: node.float("epsilon").unwrap_or(9.999999747378752e-6), groups: required(node.integer("groups")) } }
}

#[derive(Clone, Debug)]
pub struct SkipLayerNormalization { pub input: Value, pub skip: Value, pub gamma: Value, pub beta: Option<Value>, pub bias: Option<Value>, pub epsilon: f64 }
impl View for SkipLayerNormalization {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftSkipLayerNormalization;
    fn read(node: &Reader<'_>) -> Self { SkipLayerNormalization { input: node.operand(0), skip: node.operand(1), gamma: node.operand(2), beta: node.optional(3), bias: node.optional(4), epsilon: node.float("epsilon").unwrap_or(9.999999960041972e-13) } }
}

#[derive(Clone, Debug)]
pub struct SkipSimplifiedLayerNormalization { pub input: Value, pub skip: Value, pub gamma: Value, pub bias: Option<Value>, pub epsilon: f64 }
impl View for SkipSimplifiedLayerNormalization {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftSkipSimplifiedLayerNormalization;
    fn read(node: &Reader<'_>) -> Self { SkipSimplifiedLayerNormalization { input: node.operand(0), skip: node.operand(1), gamma: node.operand(2), bias: node.optional(3), epsilon: node.float("epsilon").unwrap_or(9.999999960041972e-13) } }
}

#[derive(Clone, Debug)]
pub struct Snpe { pub inputs: Vec<Value>, pub dlc: String, pub notes: Option<String>, pub snpe_version: Option<String>, pub target_device: Option<String> }
impl View for Snpe {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftSnpe;
    fn read(node: &Reader<'_>) -> Self { Snpe { inputs: node.variadic(0), dlc: required(node.string("DLC")), notes: node.string("notes"), snpe_version: node.string("snpe_version"), target_device: node.string("target_device") } }
}

#[derive(Clone, Debug)]
pub struct SparseAttention { pub query: Value, pub key: Option<Value>, pub value: Option<Value>, pub past_key: Value, pub past_value: Value, pub block_row_indices: Value, pub block_col_indices: Value, pub total_sequence_length: Value, pub key_total_sequence_lengths: Value, pub cos_cache: Option<Value>, pub sin_cache: Option<Value>, pub do_rotary: Option<i64>, pub kv_num_heads: i64, pub num_heads: i64, pub rotary_interleaved: Option<i64>, pub scale: Option<f64>, pub sparse_block_size: i64 }
impl View for SparseAttention {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftSparseAttention;
    fn read(node: &Reader<'_>) -> Self { SparseAttention { query: node.operand(0), key: node.optional(1), value: node.optional(2), past_key: node.operand(3), past_value: node.operand(4), block_row_indices: node.operand(5), block_col_indices: node.operand(6), total_sequence_length: node.operand(7), key_total_sequence_lengths: node.operand(8), cos_cache: node.optional(9), sin_cache: node.optional(10), do_rotary: node.integer("do_rotary"), kv_num_heads: required(node.integer("kv_num_heads")), num_heads: required(node.integer("num_heads")), rotary_interleaved: node.integer("rotary_interleaved"), scale: node.float("scale"), sparse_block_size: required(node.integer("sparse_block_size")) } }
}

#[derive(Clone, Debug)]
pub struct SparseAttentionIndexer { pub query: Value, pub key: Option<Value>, pub query_norm_weight: Value, pub key_norm_weight: Value, pub cos_cache: Value, pub sin_cache: Value, pub mask: Option<Value>, pub past_key: Value, pub gate: Option<Value>, pub position_bias: Option<Value>, pub head_weights: Option<Value>, pub position_ids: Option<Value>, pub past_sequence_length: Option<Value>, pub past_proj_buffer: Option<Value>, pub compress_ratio: i64, pub epsilon: f64, pub head_weight_scale: Option<f64>, pub index_topk: Option<i64>, pub policy_mode: String, pub scale: Option<f64>, pub token_budget: Option<i64> }
impl View for SparseAttentionIndexer {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftSparseAttentionIndexer;
    fn read(node: &Reader<'_>) -> Self { SparseAttentionIndexer { query: node.operand(0), key: node.optional(1), query_norm_weight: node.operand(2), key_norm_weight: node.operand(3), cos_cache: node.operand(4), sin_cache: node.operand(5), mask: node.optional(6), past_key: node.operand(7), gate: node.optional(8), position_bias: node.optional(9), head_weights: node.optional(10), position_ids: node.optional(11), past_sequence_length: node.optional(12), past_proj_buffer: node.optional(13), compress_ratio: required(node.integer("compress_ratio")), epsilon: node.float("epsilon").unwrap_or(9.999999974752427e-7), head_weight_scale: node.float("head_weight_scale"), index_topk: node.integer("index_topk"), policy_mode: required(node.string("policy_mode")), scale: node.float("scale"), token_budget: node.integer("token_budget") } }
}

#[derive(Clone, Debug)]
pub struct SparsePagedAttention { pub query: Value, pub key: Option<Value>, pub value: Option<Value>, pub key_cache: Value, pub value_cache: Value, pub cumulative_sequence_length: Value, pub past_seqlens: Value, pub block_table: Value, pub slot_mapping: Option<Value>, pub selected_indices: Value, pub selected_counts: Value, pub auxiliary_key: Option<Value>, pub auxiliary_value: Option<Value>, pub auxiliary_lengths: Option<Value>, pub cos_cache: Option<Value>, pub sin_cache: Option<Value>, pub head_sink: Option<Value>, pub q_norm_weight: Option<Value>, pub k_norm_weight: Option<Value>, pub k_scale: Option<Value>, pub v_scale: Option<Value>, pub attention_metadata: Option<Value>, pub attention_mode: String, pub auxiliary_cache_layout: String, pub auxiliary_kv_shared: i64, pub do_rotary: i64, pub is_causal: i64, pub k_quant_type: String, pub kv_num_heads: i64, pub local_window_size: i64, pub num_heads: i64, pub qk_norm_epsilon: f64, pub rotary_interleaved: i64, pub rotary_offset: i64, pub scale: Option<f64>, pub selected_kv_source: String, pub softcap: Option<f64>, pub v_quant_type: String }
impl View for SparsePagedAttention {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftSparsePagedAttention;
    fn read(node: &Reader<'_>) -> Self { SparsePagedAttention { query: node.operand(0), key: node.optional(1), value: node.optional(2), key_cache: node.operand(3), value_cache: node.operand(4), cumulative_sequence_length: node.operand(5), past_seqlens: node.operand(6), block_table: node.operand(7), slot_mapping: node.optional(8), selected_indices: node.operand(9), selected_counts: node.operand(10), auxiliary_key: node.optional(11), auxiliary_value: node.optional(12), auxiliary_lengths: node.optional(13), cos_cache: node.optional(14), sin_cache: node.optional(15), head_sink: node.optional(16), q_norm_weight: node.optional(17), k_norm_weight: node.optional(18), k_scale: node.optional(19), v_scale: node.optional(20), attention_metadata: node.optional(21), attention_mode: node.string("attention_mode").unwrap_or_else(|| "selected_only".into()), auxiliary_cache_layout: node.string("auxiliary_cache_layout").unwrap_or_else(|| "contiguous".into()), auxiliary_kv_shared: node.integer("auxiliary_kv_shared").unwrap_or(0), do_rotary: node.integer("do_rotary").unwrap_or(0), is_causal: node.integer("is_causal").unwrap_or(1), k_quant_type: node.string("k_quant_type").unwrap_or_else(|| "NONE".into()), kv_num_heads: required(node.integer("kv_num_heads")), local_window_size: node.integer("local_window_size").unwrap_or(-1), num_heads: required(node.integer("num_heads")), qk_norm_epsilon: node.float("qk_norm_epsilon").unwrap_or(9.999999974752427e-7), rotary_interleaved: node.integer("rotary_interleaved").unwrap_or(0), rotary_offset: node.integer("rotary_offset").unwrap_or(0), scale: node.float("scale"), selected_kv_source: node.string("selected_kv_source").unwrap_or_else(|| "main".into()), softcap: node.float("softcap"), v_quant_type: node.string("v_quant_type").unwrap_or_else(|| "NONE".into()) } }
}

#[derive(Clone, Debug)]
pub struct SparseToDenseMatMul { pub a: Value, pub b: Value, pub alpha: f64, pub trans_a: i64, pub trans_b: i64 }
impl View for SparseToDenseMatMul {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftSparseToDenseMatMul;
    fn read(node: &Reader<'_>) -> Self { SparseToDenseMatMul { a: node.operand(0), b: node.operand(1), alpha: node.float("alpha").unwrap_or(1.0), trans_a: node.integer("transA").unwrap_or(0), trans_b: node.integer("transB").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct Tokenizer { pub x: Value, pub mark: i64, pub mincharnum: i64, pub pad_value: String, pub separators: Option<Vec<Arc<str>>>, pub tokenexp: Option<String> }
impl View for Tokenizer {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftTokenizer;
    fn read(node: &Reader<'_>) -> Self { Tokenizer { x: node.operand(0), mark: required(node.integer("mark")), mincharnum: required(node.integer("mincharnum")), pad_value: required(node.string("pad_value")), separators: node.strings("separators"), tokenexp: node.string("tokenexp") } }
}

#[derive(Clone, Debug)]
pub struct TorchEmbedding { pub weight: Value, pub indices: Value, pub padding_idx: Option<Value>, pub scale_grad_by_freq: Option<Value> }
impl View for TorchEmbedding {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftTorchEmbedding;
    fn read(node: &Reader<'_>) -> Self { TorchEmbedding { weight: node.operand(0), indices: node.operand(1), padding_idx: node.optional(2), scale_grad_by_freq: node.optional(3) } }
}

#[derive(Clone, Debug)]
pub struct TransposeMatMul { pub a: Value, pub b: Value, pub alpha: f64, pub trans_a: i64, pub trans_b: i64 }
impl View for TransposeMatMul {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftTransposeMatMul;
    fn read(node: &Reader<'_>) -> Self { TransposeMatMul { a: node.operand(0), b: node.operand(1), alpha: node.float("alpha").unwrap_or(1.0), trans_a: node.integer("transA").unwrap_or(0), trans_b: node.integer("transB").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct Trilu { pub x: Value, pub k: Option<Value>, pub upper: i64 }
impl View for Trilu {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftTrilu;
    fn read(node: &Reader<'_>) -> Self { Trilu { x: node.operand(0), k: node.optional(1), upper: node.integer("upper").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct UnfoldTensor { pub input: Value, pub dim: i64, pub size: i64, pub step: i64 }
impl View for UnfoldTensor {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftUnfoldTensor;
    fn read(node: &Reader<'_>) -> Self { UnfoldTensor { input: node.operand(0), dim: node.integer("dim").unwrap_or(-1), size: required(node.integer("size")), step: node.integer("step").unwrap_or(1) } }
}

#[derive(Clone, Debug)]
pub struct Unique { pub x: Value }
impl View for Unique {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftUnique;
    fn read(node: &Reader<'_>) -> Self { Unique { x: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct VarlenCausalConvWithState { pub input: Value, pub weight: Value, pub cumulative_sequence_length: Value, pub bias: Option<Value>, pub initial_state: Value, pub capture_count: Option<Value>, pub activation: String, pub dilation: i64, pub state_update_capacity: i64 }
impl View for VarlenCausalConvWithState {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftVarlenCausalConvWithState;
    fn read(node: &Reader<'_>) -> Self { VarlenCausalConvWithState { input: node.operand(0), weight: node.operand(1), cumulative_sequence_length: node.operand(2), bias: node.optional(3), initial_state: node.operand(4), capture_count: node.optional(5), activation: node.string("activation").unwrap_or_else(|| "none".into()), dilation: node.integer("dilation").unwrap_or(1), state_update_capacity: node.integer("state_update_capacity").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct VarlenNGramHashMapping { pub input_ids: Value, pub multipliers: Value, pub vocab_sizes: Value, pub cumulative_sequence_length: Value, pub past_ids: Option<Value>, pub head_offsets: Option<Value>, pub eos_token_id: Option<Value>, pub segment_ids: Option<Value>, pub past_segment_ids: Option<Value>, pub capture_count: Option<Value>, pub max_ngram_size: i64, pub n_head_per_ngram: i64, pub pad_id: i64, pub reset_on_eos: i64, pub state_update_capacity: i64 }
impl View for VarlenNGramHashMapping {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftVarlenNGramHashMapping;
    fn read(node: &Reader<'_>) -> Self { VarlenNGramHashMapping { input_ids: node.operand(0), multipliers: node.operand(1), vocab_sizes: node.operand(2), cumulative_sequence_length: node.operand(3), past_ids: node.optional(4), head_offsets: node.optional(5), eos_token_id: node.optional(6), segment_ids: node.optional(7), past_segment_ids: node.optional(8), capture_count: node.optional(9), max_ngram_size: required(node.integer("max_ngram_size")), n_head_per_ngram: required(node.integer("n_head_per_ngram")), pad_id: required(node.integer("pad_id")), reset_on_eos: node.integer("reset_on_eos").unwrap_or(0), state_update_capacity: node.integer("state_update_capacity").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct WhisperBeamSearch { pub input_ids: Value, pub max_length: Value, pub min_length: Option<Value>, pub num_beams: Value, pub num_return_sequences: Value, pub length_penalty: Option<Value>, pub repetition_penalty: Option<Value>, pub vocab_mask: Option<Value>, pub prefix_vocab_mask: Option<Value>, pub attention_mask: Option<Value>, pub decoder_input_ids: Option<Value>, pub logits_processor: Option<Value>, pub cross_qk_layer_head: Option<Value>, pub extra_decoding_ids: Option<Value>, pub temperature: Option<Value>, pub beginning_timestamp_token_id: Option<i64>, pub decoder_output_cross_qk: Option<i64>, pub decoder_start_token_id: i64, pub early_stopping: i64, pub eos_token_id: i64, pub model_type: i64, pub no_repeat_ngram_size: i64, pub no_speech_token_id: Option<i64>, pub no_timestamps_token_id: Option<i64>, pub pad_token_id: i64, pub start_of_lm_token_id: Option<i64>, pub transcribe_token_id: Option<i64>, pub translate_token_id: Option<i64>, pub vocab_size: i64 }
impl View for WhisperBeamSearch {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftWhisperBeamSearch;
    fn read(node: &Reader<'_>) -> Self { WhisperBeamSearch { input_ids: node.operand(0), max_length: node.operand(1), min_length: node.optional(2), num_beams: node.operand(3), num_return_sequences: node.operand(4), length_penalty: node.optional(5), repetition_penalty: node.optional(6), vocab_mask: node.optional(7), prefix_vocab_mask: node.optional(8), attention_mask: node.optional(9), decoder_input_ids: node.optional(10), logits_processor: node.optional(11), cross_qk_layer_head: node.optional(12), extra_decoding_ids: node.optional(13), temperature: node.optional(14), beginning_timestamp_token_id: node.integer("beginning_timestamp_token_id"), decoder_output_cross_qk: node.integer("decoder_output_cross_qk"), decoder_start_token_id: node.integer("decoder_start_token_id").unwrap_or(-1), early_stopping: node.integer("early_stopping").unwrap_or(0), eos_token_id: required(node.integer("eos_token_id")), model_type: node.integer("model_type").unwrap_or(2), no_repeat_ngram_size: node.integer("no_repeat_ngram_size").unwrap_or(0), no_speech_token_id: node.integer("no_speech_token_id"), no_timestamps_token_id: node.integer("no_timestamps_token_id"), pad_token_id: required(node.integer("pad_token_id")), start_of_lm_token_id: node.integer("start_of_lm_token_id"), transcribe_token_id: node.integer("transcribe_token_id"), translate_token_id: node.integer("translate_token_id"), vocab_size: node.integer("vocab_size").unwrap_or(-1) } }
}

#[derive(Clone, Debug)]
pub struct WordConvEmbedding { pub sequence: Value, pub w: Value, pub b: Value, pub c: Value, pub char_embedding_size: Option<i64>, pub conv_window_size: Option<i64>, pub embedding_size: Option<i64> }
impl View for WordConvEmbedding {
    const OPERATOR: OnnxOp = OnnxOp::MicrosoftWordConvEmbedding;
    fn read(node: &Reader<'_>) -> Self { WordConvEmbedding { sequence: node.operand(0), w: node.operand(1), b: node.operand(2), c: node.operand(3), char_embedding_size: node.integer("char_embedding_size"), conv_window_size: node.integer("conv_window_size"), embedding_size: node.integer("embedding_size") } }
}
