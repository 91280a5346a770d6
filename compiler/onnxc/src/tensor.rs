//! Tensors that own their elements.

use std::fmt;

use bytemuck::CheckedBitPattern;
use driver::{Blob, DenseElements, FloatType, Type};

use crate::{Error, Result};

/// The element type of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ElementType {
    /// `float16`
    F16,
    /// `bfloat16`
    BF16,
    /// `float32`
    F32,
    /// `float64`
    F64,
    /// `int8`
    I8,
    /// `int16`
    I16,
    /// `int32`
    I32,
    /// `int64`
    I64,
    /// `uint8`
    U8,
    /// `uint16`
    U16,
    /// `uint32`
    U32,
    /// `uint64`
    U64,
    /// `bool`, one byte each: 0 or 1.
    Bool,
    /// `string`, UTF-8.
    String,
    /// `complex64`: real and imaginary part as f32.
    Complex64,
    /// `complex128`: real and imaginary part as f64.
    Complex128,
    /// One of ONNX's narrow types, by its number in `TensorProto.DataType`: float8, float4, int4, int2 and similar
    /// ones, one byte per element.
    Narrow(u8),
}

impl ElementType {
    const NAMED: [(ElementType, Type); 15] = [
        (ElementType::F16, Type::Float(FloatType::F16)),
        (ElementType::BF16, Type::Float(FloatType::BF16)),
        (ElementType::F32, Type::F32),
        (ElementType::F64, Type::F64),
        (ElementType::I8, Type::I8),
        (ElementType::I16, Type::I16),
        (ElementType::I32, Type::I32),
        (ElementType::I64, Type::I64),
        (ElementType::U8, Type::unsigned(8)),
        (ElementType::U16, Type::unsigned(16)),
        (ElementType::U32, Type::unsigned(32)),
        (ElementType::U64, Type::unsigned(64)),
        (ElementType::Bool, Type::I1),
        (ElementType::Complex64, Type::Complex(FloatType::F32)),
        (ElementType::Complex128, Type::Complex(FloatType::F64)),
    ];

