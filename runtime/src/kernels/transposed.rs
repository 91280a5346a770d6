//! Contractions with a transposed right operand: its columns are strided, and the steps of a column contiguous.
//!
//! A few rows are multiplied without transposition, many steps at a time. For many rows the operand is transposed K
//! block by K block, into a buffer in the cache.

use abi::{Descriptor, Start};

use super::contract::{Columns, Contraction, Elements, Floats, Tile, TileSet, panel};
use super::converted_operands::{Group, Prepared, along};
use super::lanes::{Fused, Portable};
use super::levels::Instances;
#[cfg(target_arch = "aarch64")]
use super::{arm, levels::Level};
#[cfg(target_arch = "x86_64")]
use super::{levels::Level, x86_transposed};

const GROUP: usize = abi::COLUMN_GROUP as usize;
/// Columns of a tile.
pub(super) const COLUMNS: usize = 4;

/// `f32` with a transposed right operand.
#[derive(Clone, Copy)]
pub(super) struct Transposed;

impl Elements for Transposed {
    type Left = f32;
    type Right = f32;
    type Sum = f32;
}

impl Prepared for Transposed {
    type Near = Floats;

    unsafe fn prepare(group: &Group<f32>, to: *mut f32) {
        // SAFETY: promised by the caller; the processor has what this is compiled for.
        unsafe { Transpose::best()(group, to) }
    }
}

/// Transposes a group, see [`Prepared::prepare`].
pub(super) type Transpose = unsafe fn(&Group<f32>, to: *mut f32);

/// The start of each column of a group; missing columns alias the last one.
#[inline(always)]
pub(super) fn columns_of(group: &Group<f32>) -> [*const f32; GROUP] {
    let apart = group.next / GROUP as isize;
    std::array::from_fn(|column| group.from.wrapping_offset(column.min(group.columns - 1) as isize * apart))
}

/// The portable instance.
unsafe fn transpose(group: &Group<f32>, to: *mut f32) {
    let columns = columns_of(group);
    for step in 0..group.steps {
        for (column, from) in columns.iter().enumerate() {
            // SAFETY: promised by the caller.
            unsafe { to.add(step * GROUP + column).write(from.add(step).read_unaligned()) }
        }
    }
}

/// Transposes runs of words into columns at given positions: `to[places[i] + run] = runs[run][i]`, in elements of four
/// bytes.
pub(super) type TransposeRuns = unsafe fn(runs: &[*const f32; GROUP], places: &[usize], to: *mut f32);

/// The portable instance: some steps of all runs at a time.
unsafe fn transpose_runs(runs: &[*const f32; GROUP], places: &[usize], to: *mut f32) {
    for (step, &place) in places.iter().enumerate() {
        for (lane, run) in runs.iter().enumerate() {
            // SAFETY: promised by the caller.
            unsafe { to.add(place + lane).write_unaligned(run.add(step).read_unaligned()) }
        }
    }
}

/// Floats that are summed across lanes.
pub(super) trait Summed: Fused<Element = f32> {
    /// The sum of all lanes, in a fixed order.
    unsafe fn sum(self) -> f32;
}

impl Summed for Portable<f32> {
    #[inline(always)]
    unsafe fn sum(self) -> f32 {
        let [a, b, c, d] = self.0;
        (a + c) + (b + d)
    }
}

