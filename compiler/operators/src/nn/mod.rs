//! Operators of neural networks.

mod attention;
mod causal_conv_with_state;
mod dropout;
mod flex_attention;
mod heads;
mod linear_attention;
mod lp_normalization;
mod lrn;
mod mean_variance_normalization;
mod rotary_embedding;
mod shrink;

use crate::operator::Operator;

pub(crate) const OPERATORS: &[&Operator] = &[
    &attention::ATTENTION,
    &causal_conv_with_state::CAUSAL_CONV_WITH_STATE,
    &dropout::DROPOUT,
    &flex_attention::FLEX_ATTENTION,
    &linear_attention::LINEAR_ATTENTION,
    &lp_normalization::LP_NORMALIZATION,
    &lrn::LRN,
    &mean_variance_normalization::MEAN_VARIANCE_NORMALIZATION,
    &rotary_embedding::ROTARY_EMBEDDING,
    &shrink::SHRINK,
];
