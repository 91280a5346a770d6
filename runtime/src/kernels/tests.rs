//! Every tile set against plain loops.

use super::*;

/// Small integers as floats, so that sums are exact in any order.
fn numbers(count: usize, seed: u32) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 24) % 9) as f32 - 4.0
    };
    (0..count).map(|_| next()).collect()
}

fn tile_sets() -> Vec<&'static TileSet> {
    let mut sets = vec![&contract::PORTABLE_TILES];
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            sets.push(&x86::AVX512_TILES);
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            sets.push(&x86::AVX2_TILES);
        }
    }
    sets
}

fn naive(p: &Contraction<'_>, init: &[f32], a: &[f32], b: &[f32], c: &mut [f32]) {
    let d = p.descriptor;
    for row in 0..p.rows as i64 {
        let (outer, inner) = (row / d.row_inner, row % d.row_inner);
        for column in 0..p.cols as i64 {
            let (group, lane) = (column / 16, column % 16);
            let target = (outer * d.c_row_outer + inner * d.c_row_inner + group * d.c_group + lane) as usize;
            let mut sum = match d.start {
                START_INIT => init[column as usize],
                START_C => c[target],
                _ => 0.0,
            };
            for i in 0..d.reduction[0] {
                let depth = if i + 1 == d.reduction[0] { d.last_k } else { d.reduction[3] };
                for (j, l, k) in (0..d.reduction[1])
                    .flat_map(|j| (0..d.reduction[2]).flat_map(move |l| (0..depth).map(move |k| (j, l, k))))
                {
                    let at = |s: &[i64; 4]| i * s[0] + j * s[1] + l * s[2] + k * s[3];
                    let from_a = at(&d.a_strides) + outer * d.a_row_outer + inner * d.a_row_inner;
                    sum += a[from_a as usize] * b[(at(&d.b_strides) + group * d.b_group + lane) as usize];
                }
            }
            c[target] = sum;
        }
    }
}

fn check(descriptor: &ContractDescriptor, rows: usize, cols: usize) {
    let reach = |strides: &[i64], extents: &[i64]| -> usize {
        strides.iter().zip(extents).map(|(s, e)| s * (e - 1).max(0)).sum::<i64>() as usize
    };
    let d = descriptor;
    let outer = (rows as i64 + d.row_inner - 1) / d.row_inner;
    let row_extents = [outer.max(1), d.row_inner];
    let a = numbers(reach(&d.a_strides, &d.reduction) + reach(&[d.a_row_outer, d.a_row_inner], &row_extents) + 1, 1);
    let full = if d.b_full == 1 { cols.next_multiple_of(16) } else { cols };
    let groups = [full.div_ceil(16) as i64];
    let b = numbers(reach(&d.b_strides, &d.reduction) + reach(&[d.b_group], &groups) + full.min(16), 2);
    let init = numbers(cols, 3);
    let c = numbers(reach(&[d.c_row_outer, d.c_row_inner], &row_extents) + reach(&[d.c_group], &groups) + 16, 4);
    let mut expected = c.clone();
    let problem =
        |c: *mut f32| Contraction { descriptor, a: a.as_ptr(), b: b.as_ptr(), init: init.as_ptr(), c, rows, cols };
    naive(&problem(std::ptr::null_mut()), &init, &a, &b, &mut expected);
    for set in tile_sets() {
        let mut actual = c.clone();
        // SAFETY: the buffers above reach as far as the descriptor does.
        unsafe { problem(actual.as_mut_ptr()).run(set) };
        assert_eq!(actual, expected, "width {}, rows {rows}, cols {cols}, {descriptor:?}", set.width);
    }
}

fn gemm(k: i64, cols: i64, start: i64, b_full: i64) -> ContractDescriptor {
    let panel = if b_full == 1 { (cols + 15) / 16 * 16 } else { cols };
    ContractDescriptor {
        reduction: [1, 1, 1, k],
        a_strides: [0, 0, 0, 1],
        b_strides: [0, 0, 0, panel],
        row_inner: i64::MAX,
        a_row_inner: k,
        a_row_outer: 0,
        c_row_inner: cols,
        c_row_outer: 0,
        start,
        b_full,
        last_k: k,
        b_group: 16,
        c_group: 16,
    }
}

#[test]
fn gemm_tiles_of_every_size() {
    for cols in [1, 3, 15, 16, 17, 31, 32, 33, 47, 48, 50, 63, 64] {
        for rows in 0..32 {
            for (start, b_full) in [(START_ZERO, 0), (START_INIT, 1), (START_C, 0)] {
                let descriptor = ContractDescriptor { row_inner: rows.max(1), ..gemm(5, cols, start, b_full) };
                check(&descriptor, rows as usize, cols as usize);
            }
        }
    }
}

#[test]
fn depth_of_zero_leaves_the_start() {
    check(&ContractDescriptor { row_inner: 4, ..gemm(0, 20, START_INIT, 0) }, 4, 20);
}

#[test]
fn transposed_a() {
    let descriptor = ContractDescriptor { a_strides: [0, 0, 0, 9], a_row_inner: 1, row_inner: 9, ..gemm(7, 40, 0, 1) };
    check(&descriptor, 9, 40);
}

#[test]
fn convolution_with_rows_that_wrap() {
    for (width, rows, cols) in [(7, 14, 32), (5, 23, 48), (1, 6, 64), (56, 56, 16), (3, 30, 20)] {
        let padded = (width + 2) * 16;
        let descriptor = ContractDescriptor {
            reduction: [2, 3, 3, 16],
            a_strides: [padded * 40, padded, 16, 1],
            b_strides: [9 * 16 * cols, 3 * 16 * cols, 16 * cols, cols],
            row_inner: width,
            a_row_inner: 16,
            a_row_outer: padded,
            c_row_inner: cols,
            c_row_outer: cols * width,
            start: START_INIT,
            b_full: 0,
            last_k: 3,
            b_group: 16,
            c_group: 16,
        };
        check(&descriptor, rows as usize, cols as usize);
    }
}

#[test]
fn column_groups_apart() {
    for cols in [16, 20, 48, 64] {
        let descriptor = ContractDescriptor {
            b_strides: [0, 0, 0, 16],
            b_group: 16 * 6,
            row_inner: 9,
            c_row_inner: 16,
            c_group: 16 * 9,
            ..gemm(6, cols, START_C, 1)
        };
        check(&descriptor, 9, cols as usize);
    }
}

#[test]
fn depthwise_rows() {
    for (pixels, stride, channels) in [(0, 1, 16), (1, 1, 16), (7, 2, 3), (8, 1, 16), (23, 2, 12)] {
        let width = (pixels * stride + 3) as i64;
        let descriptor = DepthwiseDescriptor {
            window: [3, 3],
            x_window: [width * channels as i64, channels as i64],
            x_pixel: (stride * channels) as i64,
            w_window: [3 * channels as i64, channels as i64],
            y_pixel: channels as i64,
            start: START_INIT,
        };
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
        let mut functions: Vec<RowFunction> = vec![depthwise::portable];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                functions.push(x86::depthwise_avx512);
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                functions.push(x86::depthwise_avx2);
            }
        }
        for function in functions {
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
