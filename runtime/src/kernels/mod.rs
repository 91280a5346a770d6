//! Micro-kernels: the inner tiles of contractions and depthwise convolutions, elementary functions and folds of rows.
//!
//! The algorithms are written once over `lanes::Lanes`; each instruction set instantiates them with its vectors and
//! register tile, and every call takes the widest set the processor has.

#![allow(unsafe_code, reason = "kernels work on raw buffers whose extents the generated code guarantees")]

mod blocks;
mod contract;
mod depthwise;
mod folds;
mod functions;
mod gather;
mod lanes;
mod rows;
mod widened;
mod windows;
mod winograd;
#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
mod x86_blocks;
#[cfg(target_arch = "x86_64")]
mod x86_doubles;
#[cfg(target_arch = "x86_64")]
mod x86_halves;
#[cfg(target_arch = "x86_64")]
mod x86_rows;
#[cfg(target_arch = "x86_64")]
mod x86_windows;

use abi::{Blocks, Depthwise, Descriptor, Product, Winograd};
use blocks::{BlockKernel, BlockProduct};
use contract::{Bytes, Contraction, Doubles, Elements, Floats, TileSet};
use depthwise::{DepthwiseKernel, DepthwiseRow};
use folds::Fold;
use gather::Gather;
use lanes::Portable;
use rows::{Function, Row};
use widened::{Brain, Halves, Ieee};
use windows::{FoldWindows, Windows};
use winograd::{Steps, Tiles};

/// `C[r][j] = start + Σ A[r][…]·B[…][j]` over a nested reduction, for `rows` rows and `cols` columns.
///
/// # Safety
/// `descriptor` is an [`abi::Descriptor`] of a [`Product`], and every element it addresses lies inside its buffer.
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
    // SAFETY: promised by the caller.
    unsafe { contraction(descriptor, (a, b, init), c, [rows, cols]).run(tiles()) }
}

/// The same of f64.
///
/// # Safety
/// As for [`rt_contract_f32`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_contract_f64(
    descriptor: *const i64,
    a: *const f64,
    b: *const f64,
    init: *const f64,
    c: *mut f64,
    rows: i64,
    cols: i64,
) {
    // SAFETY: promised by the caller.
    unsafe { contraction(descriptor, (a, b, init), c, [rows, cols]).run(double_tiles()) }
}

/// The same of f32 and f16, summed up in f32. B is padded.
///
/// # Safety
/// As for [`rt_contract_f32`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_contract_f32_f16(
    descriptor: *const i64,
    a: *const f32,
    b: *const u16,
    init: *const f32,
    c: *mut f32,
    rows: i64,
    cols: i64,
) {
    // SAFETY: promised by the caller.
    unsafe {
        contraction::<Halves<Ieee>>(descriptor, (a, b, init), c, [rows, cols]).run_widening(
            half_tiles(),
            tiles(),
            row(),
        )
    }
}

/// The same of f32 and bf16, summed up in f32. B is padded.
///
/// # Safety
/// As for [`rt_contract_f32`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_contract_f32_bf16(
    descriptor: *const i64,
    a: *const f32,
    b: *const u16,
    init: *const f32,
    c: *mut f32,
    rows: i64,
    cols: i64,
) {
    // SAFETY: promised by the caller.
    unsafe {
        contraction::<Halves<Brain>>(descriptor, (a, b, init), c, [rows, cols]).run_widening(
            brain_tiles(),
            tiles(),
            row(),
        )
    }
}

/// The same of bytes, with sums that wrap around. Along the reduction's inner loop A is contiguous, and B is packed: of
/// every four steps a column's bytes lie side by side, zero behind the last step, and all 16 columns of a group are there.
/// Strides of B are those of a step, by which only every fourth one is reached.
///
/// # Safety
/// As for [`rt_contract_f32`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_contract_u8_i8(
    descriptor: *const i64,
    a: *const u8,
    b: *const i8,
    init: *const i32,
    c: *mut i32,
    rows: i64,
    cols: i64,
) {
    // SAFETY: promised by the caller.
    unsafe { contraction(descriptor, (a, b, init), c, [rows, cols]).run(byte_tiles()) }
}

unsafe fn contraction<'a, E: Elements>(
    descriptor: *const i64,
    (a, b, init): (*const E::Left, *const E::Right, *const E::Sum),
    c: *mut E::Sum,
    [rows, cols]: [i64; 2],
) -> Contraction<'a, E> {
    // SAFETY: promised by the caller; the fields are plain integers at the alignment of an integer.
    let descriptor = unsafe { &*descriptor.cast::<Descriptor<Product<i64>>>() };
    Contraction { descriptor, a, b, init, c, rows: rows.max(0) as usize, cols: cols.max(0) as usize }
}

