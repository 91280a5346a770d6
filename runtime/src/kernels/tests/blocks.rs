//! Compares block-quantised contractions at every level with sums in f64.

use abi::{Blocks, Start, place_in_word};

use super::super::*;
use super::numbers;
use crate::samples::{is_long, sampled};

/// All calls for `rows` rows by `cols` columns of `depth` values, with and without zero points.
fn check([rows, depth, cols]: [usize; 3], block: usize, bits: usize, left: impl Fn(usize) -> f32) {
    if is_long(rows * depth * cols) {
        return;
    }
    let (groups, count) = (cols.div_ceil(16), depth.div_ceil(block));
    let in_word = 32 / bits;
    let a: Vec<f32> = (0..rows * depth).map(&left).collect();
    let whole = (1usize << bits) - 1;
    let number = |column: usize, k: usize| (column * 31 + k * 7 + k / 5) & whole;
    let scales: Vec<f32> = numbers(groups * count * 16, 7).iter().map(|scale| scale * 0.01 + 0.05).collect();
    let zeros: Vec<u8> = (0..groups * count * 16).map(|at| ((at * 5) & whole) as u8).collect();
    let mut words = vec![0i32; groups * count * block / in_word * 16];
    for column in 0..groups * 16 {
        for k in 0..count * block {
            let at = (column / 16 * (count * block / in_word) + k / in_word) * 16 + column % 16;
            words[at] |= ((number(column, k) as u32) << place_in_word((k % in_word) as i64, bits as i64)) as i32;
        }
    }
    let init = numbers(groups * 16, 3);
    for (start, has_zeros) in [(Start::Zero, false), (Start::Columns, true), (Start::Values, false)] {
        let walk = Blocks {
            depth: depth as i64,
            block: block as i64,
            bits: bits as i64,
            row_inner: 3,
            left_rows: [depth as i64, 3 * depth as i64],
            out_rows: [16, 48],
            right_group: (words.len() / groups) as i64,
            out_group: (rows * 16 + 48) as i64,
            scales: scales.as_ptr() as i64,
            scales_group: (count * 16) as i64,
            zero_points: if has_zeros { zeros.as_ptr() as i64 } else { 0 },
        };
        let descriptor = &Descriptor { walk, start, right_padded: 1 };
        let before = numbers(groups * (rows * 16 + 48), 5);
        for kernel in BlockKernel::usable() {
            let mut c = before.clone();
            let (a, words, init_at) = (a.as_ptr(), words.as_ptr(), init.as_ptr());
            // SAFETY: the buffers reach as far as the descriptor does.
            unsafe {
                BlockProduct { descriptor, a, words, init: init_at, c: c.as_mut_ptr(), rows, cols }.run(kernel);
            }
            for (row, column) in (0..rows).flat_map(|row| (0..cols).map(move |column| (row, column))) {
                let at = column / 16 * (rows * 16 + 48) + row * 16 + column % 16;
                let first = match start {
                    Start::Zero => 0.0,
                    Start::Columns => init[column],
                    Start::Values => before[at],
                };
                let (mut sum, mut size) = (f64::from(first), f64::from(first.abs()));
                for k in 0..depth {
                    let place = (column / 16 * count + k / block) * 16 + column % 16;
                    let zero = if has_zeros { f64::from(zeros[place]) } else { f64::from(1u32 << (bits - 1)) };
                    let weight = (number(column, k) as f64 - zero) * f64::from(scales[place]);
                    let term = f64::from(left(row * depth + k)) * weight;
                    (sum, size) = (sum + term, size + term.abs());
                }
                let error = (f64::from(c[at]) - sum).abs();
                assert!(error <= size * 1e-6, "{rows}, {depth}, {cols}, {bits} bits, {start:?}: {} for {sum}", c[at]);
            }
        }
    }
}

#[test]
fn blocks_of_every_size() {
    let left = |at: usize| ((at * 37 % 101) as f32 - 50.0) * 0.37;
    let cases = [([1, 64, 16], 32), ([1, 100, 40], 32), ([5, 33, 17], 16), ([9, 256, 70], 128), ([3, 16, 1], 16)];
    for (extents, block) in sampled(cases, 4) {
        check(extents, block, 4, left);
        check(extents, block, 8, left);
    }
}

#[test]
fn blocks_of_unlike_sizes_keep_their_digits() {
    // huge, tiny and zero blocks next to each other
    check([2, 96, 20], 32, 4, |at| [1e30, 1e-20, 0.0][at / 32 % 3] * ((at % 13) as f32 - 6.0));
}

#[test]
fn sums_of_the_largest_block_do_not_overflow() {
    check([1, 4096, 16], 4096, 4, |_| 1.0);
    check([1, 256, 16], 256, 8, |_| -1.0);
}