    pub(crate) fn of(element: &Type) -> ElementType {
        if let Some((known, _)) = ElementType::NAMED.iter().find(|(_, r#type)| r#type == element) {
            return *known;
        }
        match element {
            Type::Dialect(dialect) if &*dialect.name == "String" => ElementType::String,
            narrow => ElementType::Narrow(u8::try_from(driver::type_number(narrow)).unwrap_or(0)),
        }
    }

    pub(crate) fn inner(self) -> Option<Type> {
        match self {
            ElementType::Narrow(number) => driver::element_type(number.into()),
            ElementType::String => driver::element_type(8),
            named => ElementType::NAMED.iter().find(|(known, _)| *known == named).map(|(_, r#type)| r#type.clone()),
        }
    }

    /// The number of the type in `TensorProto.DataType`.
    pub fn onnx_number(self) -> i32 {
        self.inner().map_or(0, |element| driver::type_number(&element) as i32)
    }

    /// The type with a number of `TensorProto.DataType`.
    pub fn from_onnx_number(number: i32) -> Option<ElementType> {
        driver::element_type(number).map(|element| ElementType::of(&element))
    }

    /// Bytes of an element; `None` for strings.
    pub fn byte_width(self) -> Option<usize> {
        self.inner()?.byte_width()
    }
}

/// ONNX's name, as in `float32`.
impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.inner() {
            Some(element) => f.write_str(&driver::type_name(&element)),
            None => f.write_str("unknown"),
        }
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A Rust type for elements of tensors.
pub trait Element: CheckedBitPattern + bytemuck::NoUninit + sealed::Sealed {
    /// Its element type.
    const TYPE: ElementType;
}

macro_rules! elements {
    ($($rust:ty => $element:ident),* $(,)?) => {$(
        impl sealed::Sealed for $rust {}
        impl Element for $rust {
            const TYPE: ElementType = ElementType::$element;
        }
    )*};
}

elements! {
    f32 => F32, f64 => F64, i8 => I8, i16 => I16, i32 => I32, i64 => I64,
    u8 => U8, u16 => U16, u32 => U32, u64 => U64, bool => Bool,
}

#[cfg(feature = "half")]
elements! { half::f16 => F16, half::bf16 => BF16 }

/// A tensor with its elements in row-major order. Cloning shares the elements.
///
/// ```
/// # fn main() -> Result<(), onnxc::Error> {
/// let tensor = onnxc::Tensor::from_slice(&[2, 2], &[1i64, 2, 3, 4])?;
/// assert_eq!(tensor.shape(), [2, 2]);
/// assert_eq!(tensor.element_type(), onnxc::ElementType::I64);
/// assert_eq!(tensor.as_slice::<i64>()?, [1, 2, 3, 4]);
/// assert!(tensor.as_slice::<f32>().is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Tensor {
    inner: driver::Tensor,
    shape: Box<[usize]>,
}

impl Tensor {
    /// A tensor with a copy of the elements.
    ///
    /// # Errors
    /// If the shape does not have this many elements.
    pub fn from_slice<T: Element>(shape: &[usize], elements: &[T]) -> Result<Tensor> {
        Tensor::from_bytes(T::TYPE, shape, bytemuck::cast_slice(elements))
    }

    /// A tensor of rank 0.
    pub fn scalar<T: Element>(element: T) -> Tensor {
        Tensor::from_slice(&[], &[element]).expect("a scalar has one element")
    }

    /// A tensor with a copy of its elements' bytes, little-endian.
    ///
    /// # Errors
    /// If the shape does not have this many bytes, or for strings.
    pub fn from_bytes(element: ElementType, shape: &[usize], bytes: &[u8]) -> Result<Tensor> {
        let mismatch = || Error::input(format!("{} bytes are not a {element} {shape:?}", bytes.len()));
        let extents = extents(shape).ok_or_else(mismatch)?;
        let element = element.inner().ok_or_else(mismatch)?;
        let inner = driver::Tensor::new(element, extents, Blob::copy_of(bytes)).ok_or_else(mismatch)?;
        Ok(Tensor::of(inner))
    }

    /// A tensor of zeros.
    ///
    /// # Errors
    /// If there is not enough memory, or for strings.
    pub fn zeros(element: ElementType, shape: &[usize]) -> Result<Tensor> {
        let unsized_type = || Error::input(format!("a {element} {shape:?} does not have a size in bytes"));
        let (extents, inner) = (extents(shape).ok_or_else(unsized_type)?, element.inner().ok_or_else(unsized_type)?);
        let length = driver::byte_count(&inner, &extents).ok_or_else(unsized_type)?;
        let data = Blob::try_build(length, |_| {});
        let data = data.map_err(|shortage| Error::input(shortage.to_string()))?;
        Ok(Tensor::of(driver::Tensor { element: inner, shape: extents, data }))
    }

    /// A tensor of strings.
    ///
    /// # Errors
    /// If the shape does not have this many elements.
    pub fn from_strings<S: AsRef<str>>(shape: &[usize], strings: &[S]) -> Result<Tensor> {
        let mismatch = || Error::input(format!("{} strings are not a string {shape:?}", strings.len()));
        let extents = extents(shape).ok_or_else(mismatch)?;
        let count = shape.iter().try_fold(1usize, |count, &extent| count.checked_mul(extent));
        if count != Some(strings.len()) {
            return Err(mismatch());
        }
        let element = ElementType::String.inner().ok_or_else(mismatch)?;
        let r#type = Type::static_tensor(&extents, element.clone());
        let elements = DenseElements::from_strings(r#type, strings);
        Ok(Tensor::of(driver::Tensor { element, shape: extents, data: elements.data }))
    }

    pub(crate) fn of(inner: driver::Tensor) -> Tensor {
        let shape = inner.shape.iter().map(|&extent| usize::try_from(extent).unwrap_or(0)).collect();
        Tensor { inner, shape }
    }

    pub(crate) fn inner(&self) -> &driver::Tensor {
        &self.inner
    }

    /// Extents, outermost first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The type of its elements.
    pub fn element_type(&self) -> ElementType {
        ElementType::of(&self.inner.element)
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements in row-major order.
    ///
    /// # Errors
    /// If the elements have another type, or their memory is not aligned for it; [`Tensor::to_vec`] takes any alignment.
    pub fn as_slice<T: Element>(&self) -> Result<&[T]> {
        self.expect(T::TYPE)?;
        bytemuck::checked::try_cast_slice(self.inner.data.bytes())
            .map_err(|error| Error::input(format!("the elements of the tensor cannot be read in place: {error}")))
    }

    /// A copy of the elements in row-major order.
    ///
    /// # Errors
    /// If the elements have another type.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        self.expect(T::TYPE)?;
        let bytes = self.inner.data.bytes();
        let element = |bytes: &[u8]| bytemuck::checked::try_pod_read_unaligned(bytes);
        let elements: Result<Vec<T>, _> = bytes.chunks_exact(size_of::<T>()).map(element).collect();
        elements.map_err(|error| Error::input(format!("the tensor has elements that are not {}: {error}", T::TYPE)))
    }

    /// The elements of a tensor of strings.
    ///
    /// # Errors
    /// If the elements are not strings.
    pub fn to_strings(&self) -> Result<Vec<String>> {
        self.expect(ElementType::String)?;
        Ok(self.inner.strings().unwrap_or_default())
    }

    /// The bytes of the elements, little-endian; for strings, each one's length as a `u32` and its UTF-8.
    pub fn as_bytes(&self) -> &[u8] {
        self.inner.data.bytes()
    }

    fn expect(&self, expected: ElementType) -> Result<()> {
        let found = self.element_type();
        if found == expected { Ok(()) } else { Err(Error::input(format!("the tensor is {found}, not {expected}"))) }
    }
}

/// Type and extents, as in `float32 [1, 3]`.
impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.element_type(), self.shape)
    }
}

impl PartialEq for Tensor {
    /// Whether types, extents and bytes are equal.
    fn eq(&self, other: &Tensor) -> bool {
        self.inner.element == other.inner.element && self.shape == other.shape && self.as_bytes() == other.as_bytes()
    }
}

/// Extents as the compiler represents them.
pub(crate) fn extents(shape: &[usize]) -> Option<Vec<i64>> {
    shape.iter().map(|&extent| i64::try_from(extent).ok()).collect()
}

#[cfg(feature = "ndarray")]
mod arrays {
    use ndarray::{ArrayBase, ArrayViewD, Data, Dimension, IxDyn};

    use super::{Element, Tensor};
    use crate::{Error, Result};

    impl Tensor {
        /// A tensor with a copy of an array's elements.
        pub fn from_array<T: Element, S: Data<Elem = T>, D: Dimension>(array: &ArrayBase<S, D>) -> Tensor {
            let contiguous = array.as_standard_layout();
            let elements = contiguous.as_slice().expect("it is in standard layout");
            Tensor::from_slice(array.shape(), elements).expect("an array has the elements of its shape")
        }

        /// The tensor as an array that reads its elements in place.
        ///
        /// # Errors
        /// As [`Tensor::as_slice`].
        pub fn as_array<T: Element>(&self) -> Result<ArrayViewD<'_, T>> {
            let elements = self.as_slice::<T>()?;
            ArrayViewD::from_shape(IxDyn(self.shape()), elements).map_err(|error| Error::input(error.to_string()))
        }
    }
}
