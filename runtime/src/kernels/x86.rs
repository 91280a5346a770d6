//! AVX-512 and AVX2 instances of the kernels.

use std::arch::x86_64::*;

use super::contract::{Bytes, Columns, Contraction, Doubles, Elements, Floats, Tile, TileSet, panel, tile};
use super::depthwise::{DepthwiseRow, row};
use super::lanes::{Fused, Lanes, Products, partial_bytes};
use super::winograd::{Form, Four, Rows, Steps, Tiles, Transforms, Two, restore, transform};

impl Lanes for __m512 {
    type Element = f32;
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
}

impl Fused for __m512 {
    #[inline(always)]
    unsafe fn broadcast(value: f32) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_set1_ps(value) }
    }

    #[inline(always)]
    unsafe fn multiply_add(self, factor: Self, panel: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_fmadd_ps(factor, panel, self) }
    }
}

impl Lanes for __m256 {
    type Element = f32;
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
}

impl Fused for __m256 {
    #[inline(always)]
    unsafe fn broadcast(value: f32) -> Self {
        // SAFETY: as above.
        unsafe { _mm256_set1_ps(value) }
    }

    #[inline(always)]
    unsafe fn multiply_add(self, factor: Self, panel: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm256_fmadd_ps(factor, panel, self) }
    }
}

/// Sums of int8 dot products. VNNI is available, see [`Products`].
#[derive(Clone, Copy)]
pub(super) struct Quads512(__m512i);

impl Lanes for Quads512 {
    type Element = i32;
    const WIDTH: usize = 16;
    type Mask = __mmask16;

    #[inline(always)]
    unsafe fn mask(count: usize) -> __mmask16 {
        // SAFETY: as above.
        unsafe { __m512::mask(count) }
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: as above.
        Quads512(unsafe { _mm512_setzero_si512() })
    }

    #[inline(always)]
    unsafe fn load(from: *const i32) -> Self {
        // SAFETY: as above.
        Quads512(unsafe { _mm512_loadu_epi32(from) })
    }

    #[inline(always)]
    unsafe fn load_masked(from: *const i32, mask: __mmask16) -> Self {
        // SAFETY: as above.
        Quads512(unsafe { _mm512_maskz_loadu_epi32(mask, from) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut i32) {
        // SAFETY: as above.
        unsafe { _mm512_storeu_epi32(to, self.0) }
    }

    #[inline(always)]
    unsafe fn store_masked(self, to: *mut i32, mask: __mmask16) {
        // SAFETY: as above.
        unsafe { _mm512_mask_storeu_epi32(to, mask, self.0) }
    }
}

impl Products for Quads512 {
    type Left = u8;
    type Right = i8;
    const DEPTH: usize = 4;
    type Factor = __m512i;
    type Panel = __m512i;

    #[inline(always)]
    unsafe fn factor(from: *const u8) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_set1_epi32(from.cast::<i32>().read_unaligned()) }
    }

    #[inline(always)]
    unsafe fn partial_factor(from: *const u8, count: usize) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_set1_epi32(i32::from_le_bytes(partial_bytes(from, count))) }
    }

    #[inline(always)]
    unsafe fn panel(from: *const i8) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_loadu_epi8(from) }
    }

    #[inline(always)]
    unsafe fn panel_masked(from: *const i8, _: __mmask16) -> __m512i {
        // SAFETY: as above, as the operand is padded.
        unsafe { Self::panel(from) }
    }

    #[inline(always)]
    unsafe fn add_products(self, factor: __m512i, panel: __m512i) -> Self {
        // SAFETY: as above.
        Quads512(unsafe { _mm512_dpbusd_epi32(self.0, factor, panel) })
    }
}

/// Sums of int8 dot products. Values are multiplied as 16 bits, in pairs, because sums of int8 products would saturate
/// in 16 bits.
#[derive(Clone, Copy)]
pub(super) struct Quads256(__m256i);

