//! NEON instances of the kernels. Every AArch64 processor has NEON, so that these functions need no target feature.

use std::arch::aarch64::*;
use std::marker::PhantomData;

use half::f16;

use super::arm_together::{self, ByLane};
use super::contract::{Columns, Contraction, Doubles, Floats, Tile, TileSet, panel, tile};
use super::depthwise::{self, DepthwiseRow};
use super::functions::Machine;
use super::lanes::{Fused, Lanes};
use super::rows::{self, Converts, Function, SHORT_BLOCK};
use super::transposed::{COLUMNS, Summed, Transposed, dots};
use super::widened::{Half, Halves, Wide, Widens};
use super::winograd::{Form, Four, Rows, Steps, Two, restore, transform};

impl Lanes for float32x4_t {
    type Element = f32;
    const WIDTH: usize = 4;
    type Mask = usize;

    #[inline(always)]
    unsafe fn mask(count: usize) -> usize {
        count
    }

    #[inline(always)]
    fn is_whole(mask: usize) -> bool {
        mask == Self::WIDTH
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: NEON is there, see `Lanes`.
        unsafe { vdupq_n_f32(0.0) }
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: as above, and the caller vouches for the address.
        unsafe { vld1q_f32(from) }
    }

    #[inline(always)]
    unsafe fn load_masked(from: *const f32, mask: usize) -> Self {
        // SAFETY: as above; only the lanes of the mask are read.
        unsafe {
            let none = vdup_n_f32(0.0);
            match mask {
                0 => vcombine_f32(none, none),
                1 => vcombine_f32(vld1_lane_f32::<0>(from, none), none),
                2 => vcombine_f32(vld1_f32(from), none),
                3 => vcombine_f32(vld1_f32(from), vld1_lane_f32::<0>(from.add(2), none)),
                _ => vld1q_f32(from),
            }
        }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: as above.
        unsafe { vst1q_f32(to, self) }
    }

    #[inline(always)]
    unsafe fn store_masked(self, to: *mut f32, mask: usize) {
        // SAFETY: as above; only the lanes of the mask are written.
        unsafe {
            match mask {
                0 => {}
                1 => vst1q_lane_f32::<0>(to, self),
                2 => vst1_f32(to, vget_low_f32(self)),
                3 => {
                    vst1_f32(to, vget_low_f32(self));
                    vst1q_lane_f32::<2>(to.add(2), self);
                }
                _ => vst1q_f32(to, self),
            }
        }
    }
}

impl Fused for float32x4_t {
    #[inline(always)]
    unsafe fn broadcast(value: f32) -> Self {
        // SAFETY: as above.
        unsafe { vdupq_n_f32(value) }
    }

    #[inline(always)]
    unsafe fn multiply_add(self, factor: Self, panel: Self) -> Self {
        // SAFETY: as above.
        unsafe { vfmaq_f32(self, panel, factor) }
    }

    const TOGETHER: usize = arm_together::STEPS;

    #[inline(always)]
    unsafe fn add_together<const ROWS: usize, const VECTORS: usize>(
        sums: &mut [[Self; VECTORS]; ROWS],
        rows: (&[*const f32; ROWS], isize),
        panel: *const f32,
        count: usize,
    ) {
        // SAFETY: promised by the caller.
        unsafe { arm_together::steps(sums, rows, panel, count) }
    }
}

impl ByLane for float32x4_t {
    type Factors = Self;

    #[inline(always)]
    unsafe fn factors(from: *const f32) -> Self {
        // SAFETY: as above, and the caller vouches for the elements.
        unsafe { vld1q_f32(from) }
    }

    #[inline(always)]
    unsafe fn add_products_by<const LANE: i32>(self, factors: Self, panel: Self) -> Self {
        // SAFETY: as above.
        unsafe { vfmaq_laneq_f32::<LANE>(self, panel, factors) }
    }
}

impl Lanes for float64x2_t {
    type Element = f64;
    const WIDTH: usize = 2;
    type Mask = usize;

    #[inline(always)]
    unsafe fn mask(count: usize) -> usize {
        count
    }

    #[inline(always)]
    fn is_whole(mask: usize) -> bool {
        mask == Self::WIDTH
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: as above.
        unsafe { vdupq_n_f64(0.0) }
    }

    #[inline(always)]
    unsafe fn load(from: *const f64) -> Self {
        // SAFETY: as above, and the caller vouches for the address.
        unsafe { vld1q_f64(from) }
    }

    #[inline(always)]
    unsafe fn load_masked(from: *const f64, mask: usize) -> Self {
        // SAFETY: as above; only the lanes of the mask are read.
        unsafe {
            match mask {
                0 => Self::zero(),
                1 => vld1q_lane_f64::<0>(from, Self::zero()),
                _ => vld1q_f64(from),
            }
        }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f64) {
        // SAFETY: as above.
        unsafe { vst1q_f64(to, self) }
    }

    #[inline(always)]
    unsafe fn store_masked(self, to: *mut f64, mask: usize) {
        // SAFETY: as above; only the lanes of the mask are written.
        unsafe {
            match mask {
                0 => {}
                1 => vst1q_lane_f64::<0>(to, self),
                _ => vst1q_f64(to, self),
            }
        }
    }
}

impl Fused for float64x2_t {
    #[inline(always)]
    unsafe fn broadcast(value: f64) -> Self {
        // SAFETY: as above.
        unsafe { vdupq_n_f64(value) }
    }

    #[inline(always)]
    unsafe fn multiply_add(self, factor: Self, panel: Self) -> Self {
        // SAFETY: as above.
        unsafe { vfmaq_f64(self, panel, factor) }
    }
}

