//! Constant data: shared bytes, mapped from files where possible, and read without copies.

#![allow(unsafe_code, reason = "memory maps are viewed as byte slices; the file is opened read-only and privately")]

use std::fmt;
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use crate::attributes::Attribute;
use crate::memory::AlignedBytes;
use crate::types::{FloatType, Type};

/// Immutable bytes: owned, part of a mapped file, or computed by another thread. Cloning shares them.
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
    Computed(Arc<Computed>),
}

/// Bytes that another thread computes.
struct Computed {
    /// Their address, known before they are computed.
    address: usize,
    /// `None` after a panic of the computation.
    bytes: OnceLock<Option<AlignedBytes>>,
}

/// A chunk of bytes to be computed by a background thread.
pub struct Piece {
    bytes: Option<AlignedBytes>,
    computed: Arc<Computed>,
}

impl Piece {
    /// The bytes, all zero at first.
    pub fn bytes_mut(&mut self) -> &mut AlignedBytes {
        self.bytes.as_mut().expect("they are there until the piece is finished")
    }

    /// Publishes the bytes to threads that wait for them.
    pub fn finish(mut self) {
        let bytes = self.bytes.take();
        self.computed.bytes.get_or_init(|| bytes);
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        // waiters must wake up in any case
        self.computed.bytes.get_or_init(|| None);
    }
}

/// The number of bytes of a constant that are part of its hash.
const HASHED: usize = 64;
/// Larger constants are distinguished without reading them.
const LARGE: usize = 1 << 15;
impl Blob {
    /// Maps a whole file. Special files, such as a pipe without a writer, are refused without waiting.
    pub fn map_file(path: &Path) -> std::io::Result<Blob> {
        let metadata = std::fs::metadata(path)?;
        if !metadata.is_file() {
            return Err(std::io::Error::other(if metadata.is_dir() {
                "it is a folder"
            } else {
                "it is a pipe or a device, not a file"
            }));
        }
        Blob::map(&std::fs::File::open(path)?)
    }

    /// Maps an open file with its current contents.
    pub fn map(file: &std::fs::File) -> std::io::Result<Blob> {
        if file.metadata()?.len() == 0 {
            return Ok(Blob::copy_of(&[]));
        }
        // SAFETY: the map is private and read-only; we do not defend against another process truncating the file while
        // we read it, as no reader of memory maps can.
        let map = unsafe { memmap2::Mmap::map(file)? };
        let length = map.len();
        Ok(Blob { storage: Storage::Mapped(Arc::new(map)), offset: 0, length })
    }

    /// Owned bytes on a 64-byte boundary.
    pub fn copy_of(bytes: &[u8]) -> Blob {
        Blob::build(bytes.len(), |target| target.copy_from_slice(bytes))
    }

    /// Owned, zeroed bytes on a 64-byte boundary, which `fill` writes before they are shared.
    pub fn build(length: usize, fill: impl FnOnce(&mut [u8])) -> Blob {
        Blob::try_build(length, fill).unwrap_or_else(|shortage| limits::give_up(shortage))
    }

    /// The same, if the memory can be allocated.
    pub fn try_build(length: usize, fill: impl FnOnce(&mut [u8])) -> Result<Blob, limits::Shortage> {
        let mut bytes = AlignedBytes::try_zeroed(length)?;
        bytes.expect_writes(0, length);
        fill(bytes.as_mut_slice());
        Ok(Blob { storage: Storage::Owned(Arc::new(bytes)), offset: 0, length })
    }

    /// The same on a background thread, in chunks of some lengths: a reader waits for its chunk.
    pub fn build_in_background(lengths: &[usize], fill: impl FnOnce(Vec<Piece>) + Send + 'static) -> Vec<Blob> {
        let piece = |&length: &usize| {
            let bytes = AlignedBytes::zeroed(length);
            let address = bytes.as_slice().as_ptr().expose_provenance();
            Piece { bytes: Some(bytes), computed: Arc::new(Computed { address, bytes: OnceLock::new() }) }
        };
        let pieces: Vec<Piece> = lengths.iter().map(piece).collect();
        let blob = |(piece, &length): (&Piece, &usize)| Blob {
            storage: Storage::Computed(piece.computed.clone()),
            offset: 0,
            length,
        };
        let blobs = pieces.iter().zip(lengths).map(blob).collect();
        crew::spawn(move || fill(pieces));
        blobs
    }

    /// Bytes that are not written any more.
    pub fn from_owned(bytes: AlignedBytes) -> Blob {
        let length = bytes.as_slice().len();
        Blob { storage: Storage::Owned(Arc::new(bytes)), offset: 0, length }
    }

