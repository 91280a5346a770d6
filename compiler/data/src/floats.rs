//! Bits and text of every floating-point format.

/// The floating-point formats of ONNX, under upstream's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatType {
    /// `f4E2M1FN`
    F4E2M1FN,
    /// `f6E2M3FN`
    F6E2M3FN,
    /// `f6E3M2FN`
    F6E3M2FN,
    /// `f8E4M3FN`
    F8E4M3FN,
    /// `f8E4M3FNUZ`
    F8E4M3FNUZ,
    /// `f8E5M2`
    F8E5M2,
    /// `f8E5M2FNUZ`
    F8E5M2FNUZ,
    /// `f8E8M0FNU`
    F8E8M0FNU,
    /// `bf16`
    BF16,
    /// `f16`
    F16,
    /// `f32`
    F32,
    /// `f64`
    F64,
}

impl FloatType {
    /// Every format, for tables and parsers.
    pub const ALL: [FloatType; 12] = [
        FloatType::F4E2M1FN,
        FloatType::F6E2M3FN,
        FloatType::F6E3M2FN,
        FloatType::F8E4M3FN,
        FloatType::F8E4M3FNUZ,
        FloatType::F8E5M2,
        FloatType::F8E5M2FNUZ,
        FloatType::F8E8M0FNU,
        FloatType::BF16,
        FloatType::F16,
        FloatType::F32,
        FloatType::F64,
    ];

    /// The keyword of the text form.
    pub fn keyword(self) -> &'static str {
        match self {
            FloatType::F4E2M1FN => "f4E2M1FN",
            FloatType::F6E2M3FN => "f6E2M3FN",
            FloatType::F6E3M2FN => "f6E3M2FN",
            FloatType::F8E4M3FN => "f8E4M3FN",
            FloatType::F8E4M3FNUZ => "f8E4M3FNUZ",
            FloatType::F8E5M2 => "f8E5M2",
            FloatType::F8E5M2FNUZ => "f8E5M2FNUZ",
            FloatType::F8E8M0FNU => "f8E8M0FNU",
            FloatType::BF16 => "bf16",
            FloatType::F16 => "f16",
            FloatType::F32 => "f32",
            FloatType::F64 => "f64",
        }
    }

    /// Width in bits.
    pub fn width(self) -> u32 {
        match self {
            FloatType::F4E2M1FN => 4,
            FloatType::F6E2M3FN | FloatType::F6E3M2FN => 6,
            FloatType::F8E4M3FN
            | FloatType::F8E4M3FNUZ
            | FloatType::F8E5M2
            | FloatType::F8E5M2FNUZ
            | FloatType::F8E8M0FNU => 8,
            FloatType::BF16 | FloatType::F16 => 16,
            FloatType::F32 => 32,
            FloatType::F64 => 64,
        }
    }
}

/// Exponent and mantissa layout of a format, and which special values it has.
struct Layout {
    exponent_bits: u32,
    mantissa_bits: u32,
    bias: i32,
    signed: bool,
    special: Special,
}

/// How a format encodes infinity and NaN.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Special {
    /// The topmost exponent holds infinity and NaN.
    Ieee,
    /// No infinity; all ones is NaN.
    AllOnesNan,
    /// No infinity, no negative zero; its encoding is NaN.
    NegativeZeroNan,
    /// Neither infinity nor NaN.
    Finite,
}

fn layout(format: FloatType) -> Layout {
    let row = |exponent_bits, mantissa_bits, bias, special| Layout {
        exponent_bits,
        mantissa_bits,
        bias,
        signed: true,
        special,
    };
    match format {
        FloatType::F4E2M1FN => row(2, 1, 1, Special::Finite),
        FloatType::F6E2M3FN => row(2, 3, 1, Special::Finite),
        FloatType::F6E3M2FN => row(3, 2, 3, Special::Finite),
        FloatType::F8E4M3FN => row(4, 3, 7, Special::AllOnesNan),
        FloatType::F8E4M3FNUZ => row(4, 3, 8, Special::NegativeZeroNan),
        FloatType::F8E5M2 => row(5, 2, 15, Special::Ieee),
        FloatType::F8E5M2FNUZ => row(5, 2, 16, Special::NegativeZeroNan),
        FloatType::F8E8M0FNU => Layout { signed: false, ..row(8, 0, 127, Special::AllOnesNan) },
        FloatType::BF16 => row(8, 7, 127, Special::Ieee),
        FloatType::F16 => row(5, 10, 15, Special::Ieee),
        FloatType::F32 => row(8, 23, 127, Special::Ieee),
        FloatType::F64 => row(11, 52, 1023, Special::Ieee),
    }
}

