//! Operators that generate tensors.

mod constant;
mod constant_of_shape;
mod eye_like;
mod multinomial;
mod random;
mod range;

use crate::operator::Operator;

pub(crate) const OPERATORS: &[&Operator] = &[
    &constant::CONSTANT,
    &constant_of_shape::CONSTANT_OF_SHAPE,
    &eye_like::EYE_LIKE,
    &multinomial::MULTINOMIAL,
    &random::BERNOULLI,
    &random::RANDOM_NORMAL,
    &random::RANDOM_NORMAL_LIKE,
    &random::RANDOM_UNIFORM,
    &random::RANDOM_UNIFORM_LIKE,
    &range::RANGE,
];
