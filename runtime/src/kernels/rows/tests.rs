//! Rows on every machine that this one can be, against each other and against the functions in f64.

use super::*;

fn machines() -> Vec<Row> {
    let mut machines: Vec<Row> = vec![portable];
    #[cfg(target_arch = "x86_64")]
    {
        use crate::kernels::x86_rows::{avx2, avx512};
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c") {
            machines.push(avx2);
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
                machines.push(avx512);
            }
        }
    }
    machines
}

fn apply<A, B: Clone + Default>(machine: Row, function: RowFunction, source: &[A]) -> Vec<B> {
    let mut destination = vec![B::default(); source.len()];
    // SAFETY: both have so many elements, of the types that the caller says.
    unsafe { machine(function, source.as_ptr().cast(), destination.as_mut_ptr().cast(), source.len()) }
    destination
}

type Exact = fn(f64) -> f64;

/// What the functions of floats are.
const EXACT: [(RowFunction, Exact); 14] = [
    (RowFunction::Exp, f64::exp),
    (RowFunction::Exp2, f64::exp2),
    (RowFunction::Expm1, f64::exp_m1),
    (RowFunction::Log, f64::ln),
    (RowFunction::Log2, f64::log2),
    (RowFunction::Log10, f64::log10),
    (RowFunction::Log1p, f64::ln_1p),
    (RowFunction::Tanh, f64::tanh),
    (RowFunction::Erf, libm::erf),
    (RowFunction::Asin, f64::asin),
    (RowFunction::Acos, f64::acos),
    (RowFunction::Atan, f64::atan),
    (RowFunction::Sin, f64::sin),
    (RowFunction::Cos, f64::cos),
];

/// A hundred thousand floats of every size, and the special ones.
fn floats() -> Vec<f32> {
    const STEP: u32 = 42_943;
    let special = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MIN_POSITIVE, f32::MAX, 1.0, -1.0];
    (0..u32::MAX / STEP).map(|at| f32::from_bits(at * STEP)).chain(special).collect()
}

#[test]
fn functions_are_near_to_the_true_ones() {
    /// Times the distance of two floats around the number.
    const BOUND: f64 = 6.0;
    let numbers = floats();
    for (function, exact) in EXACT {
        for machine in machines() {
            let found: Vec<f32> = apply(machine, function, &numbers);
            for (&x, &y) in numbers.iter().zip(&found) {
                let exact = exact(f64::from(x));
                let unit =
                    f64::from(exact.abs().clamp(f32::MIN_POSITIVE.into(), f32::MAX.into()) as f32) * 2f64.powi(-23);
                let is_equal = exact.is_nan() && y.is_nan() || f64::from(exact as f32) == f64::from(y);
                let overflows = exact.abs() > f64::from(f32::MAX) * (1.0 - 1e-6) && y.is_infinite();
                let near = (exact - f64::from(y)).abs() <= BOUND * unit;
                // near to its zeros a sine is as exact as its argument's reduction
                let is_turn =
                    matches!(function, RowFunction::Sin | RowFunction::Cos) && (exact - f64::from(y)).abs() <= 1.5e-7;
                assert!(is_equal || overflows || near || is_turn, "{function:?} of {x:e} is {y:e}, not {exact:e}");
            }
        }
    }
}

/// Rows of every length, in place and not, are the functions of their elements, and nothing behind them is touched.
#[test]
fn rows_have_any_length() {
    let numbers: Vec<f32> = (0..200).map(|at| at as f32 / 16.0 - 3.0).collect();
    for machine in machines() {
        let whole: Vec<f32> = apply(machine, RowFunction::Exp, &numbers);
        for count in 0..numbers.len() {
            let mut row = numbers.clone();
            let place = row.as_mut_ptr();
            // SAFETY: the row has as many elements.
            unsafe { machine(RowFunction::Exp, place.cast(), place.cast(), count) }
            assert_eq!(row[..count], whole[..count]);
            assert_eq!(row[count..], numbers[count..]);
        }
    }
}

#[test]
fn halves_are_converted_exactly() {
    let halves: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
    let bits = |numbers: &[f32]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
    for machine in machines() {
        let wide: Vec<f32> = apply(machine, RowFunction::Widen, &halves);
        assert_eq!(bits(&wide), bits(&halves.iter().map(|half| half.to_f32()).collect::<Vec<_>>()));
        let numbers = floats();
        let narrow: Vec<f16> = apply(machine, RowFunction::Narrow, &numbers);
        for (number, half) in numbers.iter().zip(narrow) {
            let expected = f16::from_f32(*number);
            assert!(half.to_bits() == expected.to_bits() || half.is_nan() && expected.is_nan(), "{number:e}");
        }
    }
}
