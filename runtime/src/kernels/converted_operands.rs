//! Contractions whose right operand has to be converted for the f32 kernel.
//!
//! A few steps of a panel of columns are converted at a time, into a buffer that stays in a near cache, and multiplied
//! from there.

use std::cell::RefCell;

use abi::{Descriptor, Product, Start};

use super::contract::{Contraction, Elements, Floats, TileSet};
use super::levels::Instances;

const GROUP: usize = abi::COLUMN_GROUP as usize;
/// Columns that are converted together.
const PANEL: usize = 4 * GROUP;
/// Steps of a panel that are converted together.
const STEPS: usize = 512;
/// Steps of a panel that fit the L2 cache, with the same steps of some rows.
const NEAR_STEPS: usize = 1024;
/// Up to this many rows use special tiles, which read the operand without conversion.
const FEW_ROWS: usize = 8;

thread_local! {
    /// The conversion buffer, reused by later calls.
    static ROOM: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
}

/// Elements of a right operand that are converted to `f32`.
pub(super) trait Prepared: Elements<Left = f32, Sum = f32> + 'static {
    /// Writes a group, `to[step][column]`.
    ///
    /// # Safety
    /// The group's elements are readable, and `to` has room for whole groups at all steps.
    unsafe fn prepare(group: &Group<Self::Right>, to: *mut f32);
}

/// Some steps of the innermost loop for the columns of one group, which may be partial.
pub(super) struct Group<T> {
    pub(super) from: *const T,
    pub(super) columns: usize,
    pub(super) steps: usize,
    /// Stride between steps.
    pub(super) step: isize,
    /// Stride between groups, from first column to first column.
    pub(super) next: isize,
}

impl<E: Prepared> Contraction<'_, E> {
    /// Special tiles for a few rows, otherwise tiles over the converted operand.
    pub(super) unsafe fn run_preparing(&self, few: &TileSet<E>) {
        if self.rows <= FEW_ROWS {
            // SAFETY: the caller vouches for all that the descriptor reaches.
            return unsafe { self.run(few) };
        }
        ROOM.with_borrow_mut(|room| {
            room.resize(STEPS * PANEL, 0.0);
            // SAFETY: as above.
            unsafe { self.run_in_parts(&TileSet::best(), room.as_mut_ptr()) }
        });
    }

    /// Converts and multiplies K block by K block; the buffer holds one block.
    unsafe fn run_in_parts(&self, set: &TileSet<Floats>, room: *mut f32) {
        for first in (0..self.cols).step_by(PANEL) {
            let columns = (self.cols - first).min(PANEL);
            let mut start = self.descriptor.start;
            for part in parts(&self.descriptor.walk, STEPS) {
                // SAFETY: as above; the buffer holds one block.
                unsafe {
                    self.prepare(&part, (first, columns), room);
                    self.multiply(&part, (first, columns), room, start, set);
                }
                start = Start::Values;
            }
        }
    }

    /// Converts a K block of some columns, one group of columns after the other.
    unsafe fn prepare(&self, part: &Part, (first, columns): (usize, usize), to: *mut f32) {
        let d = &self.descriptor.walk;
        let (near, near_group) = part.strides();
        let from = self.b.wrapping_offset(part.offset(&d.right));
        let (step, next) = (d.right[3] as isize, d.right_group as isize);
        for (at, group) in (first..first + columns).step_by(GROUP).enumerate() {
            let from = from.wrapping_offset((group / GROUP) as isize * next);
            let to = to.wrapping_offset(at as isize * near_group as isize);
            let columns = (self.cols - group).min(GROUP);
            for (run, depth) in part.runs() {
                let from = from.wrapping_offset(along(&run, &d.right));
                let to = to.wrapping_offset(along(&run, &near));
                // SAFETY: the caller vouches for the operand, and the buffer holds one block.
                unsafe { E::prepare(&Group { from, columns, steps: depth as usize, step, next }, to) };
            }
        }
    }

    /// Adds the products of a K block.
    unsafe fn multiply(
        &self,
        part: &Part,
        (first, columns): (usize, usize),
        b: *const f32,
        start: Start,
        set: &TileSet<Floats>,
    ) {
        let d = &self.descriptor.walk;
        let (right, right_group) = part.strides();
        let walk = Product { reduction: part.steps, right, last_block: part.last_block, right_group, ..*d };
        let descriptor = &Descriptor { walk, start, right_padded: 1 };
        // SAFETY: promised by the caller.
        unsafe {
            let a = self.a.offset(part.offset(&d.left));
            let c = self.c.offset((first / GROUP) as isize * d.out_group as isize);
            let init = self.init.add(first);
            Contraction { descriptor, a, b, init, c, rows: self.rows, cols: columns }.run(set);
        }
    }
}

