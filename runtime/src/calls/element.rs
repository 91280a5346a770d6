//! Element types in routines.

use half::{bf16, f16};

use super::text::float_text;
use crate::elementary::{nearest_bf16, nearest_f16};

/// The element type of a tensor, numbered as in ONNX's `TensorProto.DataType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    F32,
    U8,
    I8,
    U16,
    I16,
    I32,
    I64,
    /// Strings, by their indices in the run's string table.
    Text,
    Bool,
    F16,
    F64,
    U32,
    U64,
    C64,
    C128,
    BF16,
}

impl Kind {
    /// The kind with that number. The compiler passes only numbers that are listed here.
    pub(super) fn of(number: i64) -> Kind {
        match number {
            1 => Kind::F32,
            2 => Kind::U8,
            3 => Kind::I8,
            4 => Kind::U16,
            5 => Kind::I16,
            6 => Kind::I32,
            7 => Kind::I64,
            8 => Kind::Text,
            9 => Kind::Bool,
            10 => Kind::F16,
            11 => Kind::F64,
            12 => Kind::U32,
            13 => Kind::U64,
            14 => Kind::C64,
            15 => Kind::C128,
            16 => Kind::BF16,
            _ => panic!("routines know no elements of kind {number}"),
        }
    }

    /// The number of the kind.
    pub(super) fn number(self) -> i64 {
        match self {
            Kind::F32 => 1,
            Kind::U8 => 2,
            Kind::I8 => 3,
            Kind::U16 => 4,
            Kind::I16 => 5,
            Kind::I32 => 6,
            Kind::I64 => 7,
            Kind::Text => 8,
            Kind::Bool => 9,
            Kind::F16 => 10,
            Kind::F64 => 11,
            Kind::U32 => 12,
            Kind::U64 => 13,
            Kind::C64 => 14,
            Kind::C128 => 15,
            Kind::BF16 => 16,
        }
    }

    /// Bytes an element takes.
    pub(super) fn width(self) -> usize {
        match self {
            Kind::U8 | Kind::I8 | Kind::Bool => 1,
            Kind::U16 | Kind::I16 | Kind::F16 | Kind::BF16 => 2,
            Kind::F32 | Kind::I32 | Kind::U32 => 4,
            Kind::F64 | Kind::I64 | Kind::U64 | Kind::Text | Kind::C64 => 8,
            Kind::C128 => 16,
        }
    }

    /// Calls the instance of a generic computation for this kind of elements.
    pub(super) fn dispatch<G: Generic>(self, generic: G) -> G::Result {
        match self {
            Kind::F32 => generic.run::<f32>(),
            Kind::U8 => generic.run::<u8>(),
            Kind::I8 => generic.run::<i8>(),
            Kind::U16 => generic.run::<u16>(),
            Kind::I16 => generic.run::<i16>(),
            Kind::I32 => generic.run::<i32>(),
            Kind::I64 | Kind::Text => generic.run::<i64>(),
            Kind::Bool => generic.run::<Truth>(),
            Kind::F16 => generic.run::<f16>(),
            Kind::F64 => generic.run::<f64>(),
            Kind::U32 => generic.run::<u32>(),
            Kind::U64 => generic.run::<u64>(),
            Kind::C64 => generic.run::<Complex<f32>>(),
            Kind::C128 => generic.run::<Complex<f64>>(),
            Kind::BF16 => generic.run::<bf16>(),
        }
    }
}

/// A computation that is written once for all element types.
pub(super) trait Generic {
    type Result;
    fn run<T: Element>(self) -> Self::Result;
}

/// A value in a tensor. Every bit pattern is valid.
pub(super) trait Element: Copy + Send + Sync + 'static {
    const ZERO: Self;
    const ONE: Self;
    /// An integer that orders as the elements do: NaN is the largest, zeros are equal.
    fn key(self) -> u64;
    /// The text that NumPy prints.
    fn text(self) -> String;
    /// Parses a text.
    fn parse(text: &str) -> Option<Self>;
    /// The nearest `f64`.
    fn real(self) -> f64;
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn to_f64(self) -> f64;
    /// The nearest element, saturated to the type's range.
    fn of_f64(number: f64) -> Self;

    fn is_zero(self) -> bool {
        self.key() == Self::ZERO.key()
    }

    fn is_nan(self) -> bool {
        false
    }

    /// Whether it is at most `other`; false if one of them is NaN.
    fn at_most(self, other: Self) -> bool {
        self.key() <= other.key()
    }

    /// The smaller one; NaN if one is.
    fn lesser(self, other: Self) -> Self {
        if self.is_nan() || self.at_most(other) { self } else { other }
    }

    /// The larger one; NaN if one is.
    fn greater(self, other: Self) -> Self {
        if self.is_nan() || other.at_most(self) { self } else { other }
    }
}

