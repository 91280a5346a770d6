//! The register-tiled contraction.

use super::lanes::{Lanes, Portable};
use super::{COLUMN_GROUP, ContractDescriptor, START_C, START_INIT};

/// One call: the descriptor and the buffers.
pub(super) struct Contraction<'a> {
    pub(super) descriptor: &'a ContractDescriptor,
    pub(super) a: *const f32,
    pub(super) b: *const f32,
    pub(super) init: *const f32,
    pub(super) c: *mut f32,
    pub(super) rows: usize,
    pub(super) cols: usize,
}

/// The columns of one register tile: `count` of them from `first`.
#[derive(Clone, Copy)]
pub(super) struct Columns {
    first: usize,
    count: usize,
}

impl Columns {
    /// Where the registers of a tile start in a row of B or C whose column groups are `group` elements apart.
    #[inline(always)]
    fn offsets<V: Lanes, const VECTORS: usize>(self, group: i64) -> [isize; VECTORS] {
        std::array::from_fn(|v| {
            let column = self.first + v * V::WIDTH;
            (column / COLUMN_GROUP) as isize * group as isize + (column % COLUMN_GROUP) as isize
        })
    }
}

/// Computes one register tile from a row on.
pub(super) type Tile = unsafe fn(&Contraction<'_>, row: usize, columns: Columns);

/// The register tiles of one instruction set.
pub(super) struct TileSet {
    /// Lanes of one register.
    pub(super) width: usize,
    /// `panels[v - 1][r - 1]` is the tile of `v` registers by `r` rows.
    pub(super) panels: &'static [&'static [Tile]],
}

impl Contraction<'_> {
    /// Covers rows and columns with register tiles of nearly equal height.
    pub(super) unsafe fn run(&self, set: &TileSet) {
        for first in (0..self.cols).step_by(set.panels.len() * set.width) {
            let count = (self.cols - first).min(set.panels.len() * set.width);
            let heights = set.panels[count.div_ceil(set.width) - 1];
            let tiles = self.rows.div_ceil(heights.len());
            let mut row = 0;
            for tile in 0..tiles {
                let end = self.rows * (tile + 1) / tiles;
                // SAFETY: the tile lies inside the rows and columns that the caller vouches for.
                unsafe { heights[end - row - 1](self, row, Columns { first, count }) };
                row = end;
            }
        }
    }

    /// Where each row of a tile starts in A and in C.
    #[inline(always)]
    unsafe fn row_pointers<const ROWS: usize>(&self, row: usize) -> ([*const f32; ROWS], [*mut f32; ROWS]) {
        let d = self.descriptor;
        let width = d.row_inner.max(1) as usize;
        let (mut outer, mut inner) = (row / width, row % width);
        let mut pointers = ([self.a; ROWS], [self.c; ROWS]);
        for r in 0..ROWS {
            let (o, i) = (outer as isize, inner as isize);
            // SAFETY: rows below `rows` lie inside A and C.
            unsafe {
                pointers.0[r] = self.a.offset(o * d.a_row_outer as isize + i * d.a_row_inner as isize);
                pointers.1[r] = self.c.offset(o * d.c_row_outer as isize + i * d.c_row_inner as isize);
            }
            inner += 1;
            if inner == width {
                (outer, inner) = (outer + 1, 0);
            }
        }
        pointers
    }
}

/// The reduction's inner loop: K steps from the given offset into the rows of A and pointer into B.
#[inline(always)]
unsafe fn accumulate<V: Lanes, const ROWS: usize, const VECTORS: usize>(
    sums: &mut [[V; VECTORS]; ROWS],
    (a_rows, mut a_offset, a_step): (&[*const f32; ROWS], isize, isize),
    (mut b, b_step, b_columns): (*const f32, isize, &[isize; VECTORS]),
    steps: i64,
    last_mask: V::Mask,
) {
    for _ in 0..steps {
        // SAFETY: the descriptor's extents and strides stay inside A and B, and `last_mask` inside B's columns.
        unsafe {
            let mut panel = [V::zero(); VECTORS];
            for (v, register) in panel.iter_mut().enumerate().take(VECTORS - 1) {
                *register = V::load(b.offset(b_columns[v]));
            }
            panel[VECTORS - 1] = V::load_masked(b.offset(b_columns[VECTORS - 1]), last_mask);
            for r in 0..ROWS {
                let factor = V::splat(a_rows[r].offset(a_offset).read_unaligned());
                for v in 0..VECTORS {
                    sums[r][v] = sums[r][v].add_product(factor, panel[v]);
                }
            }
            b = b.offset(b_step);
        }
        a_offset += a_step;
    }
}

