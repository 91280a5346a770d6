//! Compares the row functions of every machine that this one supports with each other and with the functions in f64.

use super::*;
use crate::kernels::levels::Instances;
use crate::samples::sampled;

fn machines() -> Vec<Row> {
    Row::usable().collect()
}

fn apply<A, B: Clone + Default>(machine: Row, function: impl Into<Function>, source: &[A]) -> Vec<B> {
    let mut destination = vec![B::default(); source.len()];
    // SAFETY: both have `count` elements of the types that the caller names.
    unsafe { machine(function.into(), source.as_ptr().cast(), destination.as_mut_ptr().cast(), source.len()) }
    destination
}

/// A function with its first parameters.
fn with<const N: usize>(kind: RowFunction, numbers: [f32; N]) -> Function {
    let mut function = Function::from(kind);
    function.parameters[..N].copy_from_slice(&numbers);
    function
}

type Exact = fn(f64) -> f64;

/// The functions of floats in f64.
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

/// A hundred thousand floats of every magnitude, and the special ones.
fn floats() -> Vec<f32> {
    const STEP: u32 = if cfg!(miri) { 42_943_111 } else { 42_943 };
    let special = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MIN_POSITIVE, f32::MAX, 1.0, -1.0];
    (0..u32::MAX / STEP).map(|at| f32::from_bits(at * STEP)).chain(special).collect()
}

/// Whether two numbers have the same bits, or none is one.
fn is_same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

#[test]
fn functions_are_near_to_the_true_ones() {
    /// The error bound, in units in the last place.
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
                // near its zeros a sine is as exact as the range reduction
                let is_turn =
                    matches!(function, RowFunction::Sin | RowFunction::Cos) && (exact - f64::from(y)).abs() <= 1.5e-7;
                assert!(is_equal || overflows || near || is_turn, "{function:?} of {x:e} is {y:e}, not {exact:e}");
            }
        }
    }
}

/// Rows of any length, in place or not, match the scalar function, and nothing after their ends is written.
#[test]
fn rows_have_any_length() {
    let numbers: Vec<f32> = (0..200).map(|at| at as f32 / 16.0 - 3.0).collect();
    for machine in machines() {
        let whole: Vec<f32> = apply(machine, RowFunction::Exp, &numbers);
        for count in sampled(0..numbers.len(), 37) {
            let mut row = numbers.clone();
            let place = row.as_mut_ptr();
            // SAFETY: the row has `count` elements.
            unsafe { machine(RowFunction::Exp.into(), place.cast(), place.cast(), count) }
            assert_eq!(row[..count], whole[..count]);
            assert_eq!(row[count..], numbers[count..]);
        }
    }
}

#[test]
fn halves_are_converted_exactly() {
    let narrow: Vec<f16> = sampled(0..=u16::MAX, 997).map(f16::from_bits).collect();
    let bits = |numbers: &[f32]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
    for machine in machines() {
        let wide: Vec<f32> = apply(machine, RowFunction::Widen, &narrow);
        assert_eq!(bits(&wide), bits(&narrow.iter().map(|value| value.to_f32()).collect::<Vec<_>>()));
        let numbers = floats();
        let narrow: Vec<f16> = apply(machine, RowFunction::Narrow, &numbers);
        for (number, half) in numbers.iter().zip(narrow) {
            let expected = f16::from_f32(*number);
            assert!(half.to_bits() == expected.to_bits() || half.is_nan() && expected.is_nan(), "{number:e}");
        }
    }
}

#[test]
fn exponentials_of_differences() {
    let numbers = floats();
    let function = with(RowFunction::ExpDifference, [1.5]);
    let differences: Vec<f32> = numbers.iter().map(|x| x - 1.5).collect();
    for machine in machines() {
        let [found, expected]: [Vec<f32>; 2] =
            [apply(machine, function, &numbers), apply(machine, RowFunction::Exp, &differences)];
        assert!(found.iter().zip(&expected).all(|(&a, &b)| is_same(a, b)));
    }
}

#[test]
fn sigmoids_are_made_of_exponentials() {
    let numbers = floats();
    let opposite: Vec<f32> = numbers.iter().map(|x| 0.0 - x).collect();
    for machine in machines() {
        let powers: Vec<f32> = apply(machine, RowFunction::Exp, &opposite);
        let found: Vec<f32> = apply(machine, RowFunction::Sigmoid, &numbers);
        assert!(found.iter().zip(&powers).all(|(&found, power)| is_same(found, 1.0 / (1.0 + power))));
        let swish: Vec<f32> = apply(machine, RowFunction::Swish, &numbers);
        let products = numbers.iter().zip(&found).map(|(x, sigmoid)| x * sigmoid);
        assert!(swish.iter().zip(products).all(|(&found, x)| found.to_bits() == x.to_bits() || x.is_nan()));
    }
}

