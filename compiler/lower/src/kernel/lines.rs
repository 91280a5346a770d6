//! Lines of a tile, and of images: what consecutive rows have of one group of columns, where that lies side by side.
//!
//! What narrow vectors would compute of elementary functions a group at a time is one long loop here, whose functions the runtime can
//! compute in wider ones. So is what is made of the sums and of numbers alone, which needs no indices then.

use dialects::rt;
use ir::{Type, Value};

use super::contract::{Point, Sums, origin_offset, subscripts_of};
use super::emit::Emitter;
use super::lane::Lane;
use super::products::{ContractionKernel, Place, Strides, TileExtents, address};
use crate::contraction::Columns;
use dialects::linalg::GROUP;
use dialects::linalg::generic::Generic;

/// Whether a kernel's result has lines that pay for what is done to the sums.
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

/// Whether what narrow vectors compute is made of nothing but the sums and numbers.
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

/// Whether what a value is made of takes functions that a wider vector than those of the loops computes, or tables, which the runtime
/// looks bytes up in without loading them one by one.
pub(super) fn pay(emitter: &Emitter<'_>, value: Value) -> bool {
    let lanes = emitter.lanes as i64;
    let is_narrow = emitter.target.narrow && lanes < GROUP;
    let pays = |generic: &Generic| is_narrow && emitter.is_costly_below(generic) || emitter.looks_up_below(generic);
    lanes <= GROUP && Generic::defining(emitter.source, value).as_ref().is_some_and(pays)
}

/// The loops over groups of columns, where there is more than one group, and over the columns of one.
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
    /// The result's.
    pub(super) out: Value,
}

/// Visits the points of a tile line by line; gets each line, and where in it the point is.
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

/// A buffer of what lies in another one from an element on.
pub(super) fn buffer_at(emitter: &mut Emitter<'_>, buffer: Value, offset: Value) -> Value {
    let element = emitter.body.value_type(buffer).element().clone();
    let first = address(emitter, buffer, offset);
    emitter.pure(rt::BUFFER, &[first], Type::memref(vec![None], element), [])
}