/// One row of a depthwise convolution over at most 16 channels, consecutive in every buffer:
/// `y[p][c] = start + Σ x[kh][p + kw][c]·w[kh][kw][c]` for `pixels` pixels p.
///
/// # Safety
/// `descriptor` is an [`abi::Descriptor`] of a [`Depthwise`], and every element it addresses lies inside its buffer.
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
        let descriptor = &*descriptor.cast::<Descriptor<Depthwise<i64>>>();
        let (pixels, channels) = (pixels.max(0) as usize, channels.max(0) as usize);
        depthwise()(&DepthwiseRow { descriptor, x, w, init, y, pixels, channels });
    }
}

/// Tiles of 4×4 pixels of a convolution with 3×3 windows over one image, from the tile on that the descriptor says; columns are
/// a multiple of 16.
///
/// # Safety
/// `descriptor` is an [`abi::Descriptor`] of a [`Winograd`] whose sums start from columns or zero, `x` is a whole image, and every
/// pixel of the tiles that the result has, and every weight of the columns lies inside its buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_winograd_f32(
    descriptor: *const i64,
    x: *const f32,
    w: *const f32,
    init: *const f32,
    y: *mut f32,
    tiles: i64,
    columns: i64,
) {
    // SAFETY: promised by the caller.
    unsafe {
        let descriptor = &*descriptor.cast::<Descriptor<Winograd<i64>>>();
        let (tiles, columns) = (tiles.max(0) as usize, columns.max(0) as usize);
        winograd::convolve(&Tiles { descriptor, x, w, init, y, tiles, columns }, winograd());
    }
}

/// Sums of products of f32 and numbers of a few bits in blocks, each with a scale.
///
/// # Safety
/// `descriptor` is an [`abi::Descriptor`] of [`Blocks`], and every element it addresses lies inside its buffer; words, scales and
/// zero points are there for whole groups of columns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_contract_blocks(
    descriptor: *const i64,
    a: *const f32,
    words: *const i32,
    init: *const f32,
    c: *mut f32,
    rows: i64,
    cols: i64,
) {
    // SAFETY: promised by the caller.
    unsafe {
        let descriptor = &*descriptor.cast::<Descriptor<Blocks<i64>>>();
        let (rows, cols) = (rows.max(0) as usize, cols.max(0) as usize);
        BlockProduct { descriptor, a, words, init, c, rows, cols }.run(blocks());
    }
}

fn blocks() -> BlockKernel {
    #[cfg(target_arch = "x86_64")]
    {
        let is_wide = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
        if is_wide && is_x86_feature_detected!("avx512vnni") {
            return x86_blocks::vnni;
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return x86_blocks::avx2;
        }
    }
    blocks::portable
}

fn winograd() -> &'static Steps {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            return &x86::AVX512_WINOGRAD;
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return &x86::AVX2_WINOGRAD;
        }
    }
    &PORTABLE_WINOGRAD
}

/// For any machine.
static PORTABLE_WINOGRAD: Steps = Steps {
    transform: winograd::transform::<Portable<f32>>,
    products: &[[contract::tile::<Floats, Portable<f32>, 6, 2>, contract::tile::<Floats, Portable<f32>, 3, 2>]],
    columns: 8,
    restore: winograd::restore::<Portable<f32>>,
};

fn tiles() -> &'static TileSet<Floats> {
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

fn half_tiles() -> &'static TileSet<Halves<Ieee>> {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            return &x86_halves::AVX512_HALF_TILES;
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c") {
            return &x86_halves::AVX2_HALF_TILES;
        }
    }
    &widened::PORTABLE_HALF_TILES
}

fn brain_tiles() -> &'static TileSet<Halves<Brain>> {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            return &x86_halves::AVX512_BRAIN_TILES;
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return &x86_halves::AVX2_BRAIN_TILES;
        }
    }
    &widened::PORTABLE_BRAIN_TILES
}

fn double_tiles() -> &'static TileSet<Doubles> {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            return &x86::AVX512_DOUBLE_TILES;
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return &x86::AVX2_DOUBLE_TILES;
        }
    }
    &contract::PORTABLE_DOUBLE_TILES
}

fn byte_tiles() -> &'static TileSet<Bytes> {
    #[cfg(target_arch = "x86_64")]
    {
        let is_wide = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
        if is_wide && is_x86_feature_detected!("avx512vnni") {
            return &x86::VNNI_TILES;
        }
        if is_x86_feature_detected!("avx2") {
            return &x86::AVX2_BYTE_TILES;
        }
    }
    &contract::PORTABLE_BYTE_TILES
}

