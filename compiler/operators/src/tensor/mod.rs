//! Operators that move, convert and ask about elements.

mod affine_grid;
mod cast;
mod center_crop_pad;
mod classify;
mod identity;
mod select;

use crate::operator::Operator;

pub(crate) const OPERATORS: &[&Operator] = &[
    &affine_grid::AFFINE_GRID,
    &cast::BIT_CAST,
    &cast::CAST,
    &cast::CAST_LIKE,
    &center_crop_pad::CENTER_CROP_PAD,
    &classify::IS_INF,
    &classify::IS_NAN,
    &identity::IDENTITY,
    &select::WHERE,
];
