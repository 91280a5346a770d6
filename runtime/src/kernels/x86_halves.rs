//! Contractions that widen f16 and bf16 in registers, for AVX-512 and AVX2.

use std::arch::x86_64::*;
use std::marker::PhantomData;

use super::contract::{Tile, TileSet, panel};
use super::widened::{Half, Halves, Wide, Widens};
use super::x86::{v3_tile, v4_tile};

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

/// Tiles of a 16-bit type. Four rows at most: more rows use other tiles.
pub(super) struct HalfTiles<H>(PhantomData<H>);

impl<H: Half> HalfTiles<H> {
    pub(super) const V4: TileSet<Halves<H>> = TileSet {
        width: 16,
        panels: &[
            panel!(v4_tile<Halves<H>, Wide<__m512, H>, 1>: 1 2 3 4),
            panel!(v4_tile<Halves<H>, Wide<__m512, H>, 2>: 1 2 3 4),
            panel!(v4_tile<Halves<H>, Wide<__m512, H>, 3>: 1 2 3 4),
            panel!(v4_tile<Halves<H>, Wide<__m512, H>, 4>: 1 2 3 4),
        ],
    };
    pub(super) const V3: TileSet<Halves<H>> = TileSet {
        width: 8,
        panels: &[
            panel!(v3_tile<Halves<H>, Wide<__m256, H>, 1>: 1 2 3 4),
            panel!(v3_tile<Halves<H>, Wide<__m256, H>, 2>: 1 2 3 4),
        ],
    };
}