    /// The bytes, to be written again, if they are not shared.
    pub fn into_owned(self) -> Result<AlignedBytes, Blob> {
        let Blob { storage, offset, length } = self;
        match storage {
            Storage::Owned(bytes) => {
                Arc::try_unwrap(bytes).map_err(|bytes| Blob { storage: Storage::Owned(bytes), offset, length })
            }
            storage @ (Storage::Mapped(_) | Storage::Computed(_)) => Err(Blob { storage, offset, length }),
        }
    }

    /// A part of the same bytes; `None` if it is out of range.
    pub fn window(&self, offset: usize, length: usize) -> Option<Blob> {
        let end = offset.checked_add(length)?;
        (end <= self.length).then(|| Blob { storage: self.storage.clone(), offset: self.offset + offset, length })
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        let whole: &[u8] = match &self.storage {
            Storage::Mapped(map) => map,
            Storage::Owned(bytes) => bytes.as_slice(),
            Storage::Computed(computed) => {
                computed.bytes.wait().as_ref().expect("the computation of bytes does not panic").as_slice()
            }
        };
        &whole[self.offset..self.offset + self.length]
    }

    /// The address of the first byte. This does not wait for bytes that are still being computed, so that they must not
    /// be read.
    pub fn address(&self) -> usize {
        match &self.storage {
            Storage::Computed(computed) => computed.address + self.offset,
            Storage::Mapped(_) | Storage::Owned(_) => self.bytes().as_ptr().expose_provenance(),
        }
    }

    /// Identifies the chunk that these bytes become ready with, by its address. `None` if they were never computed in
    /// the background.
    pub fn piece(&self) -> Option<usize> {
        match &self.storage {
            Storage::Computed(computed) => Some(computed.address),
            Storage::Mapped(_) | Storage::Owned(_) => None,
        }
    }

    /// The offset of the bytes in a file that was mapped as a whole, if they are part of it.
    pub fn offset_in(&self, file: &Blob) -> Option<usize> {
        match (&self.storage, &file.storage) {
            (Storage::Mapped(own), Storage::Mapped(other)) if Arc::ptr_eq(own, other) => Some(self.offset),
            _ => None,
        }
    }

    /// Whether the bytes are in a mapped file.
    pub fn is_mapped(&self) -> bool {
        matches!(self.storage, Storage::Mapped(_))
    }

    /// Whether two handles refer to the same bytes of the same storage, without reading them.
    pub fn same_storage(&self, other: &Blob) -> bool {
        let is_same = match (&self.storage, &other.storage) {
            (Storage::Mapped(own), Storage::Mapped(other)) => Arc::ptr_eq(own, other),
            (Storage::Owned(own), Storage::Owned(other)) => Arc::ptr_eq(own, other),
            (Storage::Computed(own), Storage::Computed(other)) => Arc::ptr_eq(own, other),
            (Storage::Mapped(_) | Storage::Owned(_) | Storage::Computed(_), _) => false,
        };
        is_same && self.offset == other.offset && self.length == other.length
    }

    /// Returns the pages of a mapped file to the system: later reads load them from the file again.
    pub fn discard(&self) {
        #[cfg(unix)]
        if let Storage::Mapped(map) = &self.storage {
            // SAFETY: the mapping is read-only, so that the file has the same contents; a refusal is ignored.
            let _ = unsafe { map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, self.offset, self.length) };
        }
    }
}

impl fmt::Debug for Blob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Blob({} bytes)", self.length)
    }
}

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
        self.data.length.hash(state);
        if self.data.length <= LARGE {
            self.data.bytes()[..self.data.length.min(HASHED)].hash(state);
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
                let bytes = |number: f64| crate::floats::encode(number, format).to_le_bytes();
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
            Some(width) => self.data.length == count * width,
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
                Some(crate::floats::decode(u64::from_le_bytes(raw), *format))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_there_one_after_the_other() {
        let (may_go_on, goes_on) = std::sync::mpsc::channel();
        let blobs = Blob::build_in_background(&[3, 1 << 17, 5], move |pieces| {
            for (number, mut piece) in pieces.into_iter().enumerate() {
                goes_on.recv().expect("the test goes on");
                piece.bytes_mut().as_mut_slice().fill(number as u8 + 1);
                piece.finish();
            }
        });
        let window = blobs[1].window(100, 2).expect("it fits");
        assert_eq!(window.piece(), Some(blobs[1].address()));
        assert_eq!(window.address(), blobs[1].address() + 100);
        for (number, blob) in blobs.iter().enumerate() {
            may_go_on.send(()).expect("a thread computes");
            assert!(blob.bytes().iter().all(|&byte| byte == number as u8 + 1));
            assert_eq!(blob.bytes().as_ptr().expose_provenance(), blob.address());
        }
        assert_eq!(Blob::copy_of(&[1]).piece(), None);
    }

    #[test]
    #[should_panic(expected = "the computation of bytes does not panic")]
    fn nobody_waits_for_bytes_that_do_not_come() {
        let blobs = Blob::build_in_background(&[8], drop);
        blobs[0].bytes();
    }
}
