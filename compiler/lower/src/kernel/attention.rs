//! Fused attention kernels: a product of scores, row-wise operations such as softmax, and the product of the weights
//! with values.
//!
//! A block of query rows at a time is computed through all three steps, so that scores stay in the nearest caches and
//! are never in memory as a whole. They are in thread-local memory, `[rows, keys]`, where the weights replace them row
//! by row.

use dialects::{arith, func, rt};
use ir::{Attribute, Type, Value};

use super::contract::Nest;
use super::emit::Emitter;
use super::lane::Lane;
use super::lines::buffer_at;
use super::loops::{Piece, delinearize, emit_settled_row, settled_reductions};
use super::products::{
    ContractionKernel, First, Rows, Strides, TILE_ROWS, Tiles, address, ceil_div, outer_rows, share,
};
use crate::attention::left_axes;
use crate::contraction::Contraction;
use dialects::linalg::GROUP;
use dialects::linalg::generic::Generic;

/// The maximum number of scores of a block of rows: with their operands they fill half of the L2 cache.
const SCORES: i64 = 1 << 16;
/// The maximum number of rows of a block.
const ROWS: i64 = 64;
/// Rows that micro-kernels process at a time.
const STEP: i64 = 6;

/// The product of scores that a contraction's weights are computed from, if the kernel computes it itself.
pub(super) fn scores_below(emitter: &Emitter<'_>, values: &ContractionKernel<'_>) -> Option<Generic> {
    let source = emitter.source;
    let mut pending = vec![values.generic.inputs[values.roles.left]];
    while let Some(value) = pending.pop() {
        let Some(below) = Generic::defining(source, value).filter(|_| emitter.buffer(value).is_none()) else {
            continue;
        };
        if Contraction::of(source, &below).is_some() {
            return Some(below);
        }
        pending.extend(&below.inputs);
    }
    None
}

/// Emits a kernel of the product `values`, whose left operand is computed from `scores`, that writes `out`.
pub(super) fn emit_attention(emitter: &mut Emitter<'_>, values: &ContractionKernel<'_>, scores: &Generic, out: Value) {
    let roles = Contraction::of(emitter.source, scores).expect("found as a contraction");
    let result = emitter.source.result(scores.op, 0);
    let axes: Vec<usize> = (0..scores.output_map(0).results.len()).collect();
    let scores = ContractionKernel { generic: scores, roles: &roles, result, permutation: &axes, offsets: &[] };
    let attention = Attention::of(emitter, &scores, values, out);
    let total = emitter.product(&attention.counts);
    let work = attention.block_work(emitter);
    emitter.parallel_loop(total, work, |emitter, linear| attention.emit_block(emitter, linear));
}

/// The three steps, and their common data.
struct Attention<'k> {
    scores: Tiles<'k>,
    values: Nest<'k>,
    /// The weights computed from the scores.
    weights: Value,
    /// For each axis of the scores but the last, the loop of `values` along it.
    axes: Vec<Option<usize>>,
    /// The number of scores of a row, and the stride of rows.
    keys: Value,
    stride: Value,
    /// Iterations of the outer and of the inner row loop in a block.
    runs: Value,
    rows: Value,
    /// Batch loops, and blocks of the row loops.
    counts: Vec<Value>,
}

