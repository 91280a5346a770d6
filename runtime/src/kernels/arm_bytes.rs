//! Contractions of uint8 and int8 for AArch64: by `SUDOT` (the extension i8mm), by `SDOT` (the extension dotprod), or by
//! NEON's products of 16 bits. The standard library's intrinsics for the first two are unstable.

use std::arch::aarch64::*;
use std::arch::asm;
use std::marker::PhantomData;

use abi::{Descriptor, Product, Start};

use super::arm_together::{self, ByLane};
use super::contract::{Bytes, Columns, Contraction, Elements, Tile, TileSet, panel, tile};
use super::converted_operands::{along, runs};
use super::lanes::{Lanes, Products, partial_bytes};
use crate::stop::Looks;

/// Four int32 sums, and how products are added to them.
#[derive(Clone, Copy)]
pub(super) struct Quads<M>(int32x4_t, PhantomData<M>);

impl<M: Copy> Lanes for Quads<M> {
    type Element = i32;
    const WIDTH: usize = 4;
    type Mask = usize;

    #[inline(always)]
    unsafe fn mask(count: usize) -> usize {
        count
    }

    /// Right operands are padded.
    #[inline(always)]
    fn is_whole(_: usize) -> bool {
        true
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: NEON is there, see `Lanes`.
        Quads(unsafe { vdupq_n_s32(0) }, PhantomData)
    }

    #[inline(always)]
    unsafe fn load(from: *const i32) -> Self {
        // SAFETY: as above, and the caller vouches for the address.
        Quads(unsafe { vld1q_s32(from) }, PhantomData)
    }

    #[inline(always)]
    unsafe fn load_masked(from: *const i32, mask: usize) -> Self {
        // SAFETY: as above.
        Quads(unsafe { vreinterpretq_s32_f32(float32x4_t::load_masked(from.cast(), mask)) }, PhantomData)
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut i32) {
        // SAFETY: as above.
        unsafe { vst1q_s32(to, self.0) }
    }

    #[inline(always)]
    unsafe fn store_masked(self, to: *mut i32, mask: usize) {
        // SAFETY: as above.
        unsafe { vreinterpretq_f32_s32(self.0).store_masked(to.cast(), mask) }
    }
}

/// `sums += panel · factors` by a dot product instruction whose second source is four bytes of a register.
macro_rules! dot {
    ($instruction:literal, $sums:expr, $panel:expr, $factors:expr, $lane:expr) => {{
        let mut sums: int32x4_t = $sums;
        asm!(
            concat!($instruction, " {sums:v}.4s, {panel:v}.16b, {factors:v}.4b[{lane}]"),
            sums = inout(vreg) sums,
            panel = in(vreg) $panel,
            factors = in(vreg) $factors,
            lane = const $lane,
            options(pure, nomem, nostack, preserves_flags),
        );
        sums
    }};
}

/// A dot product of four uint8 and four int8, for each lane.
pub(super) trait Dot: Copy {
    /// Bits of each uint8 that are inverted before.
    const INVERTED: u8;
    /// Adds products with the four bytes in lane `LANE`.
    unsafe fn add<const LANE: i32>(sums: int32x4_t, panel: int8x16_t, factors: uint8x16_t) -> int32x4_t;
}

/// Products of int8 and uint8.
#[derive(Clone, Copy)]
pub(super) struct Mixed;

impl Dot for Mixed {
    const INVERTED: u8 = 0;

    #[inline(always)]
    unsafe fn add<const LANE: i32>(sums: int32x4_t, panel: int8x16_t, factors: uint8x16_t) -> int32x4_t {
        // SAFETY: i8mm is there, see `Lanes`.
        unsafe { dot!("sudot", sums, panel, factors, LANE) }
    }
}

/// Products of int8 by int8: uint8 elements less [`SHIFT`].
#[derive(Clone, Copy)]
pub(super) struct Shifted;

/// It is subtracted by inverting the bit.
const SHIFT: u8 = 0x80;

impl Dot for Shifted {
    const INVERTED: u8 = SHIFT;

