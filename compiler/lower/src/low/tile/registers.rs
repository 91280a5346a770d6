//! One register tile: some rows by some vectors of columns.

use abi::{Depthwise, Product, Start};
use ir::Value;

use super::VectorRegisters;
use super::code::{Code, Place};
use super::strip::Sum;
use dialects::linalg::GROUP;

/// Innermost reduction loops with at most this many steps are unrolled completely.
const STRAIGHT_STEPS: i64 = 4;
/// The unroll factor of loops whose number of steps is a multiple of it.
const STEPS: i64 = 4;
/// Depthwise kernels with at most this many elements per side are unrolled: neighbouring pixels share loads.
pub(super) const STRAIGHT_WINDOW: i64 = 5;

/// The columns of a tile.
pub(super) struct Vectors {
    pub(super) count: i64,
    /// The mask of the last vector; all lanes if absent.
    pub(super) mask: Option<Value>,
}

impl Vectors {
    fn mask_of(&self, vector: i64) -> Option<Value> {
        self.mask.filter(|_| vector + 1 == self.count)
    }
}

/// The layout of a tile's rows in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Walk<V> {
    /// With a constant stride.
    Even(V),
    /// In lines of this many rows; the strides to the next row of a line, and to the next line.
    Lines(V, V, V),
}

impl<V> Walk<V> {
    fn map<W>(self, change: &mut impl FnMut(V) -> W) -> Walk<W> {
        match self {
            Walk::Even(step) => Walk::Even(change(step)),
            Walk::Lines(inner, near, far) => Walk::Lines(change(inner), change(near), change(far)),
        }
    }
}

/// The loops over rows.
#[derive(Clone, Copy)]
pub(super) struct RowLoops {
    /// The extent of the inner loop.
    inner: Value,
    /// Strides of the loops in the left operand and in the result, the inner one first.
    left: [Value; 2],
    out: [Value; 2],
}

impl RowLoops {
    pub(super) fn product(walk: &Product<Value>) -> RowLoops {
        RowLoops { inner: walk.row_inner, left: walk.left_rows, out: walk.out_rows }
    }

    pub(super) fn depthwise(code: &mut Code<'_>, walk: &Depthwise<Value>) -> RowLoops {
        let (zero, one) = (code.index(0), code.index(1));
        RowLoops { inner: one, left: [walk.left_pixel, zero], out: [walk.out_pixel, zero] }
    }
}

/// The layouts of rows in the left operand and in the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rows<V> {
    left: Walk<V>,
    out: Walk<V>,
}

impl<V: Copy> Rows<V> {
    pub(super) fn map<W>(&self, change: &mut impl FnMut(V) -> W) -> Rows<W> {
        Rows { left: self.left.map(change), out: self.out.map(change) }
    }
}

impl Rows<Value> {
    pub(super) fn of(code: &mut Code<'_>, loops: &RowLoops, choices: Option<&[i64]>) -> Rows<Value> {
        let inner = code.at_least_one(loops.inner);
        let fits = |line: i64| choices.is_some_and(|choices| choices.iter().all(|&rows| rows <= line));
        // without an outer row loop the result has no stride along it
        let one_line = code.known(loops.out[1]) == Some(0) || code.known(inner).is_some_and(fits);
        let mut walk = |[near, far]: [Value; 2]| {
            let line = code.mul(inner, near);
            let even = code.known(far).is_some_and(|far| code.known(line) == Some(far));
            if one_line || even { Walk::Even(near) } else { Walk::Lines(inner, near, far) }
        };
        let (left, out) = (walk(loops.left), walk(loops.out));
        Rows { left, out }
    }

    pub(super) fn are_scattered(&self) -> bool {
        matches!(self.left, Walk::Lines(..))
    }
}

impl Walk<Value> {
    /// The addresses of `count` rows from `row` on in a buffer. Offsets that differ between tiles are part of the
    /// addresses, so that loops over a tile count from zero.
    fn places(self, code: &mut Code<'_>, buffer: Value, (row, count): (Value, i64)) -> Vec<Place> {
        match self {
            Walk::Even(step) => {
                let first = code.mul(row, step);
                let buffer = code.moved(buffer, first);
                let place = |at| {
                    let at = code.index(at);
                    Place { buffer, at: code.mul(at, step) }
                };
                (0..count).map(place).collect()
            }
            Walk::Lines(inner, near, far) => {
                let at = code.index(0);
                let offsets = offsets_in_lines(code, (inner, near, far), (row, count));
                offsets.into_iter().map(|offset| Place { buffer: code.moved(buffer, offset), at }).collect()
            }
        }
    }
}

