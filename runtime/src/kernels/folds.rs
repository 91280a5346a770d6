//! Row reductions in the widest vectors of the processor.
//!
//! One algorithm is compiled for each vector type ([`Sixteen`]). All of them add in the same order.

use abi::RowFold;

use super::sixteen::{Numbers, Sixteen, VECTOR, in_order};

/// Independent accumulators, which hide the latency of an operation.
const VECTORS: usize = 4;

/// Reduces `count` elements.
pub(super) type Fold = unsafe fn(fold: RowFold, source: *const f32, count: usize) -> f32;

/// The reduction of a row, to be compiled within a function that enables the machine's instructions.
///
/// # Safety
/// The row has `count` elements, and the processor has the instructions of the lanes.
#[inline(always)]
pub(super) unsafe fn fold<L: Sixteen>(fold: RowFold, source: *const f32, count: usize) -> f32 {
    // SAFETY: promised by the caller.
    unsafe {
        match fold {
            RowFold::Sum => folded::<L, Sum>(source, count),
            RowFold::Product => folded::<L, Product>(source, count),
            RowFold::Largest => folded::<L, Largest>(source, count),
            RowFold::Smallest => folded::<L, Smallest>(source, count),
        }
    }
}

/// How two values are combined. These are methods, because closures do not inherit a function's instruction set.
trait Combine {
    /// The neutral element.
    const NEUTRAL: f32;
    /// Whether values are compared by their order-preserving representation, see [`Sixteen::in_order`]: of two zeros
    /// the positive one is larger, and any NaN makes the result NaN.
    const IN_ORDER: bool;
    fn combine<L: Sixteen>(a: L, b: L) -> L;
}

struct Sum;

impl Combine for Sum {
    const NEUTRAL: f32 = 0.0;
    const IN_ORDER: bool = false;

    #[inline(always)]
    fn combine<L: Sixteen>(a: L, b: L) -> L {
        a.add(b)
    }
}

struct Product;

impl Combine for Product {
    const NEUTRAL: f32 = 1.0;
    const IN_ORDER: bool = false;

    #[inline(always)]
    fn combine<L: Sixteen>(a: L, b: L) -> L {
        a.multiply(b)
    }
}

struct Largest;

impl Combine for Largest {
    const NEUTRAL: f32 = f32::NEG_INFINITY;
    const IN_ORDER: bool = true;

    #[inline(always)]
    fn combine<L: Sixteen>(a: L, b: L) -> L {
        a.larger(b)
    }
}

struct Smallest;

impl Combine for Smallest {
    const NEUTRAL: f32 = f32::INFINITY;
    const IN_ORDER: bool = true;

    #[inline(always)]
    fn combine<L: Sixteen>(a: L, b: L) -> L {
        a.smaller(b)
    }
}

#[inline(always)]
unsafe fn folded<L: Sixteen, C: Combine>(source: *const f32, count: usize) -> f32 {
    let neutral = L::splat(C::NEUTRAL);
    let mut found = [if C::IN_ORDER { neutral.in_order() } else { neutral }; VECTORS];
    let mut is_nan = false;
    let (long, whole) = (count - count % (VECTORS * VECTOR), count - count % VECTOR);
    // SAFETY: the caller vouches for `count` elements.
    unsafe {
        for at in (0..long).step_by(VECTORS * VECTOR) {
            for (vector, found) in found.iter_mut().enumerate() {
                is_nan |= take::<L, C>(found, L::load(source.add(at + vector * VECTOR)));
            }
        }
        for (at, found) in (long..whole).step_by(VECTOR).zip(&mut found) {
            is_nan |= take::<L, C>(found, L::load(source.add(at)));
        }
        if whole < count {
            let numbers = L::load_some(source.add(whole), count - whole, C::NEUTRAL);
            is_nan |= take::<L, C>(&mut found[VECTORS - 1], numbers);
        }
    }
    let result = one_lane::<L, C>(found);
    match C::IN_ORDER {
        true if is_nan => f32::NAN,
        true => in_order(result),
        false => result,
    }
}

/// Combines values with the accumulator; returns whether one of them is NaN, if that has to be detected.
#[inline(always)]
fn take<L: Sixteen, C: Combine>(found: &mut L, numbers: L) -> bool {
    *found = C::combine(*found, if C::IN_ORDER { numbers.in_order() } else { numbers });
    C::IN_ORDER && numbers.is_any_nan()
}

/// Combines all lanes, the upper half with the lower half repeatedly.
#[inline(always)]
fn one_lane<L: Sixteen, C: Combine>([a, b, c, d]: [L; VECTORS]) -> f32 {
    let mut lanes = C::combine(C::combine(a, b), C::combine(c, d));
    for distance in [8, 4, 2, 1] {
        lanes = C::combine(lanes, lanes.exchange(distance));
    }
    lanes.first()
}

/// For any machine.
///
/// # Safety
/// As for [`Fold`].
pub(super) unsafe fn portable(function: RowFold, source: *const f32, count: usize) -> f32 {
    // SAFETY: promised by the caller.
    unsafe { fold::<Numbers>(function, source, count) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::levels::Instances;
    use crate::samples::sampled;

    fn machines() -> Vec<Fold> {
        Fold::usable().collect()
    }

    fn apply(machine: Fold, fold: RowFold, row: &[f32]) -> f32 {
        // SAFETY: the row has this many elements.
        unsafe { machine(fold, row.as_ptr(), row.len()) }
    }

    /// Values whose sums are exact.
    fn row(length: usize) -> Vec<f32> {
        (0..length).map(|at| ((at * 37 + 11) % 101) as f32 - 50.0).collect()
    }

    #[test]
    fn rows_of_any_length() {
        for length in sampled(0..200, 23) {
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
        for at in sampled(0..150, 29) {
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