    #[inline(always)]
    unsafe fn add<const LANE: i32>(sums: int32x4_t, panel: int8x16_t, factors: uint8x16_t) -> int32x4_t {
        // SAFETY: dotprod is there, see `Lanes`.
        unsafe { dot!("sdot", sums, panel, factors, LANE) }
    }
}

impl<D: Dot> Products for Quads<D> {
    type Left = u8;
    type Right = i8;
    const DEPTH: usize = 4;
    // in the first four bytes
    type Factor = uint8x16_t;
    type Panel = int8x16_t;

    #[inline(always)]
    unsafe fn factor(from: *const u8) -> uint8x16_t {
        // SAFETY: the caller vouches for four bytes.
        unsafe { inverted::<D>(in_lane(four_bytes(from))) }
    }

    #[inline(always)]
    unsafe fn partial_factor(from: *const u8, count: usize) -> uint8x16_t {
        // SAFETY: the caller vouches for `count` bytes.
        unsafe { inverted::<D>(in_lane(some_bytes(from, count))) }
    }

    #[inline(always)]
    unsafe fn panel(from: *const i8) -> int8x16_t {
        // SAFETY: the caller vouches for four bytes a lane.
        unsafe { vld1q_s8(from) }
    }

    #[inline(always)]
    unsafe fn panel_masked(from: *const i8, _: usize) -> int8x16_t {
        // SAFETY: as above, as the operand is padded.
        unsafe { Self::panel(from) }
    }

    #[inline(always)]
    unsafe fn add_products(self, factor: uint8x16_t, panel: int8x16_t) -> Self {
        // SAFETY: the extension is there, see `Lanes`.
        Quads(unsafe { D::add::<0>(self.0, panel, factor) }, PhantomData)
    }

    const TOGETHER: usize = arm_together::STEPS;

    #[inline(always)]
    unsafe fn add_together<const ROWS: usize, const VECTORS: usize>(
        sums: &mut [[Self; VECTORS]; ROWS],
        rows: (&[*const u8; ROWS], isize),
        panel: *const i8,
        count: usize,
    ) {
        // SAFETY: promised by the caller.
        unsafe { arm_together::steps(sums, rows, panel, count) }
    }
}

impl<D: Dot> ByLane for Quads<D> {
    type Factors = uint8x16_t;

    #[inline(always)]
    unsafe fn factors(from: *const u8) -> uint8x16_t {
        // SAFETY: the caller vouches for sixteen bytes.
        unsafe { inverted::<D>(vld1q_u8(from)) }
    }

    #[inline(always)]
    unsafe fn add_products_by<const LANE: i32>(self, factors: uint8x16_t, panel: int8x16_t) -> Self {
        // SAFETY: the extension is there, see `Lanes`.
        Quads(unsafe { D::add::<LANE>(self.0, panel, factors) }, PhantomData)
    }
}

#[inline(always)]
unsafe fn inverted<D: Dot>(bytes: uint8x16_t) -> uint8x16_t {
    // SAFETY: NEON is there.
    unsafe { veorq_u8(bytes, vdupq_n_u8(D::INVERTED)) }
}

/// Four bytes, in the lane that instructions load to.
#[inline(always)]
unsafe fn four_bytes(from: *const u8) -> f32 {
    // SAFETY: the caller vouches for four bytes.
    unsafe { from.cast::<f32>().read_unaligned() }
}

/// See [`partial_bytes`].
#[inline(always)]
unsafe fn some_bytes(from: *const u8, count: usize) -> f32 {
    // SAFETY: the caller vouches for `count` bytes.
    f32::from_bits(u32::from_le_bytes(unsafe { partial_bytes(from, count) }))
}

#[inline(always)]
unsafe fn in_lane(bytes: f32) -> uint8x16_t {
    // SAFETY: NEON is there.
    unsafe { vreinterpretq_u8_f32(vsetq_lane_f32::<0>(bytes, vdupq_n_f32(0.0))) }
}

/// Products of 16 bits.
#[derive(Clone, Copy)]
pub(super) struct Long;

impl Products for Quads<Long> {
    type Left = u8;
    type Right = i8;
    const DEPTH: usize = 4;
    type Factor = int16x8_t;
    /// The four columns of the first and of the second step, then of the third and of the fourth.
    type Panel = [int16x8_t; 2];

