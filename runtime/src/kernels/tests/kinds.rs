//! Contractions of element types other than f32, on the same small integers, so that the results are equal.

use half::{bf16, f16};

use super::super::widened::Half;
use super::super::*;
use super::{gemm, naive, numbers};
use crate::samples::{is_long, sampled};
use abi::Start;

/// The operands and the result of a contraction.
struct Sample {
    a: Vec<f32>,
    b: Vec<f32>,
    init: Vec<f32>,
    c: Vec<f32>,
    expected: Vec<f32>,
}

fn sample(descriptor: &Descriptor<Product<i64>>, [rows, cols]: [usize; 2], [a, b, c]: [usize; 3]) -> Sample {
    let (a, b, c) = (numbers(a, 1), numbers(b, 2), numbers(c, 4));
    let init = numbers(cols.next_multiple_of(16), 3);
    let mut expected = c.clone();
    let problem = Contraction::<Floats> {
        descriptor,
        a: a.as_ptr(),
        b: b.as_ptr(),
        init: init.as_ptr(),
        c: std::ptr::null_mut(),
        rows,
        cols,
    };
    naive(&problem, &init, &a, &b, &mut expected);
    Sample { a, b, init, c, expected }
}

fn check_halves<H: Half>(
    descriptor: &Descriptor<Product<i64>>,
    [rows, cols]: [usize; 2],
    sample: &Sample,
    narrow: fn(f32) -> u16,
) {
    let b: Vec<u16> = sample.b.iter().map(|&number| narrow(number)).collect();
    for few in TileSet::<Halves<H>>::usable() {
        let mut c = sample.c.clone();
        let (a, init) = (sample.a.as_ptr(), sample.init.as_ptr());
        let problem = Contraction::<Halves<H>> { descriptor, a, b: b.as_ptr(), init, c: c.as_mut_ptr(), rows, cols };
        // SAFETY: the buffers reach as far as the descriptor does.
        unsafe { problem.run_preparing(&few) };
        assert_eq!(c, sample.expected, "width {}, rows {rows}, cols {cols}, {descriptor:?}", few.width);
    }
}

/// The multiplications of a contraction.
fn terms(walk: &Product<i64>, extents: [usize; 2]) -> usize {
    extents.iter().product::<usize>() * walk.reduction.iter().product::<i64>() as usize
}

fn check_all_halves(walk: Product<i64>, extents: [usize; 2], lengths: [usize; 3]) {
    if is_long(terms(&walk, extents)) {
        return;
    }
    for start in [Start::Zero, Start::Columns, Start::Values] {
        let descriptor = Descriptor { walk, start, right_padded: 1 };
        let sample = sample(&descriptor, extents, lengths);
        check_halves::<Ieee>(&descriptor, extents, &sample, |x| f16::from_f32(x).to_bits());
        check_halves::<Brain>(&descriptor, extents, &sample, |x| bf16::from_f32(x).to_bits());
    }
}

/// A contraction with a packed right operand.
fn packed(rows: i64, k: i64, cols: i64) -> Product<i64> {
    Product { right: [0, 0, 0, 16], right_group: k * 16, ..gemm(rows, k, cols, 1) }
}

#[test]
fn halves_of_every_size() {
    for cols in sampled([1, 16, 17, 40, 64, 65, 130], 2) {
        for (rows, k) in sampled([(1, 5), (3, 700), (8, 1), (9, 520), (33, 3), (20, 0)], 2) {
            let lengths = [rows * k, k * (cols + 15) / 16 * 16 + 16 * k, rows * cols + 16].map(|count| count as usize);
            check_all_halves(packed(rows, k, cols), [rows as usize, cols as usize], lengths);
        }
    }
}

