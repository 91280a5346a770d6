//! Rows for AVX-512 and AVX2.

use std::arch::x86_64::*;

use half::f16;

use super::functions::Machine;
use super::lines::{Plane, add};
use super::requantize::{self, Requantize, Sums};
use super::rows::sums::{QuantizedSum, SummedRows, sum_row};
use super::rows::{Converts, Function, SHORT_BLOCK, row};

/// A processor with AVX2, FMA and F16C.
struct Fused;

impl Machine for Fused {
    const FUSES: bool = true;

    #[inline(always)]
    fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
}

impl Converts for Fused {
    #[inline(always)]
    unsafe fn widen(from: &[f16; SHORT_BLOCK]) -> [f32; SHORT_BLOCK] {
        let mut to = [0.0; SHORT_BLOCK];
        // SAFETY: the processor has these instructions; both registers are within the arrays.
        unsafe {
            for at in [0, 8] {
                let halves = _mm_loadu_si128(from.as_ptr().add(at).cast());
                _mm256_storeu_ps(to.as_mut_ptr().add(at), _mm256_cvtph_ps(halves));
            }
        }
        to
    }

    #[inline(always)]
    unsafe fn narrow(from: &[f32; SHORT_BLOCK]) -> [f16; SHORT_BLOCK] {
        let mut to = [f16::ZERO; SHORT_BLOCK];
        // SAFETY: as above.
        unsafe {
            for at in [0, 8] {
                let halves = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(_mm256_loadu_ps(from.as_ptr().add(at)));
                _mm_storeu_si128(to.as_mut_ptr().add(at).cast(), halves);
            }
        }
        to
    }
}

/// # Safety
/// As for [`super::rows::Row`], and the processor has these instructions.
#[target_feature(enable = "avx512f,avx512dq,avx2,fma,f16c")]
pub(super) unsafe fn avx512(function: Function, source: *const u8, destination: *mut u8, count: usize) {
    // SAFETY: promised by the caller; the features are enabled here.
    unsafe { row::<Fused>(function, source, destination, count) }
}

/// # Safety
/// As for [`super::rows::Row`], and the processor has these instructions.
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) unsafe fn avx2(function: Function, source: *const u8, destination: *mut u8, count: usize) {
    // SAFETY: promised by the caller; the features are enabled here.
    unsafe { row::<Fused>(function, source, destination, count) }
}

/// # Safety
/// As for [`AddPlane`](super::lines::AddPlane), and the processor has these instructions.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn add_avx2(target: *mut f32, addends: *const f32, plane: &Plane) {
    // SAFETY: promised by the caller.
    unsafe { add::<__m256>(target, addends, plane) }
}

/// # Safety
/// As for [`RequantizeRow`](super::requantize::RequantizeRow), and the processor has these instructions.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) unsafe fn requantize_avx512(requantize: &Requantize<'_>, sums: Sums, destination: *mut i8, count: usize) {
    // SAFETY: promised by the caller.
    unsafe { requantize::row(requantize, sums, destination, count) }
}

/// # Safety
/// As for [`RequantizeRow`](super::requantize::RequantizeRow), and the processor has these instructions.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn requantize_avx2(requantize: &Requantize<'_>, sums: Sums, destination: *mut i8, count: usize) {
    // SAFETY: promised by the caller.
    unsafe { requantize::row(requantize, sums, destination, count) }
}

/// # Safety
/// As for [`SumRow`](super::rows::sums::SumRow), and the processor has these instructions.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) unsafe fn add_bytes_avx512(sum: &QuantizedSum, rows: SummedRows, count: usize) {
    // SAFETY: promised by the caller; the features are enabled here.
    unsafe { sum_row::<Fused>(sum, rows, count) }
}

/// # Safety
/// As for [`SumRow`](super::rows::sums::SumRow), and the processor has these instructions.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn add_bytes_avx2(sum: &QuantizedSum, rows: SummedRows, count: usize) {
    // SAFETY: promised by the caller; the features are enabled here.
    unsafe { sum_row::<Fused>(sum, rows, count) }
}
