//! Element types: ONNX Runtime's enumeration, and packed sub-byte elements.

use std::ffi::c_int;

use onnxc::ElementType;
use ort_sys::ONNXTensorElementDataType as Code;

use crate::status::{Result, Status};

/// ONNX Runtime's and ONNX's enumerators of each element type, which differ for the newest types.
const TYPES: [(Code, i32); 26] = [
    (Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, 1),
    (Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8, 2),
    (Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8, 3),
    (Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16, 4),
    (Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16, 5),
    (Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, 6),
    (Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, 7),
    (Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, 8),
    (Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL, 9),
    (Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16, 10),
    (Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE, 11),
    (Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32, 12),
    (Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64, 13),
    (Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64, 14),
    (Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128, 15),
    (Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16, 16),
    (Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN, 17),
    (Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ, 18),
    (Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2, 19),
    (Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ, 20),
    (Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT4, 21),
    (Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4, 22),
    (Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT4E2M1, 23),
    (Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0, 24),
    (Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2, 25),
    (Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2, 26),
];

/// ONNX Runtime's enumerator of an element type; `UNDEFINED` if there is none.
pub(crate) fn code(element: ElementType) -> Code {
    let number = element.onnx_number();
    TYPES
        .iter()
        .find(|(_, known)| *known == number)
        .map_or(Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED, |(code, _)| *code)
}

/// The element type of one of ONNX Runtime's enumerators.
pub(crate) fn of_number(number: c_int) -> Result<ElementType> {
    let known = TYPES.iter().find(|(code, _)| *code as c_int == number);
    let element = known.and_then(|(_, number)| ElementType::from_onnx_number(*number));
    element.ok_or_else(|| Status::invalid(format!("{number} is not an element type of tensors")))
}

/// The enumerator of an integer from C; `UNDEFINED` if there is none.
pub(crate) fn code_of_number(number: c_int) -> Code {
    TYPES
        .iter()
        .find(|(code, _)| *code as c_int == number)
        .map_or(Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED, |(code, _)| *code)
}

/// The width in bits of packed sub-byte elements; `None` for other types.
pub(crate) fn packed_bits(element: ElementType) -> Option<usize> {
    match code(element) {
        Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT4
        | Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4
        | Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT4E2M1 => Some(4),
        Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2 | Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2 => Some(2),
        _ => None,
    }
}

/// The size of a tensor in bytes as ONNX Runtime stores it; `None` for strings and on overflow.
pub(crate) fn byte_count(element: ElementType, count: usize) -> Option<usize> {
    match packed_bits(element) {
        Some(bits) => Some(count.div_ceil(8 / bits)),
        None => count.checked_mul(element.byte_width()?),
    }
}

/// Unpacks sub-byte elements into one byte each.
pub(crate) fn unpacked(element: ElementType, bits: usize, packed: &[u8], count: usize) -> Vec<u8> {
    let is_signed =
        matches!(code(element), Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4 | Code::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2);
    let unused = 8 - bits;
    let one = |at: usize| {
        let raised = packed[at * bits / 8] >> (at * bits % 8) << unused;
        if is_signed { (raised as i8 >> unused) as u8 } else { raised >> unused }
    };
    (0..count).map(one).collect()
}

/// Packs sub-byte elements; the first is in the least significant bits.
pub(crate) fn packed(bits: usize, elements: &[u8]) -> Vec<u8> {
    let mask = (1u8 << bits) - 1;
    let byte = |elements: &[u8]| elements.iter().rev().fold(0, |byte, element| byte << bits | (element & mask));
    elements.chunks(8 / bits).map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_a_number_of_its_own() {
        for (code, onnx) in TYPES {
            let element = of_number(code as c_int).expect("it is a type");
            assert_eq!((element.onnx_number(), self::code(element)), (onnx, code));
        }
        assert!(of_number(0).is_err() && of_number(27).is_err());
    }

    #[test]
    fn elements_of_a_few_bits_are_packed_and_unpacked() {
        let [int4, uint2] = [22, 24].map(|number| of_number(number).expect("it is a type"));
        let negative = [0xff, 0x07, 0xf8];
        assert_eq!(packed(4, &negative), [0x7f, 0x08]);
        assert_eq!(unpacked(int4, 4, &[0x7f, 0x08], 3), negative);
        assert_eq!(packed(2, &[1, 2, 3, 0, 3]), [0b0011_1001, 3]);
        assert_eq!(unpacked(uint2, 2, &[0b0011_1001, 3], 5), [1, 2, 3, 0, 3]);
        assert_eq!((byte_count(int4, 3), byte_count(uint2, 5)), (Some(2), Some(2)));
    }
}
