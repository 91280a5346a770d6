//! Values and their types: the second half of the boundary to ONNX Runtime.
//!
//! Contract: as of `api`. The elements of a tensor are valid during the call in which ONNX Runtime passed it, or what it belongs to. An
//! output is written once, by the run that created it.

#![allow(unsafe_code, reason = "this module is a part of the boundary")]

use std::ffi::{CString, c_int, c_void};

use driver::Type;
use ort_sys::{ONNXTensorElementDataType as Element, ONNXType, OrtTensorTypeAndShapeInfo, OrtTypeInfo};
use proto::{
    Dimension, DimensionValue, TensorShapeProto, TypeMap, TypeOptional, TypeProto, TypeSequence, TypeTensor, TypeValue,
};

use crate::api::{Ort, Value, ValueInfo, c_text, text};
use crate::status::{Failure, Result};

/// ONNX Runtime's enumerators that differ from those of ONNX, with the latter.
const RENUMBERED: [(Element, i32); 3] = [
    (Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0, 24),
    (Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2, 25),
    (Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2, 26),
];
/// The last enumerator that both have in common.
const COMMON: i32 = 23;
/// ONNX's number of strings.
pub(crate) const STRING: i32 = 8;

/// ONNX's number of an element type.
fn onnx_number(element: c_int) -> i32 {
    let renumbered = RENUMBERED.iter().find(|(known, _)| *known as c_int == element);
    match renumbered {
        Some((_, number)) => *number,
        None if element <= COMMON => element,
        None => 0,
    }
}

/// The bits of an element as ONNX Runtime stores it, by ONNX's number; `None` for strings and unknown types.
fn bits(number: i32) -> Option<usize> {
    match driver::element_type(number)? {
        // a boolean is a byte
        Type::I1 => Some(8),
        element => element.bit_width().map(|bits| bits as usize),
    }
}

/// Whether values of a type are passed between ONNX Runtime and compiled code: tensors of whole bytes or of strings.
pub(crate) fn is_passed(r#type: &TypeProto) -> bool {
    match &r#type.value {
        Some(TypeValue::Tensor(tensor)) => {
            let bits = bits(tensor.elem_type);
            tensor.elem_type == STRING || bits.is_some_and(|bits| bits >= 8)
        }
        _ => false,
    }
}

/// The size of a tensor in bytes, packed as ONNX Runtime stores it.
pub(crate) fn byte_count(number: i32, shape: &[i64]) -> Option<usize> {
    Some(element_count(shape)?.checked_mul(bits(number)?)?.div_ceil(8))
}

fn element_count(shape: &[i64]) -> Option<usize> {
    shape.iter().try_fold(1usize, |count, &extent| count.checked_mul(usize::try_from(extent).ok()?))
}

impl<'a> Value<'a> {
    /// ONNX's number of the element type, and the extents.
    pub(crate) fn element_and_shape(self) -> Result<(i32, &'a [i64])> {
        let (mut element, mut extents, mut rank): (c_int, *const i64, usize) = (0, std::ptr::null(), 0);
        // SAFETY: the contract of `api`; the enumeration is an int.
        unsafe {
            let function = self.ort.api.GetTensorElementTypeAndShapeDataReference;
            let out = (&raw mut element).cast();
            self.ort.check(function(self.pointer, out, &raw mut extents, &raw mut rank))?;
            let shape = if rank == 0 { &[] } else { std::slice::from_raw_parts(extents, rank) };
            Ok((onnx_number(element), shape))
        }
    }

