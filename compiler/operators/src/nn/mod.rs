//! Operators of neural networks.

mod attention;
mod batch_normalization;
mod causal_conv_with_state;
mod dropout;
mod flex_attention;
mod group_normalization;
mod heads;
mod layer_normalization;
mod linear_attention;
mod lp_normalization;
mod lrn;
mod mean_variance_normalization;
mod normalize;
mod rotary_embedding;
mod shrink;

use crate::operator::Operator;

pub(crate) const OPERATORS: &[&Operator] = &[
    &attention::ATTENTION,
    &batch_normalization::BATCH_NORMALIZATION,
    &causal_conv_with_state::CAUSAL_CONV_WITH_STATE,
    &dropout::DROPOUT,
    &flex_attention::FLEX_ATTENTION,
    &group_normalization::GROUP_NORMALIZATION,
    &group_normalization::INSTANCE_NORMALIZATION,
    &layer_normalization::LAYER_NORMALIZATION,
    &layer_normalization::RMS_NORMALIZATION,
    &linear_attention::LINEAR_ATTENTION,
    &lp_normalization::LP_NORMALIZATION,
    &lrn::LRN,
    &mean_variance_normalization::MEAN_VARIANCE_NORMALIZATION,
    &rotary_embedding::ROTARY_EMBEDDING,
    &shrink::SHRINK,
];
