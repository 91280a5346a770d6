//! Accesses of the micro-kernels for tiles of contractions.

use super::{BUFFERS, Call, Offsets, Span};
use crate::{
    COLUMN_GROUP, DEPTHWISE_WORDS, Depthwise, PRODUCT_WORDS, Product, Start, WINDOW, WINOGRAD_WORDS, Winograd,
};

/// Values of a column that are contiguous in a packed operand of int8.
const QUAD: i64 = 4;
/// Bytes of an f32, and of a 32-bit integer.
const SINGLE: i64 = 4;

/// The start values of `columns` columns.
fn start_values(start: i64, columns: i64) -> Offsets {
    Offsets::of(columns, 1).only_if(start == Start::Columns as i64)
}

/// A contraction: its descriptor, and its rows and columns.
struct Tile {
    walk: Product<i64>,
    start: i64,
    right_padded: bool,
    rows: i64,
    columns: i64,
}

impl Tile {
    fn of(call: &Call<'_>) -> Tile {
        let [start, right_padded] = [0, 1].map(|at| (call.word)(PRODUCT_WORDS + at));
        let [rows, columns] = [0, 1].map(|at| call.numbers[at]);
        Tile { walk: Product::of(call.words()), start, right_padded: right_padded == 1, rows, columns }
    }

    /// Offsets of rows with these strides.
    fn along_rows(&self, strides: [i64; 2]) -> Offsets {
        Offsets::grouped(self.rows, self.walk.row_inner.max(1), strides)
    }

    /// Offsets of steps of the reduction loops with these strides; a step of the innermost loop is `count` of its
    /// iterations.
    fn along_steps(&self, [outer, middle, near, deep]: [i64; 4], count: i64) -> Offsets {
        let [extent, middles, nears, depth] = self.walk.reduction;
        let within = |depth: i64| {
            let steps = depth.max(0) / count + i64::from(depth.max(0) % count > 0);
            Offsets::nested([(middles, middle), (nears, near), (steps, deep.saturating_mul(count))])
        };
        let last = within(self.walk.last_block).shifted((extent - 1).saturating_mul(outer)).only_if(extent > 0);
        Offsets::of(extent - 1, outer).plus(within(depth)).or(last)
    }

    /// Offsets of columns, which are contiguous in groups.
    fn along_columns(&self, columns: i64, between: i64) -> Offsets {
        Offsets::grouped(columns, COLUMN_GROUP, [1, between])
    }

    /// The columns, and those up to the next full group.
    fn padded_columns(&self) -> i64 {
        self.groups().saturating_mul(COLUMN_GROUP)
    }

    fn groups(&self) -> i64 {
        self.columns / COLUMN_GROUP + i64::from(self.columns % COLUMN_GROUP > 0)
    }

    /// What is accessed, for these offsets of the right operand, and bytes of an element of each operand and of sums.
    fn spans(&self, right: Offsets, [left_width, right_width, width]: [i64; 3]) -> [Span; BUFFERS] {
        if self.rows <= 0 || self.columns <= 0 {
            return [Span::NONE; BUFFERS];
        }
        let walk = &self.walk;
        let left = self.along_rows(walk.left_rows).plus(self.along_steps(walk.left, 1));
        let out = self.along_rows(walk.out_rows).plus(self.along_columns(self.columns, walk.out_group));
        let start = start_values(self.start, self.columns);
        [left.bytes(left_width), right.bytes(right_width), start.bytes(width), out.bytes(width)]
    }

    /// The right operand with contiguous columns.
    fn right(&self, columns: i64) -> Offsets {
        self.along_steps(self.walk.right, 1).plus(self.along_columns(columns, self.walk.right_group))
    }
}

pub(super) fn floats(call: &Call<'_>) -> [Span; BUFFERS] {
    same(call, SINGLE)
}

pub(super) fn doubles(call: &Call<'_>) -> [Span; BUFFERS] {
    same(call, 8)
}

/// Elements of one type.
fn same(call: &Call<'_>, width: i64) -> [Span; BUFFERS] {
    let tile = Tile::of(call);
    let columns = if tile.right_padded { tile.padded_columns() } else { tile.columns };
    tile.spans(tile.right(columns), [width; 3])
}

pub(super) fn half_precision(call: &Call<'_>) -> [Span; BUFFERS] {
    let tile = Tile::of(call);
    tile.spans(tile.right(tile.padded_columns()), [SINGLE, 2, SINGLE])
}

/// Steps of the innermost loop are contiguous, and columns have a constant stride.
pub(super) fn transposed(call: &Call<'_>) -> [Span; BUFFERS] {
    let tile = Tile::of(call);
    let [outer, middle, near, _] = tile.walk.right;
    let columns = Offsets::of(tile.columns, tile.walk.right_group / COLUMN_GROUP);
    tile.spans(tile.along_steps([outer, middle, near, 1], 1).plus(columns), [SINGLE; 3])
}

