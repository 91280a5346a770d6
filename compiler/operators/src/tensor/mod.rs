//! Operators that move, convert and ask about elements.

mod cast;
mod classify;
mod identity;
mod select;

use crate::operator::Operator;

pub(crate) const OPERATORS: &[&Operator] = &[
    &cast::BIT_CAST,
    &cast::CAST,
    &cast::CAST_LIKE,
    &classify::IS_INF,
    &classify::IS_NAN,
    &identity::IDENTITY,
    &select::WHERE,
];
