//! Contractions with a transposed operand, for AVX-512 and AVX2.

use std::arch::x86_64::*;

use super::contract::{Columns, Contraction, Elements, Tile, TileSet, panel};
use super::converted_operands::Group;
use super::lanes::Lanes;
use super::transposed::{COLUMNS, Summed, Transposed, columns_of, dots};

impl Summed for __m512 {
    #[inline(always)]
    unsafe fn sum(self) -> f32 {
        // SAFETY: AVX-512 is there, see `Lanes`.
        unsafe {
            let [low, high] = [_mm512_castps512_ps256(self), _mm512_extractf32x8_ps::<1>(self)];
            _mm256_add_ps(low, high).sum()
        }
    }
}

impl Summed for __m256 {
    #[inline(always)]
    unsafe fn sum(self) -> f32 {
        // SAFETY: AVX2 is there, see `Lanes`.
        unsafe {
            let four = _mm_add_ps(_mm256_castps256_ps128(self), _mm256_extractf128_ps::<1>(self));
            let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")]
unsafe fn v4_dots<E, V, const ROWS: usize, const COLUMNS: usize>(
    problem: &Contraction<'_, E>,
    row: usize,
    columns: Columns,
) where
    E: Elements<Left = f32, Right = f32, Sum = f32> + 'static,
    V: Summed,
{
    // SAFETY: promised by the caller; the features are enabled here.
    unsafe { dots::<E, V, ROWS, COLUMNS>(problem, row, columns) }
}

#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn v3_dots<E, V, const ROWS: usize, const COLUMNS: usize>(
    problem: &Contraction<'_, E>,
    row: usize,
    columns: Columns,
) where
    E: Elements<Left = f32, Right = f32, Sum = f32> + 'static,
    V: Summed,
{
    // SAFETY: promised by the caller; the features are enabled here.
    unsafe { dots::<E, V, ROWS, COLUMNS>(problem, row, columns) }
}

/// A register of sums for each of four columns, and one for a row.
pub(super) const V4: TileSet<Transposed> =
    TileSet { width: COLUMNS, panels: &[panel!(v4_dots<Transposed, __m512, 4>: 1 2 3 4)] };
/// As [`V4`].
pub(super) const V3: TileSet<Transposed> =
    TileSet { width: COLUMNS, panels: &[panel!(v3_dots<Transposed, __m256, 4>: 1 2)] };

/// Sixteen steps of sixteen columns at a time.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")]
pub(super) unsafe fn transpose(group: &Group<f32>, to: *mut f32) {
    let columns = columns_of(group);
    for first in (0..group.steps).step_by(16) {
        let steps = (group.steps - first).min(16);
        let mut rows = [_mm512_setzero_ps(); 16];
        // SAFETY: the caller vouches for the elements, and for room for whole groups at as many steps.
        unsafe {
            let mask = __m512::mask(steps);
            for (row, column) in rows.iter_mut().zip(columns) {
                *row = __m512::load_masked(column.add(first), mask);
            }
            for (step, row) in exchanged(rows).into_iter().enumerate().take(steps) {
                row.store(to.add((first + step) * 16));
            }
        }
    }
}

/// Sixteen steps at a time.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")]
pub(super) unsafe fn transpose_runs(runs: &[*const f32; 16], places: &[usize], to: *mut f32) {
    for (at, places) in places.chunks(16).enumerate() {
        let mut rows = [_mm512_setzero_ps(); 16];
        // SAFETY: the caller vouches for the elements of each run, one for each position, and for the positions.
        unsafe {
            let mask = __m512::mask(places.len());
            for (row, run) in rows.iter_mut().zip(runs) {
                *row = __m512::load_masked(run.add(16 * at), mask);
            }
            for (&place, row) in places.iter().zip(exchanged(rows)) {
                row.store(to.add(place));
            }
        }
    }
}

/// Transposes: exchanges pairs of elements, then pairs of pairs within quarters of the registers, then the quarters.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")]
fn exchanged(rows: [__m512; 16]) -> [__m512; 16] {
    let mut pairs = rows;
    for at in (0..16).step_by(2) {
        pairs[at] = _mm512_unpacklo_ps(rows[at], rows[at + 1]);
        pairs[at + 1] = _mm512_unpackhi_ps(rows[at], rows[at + 1]);
    }
    // quarter L of `fours[4 i + j]` is column 4 L + j of the rows 4 i to 4 i + 3
    let mut fours = rows;
    for at in (0..16).step_by(4) {
        for half in 0..2 {
            let [a, b] = [_mm512_castps_pd(pairs[at + half]), _mm512_castps_pd(pairs[at + half + 2])];
            fours[at + 2 * half] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
            fours[at + 2 * half + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
        }
    }
    const EVEN: i32 = 0b10_00_10_00;
    const ODD: i32 = 0b11_01_11_01;
    let mut all = rows;
    for column in 0..4 {
        let [a, b, c, d] = [0, 4, 8, 12].map(|row| fours[row + column]);
        let even = [_mm512_shuffle_f32x4::<EVEN>(a, b), _mm512_shuffle_f32x4::<EVEN>(c, d)];
        let odd = [_mm512_shuffle_f32x4::<ODD>(a, b), _mm512_shuffle_f32x4::<ODD>(c, d)];
        all[column] = _mm512_shuffle_f32x4::<EVEN>(even[0], even[1]);
        all[4 + column] = _mm512_shuffle_f32x4::<EVEN>(odd[0], odd[1]);
        all[8 + column] = _mm512_shuffle_f32x4::<ODD>(even[0], even[1]);
        all[12 + column] = _mm512_shuffle_f32x4::<ODD>(odd[0], odd[1]);
    }
    all
}
