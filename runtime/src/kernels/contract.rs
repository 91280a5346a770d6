//! The register-tiled contraction.

use abi::{Descriptor, Product, Start};

use super::lanes::{Lanes, Portable, Products};
use super::levels::Instances;
use super::prefetch::{self, Cache};
#[cfg(target_arch = "aarch64")]
use super::{arm, arm_bytes, levels::Level};
#[cfg(target_arch = "x86_64")]
use super::{levels::Level, x86, x86_matrix};
use crate::stop::Looks;

const COLUMN_GROUP: usize = abi::COLUMN_GROUP as usize;

/// The element types of a contraction.
pub(super) trait Elements: Copy {
    type Left: Copy;
    type Right: Copy;
    type Sum: Copy;
}

/// Products of `f32`, summed in `f32`.
#[derive(Clone, Copy)]
pub(super) struct Floats;

impl Elements for Floats {
    type Left = f32;
    type Right = f32;
    type Sum = f32;
}

/// Products of `f64`, summed in `f64`.
#[derive(Clone, Copy)]
pub(super) struct Doubles;

impl Elements for Doubles {
    type Left = f64;
    type Right = f64;
    type Sum = f64;
}

/// Products of `u8` and `i8`, summed in `i32`.
#[derive(Clone, Copy)]
pub(super) struct Bytes;

impl Elements for Bytes {
    type Left = u8;
    type Right = i8;
    type Sum = i32;
}

/// One call: the descriptor and the buffers.
pub(super) struct Contraction<'a, E: Elements> {
    pub(super) descriptor: &'a Descriptor<Product<i64>>,
    pub(super) a: *const E::Left,
    pub(super) b: *const E::Right,
    pub(super) init: *const E::Sum,
    pub(super) c: *mut E::Sum,
    pub(super) rows: usize,
    pub(super) cols: usize,
}

/// The columns of one register tile: `count` of them from `first`.
#[derive(Clone, Copy)]
pub(super) struct Columns {
    pub(super) first: usize,
    pub(super) count: usize,
}

impl Columns {
    /// The offsets of a tile's registers in a row of B or C with strides `group` between column groups and `column`
    /// between columns.
    #[inline(always)]
    pub(super) fn offsets<V: Lanes, const VECTORS: usize>(self, group: i64, column: usize) -> [isize; VECTORS] {
        let mut offsets = [0; VECTORS];
        for (v, offset) in offsets.iter_mut().enumerate() {
            let first = self.first + v * V::WIDTH;
            *offset = (first / COLUMN_GROUP) as isize * group as isize + (first % COLUMN_GROUP * column) as isize;
        }
        offsets
    }
}

/// Computes one register tile, from a row on.
pub(super) type Tile<E> = unsafe fn(&Contraction<'_, E>, row: usize, columns: Columns);

/// The register tiles of one instruction set.
#[derive(Clone, Copy)]
pub(super) struct TileSet<E: Elements + 'static> {
    /// Lanes of one register.
    pub(super) width: usize,
    /// `panels[v - 1][r - 1]` is the tile of `v` registers by `r` rows.
    pub(super) panels: &'static [&'static [Tile<E>]],
}

impl<E: Elements + 'static> Contraction<'_, E> {
    /// Covers rows and columns with register tiles of nearly equal height, unless the run is to end.
    pub(super) unsafe fn run(&self, set: &TileSet<E>) {
        // SAFETY: promised by the caller.
        unsafe { self.run_until(set, &mut Looks::new()) }
    }

    /// The same as a part of a longer routine, which looks itself.
    pub(super) unsafe fn run_until(&self, set: &TileSet<E>, looks: &mut Looks) {
        let depth = self.descriptor.walk.reduction.iter().product::<i64>();
        for first in (0..self.cols).step_by(set.panels.len() * set.width) {
            let count = (self.cols - first).min(set.panels.len() * set.width);
            let heights = set.panels[count.div_ceil(set.width) - 1];
            let tiles = self.rows.div_ceil(heights.len());
            let mut row = 0;
            for tile in 0..tiles {
                let end = self.rows * (tile + 1) / tiles;
                // SAFETY: the tile lies inside the rows and columns that the caller vouches for.
                unsafe { heights[end - row - 1](self, row, Columns { first, count }) };
                if looks.is_due_after(depth.wrapping_mul(((end - row) * count) as i64)) {
                    return;
                }
                row = end;
            }
        }
    }

