//! The loop nest of a contraction kernel: tiles of rows and columns computed by a micro-kernel, then the elementwise
//! consumers of the contraction applied to the tile while it is in the L1 cache.

use dialects::memref;
use ir::{Attribute, Type, Value};

use super::emit::Emitter;
use super::lane::Lane;
use super::lines;
use super::loops::{each_index, shift};
use super::products::{
    ContractionKernel, First, PANEL, Place, Rows, Strides, TILE_ROWS, TileExtents, Tiles, address, ceil_div,
    out_origin, outer_rows, share, start_of,
};
use crate::contraction::{Columns, Contraction};
use dialects::linalg::GROUP;
use dialects::rt::tile::Walk;

/// The estimate of a dynamic reduction extent: that of matrix products of a single row with many columns, whose tiles
/// may be too small to be shared between threads.
const LIKELY_DEPTH: i64 = 512;

/// Emits a contraction kernel that writes `out`.
pub(super) fn emit_contraction(emitter: &mut Emitter<'_>, kernel: &ContractionKernel<'_>, out: Value) {
    let roles = kernel.roles;
    let strides = Strides::of(emitter, kernel, out);
    let nest = Nest::of(emitter, kernel, strides, out);
    let tiles = &nest.tiles;
    let [outer, inner] = tiles.rows;
    let limit = emitter.index(tiles.most.inner_rows);
    let inner_tile = emitter.min(inner, limit);
    let inner_tiles = ceil_div(emitter, inner, inner_tile);
    let most = emitter.index(tiles.most.rows);
    let outer_tile = outer_rows(emitter, inner, most);
    let outer_tiles = ceil_div(emitter, outer, outer_tile);
    let panels = tiles.panels(emitter);
    let batch: Vec<Value> = roles.batch.iter().map(|&dim| tiles.extents[dim]).collect();
    let counts: Vec<Value> = batch.iter().copied().chain([panels, outer_tiles, inner_tiles]).collect();
    let work = tile_work(emitter, roles, &tiles.extents);
    each_index(emitter, &counts, work, |emitter, position| {
        let (batch, rest) = position.split_at(batch.len());
        let (outer, outer_count) = share(emitter, rest[1], outer_tile, outer);
        let (inner, inner_count) = share(emitter, rest[2], inner_tile, inner);
        let rows = Rows { batch, outer, inner, outer_count, inner_count };
        nest.emit_tile(emitter, &rows, rest[0]);
    });
}

/// The tiles of a contraction, and the consumers of its sums.
pub(super) struct Nest<'k> {
    pub(super) tiles: Tiles<'k>,
    out: Value,
    first: First,
    /// Whether sums are stored in the result.
    is_direct: bool,
    in_lines: bool,
}

impl<'k> Nest<'k> {
    /// For a contraction with the given strides of operands.
    pub(super) fn of(
        emitter: &mut Emitter<'_>,
        kernel: &'k ContractionKernel<'k>,
        strides: Strides,
        out: Value,
    ) -> Nest<'k> {
        let ContractionKernel { generic, roles, .. } = *kernel;
        let mut tiles = Tiles::of(emitter, kernel, strides);
        let first = if tiles.parts.is_some() { First::Values } else { start_of(emitter.source, generic, roles) };
        let [.., sum] = roles.kind.elements();
        let is_direct = *emitter.body.value_type(out).element() == sum;
        let in_lines = (is_direct || !matches!(first, First::Values)) && lines::fit(emitter, kernel, out);
        if !is_direct {
            keep_apart(emitter, &mut tiles.walk, &tiles.most, in_lines);
        }
        Nest { tiles, out, first, is_direct, in_lines }
    }

    /// Computes the tile of some rows and a panel.
    pub(super) fn emit_tile(&self, emitter: &mut Emitter<'_>, rows: &Rows<'_>, panel: Value) {
        let Nest { ref tiles, out, .. } = *self;
        let kernel = tiles.kernel;
        let ContractionKernel { generic, roles, result, .. } = *kernel;
        let place = tiles.place(emitter, rows, panel);
        let [.., sum] = roles.kind.elements();
        let sums = match self.is_direct {
            true => Sums::Result,
            false => Sums::Apart(scratch(emitter, &tiles.most, sum)),
        };
        let sum_place = |emitter: &mut Emitter<'_>, point: &Point<'_>| match sums {
            Sums::Result => (out, shift_all(emitter, &point.subscripts, kernel.offsets)),
            Sums::Apart(buffer) => (buffer, vec![Lane::Uniform(point.row), point.column.clone()]),
        };
        if let First::Values = self.first {
            tile_points(emitter, kernel, &place, |emitter, point| {
                let map = generic.output_map(0).clone();
                let at: Vec<Lane> = map.results.iter().map(|e| emitter.affine(e, point.loops)).collect();
                let value = emitter.evaluate(generic.inits[0], &at);
                let (buffer, place) = sum_place(emitter, point);
                emitter.store(&value, buffer, &place);
            });
        }
        let zero = emitter.index(0);
        let to = match sums {
            Sums::Result => tiles.address_in(emitter, &place, out),
            Sums::Apart(buffer) => address(emitter, buffer, zero),
        };
        tiles.call(emitter, &place, &self.first, to);
        if result == emitter.source.op(generic.op).results()[0] {
            return;
        }
        if self.in_lines {
            lines::visit(emitter, kernel, &tiles.strides, &place, (out, &sums), |emitter, point, line, at| {
                let accumulated = emitter.load(line.sums, &[Lane::Iota(at)]);
                emitter.remember_point(generic, point.loops.to_vec(), vec![accumulated]);
                let value = emitter.evaluate(result, &point.subscripts);
                emitter.store(&value, line.out, &[Lane::Iota(at)]);
            });
        } else {
            tile_points(emitter, kernel, &place, |emitter, point| {
                let (buffer, place) = sum_place(emitter, point);
                let accumulated = emitter.load(buffer, &place);
                emitter.remember_point(generic, point.loops.to_vec(), vec![accumulated]);
                let value = emitter.evaluate(result, &point.subscripts);
                let place = shift_all(emitter, &point.subscripts, kernel.offsets);
                emitter.store(&value, out, &place);
            });
        }
    }
}

