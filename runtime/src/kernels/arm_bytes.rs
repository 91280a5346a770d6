//! Contractions of uint8 and int8 for AArch64: by `SUDOT` (the extension i8mm), by `UDOT` (the extension dotprod), or by
//! NEON's products of 16 bits. The standard library's intrinsics for the first two are unstable.

use std::arch::aarch64::*;
use std::arch::asm;
use std::marker::PhantomData;

use super::contract::{Bytes, Columns, Contraction, Elements, Tile, TileSet, panel, tile};
use super::converted_operands::{along, runs};
use super::lanes::{Lanes, Products, partial_bytes};

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

/// `sums += panel · factor` by a dot product instruction whose second source is the first four bytes of a register.
macro_rules! dot {
    ($instruction:literal, $sums:expr, $panel:expr, $factor:expr) => {{
        let mut sums: int32x4_t = $sums;
        asm!(
            concat!($instruction, " {sums:v}.4s, {panel:v}.16b, {factor:v}.4b[0]"),
            sums = inout(vreg) sums,
            panel = in(vreg) $panel,
            factor = in(vreg) $factor,
            options(pure, nomem, nostack, preserves_flags),
        );
        sums
    }};
}

/// Products of int8 and uint8.
#[derive(Clone, Copy)]
pub(super) struct Mixed;

impl Products for Quads<Mixed> {
    type Left = u8;
    type Right = i8;
    const DEPTH: usize = 4;
    // four bytes
    type Factor = f32;
    type Panel = int8x16_t;

    #[inline(always)]
    unsafe fn factor(from: *const u8) -> f32 {
        // SAFETY: the caller vouches for four bytes.
        unsafe { from.cast::<f32>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn partial_factor(from: *const u8, count: usize) -> f32 {
        // SAFETY: the caller vouches for `count` bytes.
        f32::from_bits(u32::from_le_bytes(unsafe { partial_bytes(from, count) }))
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
    unsafe fn add_products(self, factor: f32, panel: int8x16_t) -> Self {
        // SAFETY: i8mm is there, see `Lanes`.
        Quads(unsafe { dot!("sudot", self.0, panel, factor) }, PhantomData)
    }
}

/// Products of uint8 by uint8: int8 elements plus 128.
#[derive(Clone, Copy)]
pub(super) struct Shifted;

const SHIFT: i32 = 128;

impl Products for Quads<Shifted> {
    type Left = u8;
    type Right = i8;
    const DEPTH: usize = 4;
    type Factor = f32;
    type Panel = int8x16_t;

    #[inline(always)]
    unsafe fn factor(from: *const u8) -> f32 {
        // SAFETY: promised by the caller.
        unsafe { Quads::<Mixed>::factor(from) }
    }

    #[inline(always)]
    unsafe fn partial_factor(from: *const u8, count: usize) -> f32 {
        // SAFETY: promised by the caller.
        unsafe { Quads::<Mixed>::partial_factor(from, count) }
    }

    #[inline(always)]
    unsafe fn panel(from: *const i8) -> int8x16_t {
        // SAFETY: the caller vouches for four bytes a lane.
        unsafe { veorq_s8(vld1q_s8(from), vdupq_n_s8(i8::MIN)) }
    }

    #[inline(always)]
    unsafe fn panel_masked(from: *const i8, _: usize) -> int8x16_t {
        // SAFETY: as above, as the operand is padded.
        unsafe { Self::panel(from) }
    }

    #[inline(always)]
    unsafe fn add_products(self, factor: f32, panel: int8x16_t) -> Self {
        // SAFETY: dotprod is there, see `Lanes`.
        Quads(unsafe { dot!("udot", self.0, panel, factor) }, PhantomData)
    }
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
        unsafe { long(Quads::<Mixed>::factor(from)) }
    }

    #[inline(always)]
    unsafe fn partial_factor(from: *const u8, count: usize) -> int16x8_t {
        // SAFETY: promised by the caller.
        unsafe { long(Quads::<Mixed>::partial_factor(from, count)) }
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

/// The sums of [`Shifted`] products, from which the sum of the row's elements, times the shift, is subtracted.
#[target_feature(enable = "dotprod")]
unsafe fn dotprod_tile<E, V, const ROWS: usize, const VECTORS: usize>(
    problem: &Contraction<'_, E>,
    row: usize,
    columns: Columns,
) where
    E: Elements<Left = u8, Sum = i32> + 'static,
    V: Products<Left = E::Left, Right = E::Right, Element = E::Sum>,
{
    // SAFETY: promised by the caller; the feature is enabled here.
    unsafe {
        tile::<E, V, ROWS, VECTORS>(problem, row, columns);
        let (a_rows, c_rows) = problem.row_pointers::<ROWS>(row);
        let offsets = columns.offsets::<Quads<Shifted>, VECTORS>(problem.descriptor.walk.out_group, 1);
        for (a, c) in a_rows.into_iter().zip(c_rows) {
            let excess = vdupq_n_s32(row_sum(problem, a).wrapping_mul(SHIFT));
            for (v, offset) in offsets.into_iter().enumerate() {
                let mask = (columns.count - v * Quads::<Shifted>::WIDTH).min(Quads::<Shifted>::WIDTH);
                let to = c.offset(offset);
                let Quads(shifted, _) = Quads::<Shifted>::load_masked(to, mask);
                Quads::<Shifted>(vsubq_s32(shifted, excess), PhantomData).store_masked(to, mask);
            }
        }
    }
}

/// The sum of all elements that a row multiplies.
#[target_feature(enable = "dotprod")]
unsafe fn row_sum<E: Elements>(problem: &Contraction<'_, E>, row: *const u8) -> i32 {
    let d = &problem.descriptor.walk;
    // SAFETY: the caller vouches for the row.
    unsafe {
        let ones = f32::from_bits(0x0101_0101);
        let mut sums = vdupq_n_s32(0);
        for (run, depth) in runs(d.reduction, d.last_block) {
            let (from, depth) = (row.offset(along(&run, &d.left)), depth.max(0) as usize);
            let whole = depth - depth % 16;
            for at in (0..whole).step_by(16) {
                sums = dot!("udot", sums, vld1q_u8(from.add(at)), ones);
            }
            for at in (whole..depth).step_by(4) {
                let bytes = u32::from_le_bytes(partial_bytes(from.add(at), (depth - at).min(4)));
                sums = dot!("udot", sums, vcombine_u8(vcreate_u8(u64::from(bytes)), vcreate_u8(0)), ones);
            }
        }
        vaddvq_s32(sums)
    }
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
pub(super) const DOTPROD: TileSet<Bytes> = TileSet {
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
