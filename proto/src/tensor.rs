//! The contents of `TensorProto`s, which share the model's bytes.

use std::borrow::Cow;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use data::{AlignedBytes, Blob};
use indexmap::IndexMap;
use prost::bytes::Bytes;

use crate::load::Model;
use crate::messages::{DataLocation, DataType, SparseTensorProto, TensorProto};

/// A tensor's contents.
#[derive(Clone, Debug, PartialEq)]
pub enum TensorValue {
    /// Numbers and booleans.
    Dense(Dense),
    /// Strings, with their extents.
    Strings(Vec<i64>, Vec<Arc<str>>),
}

/// The elements of a tensor in row-major order, little-endian. Elements of fewer than eight bits, and booleans, take a
/// byte each.
#[derive(Clone, Debug)]
pub struct Dense {
    /// The element type; not strings.
    pub element: DataType,
    /// The extents.
    pub shape: Vec<i64>,
    /// The bytes of all elements.
    pub data: Blob,
}

impl PartialEq for Dense {
    fn eq(&self, other: &Dense) -> bool {
        (self.element, &self.shape) == (other.element, &other.shape) && self.data.bytes() == other.data.bytes()
    }
}

/// Reads the contents of tensors; maps every external file once.
#[derive(Debug)]
pub struct Tensors {
    source: Option<Blob>,
    directory: Option<PathBuf>,
    files: IndexMap<String, Blob>,
}