/// An element of a tensor of bool: one byte, of which any value but 0 is true.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(super) struct Truth(u8);

impl Element for Truth {
    const ZERO: Truth = Truth(0);
    const ONE: Truth = Truth(1);

    fn key(self) -> u64 {
        (self.0 != 0) as u64
    }

    fn text(self) -> String {
        if self.0 != 0 { "True" } else { "False" }.to_string()
    }

    fn parse(text: &str) -> Option<Truth> {
        match text {
            "True" | "true" | "1" => Some(Truth(1)),
            "False" | "false" | "0" => Some(Truth(0)),
            _ => None,
        }
    }

    fn real(self) -> f64 {
        self.key() as f64
    }

    fn add(self, other: Truth) -> Truth {
        Truth(self.0 | other.0)
    }

    fn mul(self, other: Truth) -> Truth {
        Truth((self.0 != 0 && other.0 != 0) as u8)
    }

    fn to_f64(self) -> f64 {
        f64::from(self.0 != 0)
    }

    fn of_f64(number: f64) -> Truth {
        Truth((number != 0.0) as u8)
    }
}

/// A complex number: its real and its imaginary part. Routines that order elements are never called for it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Complex<T> {
    real: T,
    imaginary: T,
}

impl<T: Element> Element for Complex<T> {
    const ZERO: Complex<T> = Complex { real: T::ZERO, imaginary: T::ZERO };
    const ONE: Complex<T> = Complex { real: T::ONE, imaginary: T::ZERO };

    fn key(self) -> u64 {
        self.real.key()
    }

    fn is_zero(self) -> bool {
        self.real.is_zero() && self.imaginary.is_zero()
    }

    fn is_nan(self) -> bool {
        self.real.is_nan() || self.imaginary.is_nan()
    }

    fn text(self) -> String {
        format!("({}, {})", self.real.text(), self.imaginary.text())
    }

    fn parse(text: &str) -> Option<Complex<T>> {
        Some(Complex { real: T::parse(text)?, imaginary: T::ZERO })
    }

    fn real(self) -> f64 {
        self.real.real()
    }

    fn add(self, other: Complex<T>) -> Complex<T> {
        Complex { real: self.real.add(other.real), imaginary: self.imaginary.add(other.imaginary) }
    }

    fn mul(self, other: Complex<T>) -> Complex<T> {
        let [a, b, c, d] = [self.real, self.imaginary, other.real, other.imaginary];
        let opposite = |x: T| T::of_f64(-x.to_f64());
        Complex { real: a.mul(c).add(opposite(b.mul(d))), imaginary: a.mul(d).add(b.mul(c)) }
    }

    fn to_f64(self) -> f64 {
        self.real.to_f64()
    }

    fn of_f64(number: f64) -> Complex<T> {
        Complex { real: T::of_f64(number), imaginary: T::ZERO }
    }
}

macro_rules! integers {
    ($($integer:ty)*) => {
        $(impl Element for $integer {
            const ZERO: $integer = 0;
            const ONE: $integer = 1;

            fn key(self) -> u64 {
                // the distance from the smallest value
                (self as i128 - <$integer>::MIN as i128) as u64
            }

            fn text(self) -> String {
                self.to_string()
            }

            fn parse(text: &str) -> Option<$integer> {
                text.parse().ok()
            }

            fn real(self) -> f64 {
                self as f64
            }

            fn add(self, other: $integer) -> $integer {
                self.wrapping_add(other)
            }

            fn mul(self, other: $integer) -> $integer {
                self.wrapping_mul(other)
            }

            fn to_f64(self) -> f64 {
                self as f64
            }

            fn of_f64(number: f64) -> $integer {
                number as $integer
            }

            fn at_most(self, other: $integer) -> bool {
                self <= other
            }
        })*
    };
}

integers! { u8 i8 u16 i16 u32 i32 u64 i64 }

/// The bits of a float as an integer that orders as the float does.
fn ordered(bits: u64, sign: u64) -> u64 {
    let mask = (sign << 1).wrapping_sub(1);
    if bits & sign != 0 { !bits & mask } else { bits | sign }
}

