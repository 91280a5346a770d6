//! The elements of constants.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use data::Blob;

use crate::attributes::Attribute;
use crate::types::{FloatType, Type};

/// The number of bytes of a constant that are part of its hash.
const HASHED: usize = 64;
/// Larger constants are distinguished without reading them.
const LARGE: usize = 1 << 15;

/// A constant's value: little-endian elements in row-major order, or one element that fills the type (a splat).
///
/// Equality is by type, key and bytes; identical storage is recognised without reading it. The hash covers the first
/// bytes of small constants.
#[derive(Clone, Debug)]
pub struct DenseElements {
    /// The ranked tensor (or vector) type.
    pub r#type: Type,
    /// The bytes of all elements, or of the one element of a splat. Sub-byte elements and `i1` take one byte each.
    pub data: Blob,
    /// Whether `data` holds a single element.
    pub splat: bool,
    /// The resource name: printed as `dense_resource<key>` when present, inline as `dense<…>` otherwise.
    pub key: Option<Arc<str>>,
}

impl PartialEq for DenseElements {
    fn eq(&self, other: &Self) -> bool {
        self.r#type == other.r#type
            && self.is_splat() == other.is_splat()
            && self.key == other.key
            && (self.data.same_storage(&other.data) || self.data.bytes() == other.data.bytes())
    }
}

impl Eq for DenseElements {}

impl Hash for DenseElements {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.r#type.hash(state);
        self.is_splat().hash(state);
        self.key.hash(state);
        self.data.len().hash(state);
        if self.data.len() <= LARGE {
            self.data.bytes()[..self.data.len().min(HASHED)].hash(state);
        }
    }
}