/// The name of an ONNX element type; the number itself if it is unknown.
pub fn type_name(number: i32) -> String {
    DataType::try_from(number).map_or_else(|_| number.to_string(), |r#type| format!("{type:?}").to_lowercase())
}

impl DataType {
    /// The number of bits of an element in the model; 0 for strings, and where there are none.
    pub fn bits(self) -> usize {
        match self {
            DataType::Undefined | DataType::String => 0,
            DataType::Uint2 | DataType::Int2 => 2,
            DataType::Uint4 | DataType::Int4 | DataType::Float4e2m1 => 4,
            DataType::Float6e2m3 | DataType::Float6e3m2 => 6,
            DataType::Bool
            | DataType::Uint8
            | DataType::Int8
            | DataType::Float8e4m3fn
            | DataType::Float8e4m3fnuz
            | DataType::Float8e5m2
            | DataType::Float8e5m2fnuz
            | DataType::Float8e8m0 => 8,
            DataType::Uint16 | DataType::Int16 | DataType::Float16 | DataType::Bfloat16 => 16,
            DataType::Uint32 | DataType::Int32 | DataType::Float => 32,
            DataType::Uint64 | DataType::Int64 | DataType::Double | DataType::Complex64 => 64,
            DataType::Complex128 => 128,
        }
    }

    /// The number of bytes of an element in [`Dense`].
    pub fn width(self) -> usize {
        self.bits().div_ceil(8)
    }
}

impl Dense {
    /// The number of elements.
    pub fn count(&self) -> usize {
        self.data.len() / self.element.width()
    }

    /// The elements, sign-extended, if they are integers.
    fn integers(&self) -> Option<Vec<i64>> {
        let is_signed = match self.element {
            DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 | DataType::Int4 | DataType::Int2 => {
                true
            }
            DataType::Bool
            | DataType::Uint8
            | DataType::Uint16
            | DataType::Uint32
            | DataType::Uint64
            | DataType::Uint4
            | DataType::Uint2 => false,
            _ => return None,
        };
        let integer = |bytes: &[u8]| {
            let fill = if is_signed && bytes[bytes.len() - 1] >= 0x80 { 0xff } else { 0 };
            let mut word = [fill; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            i64::from_le_bytes(word)
        };
        Some(self.data.bytes().chunks_exact(self.element.width()).map(integer).collect())
    }
}

impl TensorProto {
    /// The elements of a tensor of int64 that are stored in the message; `None` if its bytes are not whole elements.
    pub fn integers(&self) -> Option<Cow<'_, [i64]>> {
        let Some(raw) = self.raw_data.as_ref().filter(|raw| !raw.is_empty()) else {
            return Some(Cow::Borrowed(&self.int64_data));
        };
        let (chunks, rest) = raw.as_chunks::<8>();
        rest.is_empty().then(|| chunks.iter().map(|chunk| i64::from_le_bytes(*chunk)).collect())
    }
}

impl Tensors {
    /// A converter for the tensors of one model.
    pub fn new(model: &Model) -> Tensors {
        Tensors { source: model.source.clone(), directory: model.directory.clone(), files: IndexMap::new() }
    }

    /// The external files that have been read, as the model names them.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// A tensor's contents. The error describes what is wrong with it.
    pub fn value(&mut self, tensor: &TensorProto) -> Result<TensorValue, String> {
        let count = element_count(&tensor.dims)?;
        if tensor.data_type == DataType::String as i32 {
            return strings(tensor, count);
        }
        let element = DataType::try_from(tensor.data_type)
            .ok()
            .filter(|element| element.bits() > 0)
            .ok_or_else(|| format!("has unknown element type {}", tensor.data_type))?;
        let data = self.data(tensor, element, count)?;
        Ok(TensorValue::Dense(Dense { element, shape: tensor.dims.clone(), data }))
    }

    /// A sparse tensor's contents, as a dense tensor.
    pub fn sparse_value(&mut self, sparse: &SparseTensorProto) -> Result<TensorValue, String> {
        let (values, indices) = match (&sparse.values, &sparse.indices) {
            (Some(values), Some(indices)) => (self.value(values)?, self.value(indices)?),
            _ => return Err("is a sparse tensor without values or indices".into()),
        };
        match values {
            TensorValue::Dense(values) => {
                let positions = positions(&sparse.dims, &indices, values.count())?;
                spread(&sparse.dims, &values, &positions).map(TensorValue::Dense)
            }
            TensorValue::Strings(_, texts) => {
                let positions = positions(&sparse.dims, &indices, texts.len())?;
                spread_texts(&sparse.dims, &texts, &positions)
            }
        }
    }

    fn data(&mut self, tensor: &TensorProto, element: DataType, count: usize) -> Result<Blob, String> {
        let packed = (count * element.bits()).div_ceil(8);
        if tensor.data_location == DataLocation::External as i32 {
            return self.external(tensor, packed).map(|raw| unpack(raw, element, count));
        }
        match &tensor.raw_data {
            Some(raw) if !raw.is_empty() || count == 0 => {
                if raw.len() != packed {
                    return Err(format!("has {} bytes of data, but its shape and type need {packed}", raw.len()));
                }
                Ok(unpack(self.blob_of(raw), element, count))
            }
            _ => typed_fields(tensor, element, count, packed),
        }
    }

    /// The bytes as a view of the model's file if they are in it, otherwise a copy.
    fn blob_of(&self, bytes: &Bytes) -> Blob {
        let window = self.source.as_ref().and_then(|source| {
            let offset = (bytes.as_ptr() as usize).checked_sub(source.bytes().as_ptr() as usize)?;
            source.window(offset, bytes.len())
        });
        window.unwrap_or_else(|| Blob::copy_of(bytes))
    }

    fn external(&mut self, tensor: &TensorProto, length: usize) -> Result<Blob, String> {
        let entry = |key: &str| tensor.external_data.iter().find(|e| e.key == key).map(|e| e.value.as_str());
        let number = |key: &str| match entry(key) {
            None => Ok(None),
            Some(text) => {
                text.parse::<usize>().map(Some).map_err(|_| format!("has external data with {key} \"{text}\""))
            }
        };
        let location = entry("location").ok_or("has external data without a location")?;
        let offset = number("offset")?.unwrap_or(0);
        if let Some(given) = number("length")?.filter(|&given| given != length) {
            return Err(format!("has {given} bytes of external data, but its shape and type need {length}"));
        }
        let file = self.file(location)?;
        file.window(offset, length).ok_or_else(|| {
            format!(
                "needs bytes {offset}..{} of external file \"{location}\", which has {}",
                offset.saturating_add(length),
                file.bytes().len()
            )
        })
    }

    fn file(&mut self, location: &str) -> Result<Blob, String> {
        if let Some(file) = self.files.get(location) {
            return Ok(file.clone());
        }
        let inside = Path::new(location).components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
        if !inside || location.contains('\\') {
            return Err(format!("has external data outside the model's folder: \"{location}\""));
        }
        let directory = self.directory.as_ref().ok_or("has external data, but the model was not loaded from a file")?;
        let path = directory.join(location);
        let escapes = match (path.canonicalize(), directory.join(".").canonicalize()) {
            (Ok(path), Ok(directory)) => !path.starts_with(directory),
            _ => false,
        };
        if escapes {
            return Err(format!("has external data outside the model's folder: \"{location}\" is a link"));
        }
        if has_links_elsewhere(&path, directory) {
            let advice = "which may lead out of the model's folder: replace it by a copy";
            return Err(format!("has external data in \"{location}\", a hard link, {advice}"));
        }
        let file = Blob::map_file(&path)
            .map_err(|error| format!("has external data in \"{location}\": cannot read it: {error}"))?;
        self.files.insert(location.into(), file.clone());
        Ok(file)
    }
}

/// Whether a file has a hard link outside of a folder.
fn has_links_elsewhere(path: &Path, folder: &Path) -> bool {
    let Ok(file) = path.metadata() else { return false };
    if file.nlink() < 2 || !file.is_file() {
        return false;
    }
    let own = path.parent().filter(|own| *own != folder);
    let entries = [Some(folder), own].into_iter().flatten().filter_map(|folder| folder.read_dir().ok()).flatten();
    let is_link = |other: &Metadata| (other.dev(), other.ino()) == (file.dev(), file.ino());
    let inside = entries.filter(|entry| entry.as_ref().is_ok_and(|entry| entry.metadata().is_ok_and(|m| is_link(&m))));
    (inside.count() as u64) < file.nlink()
}

fn element_count(dims: &[i64]) -> Result<usize, String> {
    let mut count = 1usize;
    for &extent in dims {
        let extent = usize::try_from(extent).map_err(|_| format!("has a negative extent in shape {dims:?}"))?;
        count = count.checked_mul(extent).ok_or_else(|| format!("has a shape too large to exist: {dims:?}"))?;
    }
    // 16 bytes is the widest element; beyond that the byte count would overflow
    if count > isize::MAX as usize / 16 {
        return Err(format!("has a shape too large to exist: {dims:?}"));
    }
    Ok(count)
}

fn strings(tensor: &TensorProto, count: usize) -> Result<TensorValue, String> {
    if tensor.string_data.len() != count {
        return Err(format!("has {} strings, but its shape needs {count}", tensor.string_data.len()));
    }
    let text = |bytes: &Bytes| {
        std::str::from_utf8(bytes).map(Arc::from).map_err(|_| "holds a string that is not UTF-8".to_string())
    };
    let values = tensor.string_data.iter().map(text).collect::<Result<_, _>>()?;
    Ok(TensorValue::Strings(tensor.dims.clone(), values))
}

/// Sub-byte elements are a stream of bits, low ones first (onnx.proto, `TensorProto`); here each element takes a byte.
/// Booleans become 0 or 1.
fn unpack(raw: Blob, element: DataType, count: usize) -> Blob {
    let bits = element.bits();
    if element == DataType::Bool {
        if raw.bytes().iter().all(|&byte| byte <= 1) {
            return raw;
        }
        return Blob::build(count, |out| out.iter_mut().zip(raw.bytes()).for_each(|(o, &byte)| *o = (byte != 0) as u8));
    }
    if bits >= 8 {
        return raw;
    }
    let mask = (1u8 << bits) - 1;
    let signed = matches!(element, DataType::Int4 | DataType::Int2);
    Blob::build(count, |out| {
        for (index, o) in out.iter_mut().enumerate() {
            let (byte, shift) = (index * bits / 8, index * bits % 8);
            let next = raw.bytes().get(byte + 1).copied().unwrap_or_default();
            let value = (u16::from_le_bytes([raw.bytes()[byte], next]) >> shift) as u8 & mask;
            let negative = signed && value >> (bits - 1) == 1;
            *o = if negative { value | !mask } else { value };
        }
    })
}

/// The typed field for each element type: the comments of onnx.proto's `TensorProto`.
fn typed_fields(tensor: &TensorProto, element: DataType, count: usize, packed: usize) -> Result<Blob, String> {
    fn gather<const N: usize, T: Copy>(values: &[T], bytes: impl Fn(T) -> [u8; N]) -> Vec<u8> {
        values.iter().flat_map(|&value| bytes(value)).collect()
    }
    let bits = element.bits();
    if bits == 6 {
        return sixes(&tensor.int32_data, count);
    }
    let data = match element {
        DataType::Float | DataType::Complex64 => gather(&tensor.float_data, f32::to_le_bytes),
        DataType::Double | DataType::Complex128 => gather(&tensor.double_data, f64::to_le_bytes),
        DataType::Uint64 => gather(&tensor.uint64_data, u64::to_le_bytes),
        DataType::Uint32 => gather(&tensor.uint64_data, |v| (v as u32).to_le_bytes()),
        DataType::Int64 => gather(&tensor.int64_data, i64::to_le_bytes),
        _ if bits == 32 => gather(&tensor.int32_data, i32::to_le_bytes),
        _ if bits == 16 => gather(&tensor.int32_data, |v| (v as u16).to_le_bytes()),
        _ => gather(&tensor.int32_data, |v| [v as u8]),
    };
    if data.len() != packed {
        return Err(format!("has {} bytes of data, but its shape and type need {packed}", data.len()));
    }
    Ok(unpack(Blob::copy_of(&data), element, count))
}

/// Typed data of 6-bit floats, one per entry.
fn sixes(entries: &[i32], count: usize) -> Result<Blob, String> {
    if entries.len() != count {
        return Err(format!("has {} entries of data, but its shape needs {count}", entries.len()));
    }
    if let Some(wide) = entries.iter().find(|entry| !(0..64).contains(*entry)) {
        return Err(format!("has {wide} in its data, which is not a 6-bit float"));
    }
    Ok(Blob::build(count, |out| out.iter_mut().zip(entries).for_each(|(o, &entry)| *o = entry as u8)))
}

/// The maximum size of a sparse tensor that is made dense.
const SPREAD_LIMIT: usize = 1 << 34;

/// The positions in the dense tensor of the `count` values of a sparse one.
fn positions(dims: &[i64], indices: &TensorValue, count: usize) -> Result<Vec<usize>, String> {
    let size = element_count(dims)?;
    let TensorValue::Dense(indices) = indices else {
        return Err("is a sparse tensor whose indices are not int64".into());
    };
    let indices_at = indices.integers().ok_or("is a sparse tensor whose indices are not int64")?;
    let linear = match indices.shape.len() {
        1 => indices_at,
        2 => indices_at
            .chunks(dims.len().max(1))
            .map(|at| at.iter().zip(dims).fold(0i64, |sum, (&i, &extent)| sum.saturating_mul(extent).saturating_add(i)))
            .collect(),
        _ => return Err("is a sparse tensor whose indices are neither rank 1 nor 2".into()),
    };
    let positions: Option<Vec<usize>> =
        linear.into_iter().map(|at| usize::try_from(at).ok().filter(|&at| at < size)).collect();
    let fitting = positions.filter(|positions| positions.len() == count);
    fitting.ok_or_else(|| "is a sparse tensor whose indices do not match its values or shape".into())
}

fn spread(dims: &[i64], values: &Dense, positions: &[usize]) -> Result<Dense, String> {
    let width = values.element.width();
    let mut data = AlignedBytes::try_zeroed(spread_size(dims, width)?)
        .map_err(|shortage| format!("is a sparse tensor: {shortage}"))?;
    for (value, &at) in values.data.bytes().chunks_exact(width).zip(positions) {
        data.as_mut_slice()[at * width..][..width].copy_from_slice(value);
    }
    Ok(Dense { element: values.element, shape: dims.to_vec(), data: Blob::from_owned(data) })
}

/// Makes a sparse tensor of strings dense; missing elements are empty.
fn spread_texts(dims: &[i64], texts: &[Arc<str>], positions: &[usize]) -> Result<TensorValue, String> {
    let empty: Arc<str> = Arc::from("");
    let mut dense = vec![empty.clone(); spread_size(dims, size_of_val(&empty))? / size_of_val(&empty)];
    for (text, &at) in texts.iter().zip(positions) {
        dense[at] = text.clone();
    }
    Ok(TensorValue::Strings(dims.to_vec(), dense))
}

/// The dense size in bytes of a sparse tensor, if it is within the limit.
fn spread_size(dims: &[i64], width: usize) -> Result<usize, String> {
    let bytes = element_count(dims)? * width;
    match bytes <= SPREAD_LIMIT {
        true => Ok(bytes),
        false => Err(format!("is a sparse tensor of {bytes} bytes spread out; at most {SPREAD_LIMIT} are")),
    }
}