impl<E: Elements + 'static> Contraction<'_, E> {
    /// Multiplies in K blocks, so that a panel stays in the L2 cache while all rows are multiplied by it.
    pub(super) unsafe fn run_near(&self, set: &TileSet<E>) {
        let d = &self.descriptor.walk;
        if self.rows <= FEW_ROWS || d.reduction.iter().product::<i64>() < 2 * NEAR_STEPS as i64 {
            // SAFETY: the caller vouches for all that the descriptor reaches.
            return unsafe { self.run(set) };
        }
        let mut start = self.descriptor.start;
        for part in parts(d, NEAR_STEPS) {
            let walk = Product { reduction: part.steps, last_block: part.last_block, ..*d };
            let descriptor = &Descriptor { walk, start, right_padded: self.descriptor.right_padded };
            // SAFETY: as above.
            unsafe {
                let (a, b) = (self.a.offset(part.offset(&d.left)), self.b.offset(part.offset(&d.right)));
                Contraction { descriptor, a, b, ..*self }.run(set);
            }
            start = Start::Values;
        }
    }
}

/// A K block: where the reduction loops begin, how many steps each has, and how many the innermost has in the last
/// iteration of the outermost.
struct Part {
    first: [i64; 4],
    steps: [i64; 4],
    last_block: i64,
}

/// The offset of some steps in an operand with these strides.
#[inline(always)]
pub(super) fn along(steps: &[i64; 4], strides: &[i64; 4]) -> isize {
    steps.iter().zip(strides).map(|(step, stride)| step * stride).sum::<i64>() as isize
}

impl Part {
    fn offset(&self, strides: &[i64; 4]) -> isize {
        along(&self.first, strides)
    }

    /// The strides of loops and column groups in the conversion buffer.
    fn strides(&self) -> ([i64; 4], i64) {
        let [outer, middle, near, deep] = self.steps;
        let step = abi::COLUMN_GROUP;
        ([middle * near * deep * step, near * deep * step, deep * step, step], outer * middle * near * deep * step)
    }

    /// The start of each run of the innermost loop, and its number of steps.
    fn runs(&self) -> impl Iterator<Item = ([i64; 4], i64)> {
        runs(self.steps, self.last_block)
    }
}

/// The start of each run of the innermost of some loops, and its number of steps.
pub(super) fn runs(extents: [i64; 4], last_block: i64) -> impl Iterator<Item = ([i64; 4], i64)> {
    let [outer, middle, near, deep] = extents;
    (0..outer).flat_map(move |i| {
        let depth = if i + 1 == outer { last_block } else { deep };
        (0..middle).flat_map(move |j| (0..near).map(move |l| ([i, j, l, 0], depth)))
    })
}

/// Splits the reduction loops into K blocks of at most `most` steps, with as many complete loops as fit; a single empty
/// block if there are no steps.
fn parts(d: &Product<i64>, most: usize) -> impl Iterator<Item = Part> {
    let (extents, last_block) = (d.reduction, d.last_block);
    let [outer, middle, near, extent] = extents;
    let by = abi::steps_of_part(extents, most as i64);
    let all = (0..outer).step_by(by[0] as usize).flat_map(move |i| {
        let outers = (outer - i).min(by[0]);
        let last = if i + outers == outer { last_block } else { extent };
        let depth = if outers == 1 { last } else { extent };
        (0..middle).step_by(by[1] as usize).flat_map(move |j| {
            (0..near).step_by(by[2] as usize).flat_map(move |l| {
                (0..depth).step_by(by[3] as usize).map(move |k| Part {
                    first: [i, j, l, k],
                    steps: [outers, (middle - j).min(by[1]), (near - l).min(by[2]), (depth - k).min(by[3])],
                    last_block: (last - k).min(by[3]),
                })
            })
        })
    });
    let mut all = all.peekable();
    let none = all.peek().is_none().then_some(Part { first: [0; 4], steps: [1, 1, 1, 0], last_block: 0 });
    none.into_iter().chain(all)
}
