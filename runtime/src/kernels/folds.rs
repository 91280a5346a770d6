//! What all elements of a row come to, in the widest vectors that the processor has.
//!
//! Compilers make vectors of the loop over a block of elements, for each instruction set that it is compiled for. The order of a sum
//! is the same in all of them.

use std::hint::black_box;

use abi::RowFold;

/// Elements that are folded side by side: several vectors, so that one does not wait for itself.
const BLOCK: usize = 64;
/// What they come to first: one vector or a few.
const VECTOR: usize = 16;

/// What `count` elements come to.
pub(super) type Fold = unsafe fn(fold: RowFold, source: *const f32, count: usize) -> f32;

/// The fold of a row, to be compiled within a function that enables the machine's instructions.
///
/// # Safety
/// The row has so many elements.
#[inline(always)]
pub(super) unsafe fn fold(fold: RowFold, source: *const f32, count: usize) -> f32 {
    // SAFETY: promised by the caller.
    unsafe {
        match fold {
            RowFold::Sum => arithmetic::<Sum>(source, count),
            RowFold::Product => arithmetic::<Product>(source, count),
            RowFold::Largest => extreme::<Largest>(source, count),
            RowFold::Smallest => extreme::<Smallest>(source, count),
        }
    }
}

/// How two numbers become one, and the number that changes nothing. Methods, as no closure can be told to become part of what
/// enables instructions.
trait Combine<T> {
    const NEUTRAL: T;
    fn combine(a: T, b: T) -> T;
}

struct Sum;

impl Combine<f32> for Sum {
    const NEUTRAL: f32 = 0.0;

    #[inline(always)]
    fn combine(a: f32, b: f32) -> f32 {
        a + b
    }
}

struct Product;

impl Combine<f32> for Product {
    const NEUTRAL: f32 = 1.0;

    #[inline(always)]
    fn combine(a: f32, b: f32) -> f32 {
        a * b
    }
}

struct Largest;

impl Combine<i32> for Largest {
    const NEUTRAL: i32 = in_order(f32::NEG_INFINITY.to_bits() as i32);

    #[inline(always)]
    fn combine(a: i32, b: i32) -> i32 {
        a.max(b)
    }
}

struct Smallest;

impl Combine<i32> for Smallest {
    const NEUTRAL: i32 = in_order(f32::INFINITY.to_bits() as i32);

    #[inline(always)]
    fn combine(a: i32, b: i32) -> i32 {
        a.min(b)
    }
}

#[inline(always)]
unsafe fn arithmetic<C: Combine<f32>>(source: *const f32, count: usize) -> f32 {
    let (mut lanes, mut rest) = ([C::NEUTRAL; BLOCK], [C::NEUTRAL; VECTOR]);
    let (long, whole) = (count - count % BLOCK, count - count % VECTOR);
    // SAFETY: the caller vouches for `count` elements.
    unsafe {
        for at in (0..long).step_by(BLOCK) {
            combine::<BLOCK, C>(&mut lanes, source.add(at).cast::<[f32; BLOCK]>().read_unaligned());
        }
        for at in (long..whole).step_by(VECTOR) {
            combine::<VECTOR, C>(&mut rest, source.add(at).cast::<[f32; VECTOR]>().read_unaligned());
        }
        let mut vector = one_vector::<f32, C>(&lanes, rest);
        for (lane, at) in vector.iter_mut().zip(whole..count) {
            *lane = C::combine(*lane, source.add(at).read_unaligned());
        }
        one_lane::<f32, C>(vector)
    }
}

#[inline(always)]
fn combine<const N: usize, C: Combine<f32>>(lanes: &mut [f32; N], block: [f32; N]) {
    for (lane, number) in lanes.iter_mut().zip(block) {
        *lane = C::combine(*lane, number);
    }
}

/// The largest or the smallest number, NaN where one is, of two zeros the positive one the larger: floats are ordered as the
/// integers with their bits are, once those of negative ones are turned round.
#[inline(always)]
unsafe fn extreme<C: Combine<i32>>(source: *const f32, count: usize) -> f32 {
    let (mut lanes, mut sizes) = ([C::NEUTRAL; BLOCK], [0; BLOCK]);
    let (mut rest, mut rest_sizes) = ([C::NEUTRAL; VECTOR], [0; VECTOR]);
    let (long, whole) = (count - count % BLOCK, count - count % VECTOR);
    let source = source.cast::<i32>();
    // SAFETY: the caller vouches for `count` elements.
    let (found, size) = unsafe {
        for at in (0..long).step_by(BLOCK) {
            compare::<BLOCK, C>(&mut lanes, &mut sizes, source.add(at).cast::<[i32; BLOCK]>().read_unaligned());
        }
        for at in (long..whole).step_by(VECTOR) {
            compare::<VECTOR, C>(&mut rest, &mut rest_sizes, source.add(at).cast::<[i32; VECTOR]>().read_unaligned());
        }
        let (mut lanes, mut sizes) =
            (one_vector::<i32, C>(&lanes, rest), one_vector::<i32, Largest>(&sizes, rest_sizes));
        for ((lane, size), at) in lanes.iter_mut().zip(&mut sizes).zip(whole..count) {
            let bits = source.add(at).read_unaligned();
            *lane = C::combine(*lane, in_order(bits));
            *size = (*size).max(bits & i32::MAX);
        }
        (one_lane::<i32, C>(lanes), one_lane::<i32, Largest>(sizes))
    };
    match size > f32::INFINITY.to_bits() as i32 {
        true => f32::NAN,
        false => f32::from_bits(in_order(found) as u32),
    }
}