fn depthwise() -> DepthwiseKernel {
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

/// `destination[i] = function(source[i])` for `count` elements, by the function at this place of [`abi::RowFunction::ALL`] and its
/// parameters.
///
/// # Safety
/// The rows have so many elements of the types that the function has; they are the same row or lie apart.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_map_row(
    function: i64,
    source: *const u8,
    destination: *mut u8,
    count: i64,
    first: f32,
    second: f32,
    third: f32,
) {
    let kind = usize::try_from(function).ok().and_then(|at| abi::RowFunction::ALL.get(at)).copied();
    let kind = kind.expect("the compiler and the runtime have the same functions");
    let function = Function { kind, parameters: [first, second, third] };
    // SAFETY: promised by the caller; the processor has what the row is compiled for.
    unsafe { row()(function, source, destination, count.max(0) as usize) }
}

/// Copies so many bytes.
///
/// # Safety
/// The rows have so many bytes; they are the same one or lie apart.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_copy_row(source: *const u8, destination: *mut u8, bytes: i64) {
    // SAFETY: promised by the caller.
    unsafe { source.copy_to(destination, bytes.max(0) as usize) }
}

/// `front` times a number, `middle` numbers of a row unless its address is null, and the number again up to `length`.
///
/// # Safety
/// The rows have so many numbers and lie apart.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_pad_row(
    source: *const f32,
    destination: *mut f32,
    front: i64,
    middle: i64,
    length: i64,
    fill: f32,
) {
    let [front, middle, length] = [front, middle, length].map(|count| count.max(0) as usize);
    // SAFETY: promised by the caller.
    unsafe {
        for at in (0..front).chain(front + middle..length) {
            destination.add(at).write_unaligned(fill);
        }
        if !source.is_null() {
            source.copy_to_nonoverlapping(destination.add(front), middle);
        }
    }
}

fn row() -> Row {
    #[cfg(target_arch = "x86_64")]
    {
        let is_fused = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        let is_fused = is_fused && is_x86_feature_detected!("f16c");
        if is_fused && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
            return x86_rows::avx512;
        }
        if is_fused {
            return x86_rows::avx2;
        }
    }
    rows::portable
}

/// What `count` numbers come to, by the fold at this place of [`abi::RowFold::ALL`].
///
/// # Safety
/// The row has so many elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_fold_row(fold: i64, source: *const f32, count: i64) -> f32 {
    let fold = usize::try_from(fold).ok().and_then(|at| abi::RowFold::ALL.get(at)).copied();
    let fold = fold.expect("the compiler and the runtime have the same folds");
    // SAFETY: promised by the caller; the processor has what the fold is compiled for.
    unsafe { row_fold()(fold, source, count.max(0) as usize) }
}

fn row_fold() -> Fold {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
            return x86_rows::fold_avx512;
        }
        if is_x86_feature_detected!("avx2") {
            return x86_rows::fold_avx2;
        }
    }
    folds::portable
}

/// `destination[i]`: what `start` and the elements of window `i` of `count` come to, by the fold at this place of
/// [`abi::RowFold::ALL`]. `step` elements lie between neighbouring windows; the loops within a window are extents and distances.
///
/// # Safety
/// All elements of the windows are there, and the destination lies apart from them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_fold_windows(
    fold: i64,
    start: f32,
    source: *const f32,
    destination: *mut f32,
    count: i64,
    step: i64,
    planes: i64,
    plane: i64,
    rows: i64,
    row: i64,
    columns: i64,
    column: i64,
) {
    let function = usize::try_from(fold).ok().and_then(|at| abi::RowFold::ALL.get(at)).copied();
    let function = function.expect("the compiler and the runtime have the same folds");
    let [count, step, planes, plane, rows, row, columns, column] =
        [count, step, planes, plane, rows, row, columns, column].map(|number| number.max(0) as usize);
    let windows = Windows { step, loops: [(planes, plane), (rows, row), (columns, column)] };
    // SAFETY: promised by the caller; the processor has what the fold is compiled for.
    unsafe { window_fold()(function, &windows::Row { windows, start, source, destination, count }) }
}

/// Prepares `count` places for [`rt_gather_row`].
///
/// # Safety
/// So many places are there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_prepare_places(places: *mut i64, count: i64) {
    // SAFETY: promised by the caller.
    unsafe { (gather().prepare)(places, count.max(0) as usize) }
}

/// `destination[i] = source[places[i]]` for `count` words; `length` words of the source are there.
///
/// # Safety
/// All places are words of the source, and have been prepared; the destination lies apart from it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_gather_row(
    source: *const u32,
    places: *const i64,
    destination: *mut u32,
    count: i64,
    length: i64,
) {
    // SAFETY: promised by the caller; the processor has what this is compiled for.
    unsafe { (gather().row)(source, places, destination, count.max(0) as usize, length.max(0) as usize) }
}

fn gather() -> &'static Gather {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        return &gather::x86::AVX512;
    }
    &gather::PORTABLE
}

fn window_fold() -> FoldWindows {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            return x86_windows::avx512;
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return x86_windows::avx2;
        }
    }
    windows::portable
}

#[cfg(test)]
mod tests;