impl<'k> Attention<'k> {
    fn of(
        emitter: &mut Emitter<'_>,
        scores: &'k ContractionKernel<'k>,
        values: &'k ContractionKernel<'k>,
        out: Value,
    ) -> Attention<'k> {
        let roles = values.roles;
        let weights = values.generic.inputs[roles.left];
        let mut axes = left_axes(values.generic, roles).expect("seen when the group was made");
        axes.pop();
        let keys = emitter.extent(weights, axes.len());
        let (zero, one) = (emitter.index(0), emitter.index(1));
        let stride = row_stride(emitter, keys);
        let inner = emitter.loop_extent(values.generic, roles.rows[0]);
        let outer_stride = emitter.mul(inner, stride);
        // an outer row loop of both products is another run of rows
        let outer_axis = axes.iter().position(|axis| axis.is_some() && *axis == roles.rows.get(1).copied());
        let picks = scores.generic.output_map(0).as_projected_permutation().expect("recognised");
        let outer_axis = outer_axis.filter(|&axis| scores.roles.rows.get(1) == Some(&picks[axis]));
        let mut result = vec![zero; axes.len() - 1];
        result.extend([stride, one]);
        if let Some(axis) = outer_axis {
            result[axis] = outer_stride;
        }
        let strides = Strides::with_result(emitter, scores, &result);
        let scores = Tiles::of(emitter, scores, strides);
        let mut strides = Strides::of(emitter, values, out);
        strides.left[roles.rows[0]] = stride;
        strides.left[roles.reduction[0]] = one;
        if let Some(&dim) = roles.rows.get(1) {
            strides.left[dim] = outer_stride;
        }
        let mut values = Nest::of(emitter, values, strides, out);
        // the left operand begins at the beginning of the block
        values.tiles.strides.left.fill(zero);
        let [outer, inner] = values.tiles.rows;
        let limit = most_rows(emitter, stride);
        let rows = block_rows(emitter, inner, limit);
        let blocks = ceil_div(emitter, inner, rows);
        let runs = outer_axis.map_or(one, |_| outer_rows(emitter, inner, limit));
        let run_blocks = ceil_div(emitter, outer, runs);
        let batch = roles.batch.iter().map(|&dim| values.tiles.extents[dim]);
        let counts = batch.chain([run_blocks, blocks]).collect();
        Attention { scores, values, weights, axes, keys, stride, runs, rows, counts }
    }

    /// Estimated operations of a block; a micro-kernel retires sixteen in the time of one operation of generated code.
    fn block_work(&self, emitter: &Emitter<'_>) -> i64 {
        let known = |value: Value| emitter.constant_value(value).unwrap_or(TILE_ROWS);
        let depth = self.scores.kernel.roles.reduction.iter().map(|&dim| known(self.scores.extents[dim]));
        let depth = depth.fold(known(self.values.tiles.columns), i64::saturating_add);
        let scores = known(self.rows).saturating_mul(known(self.keys));
        scores.saturating_mul(1 + depth / 16)
    }

    /// All three steps for a block of rows.
    fn emit_block(&self, emitter: &mut Emitter<'_>, block: Value) {
        let position = delinearize(emitter, block, &self.counts);
        let (batch, rest) = position.split_at(self.counts.len() - 2);
        let [outer, inner] = self.values.tiles.rows;
        let (outer, outer_count) = share(emitter, rest[0], self.runs, outer);
        let (inner, inner_count) = share(emitter, rest[1], self.rows, inner);
        let rows = Rows { batch, outer, inner, outer_count, inner_count };
        let memory = self.memory(emitter);
        self.emit_scores(emitter, &rows, memory);
        self.emit_weights(emitter, &rows, memory);
        emitter.bind_row_buffer(self.weights, memory);
        let (zero, panels) = (emitter.index(0), self.values.tiles.panels(emitter));
        emitter.for_loop(zero, panels, 1, &[], |emitter, panel, _| {
            self.values.emit_tile(emitter, &rows, panel);
            vec![]
        });
        emitter.unbind_buffer(self.weights);
    }

    /// Thread-local memory for a block of rows and one more.
    fn memory(&self, emitter: &mut Emitter<'_>) -> Value {
        let (one, rows) = (emitter.index(1), self.all_rows(emitter));
        let rows = emitter.add(rows, one);
        let elements = emitter.mul(rows, self.stride);
        let width = emitter.index(Type::F32.byte_width().expect("floats have a width") as i64);
        let bytes = emitter.mul(elements, width);
        let callee = [("callee", Attribute::symbol("rt_scratch"))];
        let call = emitter.effect(func::CALL, &[bytes], &[Type::Index], callee);
        let address = emitter.body.result(call, 0);
        emitter.pure(rt::BUFFER, &[address], Type::memref([None], Type::F32), [])
    }

    /// The maximum number of rows of a block.
    fn all_rows(&self, emitter: &mut Emitter<'_>) -> Value {
        emitter.mul(self.runs, self.rows)
    }

    /// The index of each axis of the scores but the last, at the first row of a block.
    fn origin(&self, emitter: &mut Emitter<'_>, rows: &Rows<'_>) -> Vec<Value> {
        let roles = self.values.tiles.kernel.roles;
        let zero = emitter.index(0);
        let index = |dim: usize| match roles.batch.iter().position(|&batch| batch == dim) {
            Some(position) => rows.batch[position],
            None if dim == roles.rows[0] => rows.inner,
            None => rows.outer,
        };
        self.axes.iter().map(|axis| axis.map_or(zero, index)).collect()
    }

    fn emit_scores(&self, emitter: &mut Emitter<'_>, rows: &Rows<'_>, memory: Value) {
        let ContractionKernel { generic, roles, .. } = *self.scores.kernel;
        let picks = generic.output_map(0).as_projected_permutation().expect("recognised");
        let origin = self.origin(emitter, rows);
        let index = |dim: &usize| origin[picks.iter().position(|pick| pick == dim).expect("a parallel loop")];
        let batch: Vec<Value> = roles.batch.iter().map(index).collect();
        let outer = roles.rows.get(1).map_or_else(|| emitter.index(0), index);
        let rows = Rows { batch: &batch, outer, ..*rows };
        let (zero, panels) = (emitter.index(0), self.scores.panels(emitter));
        emitter.for_loop(zero, panels, 1, &[], |emitter, panel, _| {
            let place = self.scores.place(emitter, &rows, panel);
            let sums = address(emitter, memory, place.column);
            self.scores.call(emitter, &place, &First::Zero, sums);
            vec![]
        });
    }

    /// Replaces scores by weights, row by row; values that are computed once per row and read twice are stored after
    /// the last one.
    fn emit_weights(&self, emitter: &mut Emitter<'_>, rows: &Rows<'_>, memory: Value) {
        let scores = self.scores.kernel.result;
        let last = self.axes.len() as u32;
        let reductions = settled_reductions(emitter.source, &[self.weights], self.axes.len() + 1, last);
        let (zero, all) = (emitter.index(0), self.all_rows(emitter));
        let after = emitter.mul(all, self.stride);
        let room = buffer_at(emitter, memory, after);
        emitter.for_loop(zero, rows.outer_count, 1, &[], |emitter, run, _| {
            let first = emitter.mul(run, rows.inner_count);
            emitter.for_loop(zero, rows.inner_count, 1, &[], |emitter, row, _| {
                let offset = emitter.add(first, row);
                let offset = emitter.mul(offset, self.stride);
                let buffer = buffer_at(emitter, memory, offset);
                let (outer, inner) = (emitter.add(rows.outer, run), emitter.add(rows.inner, row));
                let point = self.origin(emitter, &Rows { outer, inner, ..*rows });
                let point: Vec<Lane> = point.into_iter().map(Lane::Uniform).collect();
                emitter.bind_row_buffer(scores, buffer);
                let piece = Piece { value: self.weights, buffer, offsets: &[] };
                emit_settled_row(emitter, &[piece], &reductions, &point, self.keys, Some(room));
                emitter.unbind_buffer(scores);
                vec![]
            });
            vec![]
        });
    }
}