#[inline(always)]
fn compare<const N: usize, C: Combine<i32>>(lanes: &mut [i32; N], sizes: &mut [i32; N], block: [i32; N]) {
    for ((lane, size), bits) in lanes.iter_mut().zip(sizes).zip(block) {
        *lane = C::combine(*lane, in_order(bits));
        *size = (*size).max(bits & i32::MAX);
    }
}

/// The bits of a float as an integer that is in order with those of others, and back.
#[inline(always)]
const fn in_order(bits: i32) -> i32 {
    bits ^ ((bits >> 31) & i32::MAX)
}

/// All lanes as one vector, with what that holds. It is in memory: what comes next goes by single elements, and compilers are not to see the vectors in
/// front of it as such.
#[inline(always)]
fn one_vector<T: Copy, C: Combine<T>>(lanes: &[T; BLOCK], mut vector: [T; VECTOR]) -> [T; VECTOR] {
    for part in lanes.chunks_exact(VECTOR) {
        for (lane, number) in vector.iter_mut().zip(part) {
            *lane = C::combine(*lane, *number);
        }
    }
    black_box(vector)
}

/// All lanes as one, the upper half with the lower half over and over.
#[inline(always)]
fn one_lane<T: Copy, C: Combine<T>>(mut lanes: [T; VECTOR]) -> T {
    let mut count = VECTOR;
    while count > 1 {
        count /= 2;
        for lane in 0..count {
            lanes[lane] = C::combine(lanes[lane], lanes[lane + count]);
        }
    }
    lanes[0]
}

/// For any machine.
///
/// # Safety
/// As for [`Fold`].
pub(super) unsafe fn portable(function: RowFold, source: *const f32, count: usize) -> f32 {
    // SAFETY: promised by the caller.
    unsafe { fold(function, source, count) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machines() -> Vec<Fold> {
        let mut machines: Vec<Fold> = vec![portable];
        #[cfg(target_arch = "x86_64")]
        {
            use crate::kernels::x86_rows::{fold_avx2, fold_avx512};
            if is_x86_feature_detected!("avx2") {
                machines.push(fold_avx2);
            }
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
                machines.push(fold_avx512);
            }
        }
        machines
    }

    fn apply(machine: Fold, fold: RowFold, row: &[f32]) -> f32 {
        // SAFETY: the row has so many elements.
        unsafe { machine(fold, row.as_ptr(), row.len()) }
    }

    /// Numbers of a row, exact in sums.
    fn row(length: usize) -> Vec<f32> {
        (0..length).map(|at| ((at * 37 + 11) % 101) as f32 - 50.0).collect()
    }

    #[test]
    fn rows_of_any_length() {
        for length in 0..200 {
            let row = row(length);
            let signs: Vec<f32> = row.iter().map(|number| if *number < 0.0 { -1.0 } else { 1.0 }).collect();
            for machine in machines() {
                assert_eq!(apply(machine, RowFold::Sum, &row), row.iter().sum::<f32>());
                assert_eq!(apply(machine, RowFold::Product, &signs), signs.iter().product::<f32>());
                let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let smallest = row.iter().copied().fold(f32::INFINITY, f32::min);
                if length > 0 {
                    assert_eq!(apply(machine, RowFold::Largest, &row), largest);
                    assert_eq!(apply(machine, RowFold::Smallest, &row), smallest);
                }
            }
        }
    }

    #[test]
    fn a_missing_number_anywhere_is_the_result() {
        for at in 0..150 {
            for missing in [f32::NAN, -f32::NAN] {
                let mut row = row(150);
                row[at] = missing;
                row[(at + 75) % 150] = f32::INFINITY;
                for machine in machines() {
                    assert!(apply(machine, RowFold::Largest, &row).is_nan());
                    assert!(apply(machine, RowFold::Smallest, &row).is_nan());
                }
            }
        }
    }

    #[test]
    fn zeros_have_signs() {
        let row = [-0.0, 0.0, -0.0];
        for machine in machines() {
            assert_eq!(apply(machine, RowFold::Largest, &row).to_bits(), 0f32.to_bits());
            assert_eq!(apply(machine, RowFold::Smallest, &row).to_bits(), (-0f32).to_bits());
        }
    }

    #[test]
    fn sums_are_the_same_on_all_machines() {
        let row: Vec<f32> = (0..1000).map(|at| (at as f32).sin()).collect();
        let sums: Vec<u32> =
            machines().into_iter().map(|machine| apply(machine, RowFold::Sum, &row).to_bits()).collect();
        assert!(sums.iter().all(|sum| *sum == sums[0]), "{sums:?}");
    }
}