/// A tile of `ROWS` rows by at most `COLUMNS` columns.
#[inline(always)]
pub(super) unsafe fn dots<E, V, const ROWS: usize, const COLUMNS: usize>(
    problem: &Contraction<'_, E>,
    row: usize,
    columns: Columns,
) where
    E: Elements<Left = f32, Right = f32, Sum = f32> + 'static,
    V: Summed,
{
    let Descriptor { walk: d, start, .. } = problem.descriptor;
    // SAFETY: as for every kernel, the caller vouches for the extents; missing columns alias the last one.
    unsafe {
        let (a_rows, c_rows) = problem.row_pointers::<ROWS>(row);
        let apart = d.right_group as isize / GROUP as isize;
        let mut b_columns = [problem.b; COLUMNS];
        for (at, column) in b_columns.iter_mut().enumerate() {
            *column = problem.b.offset((columns.first + at.min(columns.count - 1)) as isize * apart);
        }
        let mut sums = [[V::zero(); COLUMNS]; ROWS];
        let [extent0, extent1, extent2, extent_k] = d.reduction;
        for i0 in 0..extent0 {
            let depth = if i0 + 1 == extent0 { d.last_block } else { extent_k };
            for i1 in 0..extent1 {
                for i2 in 0..extent2 {
                    let at = [along(&[i0, i1, i2, 0], &d.left), along(&[i0, i1, i2, 0], &d.right)];
                    add_dots(&mut sums, &a_rows, &b_columns, at, depth.max(0) as usize);
                }
            }
        }
        for (sums, to) in sums.iter().zip(c_rows) {
            for (at, sum) in sums.iter().enumerate().take(columns.count) {
                let column = columns.first + at;
                let to = to.offset((column / GROUP) as isize * d.out_group as isize + (column % GROUP) as isize);
                let first = match start {
                    Start::Zero => 0.0,
                    Start::Columns => problem.init.add(column).read_unaligned(),
                    Start::Values => to.read_unaligned(),
                };
                to.write_unaligned(first + sum.sum());
            }
        }
    }
}

/// Adds `depth` products to every sum, from the given offsets in rows and columns.
#[inline(always)]
unsafe fn add_dots<V: Summed, const ROWS: usize, const COLUMNS: usize>(
    sums: &mut [[V; COLUMNS]; ROWS],
    a_rows: &[*const f32; ROWS],
    b_columns: &[*const f32; COLUMNS],
    [a_offset, b_offset]: [isize; 2],
    depth: usize,
) {
    for first in (0..depth).step_by(V::WIDTH) {
        // SAFETY: the mask keeps the lanes inside of what the caller vouches for.
        unsafe {
            let mask = V::mask((depth - first).min(V::WIDTH));
            if V::is_whole(mask) {
                add_lanes(sums, a_rows, b_columns, [a_offset, b_offset], first, V::mask(V::WIDTH));
            } else {
                add_lanes(sums, a_rows, b_columns, [a_offset, b_offset], first, mask);
            }
        }
    }
}

/// Adds the products at the lanes of a register from `first` on.
#[inline(always)]
unsafe fn add_lanes<V: Summed, const ROWS: usize, const COLUMNS: usize>(
    sums: &mut [[V; COLUMNS]; ROWS],
    a_rows: &[*const f32; ROWS],
    b_columns: &[*const f32; COLUMNS],
    [a_offset, b_offset]: [isize; 2],
    first: usize,
    mask: V::Mask,
) {
    // SAFETY: promised by the caller.
    unsafe {
        let mut panel = [V::zero(); COLUMNS];
        for (lanes, column) in panel.iter_mut().zip(b_columns) {
            *lanes = V::load_masked(column.offset(b_offset).add(first), mask);
        }
        for (sums, row) in sums.iter_mut().zip(a_rows) {
            let factors = V::load_masked(row.offset(a_offset).add(first), mask);
            for (sum, lanes) in sums.iter_mut().zip(panel) {
                *sum = sum.multiply_add(factors, lanes);
            }
        }
    }
}

impl Instances for TileSet<Transposed> {
    const PORTABLE: Self = TileSet { width: COLUMNS, panels: &[panel!(dots<Transposed, Portable<f32>, 4>: 1 2)] };
    #[cfg(target_arch = "x86_64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::V4, x86_transposed::V4), (Level::V3, x86_transposed::V3)];
    #[cfg(target_arch = "aarch64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::Neon, arm::TRANSPOSED)];
}

impl Instances for Transpose {
    const PORTABLE: Self = transpose;
    #[cfg(target_arch = "x86_64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::V4, x86_transposed::transpose)];
}

impl Instances for TransposeRuns {
    const PORTABLE: Self = transpose_runs;
    #[cfg(target_arch = "x86_64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::V4, x86_transposed::transpose_runs)];
}
