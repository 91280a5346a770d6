//! Micro-kernels: the inner tiles of contractions and depthwise convolutions.
//!
//! The algorithms are written once over `lanes::Lanes`; each instruction set instantiates them with its vectors and
//! register tile, and every call takes the widest set the processor has.

#![allow(unsafe_code, reason = "kernels work on raw buffers whose extents the generated code guarantees")]

mod contract;
mod depthwise;
mod lanes;
#[cfg(target_arch = "x86_64")]
mod x86;

use contract::{Contraction, TileSet};
use depthwise::{DepthwiseRow, RowFunction};

/// Describes one call of [`rt_contract_f32`]. Strides are counted in elements.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ContractDescriptor {
    /// Reduction extents R0, R1, R2, K, outermost first.
    pub reduction: [i64; 4],
    /// Strides of A along R0, R1, R2, K.
    pub a_strides: [i64; 4],
    /// Strides of B along R0, R1, R2, K; groups of 16 columns are contiguous.
    pub b_strides: [i64; 4],
    /// Extent W of the inner row index: row r is (r / W, r % W).
    pub row_inner: i64,
    /// Stride of A along the inner row index.
    pub a_row_inner: i64,
    /// Stride of A along the outer row index.
    pub a_row_outer: i64,
    /// Stride of C along the inner row index.
    pub c_row_inner: i64,
    /// Stride of C along the outer row index.
    pub c_row_outer: i64,
    /// What the sum starts from: [`START_ZERO`], [`START_INIT`] or [`START_C`].
    pub start: i64,
    /// 1 when B may be read up to the next multiple of 16 columns.
    pub b_full: i64,
    /// K of the last step of R0.
    pub last_k: i64,
    /// Stride of B from one group of 16 columns to the next.
    pub b_group: i64,
    /// Stride of C from one group of 16 columns to the next.
    pub c_group: i64,
}

/// Columns that are contiguous in B and in C whatever the group strides.
pub const COLUMN_GROUP: usize = 16;

/// Sums start from zero.
pub const START_ZERO: i64 = 0;
/// Sums start from `init`, one value a column.
pub const START_INIT: i64 = 1;
/// Sums are added to what C holds.
pub const START_C: i64 = 2;

/// Describes one call of [`rt_depthwise_f32`]. Strides are counted in elements.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct DepthwiseDescriptor {
    /// Extents of the window: height and width.
    pub window: [i64; 2],
    /// Strides of x along the window.
    pub x_window: [i64; 2],
    /// Stride of x from one output pixel to the next.
    pub x_pixel: i64,
    /// Strides of w along the window.
    pub w_window: [i64; 2],
    /// Stride of y from one output pixel to the next.
    pub y_pixel: i64,
    /// What the sum starts from: [`START_ZERO`], [`START_INIT`] or [`START_C`].
    pub start: i64,
}

/// `C[r][j] = start + Σ A[r][…]·B[…][j]` over a nested reduction, for `rows` rows and `cols` columns.
///
/// # Safety
/// `descriptor` is a [`ContractDescriptor`], and every element it addresses lies inside its buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_contract_f32(
    descriptor: *const i64,
    a: *const f32,
    b: *const f32,
    init: *const f32,
    c: *mut f32,
    rows: i64,
    cols: i64,
) {
    // SAFETY: promised by the caller; the fields are plain integers at the alignment of an integer.
    unsafe {
        let descriptor = &*descriptor.cast::<ContractDescriptor>();
        let problem = Contraction { descriptor, a, b, init, c, rows: rows.max(0) as usize, cols: cols.max(0) as usize };
        problem.run(tiles());
    }
}

/// One row of a depthwise convolution over at most 16 channels, consecutive in every buffer:
/// `y[p][c] = start + Σ x[kh][p + kw][c]·w[kh][kw][c]` for `pixels` pixels p.
///
/// # Safety
/// `descriptor` is a [`DepthwiseDescriptor`], and every element it addresses lies inside its buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_depthwise_f32(
    descriptor: *const i64,
    x: *const f32,
    w: *const f32,
    init: *const f32,
    y: *mut f32,
    pixels: i64,
    channels: i64,
) {
    // SAFETY: promised by the caller.
    unsafe {
        let descriptor = &*descriptor.cast::<DepthwiseDescriptor>();
        let (pixels, channels) = (pixels.max(0) as usize, channels.max(0) as usize);
        depthwise()(&DepthwiseRow { descriptor, x, w, init, y, pixels, channels });
    }
}

fn tiles() -> &'static TileSet {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            return &x86::AVX512_TILES;
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return &x86::AVX2_TILES;
        }
    }
    &contract::PORTABLE_TILES
}

fn depthwise() -> RowFunction {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            return x86::depthwise_avx512;
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return x86::depthwise_avx2;
        }
    }
    depthwise::portable
}

#[cfg(test)]
mod tests;