const F64_MANTISSA: u64 = (1 << 52) - 1;

impl Layout {
    fn magnitude_mask(&self) -> u64 {
        (1u64 << (self.exponent_bits + self.mantissa_bits)) - 1
    }

    fn sign_bit(&self) -> u64 {
        if self.signed { 1 << (self.exponent_bits + self.mantissa_bits) } else { 0 }
    }

    /// The magnitude of the largest finite value.
    fn largest(&self) -> u64 {
        match self.special {
            Special::Ieee => self.infinity() - 1,
            Special::AllOnesNan => self.magnitude_mask() - 1,
            Special::NegativeZeroNan | Special::Finite => self.magnitude_mask(),
        }
    }

    fn infinity(&self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.mantissa_bits
    }

    /// NaN with as much of an `f64` payload as fits; the largest value if the format has no NaN.
    fn nan(&self, payload: u64, sign: u64) -> u64 {
        match self.special {
            Special::Ieee => {
                let kept = payload >> (52 - self.mantissa_bits);
                sign | self.infinity() | if kept == 0 { 1 << (self.mantissa_bits - 1) } else { kept }
            }
            Special::AllOnesNan => sign | self.magnitude_mask(),
            Special::NegativeZeroNan => self.sign_bit(),
            Special::Finite => sign | self.magnitude_mask(),
        }
    }

    /// The encoding of magnitudes beyond the largest.
    fn overflow(&self, sign: u64) -> u64 {
        match self.special {
            Special::Ieee => sign | self.infinity(),
            Special::AllOnesNan | Special::NegativeZeroNan => self.nan(0, sign),
            Special::Finite => sign | self.largest(),
        }
    }
}

/// The bits of `value` rounded to `format`, to nearest and ties to even.
pub fn encode(value: f64, format: FloatType) -> u64 {
    if format == FloatType::F64 {
        return value.to_bits();
    }
    let layout = layout(format);
    let sign = if value.is_sign_negative() { layout.sign_bit() } else { 0 };
    if value.is_nan() {
        return layout.nan(value.to_bits() & F64_MANTISSA, sign);
    }
    if value.is_infinite() {
        return layout.overflow(sign);
    }
    let magnitude = round_magnitude(value.abs(), &layout);
    if magnitude > layout.largest() {
        return layout.overflow(sign);
    }
    if magnitude == 0 && layout.special == Special::NegativeZeroNan {
        return 0;
    }
    sign | magnitude
}

/// Exponent and mantissa fields of a finite magnitude; rounding up may carry into the exponent, as it should.
fn round_magnitude(value: f64, layout: &Layout) -> u64 {
    if value == 0.0 {
        return 0;
    }
    let bits = value.to_bits();
    let field = (bits >> 52) as i32;
    let (mut exponent, mut significand) = (field - 1023, bits & F64_MANTISSA | 1 << 52);
    if field == 0 {
        let shift = (bits & F64_MANTISSA).leading_zeros() - 11;
        significand = (bits & F64_MANTISSA) << shift;
        exponent = -1022 - shift as i32;
    }
    if layout.mantissa_bits == 0 {
        // powers of two without a zero: round the exponent alone
        let up = significand & F64_MANTISSA > 1 << 51
            || significand & F64_MANTISSA == 1 << 51 && (exponent + layout.bias) & 1 == 1;
        return (exponent + layout.bias + up as i32).max(0) as u64;
    }
    let biased = exponent + layout.bias;
    let shift = (52 - layout.mantissa_bits) as i32 + (1 - biased).max(0);
    if shift > 54 {
        return 0;
    }
    let (kept, rest, half) = (significand >> shift, significand & ((1 << shift) - 1), 1u64 << (shift - 1));
    let rounded = kept + (rest > half || rest == half && kept & 1 == 1) as u64;
    if biased <= 0 { rounded } else { rounded + (((biased - 1) as u64) << layout.mantissa_bits) }
}

