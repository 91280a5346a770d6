//! Blocks of loops of a relayout.
//!
//! A block is inside the tensor, so that only slice bounds are checked here.

use super::AXES;
use crate::kernels::transpose_runs;

/// Elements that are contiguous in the result, and in the tensor, and transposed together.
pub(super) const LANES: usize = 16;
const STEP: usize = 4;
/// Lanes of int8 that a dot-product instruction sums.
pub(super) const QUAD: usize = 4;
/// Rows that are copied together from apart, while their neighbours are in the cache.
const ROWS: usize = 16;

/// Scale factors that are applied to elements.
pub(super) trait Factors<const WIDTH: usize>: Sync {
    /// Whether the elements are moved in every run, so that code for more cases is worth its size.
    const IS_OFTEN: bool = false;
    type Factor: Copy;
    fn at(&self, place: i64) -> Self::Factor;
    fn product(element: [u8; WIDTH], factor: Self::Factor) -> [u8; WIDTH];
}

/// No factor.
pub(super) struct Nothing<const OFTEN: bool>;

impl<const WIDTH: usize, const OFTEN: bool> Factors<WIDTH> for Nothing<OFTEN> {
    const IS_OFTEN: bool = OFTEN;
    type Factor = ();

    fn at(&self, _: i64) {}

    #[inline(always)]
    fn product(element: [u8; WIDTH], (): ()) -> [u8; WIDTH] {
        element
    }
}

/// Factors for f32 elements.
pub(super) struct Scales<'s>(pub(super) &'s [f32]);

impl Factors<4> for Scales<'_> {
    type Factor = f32;

    fn at(&self, place: i64) -> f32 {
        self.0[place as usize]
    }

    #[inline(always)]
    fn product(element: [u8; 4], factor: f32) -> [u8; 4] {
        (f32::from_ne_bytes(element) * factor).to_ne_bytes()
    }
}

/// The strides of a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// In each axis of the tensor.
    pub(crate) subscripts: [i64; AXES],
    /// In elements of the tensor.
    pub(crate) from: i64,
    /// In the factors.
    pub(crate) factor: i64,
}

impl Place {
    pub(super) fn next(mut self, step: &Place) -> Place {
        for (subscript, one) in self.subscripts.iter_mut().zip(step.subscripts) {
            *subscript += one;
        }
        self.from += step.from;
        self.factor += step.factor;
        self
    }

    pub(super) fn after(mut self, steps: i64, step: &Place) -> Place {
        for (subscript, one) in self.subscripts.iter_mut().zip(step.subscripts) {
            *subscript += steps * one;
        }
        self.from += steps * step.from;
        self.factor += steps * step.factor;
        self
    }
}

/// A loop over the result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loop {
    pub(crate) extent: usize,
    pub(crate) step: Place,
    /// The stride in the result.
    pub(crate) to: usize,
}

/// The loops of a block.
pub(super) struct Block {
    pub(super) outer: Vec<Loop>,
    /// Loops between the others.
    pub(super) inner: Vec<Loop>,
    /// The loop over contiguous elements of the result.
    pub(super) lanes: Loop,
    pub(super) way: Way,
}

/// How a block is filled.
pub(super) enum Way {
    /// Row by row.
    Rows,
    /// Runs of contiguous elements of the tensor, which are the iterations of `inner`, four lanes interleaved at a
    /// time.
    Quads(usize),
    /// Runs that become columns at these positions of the result.
    Columns(Vec<usize>),
}

impl Block {
    /// Fills a block that is inside the tensor.
    pub(super) fn fill<const WIDTH: usize, F: Factors<WIDTH>>(
        &self,
        from: &[[u8; WIDTH]],
        to: &mut [[u8; WIDTH]],
        start: Place,
        factors: &F,
    ) {
        match &self.way {
            Way::Rows => copy_rows(from, to, start, self, factors),
            Way::Quads(run) => interleave(from, to, start, (*run, &self.lanes.step), factors),
            Way::Columns(run) => transpose(from, to, start, (run, &self.lanes), factors),
        }
    }
}

/// Calls `body` with the position of each iteration of some loops in the result and in the tensor.
pub(super) fn visit(loops: &[Loop], to: usize, place: Place, body: &mut dyn FnMut(usize, Place)) {
    let Some((outermost, inner)) = loops.split_first() else { return body(to, place) };
    let mut place = place;
    for at in 0..outermost.extent {
        visit(inner, to + at * outermost.to, place, body);
        place = place.next(&outermost.step);
    }
}

/// Copies contiguous rows, some of the innermost loop for each iteration of the loop around it, so that memory after a
/// row of the tensor is read soon.
fn copy_rows<const WIDTH: usize, F: Factors<WIDTH>>(
    from: &[[u8; WIDTH]],
    to: &mut [[u8; WIDTH]],
    start: Place,
    block: &Block,
    factors: &F,
) {
    let once = Loop { extent: 1, step: Place::default(), to: 0 };
    let (around, rows) = match block.inner[..] {
        [around, rows] => (around, rows),
        [rows] => (once, rows),
        _ => (once, once),
    };
    let (lanes, step) = (block.lanes.extent, &block.lanes.step);
    for first in (0..rows.extent).step_by(ROWS) {
        let last = rows.extent.min(first + ROWS);
        for at in 0..around.extent {
            for row in first..last {
                let to = &mut to[at * around.to + row * rows.to..][..lanes];
                let along = |start: i64, a: i64, b: i64| start + at as i64 * a + row as i64 * b;
                let place = [
                    along(start.from, around.step.from, rows.step.from),
                    along(start.factor, around.step.factor, rows.step.factor),
                ];
                copy_row(from, to, place, step, factors);
            }
        }
    }
}