impl Widens for float32x4_t {
    #[inline(always)]
    unsafe fn of_half(from: *const u16) -> Self {
        // SAFETY: as above, and the caller vouches for the elements.
        unsafe { vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(from))) }
    }

    #[inline(always)]
    unsafe fn of_brain(from: *const u16) -> Self {
        // SAFETY: as above.
        unsafe { vreinterpretq_f32_u32(vshlq_n_u32::<16>(vmovl_u16(vld1_u16(from)))) }
    }
}

impl Summed for float32x4_t {
    #[inline(always)]
    unsafe fn sum(self) -> f32 {
        // SAFETY: as above.
        unsafe { vaddv_f32(vadd_f32(vget_low_f32(self), vget_high_f32(self))) }
    }
}

/// Thirty-two registers of four lanes: rows · vectors sums, the panel's vectors and some factors fit.
pub(super) const FLOATS: TileSet<Floats> = TileSet {
    width: 4,
    panels: &[
        panel!(tile<Floats, float32x4_t, 1>: 1 2 3 4 5 6 7 8),
        panel!(tile<Floats, float32x4_t, 2>: 1 2 3 4 5 6 7 8),
        panel!(tile<Floats, float32x4_t, 3>: 1 2 3 4 5 6 7 8),
        panel!(tile<Floats, float32x4_t, 4>: 1 2 3 4 5 6),
    ],
};

/// As [`FLOATS`].
pub(super) const DOUBLES: TileSet<Doubles> = TileSet {
    width: 2,
    panels: &[
        panel!(tile<Doubles, float64x2_t, 1>: 1 2 3 4 5 6 7 8),
        panel!(tile<Doubles, float64x2_t, 2>: 1 2 3 4 5 6 7 8),
        panel!(tile<Doubles, float64x2_t, 3>: 1 2 3 4 5 6 7 8),
        panel!(tile<Doubles, float64x2_t, 4>: 1 2 3 4 5 6),
    ],
};

/// Tiles of a 16-bit type. Four rows at most: more rows use other tiles.
pub(super) struct HalfTiles<H>(PhantomData<H>);

impl<H: Half> HalfTiles<H> {
    pub(super) const NEON: TileSet<Halves<H>> = TileSet {
        width: 4,
        panels: &[
            panel!(tile<Halves<H>, Wide<float32x4_t, H>, 1>: 1 2 3 4),
            panel!(tile<Halves<H>, Wide<float32x4_t, H>, 2>: 1 2 3 4),
            panel!(tile<Halves<H>, Wide<float32x4_t, H>, 3>: 1 2 3 4),
            panel!(tile<Halves<H>, Wide<float32x4_t, H>, 4>: 1 2 3 4),
        ],
    };
}

unsafe fn transposed_tile<const ROWS: usize>(problem: &Contraction<'_, Transposed>, row: usize, columns: Columns) {
    // SAFETY: promised by the caller.
    unsafe { dots::<Transposed, float32x4_t, ROWS, COLUMNS>(problem, row, columns) }
}

pub(super) const TRANSPOSED: TileSet<Transposed> = TileSet {
    width: COLUMNS,
    panels: &[&[transposed_tile::<1>, transposed_tile::<2>, transposed_tile::<3>, transposed_tile::<4>]],
};

pub(super) unsafe fn depthwise(description: &DepthwiseRow<'_>) {
    // SAFETY: promised by the caller.
    unsafe { depthwise::row::<float32x4_t>(description) }
}

pub(super) const WINOGRAD: Steps = Steps {
    forms: [
        Form { transform: transform::<float32x4_t, Two, 2, 4>, restore: restore::<float32x4_t, Two, 2, 4> },
        Form { transform: transform::<float32x4_t, Four, 4, 6>, restore: restore::<float32x4_t, Four, 4, 6> },
    ],
    products: &[
        Rows { rows: 6, columns: 16, tile: tile::<Floats, float32x4_t, 6, 4> },
        Rows { rows: 4, columns: 16, tile: tile::<Floats, float32x4_t, 4, 4> },
    ],
};

/// A processor with NEON.
struct Neon;

impl Machine for Neon {
    const FUSES: bool = true;

    #[inline(always)]
    fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
}

impl Converts for Neon {
    #[inline(always)]
    unsafe fn widen(from: &[f16; SHORT_BLOCK]) -> [f32; SHORT_BLOCK] {
        let mut to = [0.0; SHORT_BLOCK];
        // SAFETY: the processor has these instructions; all registers are within the arrays.
        unsafe {
            for at in [0, 4, 8, 12] {
                vst1q_f32(to.as_mut_ptr().add(at), float32x4_t::of_half(from.as_ptr().add(at).cast()));
            }
        }
        to
    }

    #[inline(always)]
    unsafe fn narrow(from: &[f32; SHORT_BLOCK]) -> [f16; SHORT_BLOCK] {
        let mut to = [f16::ZERO; SHORT_BLOCK];
        // SAFETY: as above.
        unsafe {
            for at in [0, 4, 8, 12] {
                let halves = vreinterpret_u16_f16(vcvt_f16_f32(vld1q_f32(from.as_ptr().add(at))));
                vst1_u16(to.as_mut_ptr().add(at).cast(), halves);
            }
        }
        to
    }
}

/// # Safety
/// As for [`super::rows::Row`].
pub(super) unsafe fn row(function: Function, source: *const u8, destination: *mut u8, count: usize) {
    // SAFETY: promised by the caller.
    unsafe { rows::row::<Neon>(function, source, destination, count) }
}
