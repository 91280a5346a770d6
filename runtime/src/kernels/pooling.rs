//! Sliding-window reductions along a row, many windows at once in the widest vectors of the processor.
//!
//! Each window is reduced element by element, in the order of its loops, so that all machines give the same results. If
//! windows of several rows overlap along the rows, the partial result of each window column is computed first, once for
//! all windows that share it.

use std::mem::MaybeUninit;

use abi::RowFold;

use super::lanes::{Fused, Portable};

/// Independent accumulators, which hide latency.
const VECTORS: usize = 4;
/// The number of partial results that are kept: half of the L1 cache.
const KEPT: usize = 4096;

/// The geometry of windows, in elements.
#[derive(Clone, Copy)]
pub(super) struct Windows {
    /// Stride between windows.
    pub(super) step: usize,
    /// The loops within a window, the outermost first: extent and stride.
    pub(super) loops: [(usize, usize); 3],
}

/// Rows of windows, and the strides between them in the source and in the destination.
#[derive(Clone, Copy)]
pub(super) struct Lines {
    pub(super) count: usize,
    pub(super) source: usize,
    pub(super) destination: usize,
}

/// The windows of one row, and the destination of the first row.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub(super) windows: Windows,
    pub(super) start: f32,
    pub(super) source: *const f32,
    pub(super) destination: *mut f32,
    pub(super) count: usize,
}

/// `destination[i]` is the reduction of `start` and the elements of window `i`, for `count` windows of each row.
pub(super) type FoldWindows = unsafe fn(fold: RowFold, lines: Lines, row: &Row);

/// Lanewise reductions, with the semantics of Rust's operators and of IEEE 754's `maximum` and `minimum`.
pub(super) trait Folding: Fused<Element = f32> {
    /// Sums.
    unsafe fn add(self, other: Self) -> Self;
    /// Products.
    unsafe fn multiply(self, other: Self) -> Self;
    /// The maximum; NaN if one operand is.
    unsafe fn larger(self, other: Self) -> Self;
    /// The minimum; NaN if one operand is.
    unsafe fn smaller(self, other: Self) -> Self;
    /// Every second element, `count` of them in the first lanes; does not read beyond the last one.
    unsafe fn load_every_other(from: *const f32, count: usize) -> Self;
}

/// The windows of rows, to be compiled within a function that enables the machine's instructions.
///
/// # Safety
/// All elements of the windows are readable, the destination does not overlap with them, and the processor has the
/// instructions.
#[inline(always)]
pub(super) unsafe fn fold<L: Folding>(fold: RowFold, lines: Lines, row: &Row) {
    let (lines, row) = joined(lines, *row);
    // SAFETY: promised by the caller.
    unsafe {
        match fold {
            RowFold::Sum => slide::<L, Sum>(lines, &row),
            RowFold::Product => slide::<L, Product>(lines, &row),
            RowFold::Largest => slide::<L, Largest>(lines, &row),
            RowFold::Smallest => slide::<L, Smallest>(lines, &row),
        }
    }
}

/// Merges contiguous rows into one long row.
fn joined(lines: Lines, row: Row) -> (Lines, Row) {
    if (lines.source, lines.destination) == (row.count * row.windows.step, row.count) {
        return (Lines { count: 1, ..lines }, Row { count: row.count * lines.count, ..row });
    }
    (lines, row)
}

/// How two registers are combined. It is a method, because closures do not inherit a function's instruction set.
trait Combine<L> {
    /// The neutral element.
    const NEUTRAL: f32;
    unsafe fn combine(a: L, b: L) -> L;
}

struct Sum;
struct Product;
struct Largest;
struct Smallest;

impl<L: Folding> Combine<L> for Sum {
    const NEUTRAL: f32 = -0.0;

    #[inline(always)]
    unsafe fn combine(a: L, b: L) -> L {
        // SAFETY: promised by the caller, here and below.
        unsafe { a.add(b) }
    }
}

impl<L: Folding> Combine<L> for Product {
    const NEUTRAL: f32 = 1.0;

    #[inline(always)]
    unsafe fn combine(a: L, b: L) -> L {
        // SAFETY: as above.
        unsafe { a.multiply(b) }
    }
}

impl<L: Folding> Combine<L> for Largest {
    const NEUTRAL: f32 = f32::NEG_INFINITY;

    #[inline(always)]
    unsafe fn combine(a: L, b: L) -> L {
        // SAFETY: as above.
        unsafe { a.larger(b) }
    }
}

impl<L: Folding> Combine<L> for Smallest {
    const NEUTRAL: f32 = f32::INFINITY;