impl Quads256 {
    /// Adds the products of four bytes to each lane.
    #[inline(always)]
    pub(super) unsafe fn sum_products(sums: __m256i, factor: Pairs, panel: Pairs) -> __m256i {
        // SAFETY: AVX2 is there, see `Lanes`.
        unsafe {
            let even = _mm256_madd_epi16(factor.0, panel.0);
            let odd = _mm256_madd_epi16(factor.1, panel.1);
            _mm256_add_epi32(_mm256_add_epi32(sums, even), odd)
        }
    }
}

/// Four bytes a lane, as two pairs of 16 bits: the even and the odd bytes.
#[derive(Clone, Copy)]
pub(super) struct Pairs(__m256i, __m256i);

impl Pairs {
    #[inline(always)]
    pub(super) unsafe fn unsigned(bytes: __m256i) -> Pairs {
        // SAFETY: AVX2 is there, see `Lanes`.
        unsafe { Pairs(_mm256_and_si256(bytes, _mm256_set1_epi16(0xff)), _mm256_srli_epi16(bytes, 8)) }
    }

    #[inline(always)]
    pub(super) unsafe fn signed(bytes: __m256i) -> Pairs {
        // SAFETY: as above.
        unsafe { Pairs(_mm256_srai_epi16(_mm256_slli_epi16(bytes, 8), 8), _mm256_srai_epi16(bytes, 8)) }
    }
}

impl Lanes for Quads256 {
    type Element = i32;
    const WIDTH: usize = 8;
    type Mask = __m256i;

    #[inline(always)]
    unsafe fn mask(count: usize) -> __m256i {
        // SAFETY: as above.
        unsafe { __m256::mask(count) }
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: as above.
        Quads256(unsafe { _mm256_setzero_si256() })
    }

    #[inline(always)]
    unsafe fn load(from: *const i32) -> Self {
        // SAFETY: as above.
        Quads256(unsafe { _mm256_loadu_si256(from.cast()) })
    }

