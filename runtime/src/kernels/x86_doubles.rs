//! Registers of f64 of AVX-512 and AVX2.

use std::arch::x86_64::*;

use super::lanes::{Fused, Lanes};

impl Lanes for __m512d {
    type Element = f64;
    const WIDTH: usize = 8;
    type Mask = __mmask8;

    #[inline(always)]
    unsafe fn mask(count: usize) -> __mmask8 {
        ((1u32 << count) - 1) as __mmask8
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: AVX-512 is there, see `Lanes`.
        unsafe { _mm512_setzero_pd() }
    }

    #[inline(always)]
    unsafe fn load(from: *const f64) -> Self {
        // SAFETY: as above, and the caller vouches for the address.
        unsafe { _mm512_loadu_pd(from) }
    }

    #[inline(always)]
    unsafe fn load_masked(from: *const f64, mask: __mmask8) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_maskz_loadu_pd(mask, from) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f64) {
        // SAFETY: as above.
        unsafe { _mm512_storeu_pd(to, self) }
    }

    #[inline(always)]
    unsafe fn store_masked(self, to: *mut f64, mask: __mmask8) {
        // SAFETY: as above.
        unsafe { _mm512_mask_storeu_pd(to, mask, self) }
    }
}

impl Fused for __m512d {
    #[inline(always)]
    unsafe fn broadcast(value: f64) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_set1_pd(value) }
    }

    #[inline(always)]
    unsafe fn multiply_add(self, factor: Self, panel: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_fmadd_pd(factor, panel, self) }
    }
}

impl Lanes for __m256d {
    type Element = f64;
    const WIDTH: usize = 4;
    type Mask = __m256i;

    #[inline(always)]
    unsafe fn mask(count: usize) -> __m256i {
        // SAFETY: AVX2 is there, see `Lanes`.
        unsafe { _mm256_cmpgt_epi64(_mm256_set1_epi64x(count as i64), _mm256_setr_epi64x(0, 1, 2, 3)) }
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: as above.
        unsafe { _mm256_setzero_pd() }
    }

    #[inline(always)]
    unsafe fn load(from: *const f64) -> Self {
        // SAFETY: as above, and the caller vouches for the address.
        unsafe { _mm256_loadu_pd(from) }
    }

    #[inline(always)]
    unsafe fn load_masked(from: *const f64, mask: __m256i) -> Self {
        // SAFETY: as above.
        unsafe { _mm256_maskload_pd(from, mask) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f64) {
        // SAFETY: as above.
        unsafe { _mm256_storeu_pd(to, self) }
    }

    #[inline(always)]
    unsafe fn store_masked(self, to: *mut f64, mask: __m256i) {
        // SAFETY: as above.
        unsafe { _mm256_maskstore_pd(to, mask, self) }
    }
}

impl Fused for __m256d {
    #[inline(always)]
    unsafe fn broadcast(value: f64) -> Self {
        // SAFETY: as above.
        unsafe { _mm256_set1_pd(value) }
    }

    #[inline(always)]
    unsafe fn multiply_add(self, factor: Self, panel: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm256_fmadd_pd(factor, panel, self) }
    }
}