    /// Where each row of a tile starts in A and in C.
    #[inline(always)]
    pub(super) unsafe fn row_pointers<const ROWS: usize>(
        &self,
        row: usize,
    ) -> ([*const E::Left; ROWS], [*mut E::Sum; ROWS]) {
        let d = &self.descriptor.walk;
        let width = d.row_inner.max(1) as usize;
        let (mut outer, mut inner) = (row / width, row % width);
        let mut pointers = ([self.a; ROWS], [self.c; ROWS]);
        for r in 0..ROWS {
            let (o, i) = (outer as isize, inner as isize);
            // SAFETY: rows below `rows` lie inside A and C.
            unsafe {
                pointers.0[r] = self.a.offset(o * d.left_rows[1] as isize + i * d.left_rows[0] as isize);
                pointers.1[r] = self.c.offset(o * d.out_rows[1] as isize + i * d.out_rows[0] as isize);
            }
            inner += 1;
            if inner == width {
                (outer, inner) = (outer + 1, 0);
            }
        }
        pointers
    }
}

/// Kinds of steps of a run: all whole ones, what follows the last whole one, and whole ones that are added together.
const WHOLE: u8 = 0;
const REST: u8 = 1;
const TOGETHER: u8 = 2;

/// Up to this many registers of columns read one cache line each in contractions with few rows, where B has the size of
/// weights and comes from memory.
const WIDE: usize = 4;
/// Prefetch distance in B, in bytes, for each of these streams, which is farther than hardware prefetchers go. If a
/// step has half a cache line, prefetching so near interferes with them.
const fn bytes_ahead<Right>() -> usize {
    if size_of::<Right>() == size_of::<u16>() { 2304 } else { 1024 }
}

/// Some whole steps of the innermost reduction loop, from the given offset in the rows of A and pointer into B.
#[inline(always)]
unsafe fn steps<V: Products, const ROWS: usize, const VECTORS: usize>(
    sums: &mut [[V; VECTORS]; ROWS],
    (a_rows, mut a_offset, a_step): (&[*const V::Left; ROWS], isize, isize),
    (mut b, b_step, b_columns): (*const V::Right, isize, &[isize; VECTORS]),
    count: isize,
    last_mask: V::Mask,
) {
    for _ in 0..count {
        // SAFETY: promised by the caller.
        unsafe { step(sums, (a_rows, a_offset), (b, b_columns), V::DEPTH, last_mask) };
        b = b.wrapping_offset(b_step);
        a_offset += a_step;
    }
}

/// Adds `count` products to every sum, at most those of one step. There are no closures, because they would not inherit
/// the instruction set.
#[inline(always)]
unsafe fn step<V: Products, const ROWS: usize, const VECTORS: usize>(
    sums: &mut [[V; VECTORS]; ROWS],
    (a_rows, a_offset): (&[*const V::Left; ROWS], isize),
    (b, b_columns): (*const V::Right, &[isize; VECTORS]),
    count: usize,
    last_mask: V::Mask,
) {
    let last = VECTORS - 1;
    // SAFETY: the caller vouches for what the step reads.
    unsafe {
        let mut panel = [V::panel_masked(b.offset(b_columns[last]), last_mask); VECTORS];
        for v in 0..last {
            panel[v] = V::panel(b.offset(b_columns[v]));
        }
        if VECTORS == WIDE {
            for column in b_columns {
                prefetch::ahead(b.wrapping_offset(*column).wrapping_byte_add(bytes_ahead::<V::Right>()), Cache::First);
            }
        }
        for r in 0..ROWS {
            let from = a_rows[r].offset(a_offset);
            let factor = if count == V::DEPTH { V::factor(from) } else { V::partial_factor(from, count) };
            for v in 0..VECTORS {
                sums[r][v] = sums[r][v].add_products(factor, panel[v]);
            }
        }
    }
}

#[inline(always)]
unsafe fn load_row<V: Lanes, const VECTORS: usize>(
    from: *const V::Element,
    offsets: &[isize; VECTORS],
    ragged: V::Mask,
) -> [V; VECTORS] {
    let last = VECTORS - 1;
    // SAFETY: the caller vouches for the columns; the mask keeps the last register inside.
    unsafe {
        let mut row = [V::load_masked(from.offset(offsets[last]), ragged); VECTORS];
        for v in 0..last {
            row[v] = V::load(from.offset(offsets[v]));
        }
        row
    }
}

