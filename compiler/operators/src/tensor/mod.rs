//! Operators that move, convert and ask about elements.

mod affine_grid;
mod cast;
mod center_crop_pad;
mod classify;
mod concat;
mod depth_to_space;
mod expand;
mod identity;
mod reshape;
mod select;
mod shape;
mod tile;
mod transpose;
mod trilu;

pub(crate) use shape::shape_window;
pub(crate) use trilu::diagonal_offset;

use crate::operator::Operator;

pub(crate) const OPERATORS: &[&Operator] = &[
    &affine_grid::AFFINE_GRID,
    &cast::BIT_CAST,
    &cast::CAST,
    &cast::CAST_LIKE,
    &center_crop_pad::CENTER_CROP_PAD,
    &classify::IS_INF,
    &classify::IS_NAN,
    &concat::CONCAT,
    &depth_to_space::DEPTH_TO_SPACE,
    &depth_to_space::SPACE_TO_DEPTH,
    &expand::EXPAND,
    &identity::IDENTITY,
    &reshape::FLATTEN,
    &reshape::RESHAPE,
    &reshape::SQUEEZE,
    &reshape::UNSQUEEZE,
    &select::WHERE,
    &shape::SHAPE,
    &shape::SIZE,
    &tile::TILE,
    &transpose::TRANSPOSE,
    &trilu::TRILU,
];
