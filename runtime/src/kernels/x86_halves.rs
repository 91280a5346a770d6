//! Contractions that widen half precision in registers, for AVX-512 and AVX2.

use std::arch::x86_64::*;

use super::contract::{Columns, Contraction, Tile, TileSet, tile};
use super::widened::{Brain, Halves, Ieee, Wide, Widens};
use super::x86::tiles;

impl Widens for __m512 {
    #[inline(always)]
    unsafe fn of_half(from: *const u16) -> Self {
        // SAFETY: AVX-512 is there, see `Lanes`, and the caller vouches for the elements.
        unsafe { _mm512_cvtph_ps(_mm256_loadu_si256(from.cast())) }
    }

    #[inline(always)]
    unsafe fn of_brain(from: *const u16) -> Self {
        // SAFETY: as above.
        unsafe {
            let wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256(from.cast()));
            _mm512_castsi512_ps(_mm512_slli_epi32::<16>(wide))
        }
    }
}

impl Widens for __m256 {
    #[inline(always)]
    unsafe fn of_half(from: *const u16) -> Self {
        // SAFETY: AVX2 and F16C are there, see `Lanes`, and the caller vouches for the elements.
        unsafe { _mm256_cvtph_ps(_mm_loadu_si128(from.cast())) }
    }

    #[inline(always)]
    unsafe fn of_brain(from: *const u16) -> Self {
        // SAFETY: as above.
        unsafe {
            let wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(from.cast()));
            _mm256_castsi256_ps(_mm256_slli_epi32::<16>(wide))
        }
    }
}

macro_rules! wide_tiles {
    ($feature:literal, $half:ty, $lanes:ty, $width:literal: $($vectors:literal)*) => {
        TileSet {
            width: $width,
            panels: &[$(tiles!($feature, Halves<$half>, Wide<$lanes, $half>, $vectors: 1 2 3 4)),*],
        }
    };
}

/// Four rows at most: there are others for many.
pub(super) static AVX512_HALF_TILES: TileSet<Halves<Ieee>> = wide_tiles!("avx512f", Ieee, __m512, 16: 1 2 3 4);
pub(super) static AVX512_BRAIN_TILES: TileSet<Halves<Brain>> = wide_tiles!("avx512f", Brain, __m512, 16: 1 2 3 4);
pub(super) static AVX2_HALF_TILES: TileSet<Halves<Ieee>> = wide_tiles!("avx2,fma,f16c", Ieee, __m256, 8: 1 2);
pub(super) static AVX2_BRAIN_TILES: TileSet<Halves<Brain>> = wide_tiles!("avx2,fma", Brain, __m256, 8: 1 2);