/// Where the sums of a tile are stored until the result is computed from them.
pub(super) enum Sums {
    /// In the result.
    Result,
    /// In a separate buffer of the tile, because the result has another element type: row by row, or line by line.
    Apart(Value),
}

/// The buffer for the sums of one tile.
fn scratch(emitter: &mut Emitter<'_>, tile: &TileExtents, element: Type) -> Value {
    let r#type = Type::memref([Some(tile.inner_rows), Some(tile.columns)], element);
    let sizes = [("operandSegmentSizes", Attribute::i32_dense_array(&[0, 0]))];
    let op = emitter.effect(memref::ALLOCA, &[], &[r#type], sizes);
    emitter.body.result(op, 0)
}

/// Stores the sums of a tile to [`scratch`]: all columns of one row contiguous, or all rows of one group of columns.
fn keep_apart(emitter: &mut Emitter<'_>, walk: &mut Walk, tile: &TileExtents, in_lines: bool) {
    let group = emitter.index(GROUP);
    let [row, out_group] = match in_lines {
        true => [group, emitter.index(tile.line())],
        false => [emitter.index(tile.columns), group],
    };
    match walk {
        Walk::Product { walk, .. } => {
            walk.out_rows = [row, emitter.mul(walk.row_inner, row)];
            walk.out_group = out_group;
        }
        Walk::Blocks(walk) => {
            walk.out_rows = [row, emitter.mul(walk.row_inner, row)];
            walk.out_group = out_group;
        }
        Walk::Depthwise(walk) => walk.out_pixel = row,
        Walk::Winograd(_) => unreachable!("the accumulators are in the memory of the result"),
    }
}

/// Subscripts in the result's buffer.
fn shift_all(emitter: &mut Emitter<'_>, subscripts: &[Lane], offsets: &[Value]) -> Vec<Lane> {
    match offsets {
        [] => subscripts.to_vec(),
        offsets => subscripts.iter().zip(offsets).map(|(lane, &offset)| shift(emitter, lane, offset)).collect(),
    }
}

/// The subscripts of the kernel's result at a point of the contraction's loops.
pub(super) fn subscripts_of(kernel: &ContractionKernel<'_>, point: &[Option<Lane>]) -> Vec<Lane> {
    let picks = kernel.generic.output_map(0).as_projected_permutation().expect("recognised");
    let mut subscripts = vec![None; picks.len()];
    for (position, &dim) in picks.iter().enumerate() {
        subscripts[kernel.permutation[position]] = point[dim].clone();
    }
    subscripts.into_iter().map(|lane| lane.expect("every parallel loop is open")).collect()
}

/// The offset of the result's element at a point in its buffer.
pub(super) fn origin_offset(
    emitter: &mut Emitter<'_>,
    kernel: &ContractionKernel<'_>,
    strides: &Strides,
    out: Value,
    point: &[Option<Lane>],
) -> Value {
    let first = out_origin(emitter, kernel, out);
    point.iter().zip(&strides.out).fold(first, |sum, (lane, &stride)| {
        let Some(index) = lane.as_ref().and_then(Lane::uniform) else { return sum };
        let step = emitter.mul(index, stride);
        emitter.add(sum, step)
    })
}

/// A point of a tile: one element, or a vector of them along the columns.
pub(super) struct Point<'p> {
    /// The contraction's loop indices.
    pub(super) loops: &'p [Option<Lane>],
    /// The subscripts of the kernel's result.
    pub(super) subscripts: Vec<Lane>,
    /// The row within the tile.
    pub(super) row: Value,
    /// The column within the tile.
    pub(super) column: Lane,
}

/// Visits the points of a tile.
fn tile_points(
    emitter: &mut Emitter<'_>,
    kernel: &ContractionKernel<'_>,
    place: &Place<'_>,
    mut visit: impl FnMut(&mut Emitter<'_>, &Point<'_>),
) {
    let ContractionKernel { generic, roles, .. } = *kernel;
    let rows = &place.rows;
    let zero = emitter.index(0);
    let mut point: Vec<Option<Lane>> = vec![None; generic.rank()];
    for (&dim, &index) in roles.batch.iter().zip(rows.batch) {
        point[dim] = Some(Lane::Uniform(index));
    }
    emitter.for_loop(zero, rows.outer_count, 1, &[], |emitter, outer, _| {
        emitter.for_loop(zero, rows.inner_count, 1, &[], |emitter, inner, _| {
            for (index, (base, step)) in [(rows.inner, inner), (rows.outer, outer)].into_iter().enumerate() {
                if let Some(&dim) = roles.rows.get(index) {
                    point[dim] = Some(Lane::Uniform(emitter.add(base, step)));
                }
            }
            let line = emitter.mul(outer, rows.inner_count);
            let row = emitter.add(line, inner);
            tile_columns(emitter, roles, place, &mut |emitter, open, column| {
                let mut loops = point.clone();
                for (dim, lane) in open {
                    loops[*dim] = Some(lane.clone());
                }
                let subscripts = subscripts_of(kernel, &loops);
                visit(emitter, &Point { loops: &loops, subscripts, row, column });
            });
            vec![]
        });
        vec![]
    });
}

/// Visits some columns: receives the column loops with their indices, and the column within the tile.
type ColumnVisitor<'v> = dyn FnMut(&mut Emitter<'_>, &[(usize, Lane)], Lane) + 'v;