/// The value of `bits` in `format`; exact, and keeps NaN payloads.
pub fn decode(bits: u64, format: FloatType) -> f64 {
    if format == FloatType::F64 {
        return f64::from_bits(bits);
    }
    let layout = layout(format);
    let negative = bits & layout.sign_bit() != 0;
    let sign = if negative { 1u64 << 63 } else { 0 };
    let magnitude = bits & layout.magnitude_mask();
    let mantissa = magnitude & ((1 << layout.mantissa_bits) - 1);
    let is_nan = match layout.special {
        Special::Ieee => magnitude > layout.infinity(),
        Special::AllOnesNan => magnitude == layout.magnitude_mask(),
        Special::NegativeZeroNan => negative && magnitude == 0,
        Special::Finite => false,
    };
    if is_nan {
        let payload = if layout.special == Special::Ieee { mantissa << (52 - layout.mantissa_bits) } else { 1 << 51 };
        return f64::from_bits(sign | 0x7ff << 52 | payload);
    }
    if layout.special == Special::Ieee && magnitude == layout.infinity() {
        return f64::from_bits(sign | 0x7ff << 52);
    }
    let exponent = (magnitude >> layout.mantissa_bits) as i32;
    let scale = |power: i32| power_of_two(power - layout.mantissa_bits as i32);
    let absolute = if exponent == 0 && layout.mantissa_bits > 0 {
        mantissa as f64 * scale(1 - layout.bias)
    } else {
        (mantissa | 1 << layout.mantissa_bits) as f64 * scale(exponent - layout.bias)
    };
    if negative { -absolute } else { absolute }
}

/// 2 to the power of a number, exactly or as the nearest float (`f64::powi` may be inexact).
///
/// ```
/// assert_eq!(data::floats::power_of_two(-1), 0.5);
/// ```
pub fn power_of_two(exponent: i32) -> f64 {
    match exponent {
        1024.. => f64::INFINITY,
        -1022..=1023 => f64::from_bits(((exponent + 1023) as u64) << 52),
        -1074..=-1023 => f64::from_bits(1 << (exponent + 1074)),
        _ => 0.0,
    }
}

/// `value`, rounded to `format`, as upstream prints it: six digits and an exponent if that is exact, enough digits
/// otherwise, and hexadecimal bits for infinities, NaN and values that would be read as an integer.
pub fn format_float(value: f64, format: FloatType) -> String {
    let bits = encode(value, format);
    let value = decode(bits, format);
    if value.is_finite() {
        let short = scientific(value);
        if parses_to(&short, bits, format) {
            return short;
        }
        let long = default_notation(value, format);
        if long.contains('.') && parses_to(&long, bits, format) {
            return long;
        }
    }
    format!("0x{bits:0width$X}", width = (format.width() as usize).div_ceil(4))
}

fn parses_to(text: &str, bits: u64, format: FloatType) -> bool {
    text.parse::<f64>().is_ok_and(|value| encode(value, format) == bits)
}

/// The first `count` decimal digits of a magnitude, without trailing zeros, and the power of ten of the first.
///
/// As in LLVM's `APFloat::toString`: first digits are cut off that exceed the length in bits of `count` digits, then the
/// remaining digits are rounded to `count` of them, ties up.
fn digits(magnitude: f64, count: usize) -> (String, i32) {
    let (all, bits, decimals) = exact_digits(magnitude);
    // slightly more than the bits of a digit
    let required = (count * 196).div_ceil(59);
    let removable = bits.saturating_sub(required) * 59 / 196;
    let kept = &all[..all.len() - removable.min(all.len() - 1)];
    let exponent = |length: usize| length as i32 - 1 + (all.len() - kept.len()) as i32 - decimals;
    let mut digits: Vec<u8> = kept.bytes().collect();
    let mut carried = 0;
    if digits.len() > count {
        let round_up = digits[count] >= b'5';
        digits.truncate(count);
        if round_up {
            while digits.last() == Some(&b'9') {
                digits.pop();
            }
            match digits.last_mut() {
                Some(last) => *last += 1,
                None => {
                    digits.push(b'1');
                    carried = 1;
                }
            }
        }
    }
    let text = String::from_utf8(digits).expect("digits are ASCII");
    let text = text.trim_end_matches('0');
    (if text.is_empty() { "0" } else { text }.to_string(), exponent(kept.len()) + carried)
}

/// All decimal digits of a magnitude as a whole number, its length in bits, and the number of digits after the point.
fn exact_digits(magnitude: f64) -> (String, usize, i32) {
    let (mut mantissa, mut exponent) = (magnitude.to_bits() & ((1 << 52) - 1), (magnitude.to_bits() >> 52) as i32);
    if exponent > 0 {
        mantissa |= 1 << 52;
    }
    exponent = exponent.max(1) - 1075;
    if mantissa == 0 {
        return ("0".to_string(), 0, 0);
    }
    exponent += mantissa.trailing_zeros() as i32;
    mantissa >>= mantissa.trailing_zeros();
    let length = (64 - mantissa.leading_zeros()) as usize;
    if exponent >= 0 {
        return (format!("{magnitude}"), length + exponent as usize, 0);
    }
    // mantissa / 2^decimals = mantissa 5^decimals / 10^decimals
    let decimals = -exponent;
    let text: String = format!("{magnitude:.*}", decimals as usize).replace('.', "");
    let bits = (mantissa as f64).log2() + f64::from(decimals) * 5f64.log2();
    (text.trim_start_matches('0').to_string(), bits.floor() as usize + 1, decimals)
}

