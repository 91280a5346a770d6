//! Byte lookup tables in registers.

use std::arch::x86_64::*;

use super::look_up;

/// Bytes of a register.
const LANES: usize = 64;
/// Registers that hold a table of 256 bytes.
const QUARTERS: usize = 256 / LANES;
/// Bytes of a word.
const WORD: usize = 4;
/// Up to this many words, lookups one by one are faster than rearranging the table.
const FEW: usize = 2 * LANES;

/// A table of one byte for each byte.
type Table = [__m512i; QUARTERS];

/// The lanes of the first `count` bytes.
fn first(count: usize) -> u64 {
    if count < LANES { (1 << count) - 1 } else { u64::MAX }
}

/// # Safety
/// As for [`rt_look_up_row`](super::rt_look_up_row) of bytes, and the processor has these instructions.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) unsafe fn look_up_bytes(table: *const u8, source: *const u8, destination: *mut u8, count: usize) {
    // SAFETY: promised by the caller; what is masked out is neither read nor written.
    unsafe {
        let there = entries(source, count);
        let table: Table = std::array::from_fn(|quarter| part(table, quarter, there));
        for at in (0..count).step_by(LANES) {
            let places = _mm512_maskz_loadu_epi8(first(count - at), source.add(at).cast());
            let found = at_places(&table, places);
            _mm512_mask_storeu_epi8(destination.add(at).cast(), first(count - at), found);
        }
    }
}

/// For tables of words, each byte of a word is looked up separately.
///
/// # Safety
/// As for [`rt_look_up_row`](super::rt_look_up_row) of words, and the processor has these instructions.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) unsafe fn look_up_words(table: *const u32, source: *const u8, destination: *mut u32, count: usize) {
    // SAFETY: promised by the caller; what is masked out is neither read nor written.
    unsafe {
        if count < FEW {
            return look_up(table, source, destination, count);
        }
        let there = WORD * entries(source, count);
        let tables: [Table; WORD] = {
            let quarter = |quarter| {
                let words: Table = std::array::from_fn(|at| part(table.cast(), QUARTERS * quarter + at, there));
                let each: [__m512i; WORD] = std::array::from_fn(|byte| at_places(&words, every_fourth(byte)));
                each
            };
            let quarters: [[__m512i; WORD]; QUARTERS] = std::array::from_fn(quarter);
            std::array::from_fn(|byte| quarters.map(|each| each[byte]))
        };
        // unpack instructions work within quarters of registers: each takes a quarter of the next values of all four
        let turned = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
        for at in (0..count).step_by(LANES) {
            let places = _mm512_maskz_loadu_epi8(first(count - at), source.add(at).cast());
            let places = _mm512_permutexvar_epi32(turned, places);
            let [a, b, c, d] = std::array::from_fn(|byte| at_places(&tables[byte], places));
            let (low, high) = (_mm512_unpacklo_epi8(a, b), _mm512_unpackhi_epi8(a, b));
            let (low_above, high_above) = (_mm512_unpacklo_epi8(c, d), _mm512_unpackhi_epi8(c, d));
            let words = [
                _mm512_unpacklo_epi16(low, low_above),
                _mm512_unpackhi_epi16(low, low_above),
                _mm512_unpacklo_epi16(high, high_above),
                _mm512_unpackhi_epi16(high, high_above),
            ];
            for (part, words) in words.into_iter().enumerate() {
                let there = first(WORD * (count - at).saturating_sub(part * LANES / WORD));
                _mm512_mask_storeu_epi8(destination.wrapping_add(at + part * LANES / WORD).cast(), there, words);
            }
        }
    }
}

/// The minimum number of entries of a table: one more than the largest byte.
///
/// # Safety
/// `source` has `count` bytes, and the processor has these instructions.
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn entries(source: *const u8, count: usize) -> usize {
    let mut largest = _mm512_setzero_si512();
    for at in (0..count).step_by(LANES) {
        // SAFETY: what is masked out is not read.
        largest =
            _mm512_max_epu8(largest, unsafe { _mm512_maskz_loadu_epi8(first(count - at), source.add(at).cast()) });
    }
    let mut all = [0u8; LANES];
    // SAFETY: the array has the size of the register.
    unsafe { _mm512_storeu_si512(all.as_mut_ptr().cast(), largest) };
    if count == 0 { 0 } else { usize::from(all.into_iter().fold(0, u8::max)) + 1 }
}

/// Register `number` of a table of `bytes` bytes.
///
/// # Safety
/// The table has `bytes` bytes, and the processor has these instructions.
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn part(table: *const u8, number: usize, bytes: usize) -> __m512i {
    let mask = first(bytes.saturating_sub(number * LANES));
    // SAFETY: what is masked out is not read.
    unsafe { _mm512_maskz_loadu_epi8(mask, table.wrapping_add(number * LANES).cast()) }
}

/// The entries of a table at the given indices.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn at_places(&[a, b, c, d]: &Table, places: __m512i) -> __m512i {
    let (low, high) = (_mm512_permutex2var_epi8(a, places, b), _mm512_permutex2var_epi8(c, places, d));
    _mm512_mask_blend_epi8(_mm512_movepi8_mask(places), low, high)
}

/// The indices of byte `byte` of each word.
#[target_feature(enable = "avx512f")]
fn every_fourth(byte: usize) -> __m512i {
    let places: [u8; LANES] = std::array::from_fn(|word| (WORD * word + byte) as u8);
    // SAFETY: the array has the size of the register.
    unsafe { _mm512_loadu_si512(places.as_ptr().cast()) }
}
