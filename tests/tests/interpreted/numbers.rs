//! Elements that operations treat specially, and random ones.

use ir::{Type, floats};

use crate::COUNT;

/// Floats that operations treat specially, and bounds of integers.
const FLOATS: [f64; 22] = [
    0.0,
    1.0,
    0.5,
    1.5,
    2.5,
    0.1,
    3.999_999,
    100.0,
    127.5,
    128.0,
    255.5,
    32_768.0,
    65_504.0,
    16_777_217.0,
    2_147_483_648.0,
    4_294_967_295.5,
    9.223_372_036_854_776e18,
    1.844_674_407_370_955_2e19,
    1e30,
    1e-40,
    6e-8,
    f64::INFINITY,
];

/// Bits of an element that operations treat specially.
pub(crate) fn special(element: &Type) -> Vec<u64> {
    let width = element.bit_width().expect("elements have a width");
    let mask = u64::MAX >> (u64::BITS - width);
    let Type::Float(format) = element else {
        let (least, bits) = (1 << (width - 1), u64::from(width));
        let numbers =
            [0, 1, 2, 3, 7, 100, bits - 1, bits, bits + 1, least, least - 1, least + 1, 0x5555_5555_5555_5555];
        let mut all: Vec<u64> =
            numbers.iter().flat_map(|&number| [number & mask, number.wrapping_neg() & mask]).collect();
        all.sort_unstable();
        all.dedup();
        return all;
    };
    let sign = 1 << (width - 1);
    let infinity = floats::encode(f64::INFINITY, *format);
    let positive = FLOATS.iter().map(|&number| floats::encode(number, *format));
    // the smallest and the largest numbers, and both kinds of NaN
    let positive = positive.chain([1, infinity - 1, infinity + 1, infinity | infinity >> 1]);
    positive.flat_map(|bits| [bits, bits | sign]).collect()
}

/// Constants for which code generators have special code.
pub(crate) fn constants(element: &Type) -> Vec<u64> {
    let width = element.bit_width().expect("elements have a width");
    let mask = u64::MAX >> (u64::BITS - width);
    match element {
        Type::Float(format) => [0.0, -0.0, 1.5, 255.0, f64::NAN].map(|number| floats::encode(number, *format)).into(),
        Type::Integer(integer) if integer.width == 1 => vec![0, 1],
        _ => vec![0, 1, mask, 3, u64::from(width) - 1, u64::from(width), 1 << (width - 1)],
    }
}

/// A hash of two numbers.
pub(crate) fn mixed(one: u64, other: u64) -> u64 {
    let mut bits = one.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ other.wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    for _ in 0..2 {
        bits = (bits ^ bits >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    bits ^ bits >> 32
}

/// The elements of an operand: all pairs of special ones, as far as there is space, then special and random ones.
pub(crate) fn elements(element: &Type, place: usize, operands: usize) -> Vec<u8> {
    let (special, width) = (special(element), element.byte_width().expect("elements have a width"));
    let mask = u64::MAX >> (u64::BITS - element.bit_width().expect("elements have a width"));
    let pairs = if operands < 3 { special.len().pow(operands as u32) } else { 0 };
    let bits = |at: usize| match at < pairs {
        true => special[at / special.len().pow(place as u32) % special.len()],
        false => {
            let random = mixed(at as u64, place as u64);
            if random.is_multiple_of(3) {
                (random >> 2) & mask
            } else {
                special[(random >> 2) as usize % special.len()]
            }
        }
    };
    (0..COUNT).flat_map(|at| bits(at).to_le_bytes()[..width].to_vec()).collect()
}
