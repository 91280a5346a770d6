//! Micro-kernels: the inner tiles of contractions and depthwise convolutions, elementary functions and row reductions.
//!
//! The algorithms are written once over `lanes::Lanes`; each instruction set instantiates them with its vectors and
//! register tile, and every call uses the widest set that the processor has.

#![allow(unsafe_code, reason = "kernels work on raw buffers whose extents the generated code guarantees")]

mod accesses;
#[cfg(target_arch = "aarch64")]
mod arm;
#[cfg(target_arch = "aarch64")]
mod arm_bytes;
#[cfg(target_arch = "aarch64")]
mod arm_tables;
#[cfg(target_arch = "aarch64")]
mod arm_together;
mod blocks;
mod contract;
mod converted_operands;
mod depthwise;
mod folds;
mod functions;
mod gather;
mod lanes;
mod levels;
mod lines;
mod moves;
mod pooling;
mod prefetch;
mod requantize;
mod rows;
mod sixteen;
mod transposed;
mod widened;
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
mod x86_matrix;
#[cfg(target_arch = "x86_64")]
mod x86_pooling;
#[cfg(target_arch = "x86_64")]
mod x86_rows;
#[cfg(target_arch = "x86_64")]
mod x86_sixteen;
#[cfg(target_arch = "x86_64")]
mod x86_tables;
#[cfg(target_arch = "x86_64")]
mod x86_transposed;

pub use accesses::rt_check_call;

use abi::{Blocks, Depthwise, Descriptor, Product, Winograd};
use blocks::{BlockKernel, BlockProduct};
use contract::{Bytes, BytesKernel, Contraction, Doubles, Elements, Floats, TileSet};
use depthwise::{DepthwiseKernel, DepthwiseRow};
use folds::Fold;
use gather::Gather;
use levels::Instances;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use levels::Level;
use lines::AddPlane;
pub(crate) use lines::Plane;
pub use moves::{rt_move, rt_pad};
use pooling::{FoldWindows, Lines, Windows};
use requantize::{Requantize, RequantizeRow, Sums};
use rows::sums::{self, QuantizedSum, Scaled, SumRow};
use rows::{Function, Round, Row};
use transposed::{TransposeRuns, Transposed};
use widened::{Brain, Halves, Ieee};
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
    unsafe { contraction::<Floats>(descriptor, (a, b, init), c, [rows, cols]).run_near(&TileSet::best()) }
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
    unsafe { contraction::<Doubles>(descriptor, (a, b, init), c, [rows, cols]).run_near(&TileSet::best()) }
}

/// The same for f32 and f16, summed in f32. B is padded.
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
    unsafe { contraction::<Halves<Ieee>>(descriptor, (a, b, init), c, [rows, cols]).run_preparing(&TileSet::best()) }
}

/// The same for f32 and bf16, summed in f32. B is padded.
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
    unsafe { contraction::<Halves<Brain>>(descriptor, (a, b, init), c, [rows, cols]).run_preparing(&TileSet::best()) }
}

/// The same for a transposed B: its columns have a constant stride, and groups sixteen times that. Along the innermost
/// reduction loop A and B are contiguous.
///
/// # Safety
/// As for [`rt_contract_f32`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_contract_f32_transposed(
    descriptor: *const i64,
    a: *const f32,
    b: *const f32,
    init: *const f32,
    c: *mut f32,
    rows: i64,
    cols: i64,
) {
    // SAFETY: promised by the caller.
    unsafe { contraction::<Transposed>(descriptor, (a, b, init), c, [rows, cols]).run_preparing(&TileSet::best()) }
}

/// The same for int8, with sums that wrap around. Along the innermost reduction loop A is contiguous, and B is packed:
/// the four values of a column in every four steps are contiguous, zero after the last step, for all 16 columns of a
/// group. Strides of B are per step, and multiples of four steps.
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
    unsafe { BytesKernel::best()(&contraction::<Bytes>(descriptor, (a, b, init), c, [rows, cols])) }
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
        DepthwiseKernel::best()(&DepthwiseRow { descriptor, x, w, init, y, pixels, channels });
    }
}