    #[inline(always)]
    unsafe fn factor(from: *const u8) -> int16x8_t {
        // SAFETY: promised by the caller.
        unsafe { long(four_bytes(from)) }
    }

    #[inline(always)]
    unsafe fn partial_factor(from: *const u8, count: usize) -> int16x8_t {
        // SAFETY: promised by the caller.
        unsafe { long(some_bytes(from, count)) }
    }

    #[inline(always)]
    unsafe fn panel(from: *const i8) -> [int16x8_t; 2] {
        const STEPS: [u8; 16] = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];
        // SAFETY: the caller vouches for four bytes a lane.
        unsafe {
            let steps = vqtbl1q_s8(vld1q_s8(from), vld1q_u8(STEPS.as_ptr()));
            [vmovl_s8(vget_low_s8(steps)), vmovl_high_s8(steps)]
        }
    }

    #[inline(always)]
    unsafe fn panel_masked(from: *const i8, _: usize) -> [int16x8_t; 2] {
        // SAFETY: as above, as the operand is padded.
        unsafe { Self::panel(from) }
    }

    #[inline(always)]
    unsafe fn add_products(self, factor: int16x8_t, [near, far]: [int16x8_t; 2]) -> Self {
        // SAFETY: NEON is there, see `Lanes`.
        unsafe {
            let sums = vmlal_laneq_s16::<0>(self.0, vget_low_s16(near), factor);
            let sums = vmlal_high_laneq_s16::<1>(sums, near, factor);
            let sums = vmlal_laneq_s16::<2>(sums, vget_low_s16(far), factor);
            Quads(vmlal_high_laneq_s16::<3>(sums, far, factor), PhantomData)
        }
    }
}