    #[inline(always)]
    unsafe fn combine(a: L, b: L) -> L {
        // SAFETY: as above.
        unsafe { a.smaller(b) }
    }
}

/// How elements of neighbouring windows are loaded: `count` of them, `step` apart.
trait Read<L> {
    unsafe fn read(from: *const f32, step: usize, count: usize) -> L;
}

/// Contiguous.
struct Side;
/// Every second element.
struct EveryOther;
/// Any stride.
struct Apart;

impl<L: Folding> Read<L> for Side {
    #[inline(always)]
    unsafe fn read(from: *const f32, _: usize, count: usize) -> L {
        // SAFETY: the caller vouches for the elements, here and below.
        unsafe { if count == L::WIDTH { L::load(from) } else { L::load_masked(from, L::mask(count)) } }
    }
}

impl<L: Folding> Read<L> for EveryOther {
    #[inline(always)]
    unsafe fn read(from: *const f32, _: usize, count: usize) -> L {
        // SAFETY: as above.
        unsafe { L::load_every_other(from, count) }
    }
}

impl<L: Folding> Read<L> for Apart {
    #[inline(always)]
    unsafe fn read(from: *const f32, step: usize, count: usize) -> L {
        const { assert!(L::WIDTH <= 16) };
        let mut lanes = [0.0; 16];
        // SAFETY: as above.
        unsafe {
            for (lane, number) in lanes.iter_mut().enumerate().take(count) {
                *number = from.add(lane * step).read_unaligned();
            }
            L::load(lanes.as_ptr())
        }
    }
}

#[inline(always)]
unsafe fn slide<L: Folding, C: Combine<L>>(lines: Lines, row: &Row) {
    // SAFETY: promised by the caller.
    unsafe {
        match row.windows.step {
            1 => by_columns::<L, C, Side>(lines, row),
            2 => by_columns::<L, C, EveryOther>(lines, row),
            _ => by_columns::<L, C, Apart>(lines, row),
        }
    }
}

/// Some rows in turn: first the partial results of window columns, then the windows from those.
#[inline(always)]
unsafe fn by_columns<L: Folding, C: Combine<L>, R: Read<L>>(lines: Lines, row: &Row) {
    let Windows { step, loops: [planes, rows, (columns, column)] } = row.windows;
    let reach = columns.saturating_sub(1) * column + 1;
    // SAFETY: promised by the caller; partial results are written before they are read.
    unsafe {
        if planes.0 * rows.0 < 2 || columns <= step || reach > KEPT / 2 {
            return each_line::<L, C, R>(lines, row);
        }
        let mut kept = [const { MaybeUninit::<f32>::uninit() }; KEPT];
        let kept = kept.as_mut_ptr().cast::<f32>();
        let most = (KEPT - reach) / step + 1;
        for first in (0..row.count).step_by(most) {
            let count = most.min(row.count - first);
            let width = (count - 1) * step + reach;
            let group = KEPT / width;
            for line in (0..lines.count).step_by(group) {
                let some = group.min(lines.count - line);
                let of_columns = Row {
                    windows: Windows { step: 1, loops: [planes, rows, (1, 0)] },
                    start: C::NEUTRAL,
                    source: row.source.add(line * lines.source + first * step),
                    destination: kept,
                    count: width,
                };
                each_line::<L, C, Side>(Lines { count: some, source: lines.source, destination: width }, &of_columns);
                let of_windows = Row {
                    windows: Windows { step, loops: [(1, 0), (1, 0), (columns, column)] },
                    start: row.start,
                    source: kept,
                    destination: row.destination.add(line * lines.destination + first),
                    count,
                };
                each_line::<L, C, R>(Lines { count: some, source: width, destination: lines.destination }, &of_windows);
            }
        }
    }
}

#[inline(always)]
unsafe fn each_line<L: Folding, C: Combine<L>, R: Read<L>>(lines: Lines, row: &Row) {
    for line in 0..lines.count {
        // SAFETY: promised by the caller.
        unsafe {
            let (source, destination) =
                (row.source.add(line * lines.source), row.destination.add(line * lines.destination));
            blocks::<L, C, R>(&Row { source, destination, ..*row });
        }
    }
}

/// All windows of a row, several vectors at a time.
#[inline(always)]
unsafe fn blocks<L: Folding, C: Combine<L>, R: Read<L>>(row: &Row) {
    // SAFETY: promised by the caller.
    unsafe {
        if row.count < L::WIDTH {
            return block::<L, C, R, 1>(row, 0, row.count);
        }
        for first in (0..row.count).step_by(VECTORS * L::WIDTH) {
            match (row.count - first).div_ceil(L::WIDTH) {
                1 => block::<L, C, R, 1>(row, first, L::WIDTH),
                2 => block::<L, C, R, 2>(row, first, L::WIDTH),
                _ => block::<L, C, R, VECTORS>(row, first, L::WIDTH),
            }
        }
    }
}