/// Tiles of a 3×3 convolution of one image by Winograd's algorithm; the descriptor has the tile size and the first
/// tile. Columns are a multiple of 16.
///
/// # Safety
/// `descriptor` is an [`abi::Descriptor`] of a [`Winograd`] whose sums start from columns or zero, `x` is a whole
/// image, and every pixel of the tiles that the result has, and every weight of the columns lies inside its buffer.
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
        winograd::convolve(&Tiles { descriptor, x, w, init, y, tiles, columns }, &Steps::best());
    }
}

/// Contraction of f32 with block-quantised 4-bit or 8-bit values.
///
/// # Safety
/// `descriptor` is an [`abi::Descriptor`] of [`Blocks`], and every element it addresses lies inside its buffer; words,
/// scales and zero points cover whole groups of columns.
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
        BlockProduct { descriptor, a, words, init, c, rows, cols }.run(BlockKernel::best());
    }
}

/// `destination[i] = function(source[i])` for `count` elements, with the function at this index of
/// [`abi::RowFunction::ALL`] and its parameters.
///
/// # Safety
/// The rows have `count` elements of the function's types; they are the same row or do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_map_row(
    function: i64,
    source: *const u8,
    destination: *mut u8,
    count: i64,
    first: f32,
    second: f32,
    third: f32,
    fourth: f32,
) {
    let kind = usize::try_from(function).ok().and_then(|at| abi::RowFunction::ALL.get(at)).copied();
    let kind = kind.expect("the compiler and the runtime have the same functions");
    let function = Function { kind, parameters: [first, second, third, fourth] };
    // SAFETY: promised by the caller; the processor has what the row is compiled for.
    unsafe { Row::best()(function, source, destination, count.max(0) as usize) }
}

/// `destination[i] = saturate(round((x[i] + y[i]) / scale) + zero point)` for `count` int8 or uint8 elements, where
/// elements of `x` and `y` are `(byte - zero point) scale`.
///
/// # Safety
/// The rows have `count` elements; the destination is one of the others or does not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_add_bytes_row(
    is_signed_x: i64,
    is_signed_y: i64,
    x: *const u8,
    y: *const u8,
    destination: *mut i8,
    count: i64,
    zero_point_x: f32,
    scale_x: f32,
    zero_point_y: f32,
    scale_y: f32,
    scale: f32,
    zero_point: f32,
    lowest: f32,
    highest: f32,
) {
    let operands = [
        Scaled { is_signed: is_signed_x != 0, zero_point: zero_point_x, scale: scale_x },
        Scaled { is_signed: is_signed_y != 0, zero_point: zero_point_y, scale: scale_y },
    ];
    let sum = QuantizedSum { operands, scale, round: Round { zero_point, lowest, highest } };
    // SAFETY: promised by the caller; the processor has what the row is compiled for.
    unsafe { SumRow::best()(&sum, (x, y, destination), count.max(0) as usize) }
}

/// Requantises `count` sums in f32 or i32 to int8 or uint8: `saturate(round((sum + addend) factor) + zero point)`. The
/// first sum is the first of a group of channels. Addends and factors may be null; without factors one factor applies
/// to all.
///
/// # Safety
/// The rows have `count` elements and do not overlap; addends and factors cover a whole group and are aligned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_requantize_row(
    is_float: i64,
    source: *const u8,
    destination: *mut i8,
    count: i64,
    addends: *const i32,
    factors: *const f32,
    factor: f32,
    zero_point: f32,
    lowest: f32,
    highest: f32,
) {
    // SAFETY: promised by the caller; the processor has what the row is compiled for.
    unsafe {
        let requantize = Requantize {
            addends: addends.cast::<[_; _]>().as_ref(),
            factors: factors.cast::<[_; _]>().as_ref(),
            factor,
            round: Round { zero_point, lowest, highest },
        };
        let sums = if is_float == 0 { Sums::Integers(source.cast()) } else { Sums::Floats(source.cast()) };
        RequantizeRow::best()(&requantize, sums, destination, count.max(0) as usize)
    }
}

