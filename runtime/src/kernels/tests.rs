//! Compares every tile set with plain loops.

mod blocks;
mod kinds;

use abi::Start;

use super::*;
use crate::samples::{is_long, sampled};

/// Small integers as floats, so that sums are exact in any order.
fn numbers(count: usize, seed: u32) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 24) % 9) as f32 - 4.0
    };
    (0..count).map(|_| next()).collect()
}

fn naive(p: &Contraction<'_, Floats>, init: &[f32], a: &[f32], b: &[f32], c: &mut [f32]) {
    let Descriptor { walk: d, start, .. } = p.descriptor;
    for row in 0..p.rows as i64 {
        let (outer, inner) = (row / d.row_inner, row % d.row_inner);
        for column in 0..p.cols as i64 {
            let (group, lane) = (column / 16, column % 16);
            let target = (outer * d.out_rows[1] + inner * d.out_rows[0] + group * d.out_group + lane) as usize;
            let mut sum = match start {
                Start::Columns => init[column as usize],
                Start::Values => c[target],
                Start::Zero => 0.0,
            };
            for i in 0..d.reduction[0] {
                let depth = if i + 1 == d.reduction[0] { d.last_block } else { d.reduction[3] };
                for (j, l, k) in (0..d.reduction[1])
                    .flat_map(|j| (0..d.reduction[2]).flat_map(move |l| (0..depth).map(move |k| (j, l, k))))
                {
                    let at = |s: &[i64; 4]| i * s[0] + j * s[1] + l * s[2] + k * s[3];
                    let from_a = at(&d.left) + outer * d.left_rows[1] + inner * d.left_rows[0];
                    sum += a[from_a as usize] * b[(at(&d.right) + group * d.right_group + lane) as usize];
                }
            }
            c[target] = sum;
        }
    }
}

fn check(descriptor: &Descriptor<Product<i64>>, rows: usize, cols: usize) {
    let reach = |strides: &[i64], extents: &[i64]| -> usize {
        strides.iter().zip(extents).map(|(s, e)| s * (e - 1).max(0)).sum::<i64>() as usize
    };
    let d = &descriptor.walk;
    if is_long(rows * cols * d.reduction.iter().product::<i64>() as usize) {
        return;
    }
    let outer = (rows as i64 + d.row_inner - 1) / d.row_inner;
    let row_extents = [outer.max(1), d.row_inner];
    let a = numbers(reach(&d.left, &d.reduction) + reach(&[d.left_rows[1], d.left_rows[0]], &row_extents) + 1, 1);
    let full = if descriptor.right_padded == 1 { cols.next_multiple_of(16) } else { cols };
    let groups = [full.div_ceil(16) as i64];
    let b = numbers(reach(&d.right, &d.reduction) + reach(&[d.right_group], &groups) + full.min(16), 2);
    let init = numbers(cols, 3);
    let c = numbers(reach(&[d.out_rows[1], d.out_rows[0]], &row_extents) + reach(&[d.out_group], &groups) + 16, 4);
    let mut expected = c.clone();
    let problem =
        |c: *mut f32| Contraction { descriptor, a: a.as_ptr(), b: b.as_ptr(), init: init.as_ptr(), c, rows, cols };
    naive(&problem(std::ptr::null_mut()), &init, &a, &b, &mut expected);
    for set in TileSet::<Floats>::usable() {
        let mut actual = c.clone();
        // SAFETY: the buffers above reach as far as the descriptor does.
        unsafe { problem(actual.as_mut_ptr()).run(&set) };
        assert_eq!(actual, expected, "width {}, rows {rows}, cols {cols}, {descriptor:?}", set.width);
        let mut actual = c.clone();
        // SAFETY: as above.
        unsafe { problem(actual.as_mut_ptr()).run_near(&set) };
        assert_eq!(actual, expected, "in parts: width {}, rows {rows}, cols {cols}, {descriptor:?}", set.width);
    }
}

fn gemm(rows: i64, k: i64, cols: i64, right_padded: i64) -> Product<i64> {
    let panel = if right_padded == 1 { (cols + 15) / 16 * 16 } else { cols };
    Product {
        reduction: [1, 1, 1, k],
        left: [0, 0, 0, 1],
        right: [0, 0, 0, panel],
        row_inner: rows.max(1),
        left_rows: [k, 0],
        out_rows: [cols, 0],
        last_block: k,
        right_group: 16,
        out_group: 16,
    }
}