/// Visits the columns of a tile: full vectors, then single columns.
fn tile_columns(emitter: &mut Emitter<'_>, roles: &Contraction, place: &Place<'_>, visit: &mut ColumnVisitor<'_>) {
    let lanes = emitter.lanes as i64;
    let zero = emitter.index(0);
    let first = place.column;
    match roles.columns {
        Columns::Single { dim, .. } => {
            let width = emitter.index(lanes);
            let tail = emitter.rem(place.tile_columns, width);
            let main = emitter.sub(place.tile_columns, tail);
            emitter.for_loop(zero, main, lanes, &[], |emitter, at, _| {
                let column = emitter.add(first, at);
                visit(emitter, &[(dim, Lane::Iota(column))], Lane::Iota(at));
                vec![]
            });
            if emitter.constant_value(tail) != Some(0) {
                emitter.for_loop(main, place.tile_columns, 1, &[], |emitter, at, _| {
                    let column = emitter.add(first, at);
                    visit(emitter, &[(dim, Lane::Uniform(column))], Lane::Uniform(at));
                    vec![]
                });
            }
        }
        Columns::Blocked { group, column } => {
            debug_assert!(place.column_groups);
            let width = emitter.index(GROUP);
            let low = emitter.div(first, width);
            let count = emitter.div(place.tile_columns, width);
            emitter.for_loop(zero, count, 1, &[], |emitter, block, _| {
                let (begin, block) = (emitter.mul(block, width), emitter.add(low, block));
                emitter.for_loop(zero, width, lanes, &[], |emitter, lane, _| {
                    let at = Lane::Iota(emitter.add(begin, lane));
                    visit(emitter, &[(group, Lane::Uniform(block)), (column, Lane::Iota(lane))], at);
                    vec![]
                });
                vec![]
            });
        }
    }
}

/// Estimated operations of one tile.
fn tile_work(emitter: &Emitter<'_>, roles: &Contraction, extents: &[Value]) -> i64 {
    let product = |dims: &[usize], likely: i64| {
        let extents = dims.iter().map(|&dim| emitter.constant_value(extents[dim]).unwrap_or(likely));
        extents.fold(1, i64::saturating_mul)
    };
    let rows = product(&roles.rows, TILE_ROWS).clamp(1, TILE_ROWS);
    // a micro-kernel retires about sixteen multiply-adds in the time of one scalar operation
    (rows * PANEL / 16).saturating_mul(product(&roles.reduction, LIKELY_DEPTH))
}
