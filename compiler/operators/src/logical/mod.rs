//! Comparisons, truth values and bits.

mod bitwise;
mod boolean;
mod comparison;
mod shift;

use crate::operator::Operator;

pub(crate) const OPERATORS: &[&Operator] = &[
    &bitwise::BITWISE_AND,
    &bitwise::BITWISE_NOT,
    &bitwise::BITWISE_OR,
    &bitwise::BITWISE_XOR,
    &boolean::AND,
    &boolean::NOT,
    &boolean::OR,
    &boolean::XOR,
    &comparison::EQUAL,
    &comparison::GREATER,
    &comparison::GREATER_OR_EQUAL,
    &comparison::LESS,
    &comparison::LESS_OR_EQUAL,
    &shift::BIT_SHIFT,
];
