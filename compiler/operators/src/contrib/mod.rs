//! ONNX Runtime's operators, in `com.microsoft` or unofficially in the default domain, expressed by those of the
//! standard.
//!
//! If the form does not depend on a rank, they are replaced by others when they are read; otherwise they are
//! compositions, which are decomposed before the rewrites.
//! `https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md` describes them.

mod activation;
mod attention;
mod bias;
mod blockwise;
mod channels_last;
mod dynamic_quantize_lstm;
mod early;
mod embed_layer_normalization;
mod fourier;
mod fused_conv;
mod fused_product;
mod gated;
mod gelu;
mod group_normalization;
mod integer_product;
mod integers;
mod inverse;
pub mod nchwc;
mod quantized;
mod rotary_embedding;
mod same;
mod skip_normalization;
mod tensors;
mod tokenizer;

use crate::operator::Operator;

pub(crate) const OPERATORS: &[&Operator] = &[
    &attention::group_query::GROUP_QUERY_ATTENTION,
    &attention::multi_head::DECODER_MASKED_MULTI_HEAD_ATTENTION,
    &attention::multi_head::MULTI_HEAD_ATTENTION,
    &attention::packed::ATTENTION,
    &attention::packed::QATTENTION,
    &bias::BIAS_ADD,
    &bias::BIAS_DROPOUT,
    &bias::BIAS_SOFTMAX,
    &blockwise::GATHER_BLOCK_QUANTIZED,
    &blockwise::MATMUL_BNB4,
    &blockwise::MATMUL_NBITS,
    &blockwise::MATMUL_NBITS_MLP,
    &blockwise::MATMUL_NBITS_QKV,
    &dynamic_quantize_lstm::DYNAMIC_QUANTIZE_LSTM,
    &early::AFFINE,
    &early::CROP,
    &early::DYNAMIC_SLICE,
    &early::GIVEN_TENSOR_FILL,
    &early::IMAGE_SCALER,
    &early::PARAMETRIC_SOFTPLUS,
    &early::SCALE,
    &early::SCALED_TANH,
    &embed_layer_normalization::EMBED_LAYER_NORMALIZATION,
    &embed_layer_normalization::QEMBED_LAYER_NORMALIZATION,
    &fourier::IRFFT,
    &fourier::RFFT,
    &fused_conv::FUSED_CONV,
    &fused_conv::NHWC_CONV,
    &fused_conv::NHWC_FUSED_CONV,
    &fused_conv::NHWC_MAX_POOL,
    &fused_product::FUSED_GEMM,
    &fused_product::FUSED_MATMUL,
    &fused_product::FUSED_MATMUL_ACTIVATION,
    &fused_product::GEMM_FAST_GELU,
    &fused_product::TRANSPOSE_MATMUL,
    &gated::CAUSAL_CONV_WITH_STATE,
    &gated::GATED_ADD,
    &gated::GATED_RMS_NORM,
    &gated::LINEAR_ATTENTION,
    &gated::LINEAR_ATTENTION_GATE,
    &gated::SCALED_SILU,
    &gelu::BIAS_GELU,
    &gelu::BIAS_SPLIT_GELU,
    &gelu::FAST_GELU,
    &gelu::QUICK_GELU,
    &group_normalization::GROUP_NORM,
    &group_normalization::SKIP_GROUP_NORM,
    &integer_product::DYNAMIC_QUANTIZE_MATMUL,
    &integer_product::MATMUL_INTEGER_TO_FLOAT,
    &integers::MATMUL_INTEGER16,
    &integers::MUL_INTEGER,
    &integers::REDUCE_SUM_INTEGER,
    &inverse::INVERSE,
    &nchwc::AVERAGE_POOL,
    &nchwc::CONV,
    &nchwc::GLOBAL_AVERAGE_POOL,
    &nchwc::GLOBAL_MAX_POOL,
    &nchwc::MAX_POOL,
    &nchwc::REORDER_INPUT,
    &nchwc::REORDER_OUTPUT,
    &nchwc::UPSAMPLE,
    &quantized::QGEMM,
    &quantized::QLINEAR_ADD,
    &quantized::QLINEAR_AVERAGE_POOL,
    &quantized::QLINEAR_CONCAT,
    &quantized::QLINEAR_CONV,
    &quantized::QLINEAR_GLOBAL_AVERAGE_POOL,
    &quantized::QLINEAR_LEAKY_RELU,
    &quantized::QLINEAR_MUL,
    &quantized::QLINEAR_REDUCE_MEAN,
    &quantized::QLINEAR_SIGMOID,
    &quantized::QLINEAR_SOFTMAX,
    &quantized::QLINEAR_WHERE,
    &rotary_embedding::ROTARY_EMBEDDING,
    &same::DEQUANTIZE_LINEAR,
    &same::EXPAND_DIMS,
    &same::GATHER_ND,
    &same::GELU,
    &same::GRID_SAMPLE,
    &same::PAD,
    &same::QUANTIZE_LINEAR,
    &same::RANGE,
    &same::TRILU,
    &same::UNIQUE,
    &skip_normalization::SIMPLIFIED_LAYER_NORMALIZATION,
    &skip_normalization::SKIP_LAYER_NORMALIZATION,
    &skip_normalization::SKIP_SIMPLIFIED_LAYER_NORMALIZATION,
    &tensors::CDIST,
    &tensors::COMPLEX_MUL,
    &tensors::COMPLEX_MUL_CONJ,
    &tensors::IS_ALL_FINITE,
    &tensors::SAMPLE_OP,
    &tensors::TORCH_EMBEDDING,
    &tensors::UNFOLD_TENSOR,
    &tokenizer::TOKENIZER,
];