#[inline(always)]
unsafe fn load_row<V: Lanes, const VECTORS: usize>(
    from: *const f32,
    offsets: &[isize; VECTORS],
    ragged: V::Mask,
) -> [V; VECTORS] {
    // SAFETY: the caller vouches for the columns; the mask keeps the last register inside.
    std::array::from_fn(|v| unsafe {
        let from = from.offset(offsets[v]);
        if v + 1 == VECTORS { V::load_masked(from, ragged) } else { V::load(from) }
    })
}

/// One register tile of `ROWS` rows by `VECTORS` registers, the last of which may be ragged.
#[inline(always)]
pub(super) unsafe fn tile<V: Lanes, const ROWS: usize, const VECTORS: usize>(
    problem: &Contraction<'_>,
    row: usize,
    columns: Columns,
) {
    let d = problem.descriptor;
    let last = VECTORS - 1;
    // SAFETY: as for every kernel, the caller vouches for the extents; masks keep ragged columns inside.
    unsafe {
        let (a_rows, c_rows) = problem.row_pointers::<ROWS>(row);
        let ragged = V::mask(columns.count - last * V::WIDTH);
        let b_mask = if d.b_full == 1 { V::mask(V::WIDTH) } else { ragged };
        let c_columns = columns.offsets::<V, VECTORS>(d.c_group);
        let b_columns = columns.offsets::<V, VECTORS>(d.b_group);
        let mut sums = [[V::zero(); VECTORS]; ROWS];
        if d.start == START_INIT {
            let offsets = columns.offsets::<V, VECTORS>(COLUMN_GROUP as i64);
            sums = [load_row(problem.init, &offsets, ragged); ROWS];
        } else if d.start == START_C {
            for r in 0..ROWS {
                sums[r] = load_row(c_rows[r], &c_columns, ragged);
            }
        }
        let stride =
            |i: [i64; 3], strides: &[i64; 4]| (i[0] * strides[0] + i[1] * strides[1] + i[2] * strides[2]) as isize;
        let [extent0, extent1, extent2, extent_k] = d.reduction;
        for i0 in 0..extent0 {
            let steps = if i0 + 1 == extent0 { d.last_k } else { extent_k };
            for i1 in 0..extent1 {
                for i2 in 0..extent2 {
                    let a_offset = stride([i0, i1, i2], &d.a_strides);
                    let b = problem.b.offset(stride([i0, i1, i2], &d.b_strides));
                    accumulate(
                        &mut sums,
                        (&a_rows, a_offset, d.a_strides[3] as isize),
                        (b, d.b_strides[3] as isize, &b_columns),
                        steps,
                        b_mask,
                    );
                }
            }
        }
        for r in 0..ROWS {
            for v in 0..last {
                sums[r][v].store(c_rows[r].offset(c_columns[v]));
            }
            sums[r][last].store_masked(c_rows[r].offset(c_columns[last]), ragged);
        }
    }
}

macro_rules! portable_tiles {
    ($vectors:literal: $($rows:literal)*) => {
        &[$(tile::<Portable, $rows, $vectors> as Tile),*]
    };
}

/// Tiles for sixteen registers of four lanes.
pub(super) static PORTABLE_TILES: TileSet =
    TileSet { width: 4, panels: &[portable_tiles!(1: 1 2 3 4), portable_tiles!(2: 1 2 3 4)] };