/// The offsets of `count` rows from `row` on, in lines of `inner` rows.
fn offsets_in_lines(
    code: &mut Code<'_>,
    (inner, near, far): (Value, Value, Value),
    (row, count): (Value, i64),
) -> Vec<Value> {
    let (line, zero) = (code.div(row, inner), code.index(0));
    let mut within = code.rem(row, inner);
    let mut offset = code.mul(line, far);
    offset = code.add_product(offset, within, near);
    // from the last row of a line to the first of the next
    let last = code.plus(inner, -1);
    let back = code.mul(last, near);
    let to_next_line = code.sub(far, back);
    let mut offsets = vec![offset];
    for _ in 1..count {
        let step = code.if_equal((within, last), to_next_line, near);
        let next = code.plus(within, 1);
        within = code.if_equal((within, last), zero, next);
        offset = code.add(offset, step);
        offsets.push(offset);
    }
    offsets
}

/// The buffers of a tile, each from the tile's first element on.
pub(super) struct Tile<'s> {
    pub(super) sum: &'s Sum<Value>,
    pub(super) left: Value,
    pub(super) right: Value,
    pub(super) start: Value,
    pub(super) out: Value,
    pub(super) registers: VectorRegisters,
}

/// The position of a register tile in the operands: the address of each row, and the offset of each vector.
struct Frame<'v> {
    rows: Vec<Place>,
    left_columns: Vec<Value>,
    right_columns: Vec<Value>,
    vectors: &'v Vectors,
}