/// `V` vectors of windows from `first` on, `count` in each. The last vectors of a row overlap with the ones before
/// them, so that they are full.
#[inline(always)]
unsafe fn block<L: Folding, C: Combine<L>, R: Read<L>, const V: usize>(row: &Row, first: usize, count: usize) {
    let Windows { step, loops: [(planes, plane), (rows, line), (columns, column)] } = row.windows;
    let firsts: [usize; V] = std::array::from_fn(|number| (first + number * L::WIDTH).min(row.count - count));
    // SAFETY: the elements and results of these windows exist.
    unsafe {
        let sources = firsts.map(|first| row.source.add(first * step));
        let mut vectors = [L::broadcast(row.start); V];
        // one loop, because compilers generate poor code for the short inner ones
        let (mut at, mut in_line, mut in_plane) = (0usize, 0, 0);
        for _ in 0..planes * rows * columns {
            for (vector, source) in vectors.iter_mut().zip(sources) {
                *vector = C::combine(*vector, R::read(source.add(at), step, count));
            }
            (at, in_line) = (at.wrapping_add(column), in_line + 1);
            if in_line == columns {
                (at, in_line, in_plane) = (at.wrapping_add(line).wrapping_sub(columns * column), 0, in_plane + 1);
                if in_plane == rows {
                    (at, in_plane) = (at.wrapping_add(plane).wrapping_sub(rows * line), 0);
                }
            }
        }
        for (vector, first) in vectors.into_iter().zip(firsts) {
            let to = row.destination.add(first);
            if count == L::WIDTH { vector.store(to) } else { vector.store_masked(to, L::mask(count)) }
        }
    }
}

impl Folding for Portable<f32> {
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        Portable(std::array::from_fn(|lane| self.0[lane] + other.0[lane]))
    }

    #[inline(always)]
    unsafe fn multiply(self, other: Self) -> Self {
        Portable(std::array::from_fn(|lane| self.0[lane] * other.0[lane]))
    }

    #[inline(always)]
    unsafe fn larger(self, other: Self) -> Self {
        Portable(std::array::from_fn(|lane| {
            let (a, b) = (self.0[lane], other.0[lane]);
            // for two zeros each comparison picks the other one
            let (one, two) = (if a > b { a } else { b }, if b > a { b } else { a });
            missing_or(a, b, one.to_bits() & two.to_bits())
        }))
    }

    #[inline(always)]
    unsafe fn smaller(self, other: Self) -> Self {
        Portable(std::array::from_fn(|lane| {
            let (a, b) = (self.0[lane], other.0[lane]);
            let (one, two) = (if a < b { a } else { b }, if b < a { b } else { a });
            missing_or(a, b, one.to_bits() | two.to_bits())
        }))
    }

    #[inline(always)]
    unsafe fn load_every_other(from: *const f32, count: usize) -> Self {
        // SAFETY: the caller vouches for the elements.
        Portable(std::array::from_fn(
            |lane| {
                if lane < count { unsafe { from.add(2 * lane).read_unaligned() } } else { 0.0 }
            },
        ))
    }
}

/// The value with these bits, or NaN if one of two values is.
#[inline(always)]
fn missing_or(a: f32, b: f32, bits: u32) -> f32 {
    if a.is_nan() | b.is_nan() { f32::NAN } else { f32::from_bits(bits) }
}