#[test]
fn halves_in_parts_of_every_loop() {
    // full loops, K blocks of each loop, and a last block that is shorter
    for (reduction, last_block) in
        [([4, 3, 3, 16], 5), ([70, 1, 1, 16], 3), ([2, 9, 40, 16], 16), ([2, 1, 3, 600], 550), ([1, 2, 300, 4], 4)]
    {
        let [_, middle, near, deep] = reduction;
        let inner = middle * near * deep;
        let walk = Product {
            reduction,
            left: [inner, near * deep, deep, 1],
            right: [inner * 16, near * deep * 16, deep * 16, 16],
            row_inner: 3,
            left_rows: [1, 5],
            out_rows: [16, 48],
            last_block,
            right_group: reduction[0] * inner * 16,
            out_group: 16 * 12,
        };
        let whole = (reduction[0] * inner) as usize;
        for rows in [2, 12] {
            check_all_halves(walk, [rows, 30], [whole + 30, whole * 32, 16 * 12 * 2]);
        }
    }
}

/// The same contraction with a transposed right operand: `b[…][column]` of one column group after the other.
fn check_transposed(walk: Product<i64>, extents: [usize; 2], lengths: [usize; 3]) {
    if is_long(terms(&walk, extents)) {
        return;
    }
    let [rows, cols] = extents;
    let [outer, middle, near, deep] = walk.reduction;
    let right = [middle * near * deep, near * deep, deep, 1];
    let depth = outer * right[0];
    let transposed = Product { right, right_group: 16 * depth, ..walk };
    for start in [Start::Zero, Start::Columns, Start::Values] {
        let sample = sample(&Descriptor { walk, start, right_padded: 1 }, extents, lengths);
        let mut b = vec![f32::NAN; cols * depth as usize];
        for (column, own) in b.chunks_mut(depth.max(1) as usize).enumerate().take(cols) {
            let steps = (0..outer * middle * near * deep).map(|step| {
                let at = [step / right[0], step / right[1] % middle, step / right[2] % near, step % deep];
                at.iter().zip(walk.right).map(|(at, stride)| at * stride).sum::<i64>()
            });
            let first = (column / 16) as i64 * walk.right_group + (column % 16) as i64;
            own.iter_mut().zip(steps).for_each(|(to, from)| *to = sample.b[(first + from) as usize]);
        }
        let descriptor = &Descriptor { walk: transposed, start, right_padded: 0 };
        for few in TileSet::<Transposed>::usable() {
            let mut c = sample.c.clone();
            let (a, init) = (sample.a.as_ptr(), sample.init.as_ptr());
            let problem =
                Contraction::<Transposed> { descriptor, a, b: b.as_ptr(), init, c: c.as_mut_ptr(), rows, cols };
            // SAFETY: the buffers reach as far as the descriptor does.
            unsafe { problem.run_preparing(&few) };
            assert_eq!(c, sample.expected, "rows {rows}, cols {cols}, {descriptor:?}");
        }
    }
}

#[test]
fn transposed_operands_of_every_size() {
    for cols in sampled([1, 3, 16, 17, 40, 64, 65, 130], 3) {
        for (rows, k) in sampled([(1, 5), (2, 64), (3, 700), (8, 1), (9, 520), (33, 3), (20, 0), (12, 40)], 3) {
            let lengths = [rows * k, k * (cols + 15) / 16 * 16 + 16 * k, rows * cols + 16].map(|count| count as usize);
            check_transposed(packed(rows, k, cols), [rows as usize, cols as usize], lengths);
        }
    }
}

#[test]
fn a_group_is_transposed_by_every_instance() {
    let from = numbers(16 * 50, 7);
    for (columns, steps) in [(16, 16), (16, 50), (3, 17), (1, 1), (15, 31)] {
        let group = converted_operands::Group { from: from.as_ptr(), columns, steps, step: 1, next: 16 * 50 };
        for transpose in transposed::Transpose::usable() {
            let mut to = vec![0.0; 16 * steps];
            // SAFETY: there are sixteen columns of fifty steps, and room for the group.
            unsafe { transpose(&group, to.as_mut_ptr()) };
            for (at, number) in to.iter().enumerate().filter(|(at, _)| at % 16 < columns) {
                assert_eq!(*number, from[at % 16 * 50 + at / 16], "{columns} columns, {steps} steps");
            }
        }
    }
}