impl Tile<'_> {
    /// Computes `height` rows from `row` on, in vectors from `column` on.
    pub(super) fn emit(
        &self,
        code: &mut Code<'_>,
        walk: &Rows<Value>,
        rows: (Value, i64),
        (column, vectors): (Value, &Vectors),
    ) {
        let near = code.index(GROUP);
        let frame = Frame {
            rows: walk.left.places(code, self.left, rows),
            left_columns: column_offsets(code, (column, vectors), near),
            right_columns: column_offsets(code, (column, vectors), self.sum.right_group),
            vectors,
        };
        let out_rows = walk.out.places(code, self.out, rows);
        let out_columns = column_offsets(code, (column, vectors), self.sum.out_group);
        let targets: Vec<(Place, Option<Value>)> = out_rows
            .iter()
            .flat_map(|&row| out_columns.iter().zip(0..).map(move |(&column, vector)| (row, column, vector)))
            .map(|(row, column, vector)| {
                (Place { buffer: row.buffer, at: code.add(row.at, column) }, vectors.mask_of(vector))
            })
            .collect();
        let sums = self.start(code, &frame, &targets);
        let zero = code.index(0);
        let sums = self.reduce(code, &frame, (0, self.sum.last_block), (zero, zero), sums);
        for ((place, mask), sum) in targets.into_iter().zip(sums) {
            code.store(sum, place, mask);
        }
    }

    /// The initial values of the sums, row by row.
    fn start(&self, code: &mut Code<'_>, frame: &Frame<'_>, targets: &[(Place, Option<Value>)]) -> Vec<Value> {
        match self.sum.start {
            Start::Zero => vec![code.zeros(); targets.len()],
            Start::Values => targets.iter().map(|&(place, mask)| code.load(place, mask)).collect(),
            Start::Columns => {
                let row: Vec<Value> = frame
                    .left_columns
                    .iter()
                    .zip(0..)
                    .map(|(&at, vector)| code.load(Place { buffer: self.start, at }, frame.vectors.mask_of(vector)))
                    .collect();
                row.iter().copied().cycle().take(targets.len()).collect()
            }
        }
    }

    /// The reduction loops from `depth` on, with `steps` steps for the innermost one, from these offsets in the
    /// operands.
    fn reduce(
        &self,
        code: &mut Code<'_>,
        frame: &Frame<'_>,
        (depth, steps): (usize, Value),
        (left, right): (Value, Value),
        sums: Vec<Value>,
    ) -> Vec<Value> {
        let sum = self.sum;
        let extent = if depth == 3 { steps } else { sum.reduction[depth] };
        let step = |code: &mut Code<'_>, at: Value, sums: Vec<Value>| {
            let left = code.add_product(left, at, sum.left[depth]);
            let right = code.add_product(right, at, sum.right[depth]);
            match depth {
                0 => {
                    let last = code.plus(sum.reduction[0], -1);
                    let steps = code.if_equal((at, last), sum.last_block, sum.reduction[3]);
                    self.reduce(code, frame, (1, steps), (left, right), sums)
                }
                3 => self.accumulate(code, frame, (left, right), sums),
                _ => self.reduce(code, frame, (depth + 1, steps), (left, right), sums),
            }
        };
        let zero = code.index(0);
        match code.known(extent) {
            Some(extent) if extent <= self.straight_steps(depth) => straight(code, zero, extent, sums, &step),
            Some(count) if depth == 3 && count % STEPS == 0 && !self.registers.loads_first => {
                let together = self.registers.takes_lanes && !sum.depthwise && code.known(sum.left[3]) == Some(1);
                code.for_loop((zero, extent, STEPS), sums, |code, first, sums| match together {
                    true => {
                        let left = code.add(left, first);
                        let right = code.add_product(right, first, sum.right[3]);
                        self.accumulate_together(code, frame, (left, right), sums)
                    }
                    false => straight(code, first, STEPS, sums, &step),
                })
            }
            _ => code.for_loop((zero, extent, 1), sums, step),
        }
    }

    fn straight_steps(&self, depth: usize) -> i64 {
        match (self.sum.depthwise, depth) {
            (true, 0) if self.registers.loads_first => 1,
            (true, _) => STRAIGHT_WINDOW,
            (false, 3) if !self.registers.loads_first => STRAIGHT_STEPS,
            (false, _) => 1,
        }
    }

    /// Adds [`STEPS`] products to every sum; a row's factors are contiguous, and loaded a vector at a time. Each vector of the
    /// right operand is used before the next one is loaded, so that sums and factors leave enough registers.
    fn accumulate_together(
        &self,
        code: &mut Code<'_>,
        frame: &Frame<'_>,
        (left, right): (Value, Value),
        mut sums: Vec<Value>,
    ) -> Vec<Value> {
        let (lanes, count) = (code.lanes, frame.vectors.count as usize);
        for first in (0..STEPS).step_by(lanes as usize) {
            let factors: Vec<Value> = frame
                .rows
                .iter()
                .map(|row| {
                    let at = code.add(left, row.at);
                    let at = code.plus(at, first);
                    code.load(Place { buffer: row.buffer, at }, None)
                })
                .collect();
            for lane in 0..lanes {
                let step = code.index(first + lane);
                let right = code.add_product(right, step, self.sum.right[3]);
                for vector in 0..count {
                    let from = Place { buffer: self.right, at: right };
                    let panel = self.vector(code, frame, (from, &frame.right_columns), vector);
                    for (row, &factors) in factors.iter().enumerate() {
                        let factor = code.lane(factors, lane);
                        let sum = &mut sums[row * count + vector];
                        *sum = code.fused(factor, panel, *sum);
                    }
                }
            }
        }
        sums
    }

    /// Adds one product to every sum.
    fn accumulate(
        &self,
        code: &mut Code<'_>,
        frame: &Frame<'_>,
        (left, right): (Value, Value),
        sums: Vec<Value>,
    ) -> Vec<Value> {
        let count = frame.vectors.count as usize;
        let right = Place { buffer: self.right, at: right };
        let panel: Vec<Value> =
            (0..count).map(|vector| self.vector(code, frame, (right, &frame.right_columns), vector)).collect();
        let mut sums = sums.into_iter();
        let mut next = Vec::new();
        for &row in &frame.rows {
            let from = Place { buffer: row.buffer, at: code.add(left, row.at) };
            let same = (!self.sum.depthwise).then(|| code.load_broadcast(from));
            for (vector, &panel) in panel.iter().enumerate() {
                let factor = same.unwrap_or_else(|| self.vector(code, frame, (from, &frame.left_columns), vector));
                let sum = sums.next().expect("a tile has one sum for each row and vector");
                next.push(code.fused(factor, panel, sum));
            }
        }
        next
    }

    /// A vector of columns of an operand, from the place of the first column of all and the offsets of vectors.
    fn vector(
        &self,
        code: &mut Code<'_>,
        frame: &Frame<'_>,
        (from, columns): (Place, &[Value]),
        vector: usize,
    ) -> Value {
        let mask = frame.vectors.mask_of(vector as i64).filter(|_| !self.sum.right_padded);
        let at = code.add(from.at, columns[vector]);
        code.load(Place { buffer: from.buffer, at }, mask)
    }
}

/// `count` unrolled steps from `first` on.
fn straight(
    code: &mut Code<'_>,
    first: Value,
    count: i64,
    sums: Vec<Value>,
    step: &impl Fn(&mut Code<'_>, Value, Vec<Value>) -> Vec<Value>,
) -> Vec<Value> {
    (0..count).fold(sums, |sums, after| {
        let at = code.plus(first, after);
        step(code, at, sums)
    })
}

/// The offsets of vectors from `column` on, with stride `group` between groups of columns. Either there is one vector,
/// or the first begins a group.
fn column_offsets(code: &mut Code<'_>, (column, vectors): (Value, &Vectors), group: Value) -> Vec<Value> {
    let width = code.index(GROUP);
    let first = if code.known(group) == Some(GROUP) {
        column
    } else {
        let (whole, rest) = (code.div(column, width), code.rem(column, width));
        code.add_product(rest, whole, group)
    };
    (0..vectors.count)
        .map(|vector| {
            let after = vector * code.lanes;
            let groups = code.index(after / GROUP);
            let moved = code.add_product(first, groups, group);
            code.plus(moved, after % GROUP)
        })
        .collect()
}
