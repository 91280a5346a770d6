//! Sliding-window reductions for AVX-512 and AVX2.

use std::arch::x86_64::*;

use abi::RowFold;

use super::lanes::Lanes;
use super::pooling::{Folding, Lines, Row, fold};

impl Folding for __m512 {
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: AVX-512 is there, see `Lanes`.
        unsafe { _mm512_add_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn multiply(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_mul_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn larger(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_mask_range_ps::<LARGER>(missing(), there(self, other), self, other) }
    }

    #[inline(always)]
    unsafe fn smaller(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_mask_range_ps::<SMALLER>(missing(), there(self, other), self, other) }
    }

    #[inline(always)]
    unsafe fn load_every_other(from: *const f32, count: usize) -> Self {
        // SAFETY: as above, and the caller vouches for the elements.
        unsafe {
            if count == Self::WIDTH {
                // two registers that overlap in an element, because the element after the last may be out of bounds
                let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31);
                return _mm512_permutex2var_ps(Self::load(from), even, Self::load(from.add(15)));
            }
            let reach = (2 * count).saturating_sub(1);
            let low = Self::load_masked(from, Self::mask(reach.min(16)));
            let high = Self::load_masked(from.wrapping_add(16), Self::mask(reach.saturating_sub(16)));
            let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
            _mm512_permutex2var_ps(low, even, high)
        }
    }
}

/// The control bits for the maximum and minimum of two values, which order zeros by sign.
const LARGER: i32 = 0b01_01;
const SMALLER: i32 = 0b01_00;

/// NaN in all lanes.
///
/// # Safety
/// The processor has AVX-512.
#[inline(always)]
unsafe fn missing() -> __m512 {
    // SAFETY: promised by the caller.
    unsafe { _mm512_set1_ps(f32::NAN) }
}

/// The lanes in which neither operand is NaN.
///
/// # Safety
/// The processor has AVX-512.
#[inline(always)]
unsafe fn there(a: __m512, b: __m512) -> __mmask16 {
    // SAFETY: promised by the caller.
    unsafe { _mm512_cmp_ps_mask::<_CMP_ORD_Q>(a, b) }
}

impl Folding for __m256 {
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: AVX2 is there, see `Lanes`.
        unsafe { _mm256_add_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn multiply(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm256_mul_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn larger(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            let both = _mm256_and_ps(_mm256_max_ps(self, other), _mm256_max_ps(other, self));
            // all bits set are a NaN
            _mm256_or_ps(both, _mm256_cmp_ps::<_CMP_UNORD_Q>(self, other))
        }
    }

    #[inline(always)]
    unsafe fn smaller(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            let both = _mm256_or_ps(_mm256_min_ps(self, other), _mm256_min_ps(other, self));
            _mm256_or_ps(both, _mm256_cmp_ps::<_CMP_UNORD_Q>(self, other))
        }
    }

    #[inline(always)]
    unsafe fn load_every_other(from: *const f32, count: usize) -> Self {
        // SAFETY: as above, and the caller vouches for the elements.
        unsafe {
            let pairs = if count == Self::WIDTH {
                _mm256_shuffle_ps::<0b11_01_10_00>(Self::load(from), Self::load(from.add(7)))
            } else {
                let reach = (2 * count).saturating_sub(1);
                let low = Self::load_masked(from, Self::mask(reach.min(8)));
                let high = Self::load_masked(from.wrapping_add(8), Self::mask(reach.saturating_sub(8)));
                _mm256_shuffle_ps::<0b10_00_10_00>(low, high)
            };
            _mm256_castpd_ps(_mm256_permute4x64_pd::<0b11_01_10_00>(_mm256_castps_pd(pairs)))
        }
    }
}

/// # Safety
/// As for [`super::pooling::fold`].
#[target_feature(enable = "avx512f,avx512dq")]
pub(super) unsafe fn avx512(function: RowFold, lines: Lines, row: &Row) {
    // SAFETY: promised by the caller; the features are enabled here.
    unsafe { fold::<__m512>(function, lines, row) }
}

/// # Safety
/// As for [`super::pooling::fold`].
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn avx2(function: RowFold, lines: Lines, row: &Row) {
    // SAFETY: promised by the caller; the features are enabled here.
    unsafe { fold::<__m256>(function, lines, row) }
}