    #[inline(always)]
    unsafe fn load_masked(from: *const i32, mask: __m256i) -> Self {
        // SAFETY: as above.
        Quads256(unsafe { _mm256_maskload_epi32(from, mask) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut i32) {
        // SAFETY: as above.
        unsafe { _mm256_storeu_si256(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn store_masked(self, to: *mut i32, mask: __m256i) {
        // SAFETY: as above.
        unsafe { _mm256_maskstore_epi32(to, mask, self.0) }
    }
}

impl Products for Quads256 {
    type Left = u8;
    type Right = i8;
    const DEPTH: usize = 4;
    type Factor = Pairs;
    type Panel = Pairs;

    #[inline(always)]
    unsafe fn factor(from: *const u8) -> Pairs {
        // SAFETY: as above.
        unsafe { Pairs::unsigned(_mm256_set1_epi32(from.cast::<i32>().read_unaligned())) }
    }

    #[inline(always)]
    unsafe fn partial_factor(from: *const u8, count: usize) -> Pairs {
        // SAFETY: as above.
        unsafe { Pairs::unsigned(_mm256_set1_epi32(i32::from_le_bytes(partial_bytes(from, count)))) }
    }

    #[inline(always)]
    unsafe fn panel(from: *const i8) -> Pairs {
        // SAFETY: as above.
        unsafe { Pairs::signed(_mm256_loadu_si256(from.cast())) }
    }

    #[inline(always)]
    unsafe fn panel_masked(from: *const i8, _: __m256i) -> Pairs {
        // SAFETY: as above, as the operand is padded.
        unsafe { Self::panel(from) }
    }

    #[inline(always)]
    unsafe fn add_products(self, factor: Pairs, panel: Pairs) -> Self {
        // SAFETY: as above.
        Quads256(unsafe { Self::sum_products(self.0, factor, panel) })
    }
}

#[target_feature(enable = "avx2,fma,f16c")]
pub(super) unsafe fn v3_tile<E, V, const ROWS: usize, const VECTORS: usize>(
    problem: &Contraction<'_, E>,
    row: usize,
    columns: Columns,
) where
    E: Elements + 'static,
    V: Products<Left = E::Left, Right = E::Right, Element = E::Sum>,
{
    // SAFETY: promised by the caller; the features are enabled here.
    unsafe { tile::<E, V, ROWS, VECTORS>(problem, row, columns) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")]
pub(super) unsafe fn v4_tile<E, V, const ROWS: usize, const VECTORS: usize>(
    problem: &Contraction<'_, E>,
    row: usize,
    columns: Columns,
) where
    E: Elements + 'static,
    V: Products<Left = E::Left, Right = E::Right, Element = E::Sum>,
{
    // SAFETY: promised by the caller; the features are enabled here.
    unsafe { tile::<E, V, ROWS, VECTORS>(problem, row, columns) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,avx512vnni")]
pub(super) unsafe fn vnni_tile<E, V, const ROWS: usize, const VECTORS: usize>(
    problem: &Contraction<'_, E>,
    row: usize,
    columns: Columns,
) where
    E: Elements + 'static,
    V: Products<Left = E::Left, Right = E::Right, Element = E::Sum>,
{
    // SAFETY: promised by the caller; the features are enabled here.
    unsafe { tile::<E, V, ROWS, VECTORS>(problem, row, columns) }
}

/// Thirty-two registers of sixteen lanes: rows · vectors sums, the panel's vectors and one factor fit.
pub(super) const V4_FLOATS: TileSet<Floats> = TileSet {
    width: 16,
    panels: &[
        panel!(v4_tile<Floats, __m512, 1>: 1 2 3 4 5 6 7 8 9 10 11 12),
        panel!(v4_tile<Floats, __m512, 2>: 1 2 3 4 5 6 7 8 9 10 11 12 13 14),
        panel!(v4_tile<Floats, __m512, 3>: 1 2 3 4 5 6 7 8),
        panel!(v4_tile<Floats, __m512, 4>: 1 2 3 4 5 6),
    ],
};

/// As [`V4_FLOATS`].
pub(super) const V4_DOUBLES: TileSet<Doubles> = TileSet {
    width: 8,
    panels: &[
        panel!(v4_tile<Doubles, __m512d, 1>: 1 2 3 4 5 6 7 8 9 10 11 12),
        panel!(v4_tile<Doubles, __m512d, 2>: 1 2 3 4 5 6 7 8 9 10 11 12 13 14),
        panel!(v4_tile<Doubles, __m512d, 3>: 1 2 3 4 5 6 7 8),
        panel!(v4_tile<Doubles, __m512d, 4>: 1 2 3 4 5 6),
    ],
};

/// As [`V4_FLOATS`].
pub(super) const VNNI_BYTES: TileSet<Bytes> = TileSet {
    width: 16,
    panels: &[
        panel!(vnni_tile<Bytes, Quads512, 1>: 1 2 3 4 5 6 7 8 9 10 11 12),
        panel!(vnni_tile<Bytes, Quads512, 2>: 1 2 3 4 5 6 7 8 9 10 11 12 13 14),
        panel!(vnni_tile<Bytes, Quads512, 3>: 1 2 3 4 5 6 7 8),
        panel!(vnni_tile<Bytes, Quads512, 4>: 1 2 3 4 5 6),
    ],
};

/// Sixteen registers of eight lanes.
pub(super) const V3_FLOATS: TileSet<Floats> = TileSet {
    width: 8,
    panels: &[
        panel!(v3_tile<Floats, __m256, 1>: 1 2 3 4 5 6 7 8 9 10),
        panel!(v3_tile<Floats, __m256, 2>: 1 2 3 4 5 6),
    ],
};

/// As [`V3_FLOATS`].
pub(super) const V3_DOUBLES: TileSet<Doubles> = TileSet {
    width: 4,
    panels: &[
        panel!(v3_tile<Doubles, __m256d, 1>: 1 2 3 4 5 6 7 8 9 10),
        panel!(v3_tile<Doubles, __m256d, 2>: 1 2 3 4 5 6),
    ],
};

/// As [`V3_FLOATS`], with two registers for every factor and every vector of a panel.
pub(super) const V3_BYTES: TileSet<Bytes> = TileSet {
    width: 8,
    panels: &[panel!(v3_tile<Bytes, Quads256, 1>: 1 2 3 4 5 6 7 8), panel!(v3_tile<Bytes, Quads256, 2>: 1 2 3 4)],
};

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")]
pub(super) unsafe fn v4_depthwise(description: &DepthwiseRow<'_>) {
    // SAFETY: promised by the caller; the features are enabled here.
    unsafe { row::<__m512>(description) }
}

#[target_feature(enable = "avx2,fma,f16c")]
pub(super) unsafe fn v3_depthwise(description: &DepthwiseRow<'_>) {
    // SAFETY: as above.
    unsafe { row::<__m256>(description) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")]
unsafe fn v4_transform<F: Transforms<OUT, IN>, const OUT: usize, const IN: usize>(
    problem: &Tiles<'_>,
    points: *mut f32,
) {
    // SAFETY: promised by the caller; the features are enabled here.
    unsafe { transform::<__m512, F, OUT, IN>(problem, points) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")]
unsafe fn v4_restore<F: Transforms<OUT, IN>, const OUT: usize, const IN: usize>(
    problem: &Tiles<'_>,
    products: *const f32,
    first: usize,
) {
    // SAFETY: as above.
    unsafe { restore::<__m512, F, OUT, IN>(problem, products, first) }
}

const V4_PRODUCTS: &[Rows] = &[
    Rows { rows: 12, columns: 32, tile: v4_tile::<Floats, __m512, 12, 2> },
    Rows { rows: 6, columns: 64, tile: v4_tile::<Floats, __m512, 6, 4> },
    Rows { rows: 6, columns: 32, tile: v4_tile::<Floats, __m512, 6, 2> },
    Rows { rows: 4, columns: 64, tile: v4_tile::<Floats, __m512, 4, 4> },
    Rows { rows: 4, columns: 32, tile: v4_tile::<Floats, __m512, 4, 2> },
];

pub(super) const V4_WINOGRAD: Steps = Steps {
    forms: [
        Form { transform: v4_transform::<Two, 2, 4>, restore: v4_restore::<Two, 2, 4> },
        Form { transform: v4_transform::<Four, 4, 6>, restore: v4_restore::<Four, 4, 6> },
    ],
    products: V4_PRODUCTS.split_at(1).1,
};

/// Processors with AMX reach their L3 cache over a mesh, at ten bytes a cycle: with this many rows, weights are loaded
/// from there as fast as they are multiplied.
pub(super) const AMX_WINOGRAD: Steps = Steps { products: V4_PRODUCTS, ..V4_WINOGRAD };

#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn v3_transform<F: Transforms<OUT, IN>, const OUT: usize, const IN: usize>(
    problem: &Tiles<'_>,
    points: *mut f32,
) {
    // SAFETY: promised by the caller; the features are enabled here.
    unsafe { transform::<__m256, F, OUT, IN>(problem, points) }
}

#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn v3_restore<F: Transforms<OUT, IN>, const OUT: usize, const IN: usize>(
    problem: &Tiles<'_>,
    products: *const f32,
    first: usize,
) {
    // SAFETY: as above.
    unsafe { restore::<__m256, F, OUT, IN>(problem, products, first) }
}

pub(super) const V3_WINOGRAD: Steps = Steps {
    forms: [
        Form { transform: v3_transform::<Two, 2, 4>, restore: v3_restore::<Two, 2, 4> },
        Form { transform: v3_transform::<Four, 4, 6>, restore: v3_restore::<Four, 4, 6> },
    ],
    products: &[
        Rows { rows: 6, columns: 16, tile: v3_tile::<Floats, __m256, 6, 2> },
        Rows { rows: 4, columns: 16, tile: v3_tile::<Floats, __m256, 4, 2> },
    ],
};
