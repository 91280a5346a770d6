//! [`Sixteen`] for AVX-512 and AVX2, and row reductions.

use std::arch::x86_64::*;

use abi::RowFold;

use super::folds::fold;
use super::sixteen::{Sixteen, VECTOR};

/// A permutation of four parts that swaps the halves.
const HALVES: i32 = 0b01_00_11_10;
/// A permutation of four parts that swaps neighbours.
const NEIGHBOURS: i32 = 0b10_11_00_01;

/// A vector of AVX-512.
#[derive(Clone, Copy)]
struct Wide(__m512);

/// Two vectors of AVX2.
#[derive(Clone, Copy)]
struct Halves([__m256; 2]);

impl Wide {
    #[inline(always)]
    fn integers(self) -> __m512i {
        // SAFETY: only called where the processor has the instructions, as all of this.
        unsafe { _mm512_castps_si512(self.0) }
    }

    #[inline(always)]
    fn of(integers: __m512i) -> Self {
        // SAFETY: as above.
        Wide(unsafe { _mm512_castsi512_ps(integers) })
    }
}

impl Sixteen for Wide {
    #[inline(always)]
    fn splat(number: f32) -> Self {
        // SAFETY: as above.
        Wide(unsafe { _mm512_set1_ps(number) })
    }

    #[inline(always)]
    unsafe fn load(source: *const f32) -> Self {
        // SAFETY: promised by the caller.
        Wide(unsafe { _mm512_loadu_ps(source) })
    }

    #[inline(always)]
    unsafe fn load_some(source: *const f32, count: usize, other: f32) -> Self {
        // SAFETY: lanes that are masked out are not read.
        Wide(unsafe { _mm512_mask_loadu_ps(_mm512_set1_ps(other), (1 << count) - 1, source) })
    }

    #[inline(always)]
    fn first(self) -> f32 {
        // SAFETY: as above.
        unsafe { _mm512_cvtss_f32(self.0) }
    }

    #[inline(always)]
    fn exchange(self, distance: usize) -> Self {
        let x = self.0;
        // SAFETY: as above.
        Wide(unsafe {
            match distance {
                8 => _mm512_shuffle_f32x4::<HALVES>(x, x),
                4 => _mm512_shuffle_f32x4::<NEIGHBOURS>(x, x),
                2 => _mm512_permute_ps::<HALVES>(x),
                _ => _mm512_permute_ps::<NEIGHBOURS>(x),
            }
        })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: as above.
        Wide(unsafe { _mm512_add_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn multiply(self, other: Self) -> Self {
        // SAFETY: as above.
        Wide(unsafe { _mm512_mul_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        // SAFETY: as above.
        Wide::of(unsafe { _mm512_max_epi32(self.integers(), other.integers()) })
    }

    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        // SAFETY: as above.
        Wide::of(unsafe { _mm512_min_epi32(self.integers(), other.integers()) })
    }

    #[inline(always)]
    fn in_order(self) -> Self {
        // SAFETY: as above.
        unsafe {
            let negative = _mm512_movepi32_mask(self.integers());
            let all = _mm512_set1_epi32(i32::MAX);
            Wide::of(_mm512_mask_xor_epi32(self.integers(), negative, self.integers(), all))
        }
    }

    #[inline(always)]
    fn is_any_nan(self) -> bool {
        // SAFETY: as above.
        unsafe { _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(self.0, self.0) != 0 }
    }
}

impl Halves {
    #[inline(always)]
    fn integers(self) -> [__m256i; 2] {
        // SAFETY: only called where the processor has the instructions, as all of this.
        unsafe { [_mm256_castps_si256(self.0[0]), _mm256_castps_si256(self.0[1])] }
    }

    #[inline(always)]
    fn of([low, high]: [__m256i; 2]) -> Self {
        // SAFETY: as above.
        Halves(unsafe { [_mm256_castsi256_ps(low), _mm256_castsi256_ps(high)] })
    }
}

impl Sixteen for Halves {
    #[inline(always)]
    fn splat(number: f32) -> Self {
        // SAFETY: as above.
        Halves([unsafe { _mm256_set1_ps(number) }; 2])
    }

    #[inline(always)]
    unsafe fn load(source: *const f32) -> Self {
        // SAFETY: promised by the caller.
        Halves(unsafe { [_mm256_loadu_ps(source), _mm256_loadu_ps(source.add(VECTOR / 2))] })
    }

    #[inline(always)]
    fn first(self) -> f32 {
        // SAFETY: as above.
        unsafe { _mm256_cvtss_f32(self.0[0]) }
    }

    #[inline(always)]
    fn exchange(self, distance: usize) -> Self {
        let [low, high] = self.0;
        // SAFETY: as above.
        Halves(unsafe {
            match distance {
                8 => [high, low],
                4 => [_mm256_permute2f128_ps::<1>(low, low), _mm256_permute2f128_ps::<1>(high, high)],
                2 => [_mm256_permute_ps::<HALVES>(low), _mm256_permute_ps::<HALVES>(high)],
                _ => [_mm256_permute_ps::<NEIGHBOURS>(low), _mm256_permute_ps::<NEIGHBOURS>(high)],
            }
        })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: as above.
        Halves(unsafe { [_mm256_add_ps(self.0[0], other.0[0]), _mm256_add_ps(self.0[1], other.0[1])] })
    }

    #[inline(always)]
    fn multiply(self, other: Self) -> Self {
        // SAFETY: as above.
        Halves(unsafe { [_mm256_mul_ps(self.0[0], other.0[0]), _mm256_mul_ps(self.0[1], other.0[1])] })
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.integers(), other.integers());
        // SAFETY: as above.
        Halves::of(unsafe { [_mm256_max_epi32(a, c), _mm256_max_epi32(b, d)] })
    }

    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.integers(), other.integers());
        // SAFETY: as above.
        Halves::of(unsafe { [_mm256_min_epi32(a, c), _mm256_min_epi32(b, d)] })
    }

    #[inline(always)]
    fn in_order(self) -> Self {
        let [a, b] = self.integers();
        // SAFETY: as above.
        unsafe {
            let all = _mm256_set1_epi32(i32::MAX);
            let c = _mm256_and_si256(_mm256_srai_epi32::<31>(a), all);
            let d = _mm256_and_si256(_mm256_srai_epi32::<31>(b), all);
            Halves::of([_mm256_xor_si256(a, c), _mm256_xor_si256(b, d)])
        }
    }

    #[inline(always)]
    fn is_any_nan(self) -> bool {
        let [low, high] = self.0;
        // SAFETY: as above.
        unsafe {
            let found = [_mm256_cmp_ps::<_CMP_UNORD_Q>(low, low), _mm256_cmp_ps::<_CMP_UNORD_Q>(high, high)];
            _mm256_movemask_ps(_mm256_or_ps(found[0], found[1])) != 0
        }
    }
}

/// # Safety
/// As for [`super::folds::Fold`], and the processor has these instructions.
#[target_feature(enable = "avx512f,avx512dq,avx2")]
pub(super) unsafe fn fold_avx512(function: RowFold, source: *const f32, count: usize) -> f32 {
    // SAFETY: promised by the caller.
    unsafe { fold::<Wide>(function, source, count) }
}

/// # Safety
/// As for [`super::folds::Fold`], and the processor has these instructions.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn fold_avx2(function: RowFold, source: *const f32, count: usize) -> f32 {
    // SAFETY: promised by the caller.
    unsafe { fold::<Halves>(function, source, count) }
}
