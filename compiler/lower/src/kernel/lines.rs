//! Lines of a tile, and of images: the elements of consecutive rows in one group of columns, if they are contiguous.
//!
//! In the epilogue of a convolution, the pixels of one channel block are one long row, so that elementary functions
//! become row functions of the runtime with wider vectors. The same applies to operations on the sums and constants
//! alone, which need no indices.

use dialects::rt;
use ir::{Type, Value};

use super::contract::{Point, Sums, origin_offset, subscripts_of};
use super::emit::Emitter;
use super::lane::Lane;
use super::products::{ContractionKernel, Place, Strides, TileExtents, address};
use crate::contraction::Columns;
use dialects::linalg::GROUP;
use dialects::linalg::generic::Generic;

/// Whether a kernel's result has lines, and the epilogue benefits from them.
pub(super) fn fit(emitter: &mut Emitter<'_>, kernel: &ContractionKernel<'_>, out: Value) -> bool {
    let ContractionKernel { generic, roles, result, permutation, .. } = *kernel;
    let ((_, column), Some(&row)) = (column_loops(&roles.columns), roles.rows.first()) else { return false };
    let picks = generic.output_map(0).as_projected_permutation().expect("recognised");
    let place_of = |dim: usize| picks.iter().position(|&pick| pick == dim).map(|position| permutation[position]);
    let shape = emitter.body.value_type(out).shape().expect("buffers are ranked");
    let rank = shape.len();
    let side_by_side = place_of(column) == Some(rank - 1) && place_of(row) == Some(rank - 2);
    side_by_side && shape[rank - 1] == Some(GROUP) && (pay(emitter, result) || is_simple(emitter, generic, result))
}

/// Whether a value depends on the sums and constants alone.
fn is_simple(emitter: &Emitter<'_>, sums: &Generic, value: Value) -> bool {
    let source = emitter.source;
    let is_made_of_sums = |generic: &Generic| generic.inputs.iter().all(|&input| is_simple(emitter, sums, input));
    let is_one =
        |value: Value| source.value_type(value).shape().is_none_or(|shape| shape.iter().all(|e| *e == Some(1)));
    emitter.target.narrow
        && (source.defining_op(value) == Some(sums.op)
            || is_one(value)
            || Generic::defining(source, value).as_ref().is_some_and(is_made_of_sums))
}

/// Whether a value involves functions that a wider vector computes, or byte tables, which the runtime looks up without
/// loading bytes one by one.
pub(super) fn pay(emitter: &Emitter<'_>, value: Value) -> bool {
    let lanes = emitter.lanes as i64;
    let is_narrow = emitter.target.narrow && lanes < GROUP;
    let pays = |generic: &Generic| is_narrow && emitter.is_costly_below(generic) || emitter.looks_up_below(generic);
    lanes <= GROUP && Generic::defining(emitter.source, value).as_ref().is_some_and(pays)
}

/// The loop over groups of columns, if there is more than one group, and the loop over the columns of a group.
fn column_loops(columns: &Columns) -> (Option<usize>, usize) {
    match *columns {
        Columns::Blocked { group, column } => (Some(group), column),
        Columns::Single { dim, .. } => (None, dim),
    }
}

/// The buffers of one line.
#[derive(Clone, Copy)]
pub(super) struct Line {
    pub(super) sums: Value,
    /// The result's buffer.
    pub(super) out: Value,
}

/// Visits the points of a tile line by line; the visitor receives each line, and the position of the point in it.
pub(super) fn visit(
    emitter: &mut Emitter<'_>,
    kernel: &ContractionKernel<'_>,
    strides: &Strides,
    place: &Place<'_>,
    (out, sums): (Value, &Sums),
    mut visit: impl FnMut(&mut Emitter<'_>, &Point<'_>, Line, Value),
) {
    let ContractionKernel { generic, roles, .. } = *kernel;
    let (group, column) = column_loops(&roles.columns);
    let rows = &place.rows;
    let (zero, width) = (emitter.index(0), emitter.index(GROUP));
    let low = emitter.div(place.column, width);
    let groups = emitter.div(place.tile_columns, width);
    let length = emitter.mul(rows.inner_count, width);
    let group_length = emitter.index(TileExtents::of(roles).line());
    let mut point: Vec<Option<Lane>> = vec![None; generic.rank()];
    for (&dim, &index) in roles.batch.iter().zip(rows.batch) {
        point[dim] = Some(Lane::Uniform(index));
    }
    emitter.for_loop(zero, rows.outer_count, 1, &[], |emitter, outer, _| {
        if let Some(&dim) = roles.rows.get(1) {
            point[dim] = Some(Lane::Uniform(emitter.add(rows.outer, outer)));
        }
        emitter.for_loop(zero, groups, 1, &[], |emitter, block, _| {
            if let Some(group) = group {
                point[group] = Some(Lane::Uniform(emitter.add(low, block)));
            }
            point[column] = Some(Lane::Uniform(zero));
            point[roles.rows[0]] = Some(Lane::Uniform(rows.inner));
            let offset = origin_offset(emitter, kernel, strides, out, &point);
            let line = buffer_at(emitter, out, offset);
            let sums = match *sums {
                Sums::Result => line,
                Sums::Apart(buffer) => {
                    let (group, row) = (emitter.mul(block, group_length), emitter.mul(outer, length));
                    let offset = emitter.add(group, row);
                    buffer_at(emitter, buffer, offset)
                }
            };
            let line = Line { sums, out: line };
            emitter.for_loop(zero, length, emitter.lanes as i64, &[], |emitter, at, _| {
                let row = emitter.div(at, width);
                let lane = Lane::Iota(emitter.rem(at, width));
                point[column] = Some(lane.clone());
                point[roles.rows[0]] = Some(Lane::Uniform(emitter.add(rows.inner, row)));
                let subscripts = subscripts_of(kernel, &point);
                visit(emitter, &Point { loops: &point, subscripts, row, column: lane }, line, at);
                vec![]
            });
            vec![]
        });
        vec![]
    });
}

/// A view of a buffer from an element on.
pub(super) fn buffer_at(emitter: &mut Emitter<'_>, buffer: Value, offset: Value) -> Value {
    let element = emitter.body.value_type(buffer).element().clone();
    let first = address(emitter, buffer, offset);
    emitter.pure(rt::BUFFER, &[first], Type::memref(vec![None], element), [])
}