/// `destination[i] = table[source[i]]` for `count` bytes; elements of the table have `width` bytes: 1, 2, 4 or 8.
///
/// # Safety
/// The rows have `count` elements and do not overlap, or are one row of bytes, and the table has an element for each
/// byte of the source.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_look_up_row(
    table: *const u8,
    width: i64,
    source: *const u8,
    destination: *mut u8,
    count: i64,
) {
    let count = count.max(0) as usize;
    // SAFETY: promised by the caller.
    unsafe {
        match width {
            1 => LookUp::<u8>::best()(table, source, destination, count),
            2 => look_up::<u16>(table.cast(), source, destination.cast(), count),
            4 => LookUp::<u32>::best()(table.cast(), source, destination.cast(), count),
            8 => look_up::<u64>(table.cast(), source, destination.cast(), count),
            _ => unreachable!("the compiler looks up elements of these widths"),
        }
    }
}

/// An instance of [`rt_look_up_row`] for one width: table, source, destination, count.
type LookUp<T> = unsafe fn(*const T, *const u8, *mut T, usize);

/// Element by element, because gather instructions, which compilers would use, are slower.
///
/// # Safety
/// As for [`rt_look_up_row`].
unsafe fn look_up<T: Copy>(table: *const T, source: *const u8, destination: *mut T, count: usize) {
    const TOGETHER: usize = 8;
    let whole = count - count % TOGETHER;
    // SAFETY: promised by the caller.
    unsafe {
        for at in (0..whole).step_by(TOGETHER) {
            let places = source.add(at).cast::<[u8; TOGETHER]>().read();
            for (next, place) in places.into_iter().enumerate() {
                destination.add(at + next).write_unaligned(*table.add(usize::from(place)));
            }
        }
        for at in whole..count {
            destination.add(at).write_unaligned(*table.add(usize::from(*source.add(at))));
        }
    }
}

/// Copies bytes.
///
/// # Safety
/// The rows have `bytes` bytes; they are the same row or do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_copy_row(source: *const u8, destination: *mut u8, bytes: i64) {
    // SAFETY: promised by the caller.
    unsafe { source.copy_to(destination, bytes.max(0) as usize) }
}

/// Transposes runs of words into columns: word `i` of each run goes to word `places[i]` and the ones after it.
pub(crate) fn transpose_runs(runs: [&[u8]; 16], places: &[usize], to: &mut [u8]) {
    let is_there = |place: usize| (place + runs.len()) * size_of::<f32>() <= to.len();
    assert!(places.iter().copied().max().is_none_or(is_there), "the columns are in bounds");
    assert!(
        runs.iter().all(|run| run.len() == places.len() * size_of::<f32>()),
        "the target has an element for each word of a run"
    );
    // SAFETY: checked above; the processor has what this is compiled for.
    unsafe { TransposeRuns::best()(&runs.map(|run| run.as_ptr().cast()), places, to.as_mut_ptr().cast()) }
}

/// Adds a plane of addends to a target; both contain the plane.
pub(crate) fn add_plane(target: &mut [f32], addends: &[f32], plane: &Plane) {
    let is_inside = |last: Option<usize>, length: usize| last.is_none_or(|last| last < length);
    assert!(is_inside(plane.last(plane.target_line), target.len()), "the plane is inside the target");
    assert!(is_inside(plane.last(plane.addends_line), addends.len()), "the plane is inside the addends");
    // SAFETY: checked above; the processor has what this is compiled for.
    unsafe { AddPlane::best()(target.as_mut_ptr(), addends.as_ptr(), plane) }
}

/// Reduces `count` values with the reduction at this index of [`abi::RowFold::ALL`].
///
/// # Safety
/// The row has `count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_fold_row(fold: i64, source: *const f32, count: i64) -> f32 {
    let fold = usize::try_from(fold).ok().and_then(|at| abi::RowFold::ALL.get(at)).copied();
    let fold = fold.expect("the compiler and the runtime have the same folds");
    // SAFETY: promised by the caller; the processor has what the fold is compiled for.
    unsafe { Fold::best()(fold, source, count.max(0) as usize) }
}

