//! Block-quantised contractions for AVX-512 with VNNI and AVX2.

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
        // SAFETY: VNNI is there as well.
        unsafe { _mm512_dpbusd_epi32(sums, numbers, digits) }
    }

    #[inline(always)]
    unsafe fn products(bytes: *const u8, number: i32) -> __m512i {
        // SAFETY: as above, and the caller vouches for the bytes.
        unsafe { _mm512_mullo_epi32(_mm512_cvtepu8_epi32(_mm_loadu_si128(bytes.cast())), _mm512_set1_epi32(number)) }
    }

    #[inline(always)]
    unsafe fn rounded(self, limit: f32) -> __m512i {
        // SAFETY: as above.
        unsafe {
            let inside = _mm512_max_ps(_mm512_min_ps(self, _mm512_set1_ps(limit)), _mm512_set1_ps(-limit));
            _mm512_cvtps_epi32(inside)
        }
    }

    #[inline(always)]
    unsafe fn split(numbers: __m512i) -> (__m512i, __m512i) {
        // SAFETY: as above.
        unsafe {
            let lowest = _mm512_srai_epi32::<24>(_mm512_slli_epi32::<24>(numbers));
            (lowest, _mm512_srai_epi32::<8>(_mm512_sub_epi32(numbers, lowest)))
        }
    }

    #[inline(always)]
    unsafe fn store_bytes(numbers: __m512i, to: *mut i8, mask: __mmask16) {
        // SAFETY: as above, and the caller vouches for the bytes.
        unsafe { _mm512_mask_cvtepi32_storeu_epi8(to, mask, numbers) }
    }

    #[inline(always)]
    unsafe fn add(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_add_epi32(a, b) }
    }

    #[inline(always)]
    unsafe fn total(numbers: __m512i) -> i32 {
        // SAFETY: as above.
        unsafe { _mm512_reduce_add_epi32(numbers) }
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
    unsafe fn rounded(self, limit: f32) -> __m256i {
        // SAFETY: as above.
        unsafe {
            let inside = _mm256_max_ps(_mm256_min_ps(self, _mm256_set1_ps(limit)), _mm256_set1_ps(-limit));
            _mm256_cvtps_epi32(inside)
        }
    }

    #[inline(always)]
    unsafe fn split(numbers: __m256i) -> (__m256i, __m256i) {
        // SAFETY: as above.
        unsafe {
            let lowest = _mm256_srai_epi32::<24>(_mm256_slli_epi32::<24>(numbers));
            (lowest, _mm256_srai_epi32::<8>(_mm256_sub_epi32(numbers, lowest)))
        }
    }

    #[inline(always)]
    unsafe fn store_bytes(numbers: __m256i, to: *mut i8, _: __m256i) {
        // SAFETY: as above, and the caller vouches for eight bytes.
        unsafe {
            let shorts = _mm_packs_epi32(_mm256_castsi256_si128(numbers), _mm256_extracti128_si256::<1>(numbers));
            _mm_storel_epi64(to.cast(), _mm_packs_epi16(shorts, shorts));
        }
    }

    #[inline(always)]
    unsafe fn add(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: as above.
        unsafe { _mm256_add_epi32(a, b) }
    }

    #[inline(always)]
    unsafe fn total(numbers: __m256i) -> i32 {
        let mut lanes = [0; 8];
        // SAFETY: as above; the lanes have room.
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), numbers) };
        lanes.iter().sum()
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
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,avx512vnni")]
pub(super) unsafe fn vnni(problem: &BlockProduct<'_>, rows: &mut Rows<'_>) {
    // SAFETY: promised by the caller; the features are enabled here.
    unsafe { product::<__m512, 1>(problem, rows) }
}

/// # Safety
/// As for [`super::blocks::BlockKernel`], and the processor has these instructions.
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) unsafe fn v3(problem: &BlockProduct<'_>, rows: &mut Rows<'_>) {
    // SAFETY: as above.
    unsafe { product::<__m256, 2>(problem, rows) }
}
