//! Contractions whose right operand is converted or copied first.
//!
//! A few steps of a panel of columns are written at a time to a buffer that stays in a near cache, and multiplied from
//! there: operands of another type, and operands whose steps are so far apart that a few of them occupy the same lines
//! of the L1 cache.

use std::cell::RefCell;

use abi::{Descriptor, Product, Start};

use super::contract::{Contraction, Doubles, Elements, Floats, TileSet};
use super::levels::Instances;
use crate::stop::Looks;

const GROUP: usize = abi::COLUMN_GROUP as usize;
/// Columns that are converted together.
const PANEL: usize = 4 * GROUP;
/// Steps of a panel that are converted together.
const STEPS: usize = 512;
/// Bytes of the steps of a column that fit the L2 cache, with those of the other columns of a panel and of some rows.
const NEAR_BYTES: usize = 4096;
/// Up to this many rows use special tiles, which read the operand without conversion.
const FEW_ROWS: usize = 8;

thread_local! {
    /// The buffer, reused by later calls; its words are those of the widest elements.
    static ROOM: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Elements of a right operand that are converted to those of sums.
pub(super) trait Prepared: Elements + 'static {
    /// The elements of the contraction over the converted operand.
    type Near: Elements<Left = Self::Left, Right = Self::Sum, Sum = Self::Sum>;

    /// Writes a group, `to[step][column]`.
    ///
    /// # Safety
    /// The group's elements are readable, and `to` has room for whole groups at all steps.
    unsafe fn prepare(group: &Group<Self::Right>, to: *mut Self::Sum);
}

impl Prepared for Floats {
    type Near = Floats;

    unsafe fn prepare(group: &Group<f32>, to: *mut f32) {
        // SAFETY: promised by the caller.
        unsafe { copy(group, to) }
    }
}

impl Prepared for Doubles {
    type Near = Doubles;

    unsafe fn prepare(group: &Group<f64>, to: *mut f64) {
        // SAFETY: promised by the caller.
        unsafe { copy(group, to) }
    }
}

/// Copies a group, see [`Prepared::prepare`].
unsafe fn copy<T: Copy>(group: &Group<T>, to: *mut T) {
    for step in 0..group.steps {
        // SAFETY: promised by the caller.
        unsafe {
            let (from, to) = (group.from.offset(step as isize * group.step), to.add(step * GROUP));
            match group.columns {
                // of a known size
                GROUP => from.copy_to_nonoverlapping(to, GROUP),
                columns => from.copy_to_nonoverlapping(to, columns),
            }
        }
    }
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
    pub(super) unsafe fn run_preparing(&self, few: &TileSet<E>)
    where
        TileSet<E::Near>: Instances,
    {
        // SAFETY: the caller vouches for all that the descriptor reaches.
        unsafe {
            match self.rows <= FEW_ROWS {
                true => self.run(few),
                false => self.run_prepared(STEPS, &TileSet::best()),
            }
        }
    }

    /// Converts and multiplies K blocks of at most `steps` steps.
    unsafe fn run_prepared(&self, steps: usize, set: &TileSet<E::Near>) {
        ROOM.with_borrow_mut(|room| {
            let bytes = steps * PANEL * size_of::<E::Sum>();
            room.resize(room.len().max(bytes.div_ceil(size_of::<u64>())), 0);
            // SAFETY: promised by the caller; the buffer holds one block, and every word is a value of these types.
            unsafe { self.run_in_parts(steps, set, room.as_mut_ptr().cast()) }
        });
    }

    /// The same with a buffer that holds one block.
    unsafe fn run_in_parts(&self, steps: usize, set: &TileSet<E::Near>, room: *mut E::Sum) {
        let mut looks = Looks::new();
        for first in (0..self.cols).step_by(PANEL) {
            let columns = (self.cols - first).min(PANEL);
            let mut start = self.descriptor.start;
            for part in parts(&self.descriptor.walk, steps) {
                // SAFETY: as above; the buffer holds one block.
                unsafe {
                    self.prepare(&part, (first, columns), room);
                    self.multiply(&part, (first, columns), room, start, (set, &mut looks));
                }
                if looks.is_due_after(0) {
                    return;
                }
                start = Start::Values;
            }
        }
    }

    /// Converts a K block of some columns, one group of columns after the other.
    unsafe fn prepare(&self, part: &Part, (first, columns): (usize, usize), to: *mut E::Sum) {
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
        b: *const E::Sum,
        start: Start,
        (set, looks): (&TileSet<E::Near>, &mut Looks),
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
            Contraction { descriptor, a, b, init, c, rows: self.rows, cols: columns }.run_until(set, looks);
        }
    }
}

impl<E: Prepared<Near = E>> Contraction<'_, E> {
    /// Multiplies in K blocks, so that a panel stays in the L2 cache while all rows are multiplied by it; copies those of
    /// operands whose steps are far apart.
    pub(super) unsafe fn run_near(&self, set: &TileSet<E>) {
        let near = NEAR_BYTES / size_of::<E::Sum>();
        let depth = self.descriptor.walk.reduction.iter().product::<i64>();
        // SAFETY: the caller vouches for all that the descriptor reaches.
        unsafe {
            if self.is_copied() {
                self.run_prepared(near, set);
            } else if self.rows > FEW_ROWS && depth >= 2 * near as i64 {
                self.run_in_place(near, set);
            } else {
                self.run(set);
            }
        }
    }

    /// Whether the right operand is copied.
    fn is_copied(&self) -> bool {
        let d = &self.descriptor.walk;
        let rows = Some(self.rows as i64);
        abi::is_right_copied(d.reduction.map(Some), d.right.map(Some), rows, size_of::<E::Right>())
    }

    /// Multiplies K blocks of at most `steps` steps where they are.
    unsafe fn run_in_place(&self, steps: usize, set: &TileSet<E>) {
        let d = &self.descriptor.walk;
        let mut start = self.descriptor.start;
        let mut looks = Looks::new();
        for part in parts(d, steps) {
            let walk = Product { reduction: part.steps, last_block: part.last_block, ..*d };
            let descriptor = &Descriptor { walk, start, right_padded: self.descriptor.right_padded };
            // SAFETY: as above.
            unsafe {
                let (a, b) = (self.a.offset(part.offset(&d.left)), self.b.offset(part.offset(&d.right)));
                Contraction { descriptor, a, b, ..*self }.run_until(set, &mut looks);
            }
            if looks.is_due_after(0) {
                return;
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
    let mut next = if middle.min(near) > 0 { [0, 0, 0] } else { [outer, 0, 0] };
    std::iter::from_fn(move || {
        let [i, j, l] = next;
        next = match (l + 1 < near, j + 1 < middle) {
            (true, _) => [i, j, l + 1],
            (false, true) => [i, j + 1, 0],
            (false, false) => [i + 1, 0, 0],
        };
        let depth = if i + 1 == outer { last_block } else { deep };
        (i < outer).then_some(([i, j, l, 0], depth))
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