/// `destination[i]` is the reduction, at this index of [`abi::RowFold::ALL`], of `start` and the elements of window `i`
/// of `count`, for each of several lines with the given strides. Neighbouring windows are `step` elements apart; the
/// loops within a window are extents and strides.
///
/// # Safety
/// All elements of the windows are readable, and the destination does not overlap with them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_fold_windows(
    fold: i64,
    start: f32,
    source: *const f32,
    destination: *mut f32,
    lines: i64,
    source_line: i64,
    destination_line: i64,
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
    let [lines, source_line, destination_line] =
        [lines, source_line, destination_line].map(|number| number.max(0) as usize);
    let lines = Lines { count: lines, source: source_line, destination: destination_line };
    let windows = Windows { step, loops: [(planes, plane), (rows, row), (columns, column)] };
    // SAFETY: promised by the caller; the processor has what the fold is compiled for.
    unsafe { FoldWindows::best()(function, lines, &pooling::Row { windows, start, source, destination, count }) }
}

/// Prepares `count` indices for [`rt_gather_row`].
///
/// # Safety
/// `places` points to `count` indices.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_prepare_places(places: *mut i64, count: i64) {
    // SAFETY: promised by the caller.
    unsafe { (<&Gather>::best().prepare)(places, count.max(0) as usize) }
}

/// `destination[i] = source[places[i]]` for `count` words; the source has `length` words.
///
/// # Safety
/// All indices are inside the source and have been prepared; the destination does not overlap with it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_gather_row(
    source: *const u32,
    places: *const i64,
    destination: *mut u32,
    count: i64,
    length: i64,
) {
    // SAFETY: promised by the caller; the processor has what this is compiled for.
    unsafe { (<&Gather>::best().row)(source, places, destination, count.max(0) as usize, length.max(0) as usize) }
}

impl Instances for Row {
    const PORTABLE: Self = rows::portable;
    #[cfg(target_arch = "x86_64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::V4, x86_rows::avx512), (Level::V3, x86_rows::avx2)];
    #[cfg(target_arch = "aarch64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::Neon, arm::row)];
}

impl Instances for Fold {
    const PORTABLE: Self = folds::portable;
    #[cfg(target_arch = "x86_64")]
    const WIDE: &'static [(Level, Self)] =
        &[(Level::V4, x86_sixteen::fold_avx512), (Level::V3, x86_sixteen::fold_avx2)];
}

impl Instances for RequantizeRow {
    const PORTABLE: RequantizeRow = requantize::portable;
    #[cfg(target_arch = "x86_64")]
    const WIDE: &'static [(Level, RequantizeRow)] =
        &[(Level::V4, x86_rows::requantize_avx512), (Level::V3, x86_rows::requantize_avx2)];
}

impl Instances for SumRow {
    const PORTABLE: SumRow = sums::portable;
    #[cfg(target_arch = "x86_64")]
    const WIDE: &'static [(Level, SumRow)] =
        &[(Level::V4, x86_rows::add_bytes_avx512), (Level::V3, x86_rows::add_bytes_avx2)];
}

impl Instances for LookUp<u8> {
    const PORTABLE: Self = look_up;
    #[cfg(target_arch = "x86_64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::Vbmi, x86_tables::look_up_bytes)];
    #[cfg(target_arch = "aarch64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::Neon, arm_tables::look_up_bytes)];
}

impl Instances for LookUp<u32> {
    const PORTABLE: Self = look_up;
    #[cfg(target_arch = "x86_64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::Vbmi, x86_tables::look_up_words)];
}

impl Instances for AddPlane {
    const PORTABLE: Self = lines::portable;
    #[cfg(target_arch = "x86_64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::V3, x86_rows::add_avx2)];
}

impl Instances for FoldWindows {
    const PORTABLE: Self = pooling::portable;
    #[cfg(target_arch = "x86_64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::V4, x86_pooling::avx512), (Level::V3, x86_pooling::avx2)];
}

impl Instances for &'static Gather {
    const PORTABLE: Self = &gather::PORTABLE;
    #[cfg(target_arch = "x86_64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::V4, &gather::x86::AVX512)];
}

#[cfg(test)]
mod tests;
