//! AVX-512 and AVX2 instances of the kernels.

use std::arch::x86_64::*;

use super::contract::{Columns, Contraction, Tile, TileSet, tile};
use super::depthwise::{DepthwiseRow, row};
use super::lanes::Lanes;

impl Lanes for __m512 {
    const WIDTH: usize = 16;
    type Mask = __mmask16;

    #[inline(always)]
    unsafe fn mask(count: usize) -> __mmask16 {
        ((1u32 << count) - 1) as __mmask16
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: AVX-512 is there, see `Lanes`.
        unsafe { _mm512_setzero_ps() }
    }

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_set1_ps(value) }
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: as above, and the caller vouches for the address.
        unsafe { _mm512_loadu_ps(from) }
    }

    #[inline(always)]
    unsafe fn load_masked(from: *const f32, mask: __mmask16) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_maskz_loadu_ps(mask, from) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: as above.
        unsafe { _mm512_storeu_ps(to, self) }
    }

    #[inline(always)]
    unsafe fn store_masked(self, to: *mut f32, mask: __mmask16) {
        // SAFETY: as above.
        unsafe { _mm512_mask_storeu_ps(to, mask, self) }
    }

    #[inline(always)]
    unsafe fn add_product(self, x: Self, y: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_fmadd_ps(x, y, self) }
    }
}

impl Lanes for __m256 {
    const WIDTH: usize = 8;
    type Mask = __m256i;

    #[inline(always)]
    unsafe fn mask(count: usize) -> __m256i {
        // SAFETY: AVX2 is there, see `Lanes`.
        unsafe { _mm256_cmpgt_epi32(_mm256_set1_epi32(count as i32), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)) }
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: as above.
        unsafe { _mm256_setzero_ps() }
    }

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: as above.
        unsafe { _mm256_set1_ps(value) }
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: as above, and the caller vouches for the address.
        unsafe { _mm256_loadu_ps(from) }
    }

    #[inline(always)]
    unsafe fn load_masked(from: *const f32, mask: __m256i) -> Self {
        // SAFETY: as above.
        unsafe { _mm256_maskload_ps(from, mask) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: as above.
        unsafe { _mm256_storeu_ps(to, self) }
    }

    #[inline(always)]
    unsafe fn store_masked(self, to: *mut f32, mask: __m256i) {
        // SAFETY: as above.
        unsafe { _mm256_maskstore_ps(to, mask, self) }
    }

    #[inline(always)]
    unsafe fn add_product(self, x: Self, y: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm256_fmadd_ps(x, y, self) }
    }
}

macro_rules! tiles {
    ($feature:literal, $lanes:ty, $vectors:literal: $($rows:literal)*) => {
        &[$({
            #[target_feature(enable = $feature)]
            unsafe fn instance(problem: &Contraction<'_>, row: usize, columns: Columns) {
                // SAFETY: promised by the caller; the features are enabled here.
                unsafe { tile::<$lanes, $rows, $vectors>(problem, row, columns) }
            }
            instance as Tile
        }),*]
    };
}

/// Thirty-two registers of sixteen lanes: rows · vectors sums, the panel's vectors and one factor fit.
pub(super) static AVX512_TILES: TileSet = TileSet {
    width: 16,
    panels: &[
        tiles!("avx512f", __m512, 1: 1 2 3 4 5 6 7 8 9 10 11 12),
        tiles!("avx512f", __m512, 2: 1 2 3 4 5 6 7 8 9 10 11 12 13 14),
        tiles!("avx512f", __m512, 3: 1 2 3 4 5 6 7 8),
        tiles!("avx512f", __m512, 4: 1 2 3 4 5 6),
    ],
};

/// Sixteen registers of eight lanes.
pub(super) static AVX2_TILES: TileSet = TileSet {
    width: 8,
    panels: &[tiles!("avx2,fma", __m256, 1: 1 2 3 4 5 6 7 8 9 10), tiles!("avx2,fma", __m256, 2: 1 2 3 4 5 6)],
};

#[target_feature(enable = "avx512f")]
pub(super) unsafe fn depthwise_avx512(description: &DepthwiseRow<'_>) {
    // SAFETY: promised by the caller; the features are enabled here.
    unsafe { row::<__m512>(description) }
}

#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn depthwise_avx2(description: &DepthwiseRow<'_>) {
    // SAFETY: as above.
    unsafe { row::<__m256>(description) }
}
