//! Contractions with numbers of a few bits, for AVX-512 with VNNI and AVX2.

use std::arch::x86_64::*;

use super::blocks::{BlockProduct, Digits, Rows, product};
use super::x86::{Pairs, Quads256};

impl Digits for __m512 {
    type Integers = __m512i;

    #[inline(always)]
    unsafe fn spread(number: i32) -> __m512i {
        // SAFETY: AVX-512 is there, see `Lanes`.
        unsafe { _mm512_set1_epi32(number) }
    }

    #[inline(always)]
    unsafe fn words(from: *const i32) -> __m512i {
        // SAFETY: as above, and the caller vouches for the words.
        unsafe { _mm512_loadu_epi32(from) }
    }

    #[inline(always)]
    unsafe fn bytes(words: __m512i, shift: u32, mask: i32) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_and_si512(_mm512_srl_epi32(words, _mm_cvtsi32_si128(shift as i32)), _mm512_set1_epi32(mask)) }
    }

    #[inline(always)]
    unsafe fn add_products(sums: __m512i, numbers: __m512i, digits: __m512i) -> __m512i {
        // SAFETY: VNNI is there, too.
        unsafe { _mm512_dpbusd_epi32(sums, numbers, digits) }
    }

    #[inline(always)]
    unsafe fn products(bytes: *const u8, number: i32) -> __m512i {
        // SAFETY: as above, and the caller vouches for the bytes.
        unsafe { _mm512_mullo_epi32(_mm512_cvtepu8_epi32(_mm_loadu_si128(bytes.cast())), _mm512_set1_epi32(number)) }
    }

    #[inline(always)]
    unsafe fn combined([low, middle, high]: [__m512i; 3]) -> __m512 {
        // SAFETY: as above.
        unsafe {
            let lower = _mm512_add_epi32(_mm512_slli_epi32::<8>(middle), low);
            _mm512_fmadd_ps(_mm512_cvtepi32_ps(high), _mm512_set1_ps(65536.0), _mm512_cvtepi32_ps(lower))
        }
    }
}

impl Digits for __m256 {
    type Integers = __m256i;

    #[inline(always)]
    unsafe fn spread(number: i32) -> __m256i {
        // SAFETY: AVX2 is there, see `Lanes`.
        unsafe { _mm256_set1_epi32(number) }
    }

    #[inline(always)]
    unsafe fn words(from: *const i32) -> __m256i {
        // SAFETY: as above, and the caller vouches for the words.
        unsafe { _mm256_loadu_si256(from.cast()) }
    }

    #[inline(always)]
    unsafe fn bytes(words: __m256i, shift: u32, mask: i32) -> __m256i {
        // SAFETY: as above.
        unsafe { _mm256_and_si256(_mm256_srl_epi32(words, _mm_cvtsi32_si128(shift as i32)), _mm256_set1_epi32(mask)) }
    }

    #[inline(always)]
    unsafe fn add_products(sums: __m256i, numbers: __m256i, digits: __m256i) -> __m256i {
        // SAFETY: as above.
        unsafe { Quads256::sum_products(sums, Pairs::unsigned(numbers), Pairs::signed(digits)) }
    }

    #[inline(always)]
    unsafe fn products(bytes: *const u8, number: i32) -> __m256i {
        // SAFETY: as above, and the caller vouches for the bytes.
        unsafe { _mm256_mullo_epi32(_mm256_cvtepu8_epi32(_mm_loadl_epi64(bytes.cast())), _mm256_set1_epi32(number)) }
    }

    #[inline(always)]
    unsafe fn combined([low, middle, high]: [__m256i; 3]) -> __m256 {
        // SAFETY: as above.
        unsafe {
            let lower = _mm256_add_epi32(_mm256_slli_epi32::<8>(middle), low);
            _mm256_fmadd_ps(_mm256_cvtepi32_ps(high), _mm256_set1_ps(65536.0), _mm256_cvtepi32_ps(lower))
        }
    }
}

/// # Safety
/// As for [`super::blocks::BlockKernel`], and the processor has these instructions.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) unsafe fn vnni(problem: &BlockProduct<'_>, rows: &mut Rows<'_>) {
    // SAFETY: promised by the caller; the features are enabled here.
    unsafe { product::<__m512, 1>(problem, rows) }
}

/// # Safety
/// As for [`super::blocks::BlockKernel`], and the processor has these instructions.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn avx2(problem: &BlockProduct<'_>, rows: &mut Rows<'_>) {
    // SAFETY: as above.
    unsafe { product::<__m256, 2>(problem, rows) }
}