/// One register tile of `ROWS` rows by `VECTORS` registers, the last of which may be ragged.
#[inline(always)]
pub(super) unsafe fn tile<E, V, const ROWS: usize, const VECTORS: usize>(
    problem: &Contraction<'_, E>,
    row: usize,
    columns: Columns,
) where
    E: Elements + 'static,
    V: Products<Left = E::Left, Right = E::Right, Element = E::Sum>,
{
    let Descriptor { walk: d, start, right_padded } = problem.descriptor;
    let last = VECTORS - 1;
    // SAFETY: as for every kernel, the caller vouches for the extents; masks keep ragged columns inside.
    unsafe {
        let (a_rows, c_rows) = problem.row_pointers::<ROWS>(row);
        let ragged = V::mask(columns.count - last * V::WIDTH);
        let b_mask = if *right_padded == 1 { V::mask(V::WIDTH) } else { ragged };
        let c_columns = columns.offsets::<V, VECTORS>(d.out_group, 1);
        let b_columns = columns.offsets::<V, VECTORS>(d.right_group, V::DEPTH);
        let mut sums = [[V::zero(); VECTORS]; ROWS];
        match start {
            Start::Zero => {}
            Start::Columns => {
                let offsets = columns.offsets::<V, VECTORS>(abi::COLUMN_GROUP, 1);
                sums = [load_row(problem.init, &offsets, ragged); ROWS];
            }
            Start::Values => {
                for r in 0..ROWS {
                    sums[r] = load_row(c_rows[r], &c_columns, ragged);
                }
            }
        }
        problem.accumulate(&mut sums, &a_rows, &b_columns, b_mask);
        for r in 0..ROWS {
            for v in 0..last {
                sums[r][v].store(c_rows[r].offset(c_columns[v]));
            }
            sums[r][last].store_masked(c_rows[r].offset(c_columns[last]), ragged);
        }
    }
}

impl<E: Elements + 'static> Contraction<'_, E> {
    /// Adds all products. Loops over whole registers and over others, and whole steps and the rest of runs, are compiled
    /// separately, so that the sums and the addresses of each have registers.
    #[inline(always)]
    unsafe fn accumulate<V, const ROWS: usize, const VECTORS: usize>(
        &self,
        sums: &mut [[V; VECTORS]; ROWS],
        a_rows: &[*const E::Left; ROWS],
        b_columns: &[isize; VECTORS],
        mask: V::Mask,
    ) where
        V: Products<Left = E::Left, Right = E::Right, Element = E::Sum>,
    {
        let d = &self.descriptor.walk;
        // SAFETY: promised by the caller; B has zeros after the last product.
        unsafe {
            if V::is_whole(mask) && self.is_contiguous::<V>(VECTORS) {
                self.runs::<V, ROWS, VECTORS, TOGETHER>(sums, a_rows, b_columns, mask);
            } else if V::is_whole(mask) {
                self.runs::<V, ROWS, VECTORS, WHOLE>(sums, a_rows, b_columns, V::mask(V::WIDTH));
            } else {
                self.runs::<V, ROWS, VECTORS, WHOLE>(sums, a_rows, b_columns, mask);
            }
            let has_rest = |depth: i64| !(depth.max(0) as usize).is_multiple_of(V::DEPTH);
            if has_rest(d.reduction[3]) || has_rest(d.last_block) {
                self.runs::<V, ROWS, VECTORS, REST>(sums, a_rows, b_columns, mask);
            }
        }
    }

    /// Whether steps can be added together: they are contiguous in both operands, a multiple of [`Products::TOGETHER`] in
    /// each run of the innermost loop, and the columns of a tile are within a group.
    #[inline(always)]
    fn is_contiguous<V: Products>(&self, vectors: usize) -> bool {
        let d = &self.descriptor.walk;
        let together = (V::TOGETHER * V::DEPTH) as i64;
        V::TOGETHER > 1
            && COLUMN_GROUP.is_multiple_of(vectors * V::WIDTH)
            && (d.left[3], d.right[3]) == (1, abi::COLUMN_GROUP)
            && d.reduction[3] % together == 0
            && d.last_block % together == 0
    }