#[test]
fn arithmetic_with_numbers_of_the_row() {
    type Exact = fn(f32) -> f32;
    let numbers = floats();
    let functions: [(RowFunction, Exact); 3] = [
        (RowFunction::Multiply, |x| x * 1.7),
        (RowFunction::Divide, |x| x / 1.7),
        (RowFunction::Subtract, |x| x - 1.7 - 0.3),
    ];
    for ((kind, exact), machine) in
        functions.into_iter().flat_map(|function| machines().into_iter().map(move |m| (function, m)))
    {
        let found: Vec<f32> = apply(machine, with(kind, [1.7, 0.3]), &numbers);
        let is_same = |(&found, &number): (&f32, &f32)| found.to_bits() == exact(number).to_bits() || number.is_nan();
        assert!(found.iter().zip(&numbers).all(is_same), "{kind:?}");
    }
}

#[test]
fn bytes_stand_for_numbers() {
    let bytes: Vec<u8> = (0..=u8::MAX).collect();
    let parameters = [128.0, 0.25];
    for machine in machines() {
        let unsigned = with(RowFunction::DequantizeUnsigned, parameters);
        let numbers: Vec<f32> = apply(machine, unsigned, &bytes);
        assert!(bytes.iter().zip(&numbers).all(|(&byte, &number)| number == (f32::from(byte) - 128.0) * 0.25));
        let signed = with(RowFunction::DequantizeSigned, parameters);
        let numbers: Vec<f32> = apply(machine, signed, &bytes);
        assert!(bytes.iter().zip(&numbers).all(|(&byte, &number)| number == (f32::from(byte as i8) - 128.0) * 0.25));
    }
}

#[test]
fn numbers_become_the_nearest_bytes() {
    let numbers = [0.5, 1.5, -0.5, -1.5, 2.49, 126.6, 300.0, -300.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    for machine in machines() {
        let signed = with(RowFunction::Quantize, [1.0, 1.0, -128.0, 127.0]);
        let bytes: Vec<i8> = apply(machine, signed, &numbers);
        assert_eq!(bytes, [1, 3, 1, -1, 3, 127, 127, -128, 127, -128, 0]);
        let unsigned = with(RowFunction::Quantize, [1.0, 128.0, 0.0, 255.0]);
        let bytes: Vec<u8> = apply(machine, unsigned, &numbers);
        assert_eq!(bytes, [128, 130, 128, 126, 130, 255, 255, 0, 255, 0, 0]);
        let thirds: Vec<u8> = apply(machine, with(RowFunction::Quantize, [3.0, 0.0, 0.0, 255.0]), &numbers);
        assert_eq!(thirds, [0, 0, 0, 0, 1, 42, 100, 0, 255, 0, 0]);
    }
}

/// Quotients halfway between two integers, and their neighbours, are rounded as if they were exact.
#[test]
fn quotients_are_not_rounded_twice() {
    for scale in sampled([0.05f32, 0.1, 0.3, 1.7, 7.0, 1e-3, 1e20, 1e-30, 1e35], 4) {
        let middles = (0..250).map(|byte| (byte as f32 + 0.5) * scale);
        let numbers: Vec<f32> = middles.flat_map(|x| [x.next_down(), x, x.next_up()]).collect();
        let expected: Vec<u8> = numbers.iter().map(|x| (x / scale).round_ties_even() as u8).collect();
        for machine in machines() {
            let bytes: Vec<u8> = apply(machine, with(RowFunction::Quantize, [scale, 0.0, 0.0, 255.0]), &numbers);
            assert_eq!(bytes, expected, "by {scale}");
        }
    }
}

#[test]
fn conversions_are_exact() {
    let integers: Vec<i64> =
        (0..200).map(|at: i64| at.wrapping_mul(0x9e37_79b9_7f4a_7c15u64 as i64) >> (at % 50)).collect();
    let low: Vec<i32> = integers.iter().map(|&number| number as i32).collect();
    let numbers = floats();
    let doubles: Vec<f64> = numbers.iter().map(|&number| f64::from(number) * 1.000_000_03).collect();
    for machine in machines() {
        assert_eq!(apply::<i64, i32>(machine, RowFunction::TruncateInteger, &integers), low);
        let extended: Vec<i64> = low.iter().map(|&number| i64::from(number)).collect();
        assert_eq!(apply::<i32, i64>(machine, RowFunction::ExtendInteger, &low), extended);
        let found: Vec<f64> = apply(machine, RowFunction::ExtendFloat, &numbers);
        assert!(found.iter().zip(&numbers).all(|(&y, &x)| y == f64::from(x) || (y.is_nan() && x.is_nan())));
        let found: Vec<f32> = apply(machine, RowFunction::TruncateFloat, &doubles);
        assert!(found.iter().zip(&doubles).all(|(&y, &x)| y == x as f32 || (y.is_nan() && x.is_nan())));
        let found: Vec<bool> = apply(machine, RowFunction::IsNotZero, &numbers);
        assert!(found.iter().zip(&numbers).all(|(&y, &x)| y == (x != 0.0)));
    }
}