/// The portable instance.
///
/// # Safety
/// As for [`fold`].
pub(super) unsafe fn portable(function: RowFold, lines: Lines, row: &Row) {
    // SAFETY: promised by the caller.
    unsafe { fold::<Portable<f32>>(function, lines, row) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::levels::Instances;
    use crate::samples::sampled;

    fn machines() -> Vec<FoldWindows> {
        FoldWindows::usable().collect()
    }

    /// Reductions of windows of 2×3 elements in rows of 300 values.
    fn folded(machine: FoldWindows, fold: RowFold, numbers: &[f32], step: usize, count: usize) -> Vec<f32> {
        let windows = Windows { step, loops: [(1, 0), (2, 300), (3, 2)] };
        let start = if fold == RowFold::Largest { f32::NEG_INFINITY } else { 0.0 };
        let mut result = vec![-1.0; count];
        let row = Row { windows, start, source: numbers.as_ptr(), destination: result.as_mut_ptr(), count };
        // SAFETY: the last element of the last window is inside the row.
        unsafe { machine(fold, Lines { count: 1, source: 0, destination: 0 }, &row) };
        result
    }

    #[test]
    fn rows_of_separate_and_adjacent_windows() {
        let numbers: Vec<f32> = (0..500).map(|at| ((at * 37 + 11) % 101) as f32).collect();
        for (count, source, destination) in [(20, 24, 20), (20, 20, 20), (7, 9, 11), (20, 40, 20)] {
            let windows = Windows { step: 1, loops: [(1, 0), (1, 0), (5, 1)] };
            let expected = |line: usize, at: usize| numbers[line * source + at..][..5].iter().sum::<f32>();
            for machine in machines() {
                let mut result = vec![-1.0; 5 * destination];
                let (from, to) = (numbers.as_ptr(), result.as_mut_ptr());
                let row = Row { windows, start: 0.0, source: from, destination: to, count };
                // SAFETY: the last element of the last window is inside the row.
                unsafe { machine(RowFold::Sum, Lines { count: 5, source, destination }, &row) };
                for (line, row) in result.chunks_exact(destination).enumerate() {
                    let (folded, after) = row.split_at(count);
                    assert!(folded.iter().enumerate().all(|(at, &number)| number == expected(line, at)));
                    assert!(after.iter().all(|&number| number == -1.0));
                }
            }
        }
    }

    fn window(numbers: &[f32], first: usize) -> impl Iterator<Item = f32> {
        [0, 2, 4, 300, 302, 304].into_iter().map(move |at| numbers[first + at])
    }

    #[test]
    fn windows_of_rows_of_any_length() {
        let cases = [1, 2, 3].into_iter().flat_map(|step| (0..90).map(move |count| (step, count)));
        for (step, count) in sampled(cases, 37) {
            // the last window ends at the end of the row
            let length = if count == 0 { 0 } else { (count - 1) * step + 305 };
            let numbers: Vec<f32> = (0..length).map(|at| ((at * 37 + 11) % 101) as f32 - 50.0).collect();
            for machine in machines() {
                let sums: Vec<f32> = (0..count).map(|at| window(&numbers, at * step).sum()).collect();
                assert_eq!(folded(machine, RowFold::Sum, &numbers, step, count), sums);
                let largest = (0..count).map(|at| window(&numbers, at * step).fold(f32::NEG_INFINITY, f32::max));
                assert_eq!(folded(machine, RowFold::Largest, &numbers, step, count), largest.collect::<Vec<f32>>());
            }
        }
    }

    #[test]
    fn columns_that_windows_share() {
        // integers, whose sums are the same in any order
        let numbers: Vec<f32> = (0..40_000).map(|at| ((at * 37 + 11) % 101) as f32).collect();
        for (step, count) in sampled([(1, 40), (2, 30), (2, 3), (1, 9000), (3, 2500)], 5) {
            let (source, columns) = (if count > 100 { 10_000 } else { 100 }, 5);
            let windows = Windows { step, loops: [(1, 0), (3, source), (columns, 1)] };
            let expected = |line: usize, at: usize| -> f32 {
                let first = line * source + at * step;
                (0..3).flat_map(|row| &numbers[first + row * source..][..columns]).sum()
            };
            for machine in machines() {
                let mut result = vec![-1.0; 2 * count];
                let (from, to) = (numbers.as_ptr(), result.as_mut_ptr());
                let row = Row { windows, start: 0.0, source: from, destination: to, count };
                // SAFETY: the last element of the last window is inside the row.
                unsafe { machine(RowFold::Sum, Lines { count: 2, source, destination: count }, &row) };
                let found = |(at, &number): (usize, &f32)| number == expected(at / count, at % count);
                assert!(result.iter().enumerate().all(found));
            }
        }
    }

    #[test]
    fn missing_numbers_and_signs_of_zeros_count() {
        let mut numbers = vec![-0.0; 400];
        numbers[302] = 0.0;
        for machine in machines() {
            let largest = folded(machine, RowFold::Largest, &numbers, 1, 50);
            assert_eq!(largest[2].to_bits(), 0f32.to_bits());
            assert_eq!(largest[3].to_bits(), (-0f32).to_bits());
            for missing in [f32::NAN, -f32::NAN] {
                numbers[340] = missing;
                let largest = folded(machine, RowFold::Largest, &numbers, 1, 50);
                let found: Vec<usize> = (0..50).filter(|&at| largest[at].is_nan()).collect();
                assert_eq!(found, [36, 38, 40]);
            }
            numbers[340] = -0.0;
        }
    }
}