#[test]
fn gemm_tiles_of_every_size() {
    for cols in sampled([1, 3, 15, 16, 17, 31, 32, 33, 47, 48, 50, 63, 64], 5) {
        for rows in sampled(0..32, 7) {
            for (start, right_padded) in [(Start::Zero, 0), (Start::Columns, 1), (Start::Values, 0)] {
                let walk = gemm(rows, 5, cols, right_padded);
                check(&Descriptor { walk, start, right_padded }, rows as usize, cols as usize);
            }
        }
    }
}

#[test]
fn depth_of_zero_leaves_the_start() {
    check(&Descriptor { walk: gemm(4, 0, 20, 0), start: Start::Columns, right_padded: 0 }, 4, 20);
}

#[test]
fn transposed_a() {
    let walk = Product { left: [0, 0, 0, 9], left_rows: [1, 0], ..gemm(9, 7, 40, 1) };
    check(&Descriptor { walk, start: Start::Zero, right_padded: 1 }, 9, 40);
}

#[test]
fn convolution_with_rows_that_wrap() {
    for (width, rows, cols) in [(7, 14, 32), (5, 23, 48), (1, 6, 64), (56, 56, 16), (3, 30, 20)] {
        let padded = (width + 2) * 16;
        let walk = Product {
            reduction: [2, 3, 3, 16],
            left: [padded * 40, padded, 16, 1],
            right: [9 * 16 * cols, 3 * 16 * cols, 16 * cols, cols],
            row_inner: width,
            left_rows: [16, padded],
            out_rows: [cols, cols * width],
            last_block: 3,
            right_group: 16,
            out_group: 16,
        };
        check(&Descriptor { walk, start: Start::Columns, right_padded: 0 }, rows as usize, cols as usize);
    }
}

#[test]
fn deep_reductions_in_parts() {
    for start in [Start::Zero, Start::Columns, Start::Values] {
        check(&Descriptor { walk: gemm(20, 5000, 40, 1), start, right_padded: 1 }, 20, 40);
        let (cols, line) = (24, 12 * 16);
        let walk = Product {
            reduction: [3, 30, 3, 16],
            left: [line * 40, line, 16, 1],
            right: [90 * 16 * cols, 3 * 16 * cols, 16 * cols, cols],
            row_inner: 10,
            left_rows: [16, line],
            out_rows: [cols, cols * 10],
            last_block: 5,
            right_group: 16,
            out_group: 16,
        };
        check(&Descriptor { walk, start, right_padded: 0 }, 33, cols as usize);
    }
}

#[test]
fn scattered_operands_are_copied() {
    for (rows, k, cols) in [(32, 64, 256), (33, 1100, 259), (40, 2100, 300)] {
        for (start, right_padded) in [(Start::Zero, 0), (Start::Columns, 1), (Start::Values, 0)] {
            let walk = gemm(rows, k, cols, right_padded);
            check(&Descriptor { walk, start, right_padded }, rows as usize, cols as usize);
        }
    }
    // channels of an image, at the pixels of a window
    let (cols, line, channels) = (30, 34, 20);
    let walk = Product {
        reduction: [channels, 3, 3, 1],
        left: [9, 3, 1, 0],
        right: [line * line, line, 1, 0],
        row_inner: 40,
        left_rows: [channels * 9, 0],
        out_rows: [cols, 0],
        last_block: 1,
        right_group: 16,
        out_group: 16,
    };
    let far = Product { right: [line * line * 9, line * 9, 300, 0], ..walk };
    for walk in [walk, far] {
        check(&Descriptor { walk, start: Start::Columns, right_padded: 0 }, 40, cols as usize);
    }
}

#[test]
fn column_groups_apart() {
    for cols in [16, 20, 48, 64] {
        let walk = Product {
            right: [0, 0, 0, 16],
            right_group: 16 * 6,
            out_rows: [16, 0],
            out_group: 16 * 9,
            ..gemm(9, 6, cols, 1)
        };
        check(&Descriptor { walk, start: Start::Values, right_padded: 1 }, 9, cols as usize);
    }
}

