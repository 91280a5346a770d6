//! Constant data: bytes held once, memory mapped where they can be, never copied to be looked at.

#![allow(unsafe_code, reason = "memory maps are viewed as byte slices; the file is opened read-only and privately")]

use std::fmt;
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

use crate::types::Type;

/// Immutable bytes: owned, or a window of a mapped file. Cloning shares them.
#[derive(Clone)]
pub struct Blob {
    storage: Storage,
    offset: usize,
    length: usize,
}

#[derive(Clone)]
enum Storage {
    Mapped(Arc<memmap2::Mmap>),
    Owned(Arc<AlignedBytes>),
}

/// Bytes whose first one lies on a 64-byte boundary (a cache line, and a whole AVX-512 vector).
struct AlignedBytes {
    lines: Vec<Line>,
    length: usize,
}

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

impl AlignedBytes {
    fn zeroed(length: usize) -> AlignedBytes {
        AlignedBytes { lines: vec![Line([0; 64]); length.div_ceil(64)], length }
    }

    fn as_slice(&self) -> &[u8] {
        // SAFETY: `lines` holds at least `length` initialised bytes, and `Line` has no padding.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.length) }
    }

    fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as in `as_slice`, and the borrow is unique.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.length) }
    }
}

impl Blob {
    /// Maps a whole file.
    pub fn map_file(path: &Path) -> std::io::Result<Blob> {
        let file = std::fs::File::open(path)?;
        if file.metadata()?.len() == 0 {
            return Ok(Blob::copy_of(&[]));
        }
        // SAFETY: the map is private and read-only; a file truncated by another process while we read it is
        // outside what we defend against, as for every memory mapping reader.
        let map = unsafe { memmap2::Mmap::map(&file)? };
        let length = map.len();
        Ok(Blob { storage: Storage::Mapped(Arc::new(map)), offset: 0, length })
    }

    /// Owned bytes on a 64-byte boundary.
    pub fn copy_of(bytes: &[u8]) -> Blob {
        Blob::build(bytes.len(), |target| target.copy_from_slice(bytes))
    }

    /// Owned, zeroed bytes on a 64-byte boundary, filled in by `fill` before anyone shares them.
    pub fn build(length: usize, fill: impl FnOnce(&mut [u8])) -> Blob {
        let mut bytes = AlignedBytes::zeroed(length);
        fill(bytes.as_mut_slice());
        Blob { storage: Storage::Owned(Arc::new(bytes)), offset: 0, length }
    }

    /// A window of the same bytes; `None` when it does not fit.
    pub fn window(&self, offset: usize, length: usize) -> Option<Blob> {
        let end = offset.checked_add(length)?;
        (end <= self.length).then(|| Blob { storage: self.storage.clone(), offset: self.offset + offset, length })
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        let whole: &[u8] = match &self.storage {
            Storage::Mapped(map) => map,
            Storage::Owned(bytes) => bytes.as_slice(),
        };
        &whole[self.offset..self.offset + self.length]
    }

    /// Whether two handles show the same bytes of the same storage, without looking at them.
    pub fn same_storage(&self, other: &Blob) -> bool {
        self.bytes().as_ptr() == other.bytes().as_ptr() && self.length == other.length
    }
}

impl fmt::Debug for Blob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Blob({} bytes)", self.length)
    }
}

/// A constant's value: little-endian elements in row-major order, or one element that fills the type (a splat).
///
/// Equality is by type, key and bytes; identical storage is recognised without reading it. The hash ignores the bytes.
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
            && self.splat == other.splat
            && self.key == other.key
            && (self.data.same_storage(&other.data) || self.data.bytes() == other.data.bytes())
    }
}

impl Eq for DenseElements {}

impl Hash for DenseElements {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.r#type.hash(state);
        self.splat.hash(state);
        self.key.hash(state);
        self.data.length.hash(state);
    }
}

impl DenseElements {
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

    /// Number of elements of the type.
    pub fn element_count(&self) -> usize {
        self.r#type.static_shape().map_or(0, |shape| shape.iter().product::<i64>() as usize)
    }

    /// The bytes of element `index` in row-major order.
    pub fn element_bytes(&self, index: usize) -> &[u8] {
        let width = self.r#type.element().byte_width().expect("constant elements have a width");
        let at = if self.splat { 0 } else { index * width };
        &self.data.bytes()[at..at + width]
    }

    /// Element `index` as an integer, for integer, index and boolean element types.
    pub fn integer(&self, index: usize) -> Option<i64> {
        let bytes = self.element_bytes(index);
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

    /// Element `index` as a float, for `f32` and `f64` element types.
    pub fn float(&self, index: usize) -> Option<f64> {
        let bytes = self.element_bytes(index);
        match self.r#type.element() {
            Type::Float(crate::FloatType::F32) => Some(f32::from_le_bytes(bytes.try_into().ok()?) as f64),
            Type::Float(crate::FloatType::F64) => Some(f64::from_le_bytes(bytes.try_into().ok()?)),
            _ => None,
        }
    }

    /// All elements as integers, when the element type allows.
    pub fn integers(&self) -> Option<Vec<i64>> {
        (0..self.element_count()).map(|i| self.integer(i)).collect()
    }
}