macro_rules! floats {
    ($($float:ty, $sign:expr, $zero:expr, $one:expr, $digits:expr, $parse:expr, $sum:expr, $product:expr, $nearest:expr;)*) => {
        $(impl Element for $float {
            const ZERO: $float = $zero;
            const ONE: $float = $one;

            fn key(self) -> u64 {
                match self {
                    _ if self.is_nan() => u64::MAX,
                    _ if self == $zero => ordered(0, $sign),
                    _ => ordered(self.to_bits() as u64, $sign),
                }
            }

            fn text(self) -> String {
                float_text(f64::from(self), &$digits(self))
            }

            fn parse(text: &str) -> Option<$float> {
                $parse(text)
            }

            fn real(self) -> f64 {
                self.into()
            }

            fn add(self, other: $float) -> $float {
                $sum(self, other)
            }

            fn mul(self, other: $float) -> $float {
                $product(self, other)
            }

            fn to_f64(self) -> f64 {
                self.into()
            }

            fn of_f64(number: f64) -> $float {
                $nearest(number)
            }

            fn is_nan(self) -> bool {
                <$float>::is_nan(self)
            }

            fn at_most(self, other: $float) -> bool {
                self <= other
            }
        })*
    };
}

fn digits(value: f32) -> String {
    format!("{value:e}")
}

floats! {
    f32, 1 << 31, 0.0, 1.0, digits, |text: &str| text.parse().ok(), |a: f32, b: f32| a + b, |a: f32, b: f32| a * b,
        |x: f64| x as f32;
    f64, 1 << 63, 0.0, 1.0, |value: f64| format!("{value:e}"), |text: &str| text.parse().ok(),
        |a: f64, b: f64| a + b, |a: f64, b: f64| a * b, |x: f64| x;
    f16, 1 << 15, f16::ZERO, f16::ONE, |value: f16| digits(value.to_f32()),
        |text: &str| text.parse().ok().map(f16::from_f32),
        |a: f16, b: f16| f16::from_f32(a.to_f32() + b.to_f32()),
        |a: f16, b: f16| f16::from_f32(a.to_f32() * b.to_f32()), nearest_f16;
    bf16, 1 << 15, bf16::ZERO, bf16::ONE, |value: bf16| digits(value.to_f32()),
        |text: &str| text.parse().ok().map(bf16::from_f32),
        |a: bf16, b: bf16| bf16::from_f32(a.to_f32() + b.to_f32()),
        |a: bf16, b: bf16| bf16::from_f32(a.to_f32() * b.to_f32()), nearest_bf16;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_order<T: Element>(values: &[T]) {
        assert!(values.windows(2).all(|pair| pair[0].key() < pair[1].key()));
    }

    #[test]
    fn keys_order_as_numbers_do() {
        in_order(&[f32::NEG_INFINITY, -1.5, -1e-40, 0.0, 1e-40, 2.0, f32::INFINITY, f32::NAN]);
        in_order(&[f64::NEG_INFINITY, -1.5, 0.0, 1e-310, f64::NAN]);
        in_order(&[f16::NEG_INFINITY, f16::NEG_ONE, f16::ZERO, f16::ONE, f16::NAN]);
        in_order(&[i8::MIN, -1, 0, 1, i8::MAX]);
        in_order(&[i64::MIN, -1, 0, 1, i64::MAX]);
        in_order(&[0, 1, u64::MAX]);
        assert_eq!((-0.0f32).key(), 0.0f32.key());
        assert!((-0.0f64).is_zero() && !f64::NAN.is_zero());
    }

    #[test]
    fn complex_numbers_are_added_and_multiplied() {
        let [a, b] = [(1.0f32, 2.0), (3.0, -4.0)].map(|(real, imaginary)| Complex { real, imaginary });
        assert_eq!((a.add(b).real, a.add(b).imaginary), (4.0, -2.0));
        assert_eq!((a.mul(b).real, a.mul(b).imaginary), (11.0, 2.0));
        assert!(
            Complex { real: 0.0f64, imaginary: -0.0 }.is_zero() && !Complex { real: 0.0f64, imaginary: 1.0 }.is_zero()
        );
    }

    #[test]
    fn the_larger_and_the_smaller_of_a_nan_are_nan() {
        for (a, b) in [(f32::NAN, 1.0), (1.0, f32::NAN)] {
            assert!(Element::lesser(a, b).is_nan() && Element::greater(a, b).is_nan());
        }
        assert_eq!((Element::lesser(2, 3), Element::greater(2, 3)), (2, 3));
    }
}