impl DenseElements {
    /// Floats in row-major order, each rounded to the element type; `None` if that is not a float type.
    pub fn of_floats(r#type: Type, numbers: &[f64]) -> Option<DenseElements> {
        DenseElements::of_numbers(r#type, numbers, |number| number)
    }

    /// The same for integers.
    pub fn of_whole_floats(r#type: Type, numbers: &[i64]) -> Option<DenseElements> {
        DenseElements::of_numbers(r#type, numbers, |number| number as f64)
    }

    fn of_numbers<T: Copy>(r#type: Type, numbers: &[T], real: impl Fn(T) -> f64) -> Option<DenseElements> {
        let &Type::Float(format) = r#type.element() else { return None };
        let width = r#type.element().byte_width()?;
        let data = match format {
            FloatType::F32 => built(numbers, |number| (real(number) as f32).to_le_bytes()),
            _ => Blob::build(numbers.len() * width, |target| {
                let targets = target.chunks_exact_mut(width).zip(numbers);
                let bytes = |number: f64| data::floats::encode(number, format).to_le_bytes();
                targets.for_each(|(to, &number)| to.copy_from_slice(&bytes(real(number))[..width]));
            }),
        };
        Some(DenseElements::new(r#type, data))
    }

    /// All elements of an integer type in row-major order: the lowest bits of each integer, as many as the type has.
    /// `None` if elements do not take whole bytes.
    pub fn of_integers(r#type: Type, numbers: &[i64]) -> Option<DenseElements> {
        let bits = if *r#type.element() == Type::I1 { 1 } else { -1 };
        let data = match r#type.element().byte_width()? {
            1 => built(numbers, |number| [(number & bits) as u8]),
            2 => built(numbers, |number| (number as i16).to_le_bytes()),
            4 => built(numbers, |number| (number as i32).to_le_bytes()),
            8 => built(numbers, i64::to_le_bytes),
            _ => return None,
        };
        Some(DenseElements::new(r#type, data))
    }

    /// All elements, from bytes in row-major order.
    pub fn new(r#type: Type, data: Blob) -> DenseElements {
        DenseElements { r#type, data, splat: false, key: None }
    }

    /// One element repeated over the whole type.
    pub fn splat(r#type: Type, element: &[u8]) -> DenseElements {
        DenseElements { r#type, data: Blob::copy_of(element), splat: true, key: None }
    }

    /// A 1-D or 0-D constant of 64-bit integers: shapes, axes.
    pub fn from_i64(shape: &[i64], values: &[i64]) -> DenseElements {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        DenseElements::new(Type::static_tensor(shape, Type::I64), Blob::copy_of(&bytes))
    }

    /// Strings: each is stored as its length in bytes, a little-endian `u32`, followed by UTF-8.
    pub fn from_strings<S: AsRef<str>>(r#type: Type, strings: &[S]) -> DenseElements {
        let mut bytes = Vec::new();
        for text in strings {
            bytes.extend((text.as_ref().len() as u32).to_le_bytes());
            bytes.extend(text.as_ref().as_bytes());
        }
        let elements = DenseElements::new(r#type, Blob::copy_of(&bytes));
        let splat = strings.len() == 1 && elements.element_count() > 1;
        DenseElements { splat, ..elements }
    }

    /// The strings of a constant whose element type is a string type (`!onnx.String`); one for a splat.
    pub fn strings(&self) -> Option<Vec<String>> {
        if !matches!(self.r#type.element(), Type::Dialect(_)) {
            return None;
        }
        let mut strings = Vec::new();
        let mut rest = self.data.bytes();
        while let Some((length, tail)) = rest.split_first_chunk::<4>() {
            let (text, next) = tail.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            strings.push(String::from_utf8(text.to_vec()).ok()?);
            rest = next;
        }
        let expected = if self.is_splat() { 1 } else { self.element_count() };
        (strings.len() == expected).then_some(strings)
    }

    /// Whether one element is repeated, or the only one.
    pub fn is_splat(&self) -> bool {
        self.splat || self.element_count() == 1
    }

    /// Whether the bytes are available; text printed without its resources only has the names of constants.
    pub fn is_available(&self) -> bool {
        let count = if self.splat { 1 } else { self.element_count() };
        match self.r#type.element().byte_width() {
            Some(width) => self.data.len() == count * width,
            None => self.strings().is_some(),
        }
    }

    /// Number of elements of the type.
    pub fn element_count(&self) -> usize {
        let count = |rank| (0..rank).map(|dimension| self.r#type.extent(dimension)).product::<Option<i64>>();
        self.r#type.rank().and_then(count).map_or(0, |count| count as usize)
    }

    /// The bytes of element `index` in row-major order.
    pub fn element_bytes(&self, index: usize) -> &[u8] {
        let width = self.r#type.element().byte_width().expect("constant elements have a width");
        let at = if self.splat { 0 } else { index * width };
        &self.data.bytes()[at..at + width]
    }

    /// Element `index` as an integer, for integer, index and boolean element types.
    pub fn integer(&self, index: usize) -> Option<i64> {
        let bytes = self.available_bytes(index)?;
        match self.r#type.element() {
            Type::Index => Some(i64::from_le_bytes(bytes.try_into().ok()?)),
            element @ Type::Integer(_) => {
                let unsigned = element.is_unsigned();
                Some(match (bytes.len(), unsigned) {
                    (1, true) => bytes[0] as i64,
                    (1, false) => bytes[0] as i8 as i64,
                    (2, true) => u16::from_le_bytes(bytes.try_into().ok()?) as i64,
                    (2, false) => i16::from_le_bytes(bytes.try_into().ok()?) as i64,
                    (4, true) => u32::from_le_bytes(bytes.try_into().ok()?) as i64,
                    (4, false) => i32::from_le_bytes(bytes.try_into().ok()?) as i64,
                    (8, _) => i64::from_le_bytes(bytes.try_into().ok()?),
                    _ => return None,
                })
            }
            _ => None,
        }
    }

    /// Whether elements can be represented as scalar attributes.
    pub fn has_scalar_attributes(&self) -> bool {
        self.r#type.element().bit_width().is_some_and(|bits| bits <= i64::BITS)
    }

    /// Element `index` as a scalar attribute; 0 if the contents are not available.
    pub fn element_attribute(&self, index: usize) -> Attribute {
        let element = self.r#type.element().clone();
        match &element {
            Type::Float(_) => Attribute::float(self.float(index).unwrap_or(0.0), element),
            Type::Integer(integer) if integer.width == 1 => Attribute::Bool(self.integer(index) != Some(0)),
            _ => Attribute::Integer(self.integer(index).unwrap_or(0), element),
        }
    }

    /// Element `index` as a float, for every float element type.
    pub fn float(&self, index: usize) -> Option<f64> {
        let bytes = self.available_bytes(index)?;
        match self.r#type.element() {
            Type::Float(format) => {
                let mut raw = [0u8; 8];
                raw[..bytes.len()].copy_from_slice(bytes);
                Some(data::floats::decode(u64::from_le_bytes(raw), *format))
            }
            _ => None,
        }
    }

    /// All elements as floats, if the element type is a float.
    pub fn floats(&self) -> Option<Vec<f64>> {
        let count = self.element_count();
        if self.is_splat() {
            return Some(vec![self.float(0)?; count]);
        }
        match self.r#type.element() {
            Type::Float(FloatType::F32) => {
                let bytes = self.data.bytes().get(..count * 4)?;
                let (elements, _) = bytes.as_chunks::<4>();
                Some(elements.iter().map(|bytes| f32::from_le_bytes(*bytes) as f64).collect())
            }
            _ => (0..count).map(|index| self.float(index)).collect(),
        }
    }

    fn available_bytes(&self, index: usize) -> Option<&[u8]> {
        let width = self.r#type.element().byte_width()?;
        let at = if self.splat { 0 } else { index * width };
        self.data.bytes().get(at..at + width)
    }

    /// All elements as integers, if the element type allows.
    pub fn integers(&self) -> Option<Vec<i64>> {
        let count = self.element_count();
        if self.is_splat() {
            return Some(vec![self.integer(0)?; count]);
        }
        match *self.r#type.element() {
            Type::I8 => Some(self.data.bytes().get(..count)?.iter().map(|&byte| i64::from(byte as i8)).collect()),
            Type::I32 => {
                let (elements, _) = self.data.bytes().get(..count * 4)?.as_chunks::<4>();
                Some(elements.iter().map(|bytes| i64::from(i32::from_le_bytes(*bytes))).collect())
            }
            _ => (0..count).map(|index| self.integer(index)).collect(),
        }
    }
}

/// The bytes of numbers with `WIDTH` bytes each.
fn built<T: Copy, const WIDTH: usize>(numbers: &[T], bytes: impl Fn(T) -> [u8; WIDTH]) -> Blob {
    Blob::build(numbers.len() * WIDTH, |target| {
        target.as_chunks_mut::<WIDTH>().0.iter_mut().zip(numbers).for_each(|(to, &number)| *to = bytes(number));
    })
}
