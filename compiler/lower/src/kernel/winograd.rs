//! Kernels around a convolution by points: blocks of tiles computed by a micro-kernel straight into the result, then the
//! elementwise consumers of the convolution applied to what is there.

use abi::{Start, WINDOW_OUT};
use dialects::linalg::GROUP;
use dialects::rt::tile::{Tile, Walk};
use dialects::rt::winograd::Winograd;
use ir::{Op, Type, Value};

use super::contract::{address, buffer_strides, ceil_div};
use super::emit::Emitter;
use super::lane::Lane;
use super::loops::delinearize;

/// Tiles of one call at most: the rows of one product at each point, a register tile or two.
const TILES: i64 = 14;
/// Channels of the result in one call at most.
const CHANNELS: i64 = 256;

/// Emits a kernel that writes `out`, whose elements are at the places of the convolution's own.
pub(super) fn emit_winograd(emitter: &mut Emitter<'_>, (op, winograd): (Op, &Winograd), result: Value, out: Value) {
    let (zero, pixels) = (emitter.index(0), emitter.index(WINDOW_OUT as i64));
    let [images, groups, out_height, out_width] = [0, 1, 2, 3].map(|axis| emitter.buffer_extent(out, axis));
    let [blocks, height, width] = [1, 2, 3].map(|axis| emitter.extent(winograd.x, axis));
    let (down, across) = (ceil_div(emitter, out_height, pixels), ceil_div(emitter, out_width, pixels));
    let tiles = emitter.mul(down, across);
    let limit = emitter.index(TILES);
    let runs = ceil_div(emitter, tiles, limit);
    let run = ceil_div(emitter, tiles, runs);
    let (group, part) = (emitter.index(GROUP), emitter.index(CHANNELS / GROUP));
    let parts = ceil_div(emitter, groups, part);
    let [top, left] = winograd.pads.map(|pad| emitter.index(pad));
    let counts = [images, runs, parts];
    let total = counts.iter().fold(emitter.index(1), |product, &count| emitter.mul(product, count));
    let x_strides = buffer_strides(emitter, emitter.buffer(winograd.x).expect("operands are kernel arguments"));
    let out_strides = buffer_strides(emitter, out);
    let convolution = emitter.source.result(op, 0);
    let buffers = [winograd.x, winograd.points, winograd.bias]
        .map(|tensor| emitter.buffer(tensor).expect("operands are kernel arguments"));
    let points_strides = buffer_strides(emitter, buffers[1]);
    emitter.parallel_loop(total, TILES * CHANNELS * GROUP, |emitter, linear| {
        let position = delinearize(emitter, linear, &counts);
        let first = emitter.mul(position[1], run);
        let left_over = emitter.sub(tiles, first);
        let left_over = emitter.pure("arith.maxsi", &[left_over, zero], Type::Index, []);
        let count = emitter.min(left_over, run);
        let first_group = emitter.mul(position[2], part);
        let left_over = emitter.sub(groups, first_group);
        let group_count = emitter.min(left_over, part);
        let x_offset = emitter.mul(position[0], x_strides[0]);
        let points_offset = emitter.mul(first_group, points_strides[1]);
        let bias_offset = emitter.mul(first_group, group);
        let image = emitter.mul(position[0], out_strides[0]);
        let within = emitter.mul(first_group, out_strides[1]);
        let out_offset = emitter.add(image, within);
        let walk = abi::Winograd { height, width, top, left, blocks, out_height, out_width, out_groups: groups, first };
        let tile = Tile {
            left: address(emitter, buffers[0], x_offset),
            right: address(emitter, buffers[1], points_offset),
            from: address(emitter, buffers[2], bias_offset),
            out: address(emitter, out, out_offset),
            rows: count,
            columns: emitter.mul(group_count, group),
            start: Start::Columns,
            walk: Walk::Winograd(walk),
        };
        emitter.effect(tile.name(), &tile.operands(), &[], tile.attributes());
        if result == convolution {
            return;
        }
        emitter.bind_row_buffer(convolution, out);
        emitter.for_loop(zero, count, 1, &[], |emitter, tile, _| {
            let at = emitter.add(first, tile);
            let (row, column) = (emitter.div(at, across), emitter.rem(at, across));
            let rows = span(emitter, row, pixels, out_height);
            let columns = span(emitter, column, pixels, out_width);
            emitter.for_loop(zero, group_count, 1, &[], |emitter, of_part, _| {
                let at_group = emitter.add(first_group, of_part);
                emitter.for_loop(rows[0], rows[1], 1, &[], |emitter, y, _| {
                    emitter.for_loop(columns[0], columns[1], 1, &[], |emitter, x, _| {
                        let lanes = emitter.lanes as i64;
                        emitter.for_loop(zero, group, lanes, &[], |emitter, lane, _| {
                            let [n, g, y, x] = [position[0], at_group, y, x].map(Lane::Uniform);
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
        emitter.unbind_buffer(convolution);
    });
}

/// The pixels of a tile along an axis: from its first one on, as far as there are some.
fn span(emitter: &mut Emitter<'_>, tile: Value, pixels: Value, extent: Value) -> [Value; 2] {
    let first = emitter.mul(tile, pixels);
    let end = emitter.add(first, pixels);
    [first, emitter.min(end, extent)]
}
