//! Winograd convolution kernels: a micro-kernel computes runs of tiles into the result, then the elementwise consumers
//! of the convolution are applied to it.

use abi::{PARTS_RADIX, Start, TILE_STEP, points};
use dialects::linalg::GROUP;
use dialects::rt::tile::{Tile, Walk};
use dialects::rt::winograd::Winograd;
use dialects::{arith, func};
use ir::{Attribute, Op, Type, Value};

use super::emit::Emitter;
use super::lane::Lane;
use super::loops::delinearize;
use super::products::{address, buffer_strides, ceil_div};

/// The maximum number of tiles of one call: rows of one matrix product at each point.
pub(crate) const TILES: i64 = 9 * TILE_STEP as i64;
/// The maximum number of output channels of one call, which transforms the operand again.
const CHANNELS: i64 = 128;

/// Emits a kernel that writes `out`, whose indices are those of the convolution's result.
pub(super) fn emit_winograd(emitter: &mut Emitter<'_>, (op, winograd): (Op, &Winograd), result: Value, out: Value) {
    let convolution = emitter.source.result(op, 0);
    let grid = Grid::of(emitter, winograd, out);
    let total = emitter.product(&grid.counts);
    emitter.parallel_loop(total, TILES * CHANNELS * GROUP, |emitter, linear| {
        let share = grid.share(emitter, linear);
        call(emitter, winograd, &grid, &share, out);
        if result != convolution {
            emitter.bind_row_buffer(convolution, out);
            apply(emitter, &grid, &share, result, out);
            emitter.unbind_buffer(convolution);
        }
    });
}

/// The tiles of all images, and how they are shared between threads.
struct Grid {
    /// Extents of the result: groups of channels, rows, columns.
    groups: Value,
    height: Value,
    width: Value,
    /// The output tile size.
    size: Value,
    /// Tiles in a row, and in an image.
    across: Value,
    tiles: Value,
    /// The numbers of images, runs of tiles and groups of channels.
    counts: [Value; 3],
    /// Tiles of a run, and channel groups per part.
    run: Value,
    part: Value,
}

/// The work of one iteration: tiles of an image for some groups of channels.
struct Share {
    image: Value,
    first: Value,
    count: Value,
    first_group: Value,
    groups: Value,
}

impl Grid {
    fn of(emitter: &mut Emitter<'_>, winograd: &Winograd, out: Value) -> Grid {
        let [images, groups, height, width] = [0, 1, 2, 3].map(|axis| emitter.buffer_extent(out, axis));
        let size = emitter.index(winograd.size);
        let (down, across) = (ceil_div(emitter, height, size), ceil_div(emitter, width, size));
        let tiles = emitter.mul(down, across);
        let blocks = emitter.extent(winograd.x, 1);
        let work = emitter.index(points(winograd.size as usize) as i64 * GROUP);
        let work = emitter.mul(blocks, work);
        let [run, part] = parts_of(emitter, [images, tiles, groups, work]);
        let (runs, parts) = (ceil_div(emitter, tiles, run), ceil_div(emitter, groups, part));
        Grid { groups, height, width, size, across, tiles, counts: [images, runs, parts], run, part }
    }

    /// Runs of nearly equal length may leave nothing for the last one.
    fn share(&self, emitter: &mut Emitter<'_>, linear: Value) -> Share {
        let position = delinearize(emitter, linear, &self.counts);
        let first = emitter.mul(position[1], self.run);
        let zero = emitter.index(0);
        let rest = emitter.sub(self.tiles, first);
        let rest = emitter.pure(arith::MAXSI, &[rest, zero], Type::Index, []);
        let count = emitter.min(rest, self.run);
        let first_group = emitter.mul(position[2], self.part);
        let rest = emitter.sub(self.groups, first_group);
        Share { image: position[0], first, count, first_group, groups: emitter.min(rest, self.part) }
    }

    /// The pixels of a tile along an axis: from its first one to the end of the image at most.
    fn span(&self, emitter: &mut Emitter<'_>, tile: Value, extent: Value) -> [Value; 2] {
        let first = emitter.mul(tile, self.size);
        let end = emitter.add(first, self.size);
        [first, emitter.min(end, extent)]
    }
}