    /// The bytes of the elements, of which there are this many.
    pub(crate) fn bytes(self, length: usize) -> Result<&'a [u8]> {
        if length == 0 {
            return Ok(&[]);
        }
        // SAFETY: the contract at the head.
        unsafe {
            let mut data: *const c_void = std::ptr::null();
            self.ort.check((self.ort.api.GetTensorData)(self.pointer, &raw mut data))?;
            match data.is_null() {
                true => Err(Failure::invalid("a tensor has no elements in memory")),
                false => Ok(std::slice::from_raw_parts(data.cast(), length)),
            }
        }
    }

    /// The memory of an output, of which there are this many bytes.
    pub(crate) fn bytes_mut(self, length: usize) -> Result<&'a mut [u8]> {
        if length == 0 {
            return Ok(&mut []);
        }
        // SAFETY: the contract at the head.
        unsafe {
            let mut data: *mut c_void = std::ptr::null_mut();
            self.ort.check((self.ort.api.GetTensorMutableData)(self.pointer.cast_mut(), &raw mut data))?;
            match data.is_null() {
                true => Err(Failure::new("an output has no memory")),
                false => Ok(std::slice::from_raw_parts_mut(data.cast(), length)),
            }
        }
    }

    /// The elements of a tensor of strings.
    pub(crate) fn strings(self, shape: &[i64]) -> Result<Vec<String>> {
        let count = element_count(shape).ok_or_else(|| Failure::refused("a tensor of strings is too large"))?;
        (0..count).map(|at| self.string(at)).collect()
    }

    fn string(self, at: usize) -> Result<String> {
        let (api, mut length) = (self.ort.api, 0);
        // SAFETY: the contract of `api`.
        let bytes = unsafe {
            self.ort.check((api.GetStringTensorElementLength)(self.pointer, at, &raw mut length))?;
            let mut bytes = vec![0u8; length];
            self.ort.check((api.GetStringTensorElement)(self.pointer, length, at, bytes.as_mut_ptr().cast()))?;
            bytes
        };
        String::from_utf8(bytes).map_err(|_| Failure::invalid("a string is not UTF-8"))
    }

    /// Writes the elements of an output of strings.
    pub(crate) fn fill(self, strings: &[String]) -> Result<()> {
        let strings: Vec<CString> = strings.iter().map(|string| c_text(string)).collect();
        let pointers: Vec<_> = strings.iter().map(|string| string.as_ptr()).collect();
        // SAFETY: the contract at the head; ONNX Runtime copies the strings.
        let status =
            unsafe { (self.ort.api.FillStringTensor)(self.pointer.cast_mut(), pointers.as_ptr(), pointers.len()) };
        self.ort.check(status)
    }
}

impl ValueInfo<'_> {
    /// The type; `None` if it is unknown. Extents have names if `names` asks for them.
    pub(crate) fn r#type(self, names: bool) -> Result<Option<TypeProto>> {
        let mut info = std::ptr::null();
        // SAFETY: the contract of `api`; the information belongs to the value.
        unsafe {
            self.ort.check((self.ort.api.GetValueInfoTypeInfo)(self.pointer, &raw mut info))?;
            if info.is_null() { Ok(None) } else { type_proto(self.ort, info, names) }
        }
    }
}

/// A type.
///
/// # Safety
/// The information is ONNX Runtime's.
unsafe fn type_proto(ort: Ort, info: *const OrtTypeInfo, names: bool) -> Result<Option<TypeProto>> {
    let (api, mut kind): (_, c_int) = (ort.api, 0);
    // SAFETY: the contract of `api`; the enumeration is an int; what a function creates is released once.
    let value = unsafe {
        ort.check((api.GetOnnxTypeFromTypeInfo)(info, (&raw mut kind).cast()))?;
        if kind == ONNXType::ONNX_TYPE_TENSOR as c_int {
            let mut tensor = std::ptr::null();
            ort.check((api.CastTypeInfoToTensorInfo)(info, &raw mut tensor))?;
            tensor_type(ort, tensor, names)?.map(TypeValue::Tensor)
        } else if kind == ONNXType::ONNX_TYPE_SEQUENCE as c_int {
            let (mut sequence, mut held) = (std::ptr::null(), std::ptr::null_mut());
            ort.check((api.CastTypeInfoToSequenceTypeInfo)(info, &raw mut sequence))?;
            ort.check((api.GetSequenceElementType)(sequence, &raw mut held))?;
            let elem_type = owned(ort, held)?;
            elem_type.map(|held| TypeValue::Sequence(Box::new(TypeSequence { elem_type: Some(Box::new(held)) })))
        } else if kind == ONNXType::ONNX_TYPE_OPTIONAL as c_int {
            let (mut optional, mut held) = (std::ptr::null(), std::ptr::null_mut());
            ort.check((api.CastTypeInfoToOptionalTypeInfo)(info, &raw mut optional))?;
            ort.check((api.GetOptionalContainedTypeInfo)(optional, &raw mut held))?;
            let elem_type = owned(ort, held)?;
            elem_type.map(|held| TypeValue::Optional(Box::new(TypeOptional { elem_type: Some(Box::new(held)) })))
        } else if kind == ONNXType::ONNX_TYPE_MAP as c_int {
            let (mut map, mut held, mut key): (_, _, c_int) = (std::ptr::null(), std::ptr::null_mut(), 0);
            ort.check((api.CastTypeInfoToMapTypeInfo)(info, &raw mut map))?;
            ort.check((api.GetMapKeyType)(map, (&raw mut key).cast()))?;
            ort.check((api.GetMapValueType)(map, &raw mut held))?;
            let value_type = owned(ort, held)?.map(Box::new);
            value_type
                .map(|held| TypeValue::Map(Box::new(TypeMap { key_type: onnx_number(key), value_type: Some(held) })))
        } else {
            None
        }
    };
    Ok(value.map(|value| TypeProto { value: Some(value), ..TypeProto::default() }))
}