/// `1.500000e+00`: six digits, padded to six decimals.
fn scientific(value: f64) -> String {
    let (digits, exponent) = digits(value.abs(), 6);
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let of_exponent = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{}.{:0<6}e{of_exponent}{:02}", &digits[..1], &digits[1..], exponent.abs())
}

/// Digits that distinguish all values of the format, without an exponent while at most three zeros are needed for
/// padding; whole numbers are without a point.
fn default_notation(value: f64, format: FloatType) -> String {
    let precision = 2 + (layout(format).mantissa_bits + 1) as usize * 59 / 196;
    let (digits, exponent) = digits(value.abs(), precision);
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let padding = exponent + 1 - digits.len() as i32;
    if exponent < -3 || padding > 3 || (padding > 0 && exponent + 1 > precision as i32) {
        let of_exponent = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{}E{of_exponent}{}", with_point(&digits, 1), exponent.abs());
    }
    match exponent {
        _ if padding >= 0 => format!("{sign}{digits}{}", "0".repeat(padding as usize)),
        0.. => format!("{sign}{}", with_point(&digits, exponent as usize + 1)),
        _ => format!("{sign}0.{}{digits}", "0".repeat((-exponent - 1) as usize)),
    }
}

/// Digits with a decimal point after the first `whole` of them and at least one digit after the point.
fn with_point(digits: &str, whole: usize) -> String {
    let (head, tail) = digits.split_at(whole.min(digits.len()));
    format!("{head}.{}", if tail.is_empty() { "0" } else { tail })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_small_encoding_survives() {
        for format in FloatType::ALL.into_iter().filter(|format| format.width() <= 16) {
            for bits in 0..1u64 << format.width() {
                let value = decode(bits, format);
                assert_eq!(encode(value, format), bits, "{} {bits:#x} = {value}", format.keyword());
            }
        }
    }

    #[test]
    fn rounding_is_to_nearest_even() {
        assert_eq!(encode(0.1, FloatType::F32), 0.1f32.to_bits() as u64);
        assert_eq!(encode(f64::from(f32::MAX) * 2.0, FloatType::F32), f32::INFINITY.to_bits() as u64);
        assert_eq!(encode(1.0 + power_of_two(-11), FloatType::F16), 0x3c00);
        assert_eq!(encode(1.0 + 3.0 * power_of_two(-11), FloatType::F16), 0x3c02);
        assert_eq!(encode(1e-45, FloatType::F32), 1);
        assert_eq!(encode(464.0, FloatType::F8E4M3FN), 0x7e);
        assert_eq!(encode(465.0, FloatType::F8E4M3FN), 0x7f);
    }

    #[test]
    fn powers_of_two_are_exact() {
        for exponent in -1000..1000 {
            assert_eq!(power_of_two(exponent) * power_of_two(-exponent), 1.0);
        }
        assert_eq!(power_of_two(-1022), f64::MIN_POSITIVE);
        assert_eq!([power_of_two(-1074), power_of_two(-1075)], [f64::from_bits(1), 0.0]);
        assert_eq!([power_of_two(1023) * 2.0, power_of_two(1024)], [f64::INFINITY; 2]);
    }

    #[test]
    fn text_is_upstreams() {
        let f32 = |value: f32| format_float(value as f64, FloatType::F32);
        assert_eq!(f32(1.0), "1.000000e+00");
        assert_eq!(f32(-0.5), "-5.000000e-01");
        assert_eq!(f32(std::f32::consts::PI), "3.14159274");
        assert_eq!(f32(1.234_567_9e10), "1.23456788E+10");
        assert_eq!(f32(1.234_567_9e-10), "1.23456786E-10");
        assert_eq!(f32(12_582_912.0), "0x4B400000");
        assert_eq!(f32(std::f32::consts::LOG2_E), "1.44269502");
        assert_eq!(f32(0.000_212_194_44), "2.12194442E-4");
        assert_eq!(f32(0.008_333_452), "0.00833345205");
        assert_eq!(f32(1_048_576.0), "0x49800000");
        assert_eq!(f32(0.0), "0.000000e+00");
        assert_eq!(f32(0.083_464_91), "0.083464913");
        assert_eq!(f32(9.999_999e-5), "9.99999901E-5");
        assert_eq!(f32(f32::NAN), "0x7FC00000");
        assert_eq!(f32(f32::NEG_INFINITY), "0xFF800000");
        assert_eq!(format_float(0.1, FloatType::F64), "1.000000e-01");
    }
}