/// The tiles and the groups of a part for the threads of the run.
fn parts_of(emitter: &mut Emitter<'_>, convolution: [Value; 4]) -> [Value; 2] {
    let [most_tiles, most_groups] = [TILES, CHANNELS / GROUP].map(|most| emitter.index(most));
    let operands = [&convolution[..], &[most_tiles, most_groups]].concat();
    let callee = [("callee", Attribute::symbol("rt_winograd_parts"))];
    let call = emitter.effect(func::CALL, &operands, &[Type::Index], callee);
    let (both, radix) = (emitter.body.result(call, 0), emitter.index(PARTS_RADIX));
    [emitter.div(both, radix), emitter.rem(both, radix)]
}

/// Emits the micro-kernel call for a share.
fn call(emitter: &mut Emitter<'_>, winograd: &Winograd, grid: &Grid, share: &Share, out: Value) {
    let [x, points, bias] = [winograd.x, winograd.points, winograd.bias]
        .map(|tensor| emitter.buffer(tensor).expect("operands of a convolution are kernel arguments"));
    let at = |emitter: &mut Emitter<'_>, buffer: Value, steps: &[(Value, Value)]| {
        let offset = steps.iter().fold(emitter.index(0), |sum, &(count, stride)| {
            let step = emitter.mul(count, stride);
            emitter.add(sum, step)
        });
        address(emitter, buffer, offset)
    };
    let [of_x, of_points, of_out] = [x, points, out].map(|buffer| buffer_strides(emitter, buffer));
    let group = emitter.index(GROUP);
    let [blocks, height, width] = [1, 2, 3].map(|axis| emitter.extent(winograd.x, axis));
    let [top, left] = winograd.pads.map(|pad| emitter.index(pad));
    let walk = abi::Winograd {
        size: grid.size,
        height,
        width,
        top,
        left,
        blocks,
        out_height: grid.height,
        out_width: grid.width,
        out_groups: grid.groups,
        first: share.first,
    };
    let tile = Tile {
        left: at(emitter, x, &[(share.image, of_x[0])]),
        right: at(emitter, points, &[(share.first_group, of_points[1])]),
        from: at(emitter, bias, &[(share.first_group, group)]),
        out: at(emitter, out, &[(share.image, of_out[0]), (share.first_group, of_out[1])]),
        rows: share.count,
        columns: emitter.mul(share.groups, group),
        start: Start::Columns,
        walk: Walk::Winograd(walk),
    };
    emitter.effect(tile.code(), &tile.operands(), &[], tile.attributes());
}

/// Computes the kernel's result from the sums of a share, in place.
fn apply(emitter: &mut Emitter<'_>, grid: &Grid, share: &Share, result: Value, out: Value) {
    let (zero, group, lanes) = (emitter.index(0), emitter.index(GROUP), emitter.lanes as i64);
    emitter.for_loop(zero, share.count, 1, &[], |emitter, tile, _| {
        let tile = emitter.add(share.first, tile);
        let (row, column) = (emitter.div(tile, grid.across), emitter.rem(tile, grid.across));
        let (rows, columns) = (grid.span(emitter, row, grid.height), grid.span(emitter, column, grid.width));
        emitter.for_loop(zero, share.groups, 1, &[], |emitter, of_part, _| {
            let of_all = emitter.add(share.first_group, of_part);
            emitter.for_loop(rows[0], rows[1], 1, &[], |emitter, y, _| {
                emitter.for_loop(columns[0], columns[1], 1, &[], |emitter, x, _| {
                    emitter.for_loop(zero, group, lanes, &[], |emitter, lane, _| {
                        let [n, g, y, x] = [share.image, of_all, y, x].map(Lane::Uniform);
                        let place = [n, g, y, x, Lane::Iota(lane)];
                        let value = emitter.evaluate(result, &place);
                        emitter.store(&value, out, &place);
                        vec![]
                    });
                    vec![]
                });
                vec![]
            });
            vec![]
        });
        vec![]
    });
}