    /// Adds the products of a kind of steps of each run of the innermost loop.
    #[inline(always)]
    unsafe fn runs<V, const ROWS: usize, const VECTORS: usize, const KIND: u8>(
        &self,
        sums: &mut [[V; VECTORS]; ROWS],
        a_rows: &[*const E::Left; ROWS],
        b_columns: &[isize; VECTORS],
        mask: V::Mask,
    ) where
        V: Products<Left = E::Left, Right = E::Right, Element = E::Sum>,
    {
        let d = &self.descriptor.walk;
        let stride =
            |i: [i64; 3], strides: &[i64; 4]| (i[0] * strides[0] + i[1] * strides[1] + i[2] * strides[2]) as isize;
        let [a_step, b_step] = [d.left[3], d.right[3]].map(|stride| stride as isize * V::DEPTH as isize);
        let [extent0, extent1, extent2, extent_k] = d.reduction;
        for i0 in 0..extent0 {
            let depth = if i0 + 1 == extent0 { d.last_block } else { extent_k }.max(0) as usize;
            let (whole, rest) = ((depth / V::DEPTH) as isize, depth % V::DEPTH);
            for i1 in 0..extent1 {
                for i2 in 0..extent2 {
                    // SAFETY: the descriptor's extents and strides stay inside A and B, and the mask inside B's columns.
                    unsafe {
                        let a_offset = stride([i0, i1, i2], &d.left);
                        let b = self.b.offset(stride([i0, i1, i2], &d.right));
                        if KIND == TOGETHER {
                            let panel = b.offset(b_columns[0]);
                            V::add_together(sums, (a_rows, a_offset), panel, whole as usize / V::TOGETHER);
                        } else if KIND == WHOLE {
                            steps(sums, (a_rows, a_offset, a_step), (b, b_step, b_columns), whole, mask);
                        } else if rest > 0 {
                            let b = b.wrapping_offset(whole * b_step);
                            step(sums, (a_rows, a_offset + whole * a_step), (b, b_columns), rest, mask);
                        }
                    }
                }
            }
        }
    }
}

/// Tiles with a fixed number of registers and 1, 2, … rows.
macro_rules! panel {
    ($tile:ident<$elements:ty, $lanes:ty, $vectors:literal>: $($rows:literal)*) => {
        &[$($tile::<$elements, $lanes, $rows, $vectors> as Tile<$elements>),*]
    };
}

pub(super) use panel;

impl Instances for TileSet<Floats> {
    // sixteen registers of four lanes
    const PORTABLE: Self = TileSet {
        width: 4,
        panels: &[panel!(tile<Floats, Portable<f32>, 1>: 1 2 3 4), panel!(tile<Floats, Portable<f32>, 2>: 1 2 3 4)],
    };
    #[cfg(target_arch = "x86_64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::V4, x86::V4_FLOATS), (Level::V3, x86::V3_FLOATS)];
    #[cfg(target_arch = "aarch64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::Neon, arm::FLOATS)];
}

impl Instances for TileSet<Doubles> {
    const PORTABLE: Self = TileSet {
        width: 4,
        panels: &[panel!(tile<Doubles, Portable<f64>, 1>: 1 2 3 4), panel!(tile<Doubles, Portable<f64>, 2>: 1 2)],
    };
    #[cfg(target_arch = "x86_64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::V4, x86::V4_DOUBLES), (Level::V3, x86::V3_DOUBLES)];
    #[cfg(target_arch = "aarch64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::Neon, arm::DOUBLES)];
}

impl Instances for TileSet<Bytes> {
    const PORTABLE: Self = TileSet {
        width: 4,
        panels: &[panel!(tile<Bytes, Portable<i32>, 1>: 1 2 3 4), panel!(tile<Bytes, Portable<i32>, 2>: 1 2 3 4)],
    };
    #[cfg(target_arch = "x86_64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::Vnni, x86::VNNI_BYTES), (Level::V3, x86::V3_BYTES)];
    #[cfg(target_arch = "aarch64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::I8mm, arm_bytes::I8MM), (Level::Neon, arm_bytes::NEON)];
}

/// Computes an int8 contraction.
pub(super) type BytesKernel = unsafe fn(&Contraction<'_, Bytes>);

unsafe fn in_vectors(problem: &Contraction<'_, Bytes>) {
    // SAFETY: promised by the caller.
    unsafe { problem.run(&TileSet::best()) }
}

impl Instances for BytesKernel {
    const PORTABLE: Self = in_vectors;
    #[cfg(target_arch = "x86_64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::Amx, x86_matrix::contract)];
    #[cfg(target_arch = "aarch64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::I8mm, in_vectors), (Level::Dotprod, arm_bytes::contract_shifted)];
}