#[test]
fn doubles_of_every_size() {
    let small = [1, 4, 7, 16, 31, 33, 64].into_iter().flat_map(|cols| (0..16).map(move |rows| (rows, 5, cols)));
    // in parts, and copied
    for (rows, k, cols) in sampled(small.chain([(20, 1100, 40), (32, 64, 130), (33, 600, 131)]), 9) {
        for (start, right_padded) in [(Start::Zero, 0), (Start::Columns, 1), (Start::Values, 0)] {
            let walk = gemm(rows, k, cols, right_padded);
            let descriptor = Descriptor { walk, start, right_padded };
            let lengths = [rows * k, k * (cols + 15), rows * cols + 16].map(|count| count as usize);
            let (rows, cols) = (rows as usize, cols as usize);
            let sample = sample(&descriptor, [rows, cols], lengths);
            let [a, b, init] =
                [&sample.a, &sample.b, &sample.init].map(|all| all.iter().map(|&x| f64::from(x)).collect::<Vec<_>>());
            for set in TileSet::<Doubles>::usable() {
                let mut c: Vec<f64> = sample.c.iter().map(|&x| f64::from(x)).collect();
                let (a, b, init) = (a.as_ptr(), b.as_ptr(), init.as_ptr());
                let problem =
                    Contraction::<Doubles> { descriptor: &descriptor, a, b, init, c: c.as_mut_ptr(), rows, cols };
                // SAFETY: the buffers reach as far as the descriptor does.
                unsafe { problem.run_near(&set) };
                let c: Vec<f32> = c.into_iter().map(|x| x as f32).collect();
                assert_eq!(c, sample.expected, "width {}, rows {rows}, cols {cols}", set.width);
            }
        }
    }
}

/// Compares the bits of all instances with those of the portable one.
#[cfg(target_arch = "aarch64")]
fn check_rounding<E>(a: &[E::Left], b: &[E::Right], [rows, depth, cols]: [usize; 3])
where
    E: contract::Elements<Sum: Default + PartialEq + std::fmt::Debug> + 'static,
    TileSet<E>: Instances,
{
    let walk = gemm(rows as i64, depth as i64, cols as i64, 1);
    let descriptor = &Descriptor { walk, start: Start::Zero, right_padded: 1 };
    let results = |set: &TileSet<E>| {
        let mut c = vec![E::Sum::default(); rows * cols];
        let (a, b, to) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
        let problem = Contraction::<E> { descriptor, a, b, init: std::ptr::null(), c: to, rows, cols };
        // SAFETY: the buffers reach as far as the descriptor does, and sums start from zero.
        unsafe { problem.run(set) };
        c
    };
    let expected = results(&TileSet::PORTABLE);
    for set in TileSet::<E>::usable() {
        assert_eq!(results(&set), expected, "width {}, rows {rows}, cols {cols}", set.width);
    }
}

/// NEON and the portable instance for AArch64 both fuse multiply-adds, and sum in the same order.
#[cfg(target_arch = "aarch64")]
#[test]
fn neon_rounds_as_the_portable_instance_does() {
    for extents in (1..10).flat_map(|rows| [1, 6, 16, 31].map(|cols| [rows, 77, cols])) {
        let [rows, depth, cols]: [usize; 3] = extents;
        let a: Vec<f64> = (0..rows * depth).map(|at| (at as f64).sin()).collect();
        let b: Vec<f64> = (0..depth * cols.next_multiple_of(16)).map(|at| (at as f64).cos()).collect();
        let [a32, b32] = [&a, &b].map(|all| all.iter().map(|&x| x as f32).collect::<Vec<_>>());
        let [f16s, bf16s]: [Vec<u16>; 2] = [|x| f16::from_f64(x).to_bits(), |x| bf16::from_f64(x).to_bits()]
            .map(|narrow: fn(f64) -> u16| b.iter().map(|&x| narrow(x)).collect());
        check_rounding::<Floats>(&a32, &b32, extents);
        check_rounding::<Doubles>(&a, &b, extents);
        check_rounding::<Halves<Ieee>>(&a32, &f16s, extents);
        check_rounding::<Halves<Brain>>(&a32, &bf16s, extents);
    }
}