/// Four uint8 as 16 bits, in one instruction: LLVM, which sees that the upper lanes are not used, takes two.
#[inline(always)]
unsafe fn long(bytes: f32) -> int16x8_t {
    let long;
    // SAFETY: NEON is there.
    unsafe {
        asm!(
            "ushll {long:v}.8h, {bytes:v}.8b, #0",
            long = lateout(vreg) long,
            bytes = in(vreg) bytes,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    long
}

#[target_feature(enable = "i8mm")]
unsafe fn i8mm_tile<E, V, const ROWS: usize, const VECTORS: usize>(
    problem: &Contraction<'_, E>,
    row: usize,
    columns: Columns,
) where
    E: Elements + 'static,
    V: Products<Left = E::Left, Right = E::Right, Element = E::Sum>,
{
    // SAFETY: promised by the caller; the feature is enabled here.
    unsafe { tile::<E, V, ROWS, VECTORS>(problem, row, columns) }
}

#[target_feature(enable = "dotprod")]
unsafe fn dotprod_tile<E, V, const ROWS: usize, const VECTORS: usize>(
    problem: &Contraction<'_, E>,
    row: usize,
    columns: Columns,
) where
    E: Elements + 'static,
    V: Products<Left = E::Left, Right = E::Right, Element = E::Sum>,
{
    // SAFETY: promised by the caller; the feature is enabled here.
    unsafe { tile::<E, V, ROWS, VECTORS>(problem, row, columns) }
}

const GROUP: usize = abi::COLUMN_GROUP as usize;

/// By [`Shifted`] products, whose sums begin with what the shift takes away: 128 times the sum of each column.
pub(super) unsafe fn contract_shifted(problem: &Contraction<'_, Bytes>) {
    let Descriptor { walk, start, .. } = problem.descriptor;
    let mut looks = Looks::new();
    // without rows, no operand is read
    let cols = if problem.rows == 0 { 0 } else { problem.cols };
    for first in (0..cols).step_by(GROUP) {
        let group = (first / GROUP) as isize;
        let cols = (problem.cols - first).min(GROUP);
        // SAFETY: the caller vouches for all that the descriptor reaches.
        unsafe {
            let b = problem.b.offset(group * walk.right_group as isize);
            let c = problem.c.offset(group * walk.out_group as isize);
            let mut begin = column_sums(walk, b, cols).map(|sum| sum.wrapping_mul(SHIFT.into()));
            if *start == Start::Columns {
                for (column, begin) in begin.iter_mut().enumerate().take(cols) {
                    *begin = begin.wrapping_add(problem.init.add(first + column).read());
                }
            }
            let in_sums = if *start == Start::Values { Start::Values } else { Start::Columns };
            let descriptor = Descriptor { start: in_sums, ..*problem.descriptor };
            let part = Contraction { descriptor: &descriptor, b, init: begin.as_ptr(), c, cols, ..*problem };
            if *start == Start::Values {
                part.add_to_rows(&begin);
            }
            part.run_until(&DOTPROD, &mut looks);
        }
        if looks.is_due_after(0) {
            return;
        }
    }
}

impl Contraction<'_, Bytes> {
    /// Adds a number to each column of all rows.
    unsafe fn add_to_rows(&self, numbers: &[i32; GROUP]) {
        for row in 0..self.rows {
            // SAFETY: the row and its columns are in C.
            unsafe {
                let (_, [to]) = self.row_pointers::<1>(row);
                for (column, number) in numbers.iter().enumerate().take(self.cols) {
                    *to.add(column) = (*to.add(column)).wrapping_add(*number);
                }
            }
        }
    }
}

/// The sum of all elements of each of the first `cols` columns of a group.
#[target_feature(enable = "dotprod")]
unsafe fn column_sums(walk: &Product<i64>, b: *const i8, cols: usize) -> [i32; GROUP] {
    // operands are padded to whole registers
    let registers = cols.div_ceil(4);
    let ones = vdup_n_u8(1);
    let mut sums = [vdupq_n_s32(0); GROUP / 4];
    for (run, depth) in runs(walk.reduction, walk.last_block) {
        // after the last step are zeros
        for k in (0..depth).step_by(4) {
            // SAFETY: the caller vouches for the operand, which is padded.
            unsafe {
                let step = b.offset(along(&run, &walk.right) + (k * walk.right[3]) as isize);
                for (v, sum) in sums.iter_mut().enumerate().take(registers) {
                    *sum = dot!("sdot", *sum, vld1q_s8(step.add(16 * v)), ones, 0);
                }
            }
        }
    }
    let mut columns = [0; GROUP];
    for (v, sum) in sums.into_iter().enumerate() {
        // SAFETY: the register is inside the array.
        unsafe { vst1q_s32(columns.as_mut_ptr().add(4 * v), sum) }
    }
    columns
}

/// As for floats: rows · vectors sums, the panel's vectors and some factors fit.
pub(super) const I8MM: TileSet<Bytes> = TileSet {
    width: 4,
    panels: &[
        panel!(i8mm_tile<Bytes, Quads<Mixed>, 1>: 1 2 3 4 5 6 7 8),
        panel!(i8mm_tile<Bytes, Quads<Mixed>, 2>: 1 2 3 4 5 6 7 8),
        panel!(i8mm_tile<Bytes, Quads<Mixed>, 3>: 1 2 3 4 5 6 7 8),
        panel!(i8mm_tile<Bytes, Quads<Mixed>, 4>: 1 2 3 4 5 6),
    ],
};

/// As [`I8MM`].
const DOTPROD: TileSet<Bytes> = TileSet {
    width: 4,
    panels: &[
        panel!(dotprod_tile<Bytes, Quads<Shifted>, 1>: 1 2 3 4 5 6 7 8),
        panel!(dotprod_tile<Bytes, Quads<Shifted>, 2>: 1 2 3 4 5 6 7 8),
        panel!(dotprod_tile<Bytes, Quads<Shifted>, 3>: 1 2 3 4 5 6 7 8),
        panel!(dotprod_tile<Bytes, Quads<Shifted>, 4>: 1 2 3 4 5 6),
    ],
};

/// Two registers for every vector of a panel.
pub(super) const NEON: TileSet<Bytes> = TileSet {
    width: 4,
    panels: &[
        panel!(tile<Bytes, Quads<Long>, 1>: 1 2 3 4 5 6 7 8),
        panel!(tile<Bytes, Quads<Long>, 2>: 1 2 3 4 5 6 7 8),
    ],
};
