//! Prints the throughput of the contraction kernel, in GFLOP/s, on GEMM and convolution shapes that fit the caches.

#![allow(unsafe_code, reason = "calls the kernel as generated code does")]

use std::time::Instant;

use abi::{Descriptor, Product, Start, Winograd};
use runtime::kernels::{rt_contract_f32, rt_contract_u8_i8, rt_winograd_f32};

fn gemm(k: i64, rows: i64, cols: i64) -> Product<i64> {
    Product {
        reduction: [1, 1, 1, k],
        left: [0, 0, 0, 1],
        right: [0, 0, 0, cols],
        row_inner: rows,
        left_rows: [k, 0],
        out_rows: [cols, 0],
        last_block: k,
        right_group: 16,
        out_group: 16,
    }
}

fn convolution(blocks: i64, width: i64, cols: i64) -> Product<i64> {
    let line = (width + 2) * 16;
    Product {
        reduction: [blocks, 3, 3, 16],
        left: [line * (width + 2), line, 16, 1],
        right: [144 * cols, 48 * cols, 16 * cols, cols],
        row_inner: width,
        left_rows: [16, line],
        out_rows: [cols, cols * width],
        last_block: 16,
        right_group: 16,
        out_group: 16,
    }
}

/// Operations per nanosecond of a call that performs `operations`: the best of several timings of `batch` calls.
fn rate(operations: i64, batch: i64, mut call: impl FnMut()) -> f64 {
    let calls = (batch / operations).max(1);
    let mut best = f64::MAX;
    for _ in 0..40 {
        let start = Instant::now();
        for _ in 0..calls {
            call();
        }
        best = best.min(start.elapsed().as_secs_f64() / calls as f64);
    }
    operations as f64 / best / 1e9
}

/// The throughput of f32 contractions, in GFLOP/s.
fn measure(walk: Product<i64>, rows: i64, cols: i64) -> f64 {
    let descriptor = Descriptor { walk, start: Start::Columns, right_padded: 1 };
    let [r0, r1, r2, k] = walk.reduction;
    let operations = 2 * r0 * r1 * r2 * k * rows * cols;
    let a = vec![0.5f32; 1 << 21];
    let b = vec![0.25f32; (r0 * r1 * r2 * k * cols) as usize];
    let init = vec![0f32; 64];
    let mut c = vec![0f32; 1 << 18];
    let descriptor = std::ptr::from_ref(&descriptor).cast();
    rate(operations, 20_000_000, || {
        // SAFETY: the buffers are larger than the shapes below reach.
        unsafe { rt_contract_f32(descriptor, a.as_ptr(), b.as_ptr(), init.as_ptr(), c.as_mut_ptr(), rows, cols) }
    })
}

/// Memory aligned to cache lines, as in models.
#[derive(Clone)]
#[repr(align(64))]
struct Line {
    _bytes: [u8; 64],
}

fn lines(byte: u8, bytes: i64) -> Vec<Line> {
    vec![Line { _bytes: [byte; 64] }; (bytes as usize).div_ceil(64)]
}

/// The throughput of int8 contractions, in GOP/s.
fn measure_bytes(k: i64, rows: i64, cols: i64) -> f64 {
    let walk = Product { right: [0, 0, 0, 16], right_group: k * 16, ..gemm(k, rows, cols) };
    let descriptor = Descriptor { walk, start: Start::Zero, right_padded: 1 };
    let (a, b) = (lines(3, rows * k), lines(5, k * cols));
    let mut c = lines(0, rows * cols * 4);
    let operations = 2 * k * rows * cols;
    let descriptor = std::ptr::from_ref(&descriptor).cast();
    rate(operations, 50_000_000, || {
        let (a, b, c) = (a.as_ptr().cast(), b.as_ptr().cast(), c.as_mut_ptr().cast());
        // SAFETY: the buffers are as large as the shapes.
        unsafe { rt_contract_u8_i8(descriptor, a, b, std::ptr::null(), c, rows, cols) }
    })
}

/// A 3×3 convolution by Winograd's algorithm with equal numbers of input and output channels: in GFLOP/s of the direct
/// sum.
fn measure_winograd(channels: i64, width: i64, tiles: i64) -> f64 {
    let blocks = channels / 16;
    let across = (width + 3) / 4;
    let x = vec![0.5f32; (channels * width * width) as usize];
    let w = vec![0.25f32; (36 * channels * channels) as usize];
    let init = vec![0f32; channels as usize];
    let mut y = vec![0f32; (channels * width * width) as usize];
    let operations = 2 * 9 * channels * channels * width * width;
    rate(operations, operations, || {
        for first in (0..across * across).step_by(tiles as usize) {
            let walk = Winograd {
                size: 4,
                height: width,
                width,
                top: 1,
                left: 1,
                blocks,
                out_height: width,
                out_width: width,
                out_groups: blocks,
                first,
            };
            let descriptor = Descriptor { walk, start: Start::Columns, right_padded: 1 };
            let descriptor = std::ptr::from_ref(&descriptor).cast();
            let count = tiles.min(across * across - first);
            // SAFETY: the buffers are as large as the images and weights.
            unsafe {
                rt_winograd_f32(descriptor, x.as_ptr(), w.as_ptr(), init.as_ptr(), y.as_mut_ptr(), count, channels);
            }
        }
    })
}

fn main() {
    for (channels, width) in [(32, 56), (64, 56), (128, 28), (256, 14), (512, 7), (64, 13), (128, 80)] {
        print!("winograd {channels} at {width}²:");
        for tiles in [6, 12, 18, 24, 36, 48] {
            print!(" {tiles}:{:.0}", measure_winograd(channels, width, tiles));
        }
        println!();
    }
    for k in [64, 384, 1536] {
        for cols in [16, 32, 48, 64] {
            print!("bytes k {k:4} cols {cols}:");
            for rows in [1, 2, 4, 6, 8, 12, 14, 16, 32, 64] {
                print!(" {rows}:{:.0}", measure_bytes(k, rows, cols));
            }
            println!();
        }
    }
    for k in [64, 384, 1536] {
        for cols in [16, 32, 48, 64] {
            print!("gemm k {k:4} cols {cols}:");
            for rows in [1, 2, 4, 6, 8, 12, 14, 16, 32, 64] {
                print!(" {rows}:{:.0}", measure(gemm(k, rows, cols), rows, cols));
            }
            println!();
        }
    }
    for (blocks, width) in [(4, 56), (8, 28), (16, 14), (32, 7)] {
        for cols in [16, 32, 48, 64] {
            let rate = measure(convolution(blocks, width, cols), width * 2, cols);
            println!("conv {}→{cols} at {width}²: {rate:.0}", blocks * 16);
        }
    }
}