/// The type that information describes, which is released.
///
/// # Safety
/// The information is ONNX Runtime's and belongs to the caller.
unsafe fn owned(ort: Ort, info: *mut OrtTypeInfo) -> Result<Option<TypeProto>> {
    if info.is_null() {
        return Ok(None);
    }
    // SAFETY: the contract.
    unsafe {
        let r#type = type_proto(ort, info, false);
        (ort.api.ReleaseTypeInfo)(info);
        r#type
    }
}

/// The type of a tensor.
///
/// # Safety
/// The information is ONNX Runtime's.
unsafe fn tensor_type(ort: Ort, info: *const OrtTensorTypeAndShapeInfo, names: bool) -> Result<Option<TypeTensor>> {
    let (api, mut element, mut rank): (_, c_int, _) = (ort.api, 0, 0);
    // SAFETY: the contract; the enumeration is an int.
    let (extents, texts) = unsafe {
        ort.check((api.GetTensorElementType)(info, (&raw mut element).cast()))?;
        if !(api.TensorTypeAndShape_HasShape)(info) {
            return Ok(Some(TypeTensor { elem_type: onnx_number(element), shape: None }));
        }
        ort.check((api.GetDimensionsCount)(info, &raw mut rank))?;
        let (mut extents, mut texts) = (vec![0; rank], vec![std::ptr::null(); rank]);
        ort.check((api.GetDimensions)(info, extents.as_mut_ptr(), rank))?;
        ort.check((api.GetSymbolicDimensions)(info, texts.as_mut_ptr(), rank))?;
        (extents, texts)
    };
    let dimension = |(extent, name): (i64, _)| {
        let name = if names { text(name) } else { String::new() };
        let value = match (extent, name.is_empty()) {
            (0.., _) => Some(DimensionValue::Value(extent)),
            (_, false) => Some(DimensionValue::Param(name)),
            (_, true) => None,
        };
        Dimension { value, ..Dimension::default() }
    };
    let dim = extents.into_iter().zip(texts).map(dimension).collect();
    Ok(Some(TypeTensor { elem_type: onnx_number(element), shape: Some(TensorShapeProto { dim }) }))
}

/// Bytes that a message refers to.
struct Lent {
    first: *const u8,
    length: usize,
}

// SAFETY: they are not written.
unsafe impl Send for Lent {}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: the contract of `lent`.
        unsafe { std::slice::from_raw_parts(self.first, self.length) }
    }
}

/// Bytes for a message that is dropped before they are: in the same call of ONNX Runtime.
pub(crate) fn lent(bytes: &[u8]) -> proto::Bytes {
    proto::Bytes::from_owner(Lent { first: bytes.as_ptr(), length: bytes.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_have_the_sizes_of_onnx_runtime() {
        let of = |number| (bits(number), byte_count(number, &[3]));
        // float, boolean, complex128, int4, uint2, string, none
        let found = [1, 9, 15, 22, 25, STRING, 0].map(of);
        let sized = |bits, bytes| (Some(bits), Some(bytes));
        let expected =
            [sized(32, 12), sized(8, 3), sized(128, 48), sized(4, 2), sized(2, 1), (None, None), (None, None)];
        assert_eq!(found, expected);
        assert_eq!(byte_count(1, &[-1]), None);
    }
}