#[test]
fn depthwise_rows() {
    for (pixels, stride, channels) in [(0, 1, 16), (1, 1, 16), (7, 2, 3), (8, 1, 16), (23, 2, 12)] {
        let width = (pixels * stride + 3) as i64;
        let walk = Depthwise {
            window: [3, 3],
            left: [width * channels as i64, channels as i64],
            left_pixel: (stride * channels) as i64,
            right: [3 * channels as i64, channels as i64],
            out_pixel: channels as i64,
        };
        let descriptor = Descriptor { walk, start: Start::Columns, right_padded: 0 };
        let (x, w, bias) = (numbers(width as usize * 3 * channels, 1), numbers(9 * channels, 2), numbers(channels, 3));
        let mut expected = vec![0.0; pixels * channels];
        for (index, value) in expected.iter_mut().enumerate() {
            let (pixel, channel) = (index / channels, index % channels);
            *value = bias[channel];
            for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
                *value += x[(i * width as usize + pixel * stride + j) * channels + channel]
                    * w[(i * 3 + j) * channels + channel];
            }
        }
        for function in DepthwiseKernel::usable() {
            let mut y = vec![0.0; pixels * channels];
            let row = DepthwiseRow {
                descriptor: &descriptor,
                x: x.as_ptr(),
                w: w.as_ptr(),
                init: bias.as_ptr(),
                y: y.as_mut_ptr(),
                pixels,
                channels,
            };
            // SAFETY: the buffers above reach as far as the descriptor does.
            unsafe { function(&row) };
            assert_eq!(y, expected, "pixels {pixels}, stride {stride}, channels {channels}");
        }
    }
}

