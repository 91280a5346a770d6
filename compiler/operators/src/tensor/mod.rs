//! Operators that move, convert and query elements.

mod affine_grid;
mod cast;
mod center_crop_pad;
mod classify;
mod compress;
mod concat;
mod depth_to_space;
mod expand;
mod gather;
mod gather_elements;
mod gather_nd;
pub(crate) mod grid_sample;
mod identity;
mod non_zero;
mod one_hot;
mod pad;
mod reshape;
mod resize;
mod reverse_sequence;
mod scatter;
mod select;
mod shape;
mod slice;
mod split;
mod tensor_scatter;
mod tile;
mod transpose;
mod trilu;
mod unique;

pub(crate) use trilu::diagonal_offset;

use ir::Value;

use crate::operator::Operator;
use crate::structured::reduction::normalize_axis;
use crate::structured::{Lowering, Unsupported};

pub(crate) const OPERATORS: &[&Operator] = &[
    &affine_grid::AFFINE_GRID,
    &cast::BIT_CAST,
    &cast::CAST,
    &cast::CAST_LIKE,
    &center_crop_pad::CENTER_CROP_PAD,
    &classify::IS_INF,
    &classify::IS_NAN,
    &compress::COMPRESS,
    &concat::CONCAT,
    &depth_to_space::DEPTH_TO_SPACE,
    &depth_to_space::SPACE_TO_DEPTH,
    &expand::EXPAND,
    &gather::GATHER,
    &gather_elements::GATHER_ELEMENTS,
    &gather_nd::GATHER_ND,
    &grid_sample::GRID_SAMPLE,
    &identity::IDENTITY,
    &non_zero::NON_ZERO,
    &one_hot::ONE_HOT,
    &pad::PAD,
    &reshape::FLATTEN,
    &reshape::RESHAPE,
    &reshape::SQUEEZE,
    &reshape::UNSQUEEZE,
    &resize::RESIZE,
    &reverse_sequence::REVERSE_SEQUENCE,
    &scatter::SCATTER_ELEMENTS,
    &scatter::SCATTER_ND,
    &select::WHERE,
    &shape::SHAPE,
    &shape::SIZE,
    &slice::SLICE,
    &split::SPLIT,
    &tensor_scatter::TENSOR_SCATTER,
    &tile::TILE,
    &transpose::TRANSPOSE,
    &trilu::TRILU,
    &unique::UNIQUE,
];

/// An axis counted from the front, or -1 for none.
fn axis_or_all(lowering: &mut Lowering<'_>, axis: Option<i64>, tensor: Value) -> Result<Value, Unsupported> {
    let rank = lowering.shape(tensor).len();
    let axis = axis.map(|axis| normalize_axis(axis, rank)).transpose()?;
    Ok(lowering.index(axis.map_or(-1, |axis| axis as i64)))
}