/// The right operand is packed: four steps of a whole group of columns are contiguous.
pub(super) fn bytes(call: &Call<'_>) -> [Span; BUFFERS] {
    let tile = Tile::of(call);
    let packed = Offsets::nested([(tile.groups(), tile.walk.right_group), (QUAD * COLUMN_GROUP, 1)]);
    tile.spans(tile.along_steps(tile.walk.right, QUAD).plus(packed), [1, 1, SINGLE])
}

pub(super) fn depthwise(call: &Call<'_>) -> [Span; BUFFERS] {
    let Depthwise { window, left, left_pixel, right, out_pixel } = Depthwise::of(call.words());
    let [pixels, channels] = [0, 1].map(|at| call.numbers[at]);
    if pixels <= 0 || channels <= 0 {
        return [Span::NONE; BUFFERS];
    }
    let along = |strides: [i64; 2]| Offsets::nested([(window[0], strides[0]), (window[1], strides[1]), (channels, 1)]);
    let start = start_values((call.word)(DEPTHWISE_WORDS), channels);
    let pixels = |stride| Offsets::of(pixels, stride);
    [along(left).plus(pixels(left_pixel)), along(right), start, Offsets::of(channels, 1).plus(pixels(out_pixel))]
        .map(|offsets| offsets.bytes(SINGLE))
}

/// The pixels of a tile on one axis that are inside of an image: the first, and their number.
fn inside(first: i64, count: i64, extent: i64) -> (i64, i64) {
    let begin = first.max(0);
    (begin, first.saturating_add(count).min(extent) - begin)
}

/// Pixels of an image, and their channels in some groups.
fn pixels([rows, columns]: [(i64, i64); 2], width: i64) -> Offsets {
    let first = rows.0.saturating_mul(width).saturating_add(columns.0).saturating_mul(COLUMN_GROUP);
    Offsets::nested([(rows.1, width.saturating_mul(COLUMN_GROUP)), (columns.1, COLUMN_GROUP)]).shifted(first)
}

/// What the tiles of a Winograd convolution read and write in the first group of channels, and whether any is multiplied
/// at the last row and at the last column of points.
struct Tiles {
    read: Offsets,
    written: Offsets,
    last_row: bool,
    last_column: bool,
    last: bool,
}

impl Tiles {
    fn of(walk: &Winograd<i64>, count: i64) -> Tiles {
        let Winograd { size, height, width, top, left, out_height, out_width, first, .. } = *walk;
        let across = (out_width.max(0) / size + i64::from(out_width % size > 0)).max(1);
        let mut all =
            Tiles { read: Offsets::NONE, written: Offsets::NONE, last_row: false, last_column: false, last: false };
        for tile in first..first.saturating_add(count) {
            let (row, column) = (tile / across * size, tile % across * size);
            let window = size + WINDOW as i64 - 1;
            let read = [inside(row - top, window, height), inside(column - left, window, width)];
            let written = [inside(row, size, out_height), inside(column, size, out_width)];
            all.read = all.read.or(pixels(read, width));
            all.written = all.written.or(pixels(written, out_width));
            let (has_rows, has_columns) = (row + size <= out_height, column + size <= out_width);
            all.last_row |= has_rows;
            all.last_column |= has_columns;
            all.last |= has_rows && has_columns;
        }
        all
    }

    /// The points up to the last at which a tile is multiplied.
    fn points(&self, across: i64) -> i64 {
        let [before, row] = [across - 1, (across - 1) * across];
        match self {
            Tiles { last: true, .. } => across * across,
            Tiles { last_row: true, .. } => row + before,
            Tiles { last_column: true, .. } => row,
            _ => row - 1,
        }
    }
}

pub(super) fn winograd(call: &Call<'_>) -> [Span; BUFFERS] {
    let walk = Winograd::of(call.words());
    let [tiles, columns] = [0, 1].map(|at| call.numbers[at]);
    if tiles <= 0 || columns <= 0 || walk.size <= 0 {
        return [Span::NONE; BUFFERS];
    }
    let Winograd { size, height, width, blocks, out_height, out_width, out_groups, .. } = walk;
    let all = Tiles::of(&walk, tiles);
    let plane = |height: i64, width: i64| height.saturating_mul(width).saturating_mul(COLUMN_GROUP);
    let channels = blocks.saturating_mul(COLUMN_GROUP);
    let of_point = channels.saturating_mul(out_groups).saturating_mul(COLUMN_GROUP);
    let points = all.points(size + WINDOW as i64 - 1);
    [
        all.read.plus(Offsets::nested([(blocks, plane(height, width)), (COLUMN_GROUP, 1)])),
        Offsets::nested([(points, of_point), (columns.saturating_mul(channels), 1)]),
        start_values((call.word)(WINOGRAD_WORDS), columns),
        all.written.plus(Offsets::grouped(columns, COLUMN_GROUP, [1, plane(out_height, out_width)])),
    ]
    .map(|offsets| offsets.bytes(SINGLE))
}