/// `G w Gᵀ` of a kernel, for tiles of `size` rows and columns.
fn at_points(window: &[f64; 9], size: i64) -> Vec<f64> {
    const TWO: [[f64; 3]; 4] = [[1.0, 0.0, 0.0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0.0, 0.0, 1.0]];
    const FOUR: [[f64; 3]; 6] = [
        [1.0 / 4.0, 0.0, 0.0],
        [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
        [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
        [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
        [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
        [0.0, 0.0, 1.0],
    ];
    let g = if size == 2 { &TWO[..] } else { &FOUR[..] };
    let term = |i: usize, j: usize, place: usize| g[i][place / 3] * window[place] * g[j][place % 3];
    let count = g.len();
    (0..count * count).map(|at| (0..9).map(|place| term(at / count, at % count, place)).sum()).collect()
}

#[test]
fn winograd_tiles_of_images_of_every_size() {
    // height and width, padding before and after, groups of the operand and of the result
    let cases = [
        [[4, 4], [1, 1], [1, 1], [1, 1]],
        [[5, 9], [1, 1], [1, 1], [2, 5]],
        [[6, 3], [0, 0], [0, 0], [1, 2]],
        [[13, 7], [2, 0], [0, 2], [1, 1]],
        [[1, 11], [1, 1], [1, 1], [3, 1]],
    ];
    for ([[height, width], [top, left], [bottom, right], groups], size) in
        sampled(cases, cases.len()).flat_map(|case| [2, 4].map(|size| (case, size)))
    {
        let [blocks, groups] = groups.map(|count| count as usize);
        let [out_height, out_width] = [height + top + bottom - 2, width + left + right - 2];
        let (channels, outputs) = (blocks * 16, groups * 16);
        let x = numbers(channels * (height * width) as usize, 1);
        let weights = numbers(9 * channels * outputs, 2);
        let bias = numbers(outputs, 3);
        // [output, input, 3, 3]
        let window = |output: usize, input: usize| &weights[(output * channels + input) * 9..][..9];
        let mut points = vec![0f32; abi::points(size as usize) * channels * outputs];
        for (output, input) in (0..outputs).flat_map(|output| (0..channels).map(move |input| (output, input))) {
            let window = std::array::from_fn(|place| f64::from(window(output, input)[place]));
            for (point, value) in at_points(&window, size).into_iter().enumerate() {
                points[((point * groups + output / 16) * channels + input) * 16 + output % 16] = value as f32;
            }
        }
        let blocked = |channel: usize, y: i64, x: i64, [height, width]: [i64; 2]| {
            (((channel / 16) as i64 * height + y) * width + x) as usize * 16 + channel % 16
        };
        // each result, and the sum of the magnitudes of its terms
        let mut expected = vec![[0f32; 2]; outputs * (out_height * out_width) as usize];
        for (output, row, column) in (0..outputs)
            .flat_map(|output| (0..out_height).map(move |row| (output, row)))
            .flat_map(|(output, row)| (0..out_width).map(move |column| (output, row, column)))
        {
            let mut sum = [bias[output], bias[output].abs()];
            for (input, place) in (0..channels).flat_map(|input| (0..9).map(move |place| (input, place))) {
                let [y, z] = [row + place / 3 - top, column + place % 3 - left];
                if (0..height).contains(&y) && (0..width).contains(&z) {
                    let term = x[blocked(input, y, z, [height, width])] * window(output, input)[place as usize];
                    sum = [sum[0] + term, sum[1] + term.abs()];
                }
            }
            expected[blocked(output, row, column, [out_height, out_width])] = sum;
        }
        let across = (out_width as usize).div_ceil(size as usize);
        let all = across * (out_height as usize).div_ceil(size as usize);
        for set in Steps::usable() {
            let mut y = vec![f32::NAN; expected.len()];
            for first in (0..all).step_by(7) {
                let walk = Winograd {
                    size,
                    height,
                    width,
                    top,
                    left,
                    blocks: blocks as i64,
                    out_height,
                    out_width,
                    out_groups: groups as i64,
                    first: first as i64,
                };
                let descriptor = Descriptor { walk, start: Start::Columns, right_padded: 1 };
                let (tiles, columns) = ((all - first).min(7), outputs);
                let (x, w, init, y) = (x.as_ptr(), points.as_ptr(), bias.as_ptr(), y.as_mut_ptr());
                // SAFETY: the buffers above reach as far as the descriptor does.
                unsafe { winograd::convolve(&Tiles { descriptor: &descriptor, x, w, init, y, tiles, columns }, &set) };
            }
            for (at, (&y, &[expected, size])) in y.iter().zip(&expected).enumerate() {
                assert!((y - expected).abs() <= 2e-6 * size, "{height}×{width}: {y} is not {expected} at {at}");
            }
        }
    }
}

/// Every bit pattern of a byte, the largest in sequences that would saturate 16 bits.
fn bytes(count: usize, seed: u32) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if state >> 31 == 0 { (state >> 16) as u8 } else { [255, 128][(state >> 24) as usize % 2] }
    };
    (0..count).map(|_| next()).collect()
}

/// Rows of `k` uint8 by columns of `k` int8, packed as `[n / 16][k / 4][16][4]`.
fn check_bytes(rows: usize, k: usize, cols: usize, start: Start) {
    if is_long(rows * k * cols) {
        return;
    }
    let quads = k.div_ceil(4);
    let group = quads * 64;
    let a = bytes(rows * k, 1);
    let b: Vec<i8> = bytes(k * cols, 2).into_iter().map(|byte| byte as i8).collect();
    let mut packed = vec![0i8; cols.div_ceil(16) * group];
    for (at, &value) in b.iter().enumerate() {
        let (depth, column) = (at / cols, at % cols);
        packed[column / 16 * group + depth / 4 * 64 + column % 16 * 4 + depth % 4] = value;
    }
    let init: Vec<i32> = (0..cols as i32).map(|column| column * 100_000_007).collect();
    let c: Vec<i32> = (0..(rows * cols) as i32).collect();
    let expected: Vec<i32> = (0..rows * cols)
        .map(|at| {
            let (row, column) = (at / cols, at % cols);
            let first = match start {
                Start::Zero => 0,
                Start::Columns => init[column],
                Start::Values => c[at],
            };
            let product = |depth: usize| i32::from(a[row * k + depth]) * i32::from(b[depth * cols + column]);
            (0..k).fold(first, |sum, depth| sum.wrapping_add(product(depth)))
        })
        .collect();
    let walk =
        Product { right: [0, 0, 0, 16], right_group: group as i64, ..gemm(rows as i64, k as i64, cols as i64, 1) };
    let descriptor = Descriptor { walk, start, right_padded: 1 };
    for set in TileSet::<Bytes>::usable() {
        let mut actual = c.clone();
        let problem = Contraction {
            descriptor: &descriptor,
            a: a.as_ptr(),
            b: packed.as_ptr(),
            init: init.as_ptr(),
            c: actual.as_mut_ptr(),
            rows,
            cols,
        };
        // SAFETY: the buffers above reach as far as the descriptor does.
        unsafe { problem.run(&set) };
        assert_eq!(actual, expected, "width {}, {rows} x {k} x {cols}", set.width);
    }
    for kernel in BytesKernel::usable() {
        let mut actual = c.clone();
        let (a, b, init, c) = (a.as_ptr(), packed.as_ptr(), init.as_ptr(), actual.as_mut_ptr());
        // SAFETY: as above.
        unsafe { kernel(&Contraction { descriptor: &descriptor, a, b, init, c, rows, cols }) };
        assert_eq!(actual, expected, "{rows} x {k} x {cols}");
    }
}

#[test]
fn byte_tiles_of_every_size() {
    for size in sampled(1..=70, 11) {
        for rows in [1, 2, 7, 15, 33] {
            check_bytes(rows, 13, size, Start::Columns);
            check_bytes(rows, size, 37, Start::Zero);
        }
        check_bytes(size, 24, 48, Start::Values);
        check_bytes(size, 200, 64, Start::Values);
    }
}

/// A 3×3 convolution of images with `width` pixels a row, `channels` input channels, and columns that begin in the
/// middle of longer ones.
fn check_byte_windows(width: usize, rows: usize, channels: usize, cols: usize, start: Start) {
    if is_long(rows * 9 * channels * cols) {
        return;
    }
    let (lines, quads) = (rows.div_ceil(width), channels.div_ceil(4));
    let line = (width + 2) * channels;
    let a = bytes((lines + 2) * line, 1);
    let b: Vec<i8> = bytes(cols.div_ceil(16) * 9 * quads * 64, 2)
        .chunks(4)
        .enumerate()
        .flat_map(|(at, quad)| {
            // zero after the last channel
            let there = channels - at / 16 % quads * 4;
            (0..4).map(move |byte| if byte < there { quad[byte] as i8 } else { 0 })
        })
        .collect();
    let init: Vec<i32> = (0..cols as i32).map(|column| column * 100_000_007).collect();
    let out_line = (width * cols + 5) as i64;
    let c: Vec<i32> = (0..lines as i32 * out_line as i32).collect();
    let walk = Product {
        reduction: [1, 3, 3, channels as i64],
        left: [0, line as i64, channels as i64, 1],
        right: [0, 3 * quads as i64 * 64, quads as i64 * 64, 16],
        row_inner: width as i64,
        left_rows: [channels as i64, line as i64],
        out_rows: [cols as i64, out_line],
        last_block: channels as i64,
        right_group: 9 * quads as i64 * 64,
        out_group: 16,
    };
    let descriptor = Descriptor { walk, start, right_padded: 1 };
    let run = |kernel: &dyn Fn(&Contraction<'_, Bytes>)| {
        let mut c = c.clone();
        let (a, b, init) = (a.as_ptr(), b.as_ptr(), init.as_ptr());
        kernel(&Contraction { descriptor: &descriptor, a, b, init, c: c.as_mut_ptr(), rows, cols });
        c
    };
    // SAFETY: the buffers above reach as far as the descriptor does.
    let expected = run(&|problem| unsafe { problem.run(&TileSet::PORTABLE) });
    for kernel in BytesKernel::usable() {
        // SAFETY: as above.
        let actual = run(&|problem| unsafe { kernel(problem) });
        assert_eq!(actual, expected, "{rows} pixels of {width}, {channels} channels to {cols}, from {start:?}");
    }
}

#[test]
fn tiles_of_bytes_are_summed_up_as_vectors_are() {
    for start in [Start::Zero, Start::Columns, Start::Values] {
        for (width, rows, channels, cols) in [
            (64, 64, 64, 64),
            (56, 112, 64, 48),
            (7, 49, 96, 64),
            (13, 33, 130, 30),
            (28, 28, 37, 70),
            (100, 100, 100, 16),
            (9, 80, 71, 33),
            (3, 7, 9, 18),
        ] {
            check_byte_windows(width, rows, channels, cols, start);
        }
    }
}

#[test]
fn byte_sums_neither_saturate_nor_stop_at_the_largest() {
    check_bytes(3, 70_001, 17, Start::Columns);
}

/// Lookups in tables that are no longer than the largest index.
fn check_tables<T: Copy + PartialEq>(entry: fn(usize) -> T)
where
    LookUp<T>: Instances,
{
    for entries in sampled([1, 63, 64, 65, 130, 200, 256], 3) {
        let table: Vec<T> = (0..entries).map(entry).collect();
        let source: Vec<u8> = (0..300).map(|at| (at * 7 % entries) as u8).collect();
        for machine in LookUp::<T>::usable() {
            for count in sampled(0..source.len(), 41) {
                let mut found = vec![entry(999); source.len()];
                // SAFETY: the rows have the same length, the table has an entry for each index, and the processor runs
                // the instance.
                unsafe { machine(table.as_ptr(), source.as_ptr(), found.as_mut_ptr(), count) };
                let expected = |at: usize| if at < count { table[usize::from(source[at])] } else { entry(999) };
                assert!(found.iter().enumerate().all(|(at, &element)| element == expected(at)));
            }
        }
    }
}

#[test]
fn bytes_are_looked_up() {
    check_tables(|at| (at * 3 + 1) as u8);
}

#[test]
fn words_are_looked_up() {
    check_tables(|at| (at as f32 / 3.0).to_bits());
}