/// Copies strided elements of the tensor, with strided factors.
#[inline(always)]
pub(super) fn copy_row<const WIDTH: usize, F: Factors<WIDTH>>(
    from: &[[u8; WIDTH]],
    to: &mut [[u8; WIDTH]],
    [first, factor]: [i64; 2],
    step: &Place,
    factors: &F,
) {
    if to.is_empty() {
        return;
    }
    if step.from == 1 && step.factor == 0 {
        let factor = factors.at(factor);
        let row = &from[first as usize..][..to.len()];
        let copy = |to: &mut [[u8; WIDTH]], row: &[[u8; WIDTH]]| {
            to.iter_mut().zip(row).for_each(|(to, &element)| *to = F::product(element, factor));
        };
        // of a length that the compiler knows
        return match <&mut [[u8; WIDTH]; LANES]>::try_from(&mut *to) {
            Ok(to) => copy(to, &row[..LANES]),
            Err(_) => copy(to, row),
        };
    }
    if F::IS_OFTEN && step.from == 0 {
        return fill_row(to, from[first as usize]);
    }
    for (at, to) in (0..).zip(to) {
        let element = from[(first + at * step.from) as usize];
        *to = F::product(element, factors.at(factor + at * step.factor));
    }
}

/// Interleaves four runs of the tensor into rows of the result.
fn interleave<const WIDTH: usize, F: Factors<WIDTH>>(
    from: &[[u8; WIDTH]],
    to: &mut [[u8; WIDTH]],
    start: Place,
    (run, step): (usize, &Place),
    factors: &F,
) {
    let runs: [&[[u8; WIDTH]]; QUAD] =
        std::array::from_fn(|lane| &from[(start.from + lane as i64 * step.from) as usize..][..run]);
    let factors: [F::Factor; QUAD] = std::array::from_fn(|lane| factors.at(start.factor + lane as i64 * step.factor));
    let to = &mut to.as_chunks_mut::<QUAD>().0[..run];
    // of a length that the compiler knows
    let (whole, rest) = to.as_chunks_mut::<LANES>();
    for (at, to) in whole.iter_mut().enumerate() {
        let runs = runs.map(|run| run.as_chunks::<LANES>().0[at]);
        *to = std::array::from_fn(|at| std::array::from_fn(|lane| F::product(runs[lane][at], factors[lane])));
    }
    for (at, to) in (whole.len() * LANES..).zip(rest) {
        *to = std::array::from_fn(|lane| F::product(runs[lane][at], factors[lane]));
    }
}

/// Transposes runs of the tensor, one per lane, into columns of the result.
fn transpose<const WIDTH: usize, F: Factors<WIDTH>>(
    from: &[[u8; WIDTH]],
    to: &mut [[u8; WIDTH]],
    start: Place,
    (run, lanes): (&[usize], &Loop),
    factors: &F,
) {
    let (lanes, step) = (lanes.extent, &lanes.step);
    for first in (0..lanes).step_by(LANES) {
        let runs = |lane: usize| &from[(start.from + (first + lane) as i64 * step.from) as usize..][..run.len()];
        let factor = |lane: usize| factors.at(start.factor + (first + lane) as i64 * step.factor);
        if F::IS_OFTEN && lanes - first == 3 {
            return three_columns(std::array::from_fn(runs), run, &mut to[first..]);
        }
        let mut done = 0;
        if WIDTH == 4 && F::IS_OFTEN && lanes - first >= LANES {
            let runs: [&[[u8; WIDTH]]; LANES] = std::array::from_fn(runs);
            transpose_runs(runs.map(<[_]>::as_flattened), run, to[first..].as_flattened_mut());
            continue;
        }
        // 1-byte and 8-byte elements are rare, and not worth the code
        if lanes - first >= LANES && matches!(WIDTH, 2 | 4) {
            let (runs, factors): ([_; LANES], [_; LANES]) = (std::array::from_fn(runs), std::array::from_fn(factor));
            let steps = run.as_chunks::<STEP>().0;
            for (at, places) in steps.iter().enumerate() {
                let squares = runs.map(|run| run.as_chunks::<STEP>().0[at]);
                for (column, &place) in places.iter().enumerate() {
                    let to = &mut to[place + first..][..LANES];
                    for lane in 0..LANES {
                        to[lane] = F::product(squares[lane][column], factors[lane]);
                    }
                }
            }
            done = steps.len() * STEP;
        }
        for lane in 0..LANES.min(lanes - first) {
            let factor = factor(lane);
            for (&place, &element) in run[done..].iter().zip(&runs(lane)[done..]) {
                to[place + first + lane] = F::product(element, factor);
            }
        }
    }
}

/// Interleaves three runs of the tensor, such as the channels of a picture.
#[inline(never)]
fn three_columns<const WIDTH: usize>(runs: [&[[u8; WIDTH]]; 3], places: &[usize], to: &mut [[u8; WIDTH]]) {
    let elements = runs[0].iter().zip(runs[1]).zip(runs[2]);
    for (&place, ((&a, &b), &c)) in places.iter().zip(elements) {
        to[place..place + 3].copy_from_slice(&[a, b, c]);
    }
}

/// Fills a row with one element.
#[inline(never)]
fn fill_row<const WIDTH: usize>(to: &mut [[u8; WIDTH]], element: [u8; WIDTH]) {
    to.fill(element);
}
