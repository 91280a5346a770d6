//! Operators of neural networks.

mod attention;
mod batch_normalization;
mod causal_conv_with_state;
mod col2im;
mod conv;
mod conv_transpose;
mod deform_conv;
mod dropout;
mod flex_attention;
mod global_pool;
mod group_normalization;
mod heads;
mod layer_normalization;
mod linear_attention;
mod lp_normalization;
mod lrn;
mod max_unpool;
mod mean_variance_normalization;
mod norm;
mod normalize;
mod pool;
mod rotary_embedding;
mod shrink;
mod sliding;

pub(crate) use conv::{ConvolutionOptions, convolution_shape};
pub(crate) use conv_transpose::Transposed;
pub(crate) use heads::{join_heads, split_heads};
pub(crate) use sliding::{Sliding, spatial};

use crate::operator::Operator;

pub(crate) const OPERATORS: &[&Operator] = &[
    &attention::ATTENTION,
    &batch_normalization::BATCH_NORMALIZATION,
    &causal_conv_with_state::CAUSAL_CONV_WITH_STATE,
    &col2im::COL2IM,
    &conv::CONV,
    &conv_transpose::CONV_TRANSPOSE,
    &deform_conv::DEFORM_CONV,
    &dropout::DROPOUT,
    &flex_attention::FLEX_ATTENTION,
    &global_pool::GLOBAL_AVERAGE_POOL,
    &global_pool::GLOBAL_LP_POOL,
    &global_pool::GLOBAL_MAX_POOL,
    &group_normalization::GROUP_NORMALIZATION,
    &group_normalization::INSTANCE_NORMALIZATION,
    &layer_normalization::LAYER_NORMALIZATION,
    &layer_normalization::RMS_NORMALIZATION,
    &linear_attention::LINEAR_ATTENTION,
    &lp_normalization::LP_NORMALIZATION,
    &lrn::LRN,
    &max_unpool::MAX_UNPOOL,
    &mean_variance_normalization::MEAN_VARIANCE_NORMALIZATION,
    &pool::AVERAGE_POOL,
    &pool::LP_POOL,
    &pool::MAX_POOL,
    &rotary_embedding::ROTARY_EMBEDDING,
    &shrink::SHRINK,
];
