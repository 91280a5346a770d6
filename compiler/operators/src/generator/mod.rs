//! Operators that make tensors out of nothing.

mod multinomial;
mod random;

use crate::operator::Operator;

pub(crate) const OPERATORS: &[&Operator] = &[
    &multinomial::MULTINOMIAL,
    &random::BERNOULLI,
    &random::RANDOM_NORMAL,
    &random::RANDOM_NORMAL_LIKE,
    &random::RANDOM_UNIFORM,
    &random::RANDOM_UNIFORM_LIKE,
];