/// The stride of rows with the given number of elements: an odd number of groups, so that rows do not map to the same
/// cache sets.
fn row_stride(emitter: &mut Emitter<'_>, elements: Value) -> Value {
    let (group, two, one) = (emitter.index(GROUP), emitter.index(2), emitter.index(1));
    let groups = ceil_div(emitter, elements, group);
    let pairs = emitter.div(groups, two);
    let even = emitter.mul(pairs, two);
    let odd = emitter.add(even, one);
    emitter.mul(odd, group)
}

/// The number of rows with this stride that fit.
fn most_rows(emitter: &mut Emitter<'_>, stride: Value) -> Value {
    let [scores, most, step] = [SCORES, ROWS, STEP].map(|number| emitter.index(number));
    let fit = emitter.div(scores, stride);
    let limit = emitter.min(fit, most);
    let steps = emitter.div(limit, step);
    let whole = emitter.mul(steps, step);
    emitter.pure(arith::MAXSI, &[whole, step], Type::Index, [])
}

/// Rows of a block of the inner loop: nearly the same number in each.
fn block_rows(emitter: &mut Emitter<'_>, rows: Value, limit: Value) -> Value {
    let step = emitter.index(STEP);
    let blocks = ceil_div(emitter, rows, limit);
    let even = ceil_div(emitter, rows, blocks);
    let steps = ceil_div(emitter, even, step);
    let whole = emitter.mul(steps, step);
    emitter.min(whole, rows)
}
