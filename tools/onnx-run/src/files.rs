//! Tensor files: `.npy`, `.npz`, and `.pb` as in ONNX's tests.

use std::io::{Read, Seek, Write};
use std::path::Path;

use commandline::{Draft, Drafts, Failure, cannot_write};
use driver::{Blob, DenseElements, FloatType, Tensor, Type, Value};
use npyz::npz::{NpzArchive, NpzWriter};
use npyz::{DType, Endianness, NpyFile, Order, TypeChar};

type Reading<T> = Result<T, String>;

/// Reads the tensor of a `.npy` or `.pb` file, or the only one of a `.npz` file.
pub(crate) fn read_tensor(path: &Path) -> Reading<Tensor> {
    match extension(path) {
        "pb" => driver::testdata::read_tensor(path).map(|(_, tensor)| tensor).map_err(|found| found[0].statement()),
        "npz" => match &mut *read_archive(path)? {
            [] => Err(format!("{}: it holds no array", path.display())),
            [(_, tensor)] => Ok(tensor.clone()),
            several => Err(format!("{}: it holds {} arrays; --inputs reads them all", path.display(), several.len())),
        },
        _ => {
            let file = std::fs::File::open(path).map_err(|error| cannot_read(path, error))?;
            read_npy(std::io::BufReader::new(file)).map_err(|error| cannot_read(path, error))
        }
    }
}

/// Reads every array of a `.npz` file, by name.
pub(crate) fn read_archive(path: &Path) -> Reading<Vec<(String, Tensor)>> {
    let mut archive = NpzArchive::open(path).map_err(|error| cannot_read(path, error))?;
    let names: Vec<String> = archive.array_names().map(str::to_string).collect();
    names
        .into_iter()
        .map(|name| read_member(&mut archive, &name).map(|tensor| (name, tensor)))
        .collect::<Result<_, _>>()
        .map_err(|error| cannot_read(path, error))
}

fn read_member<R: Read + Seek>(archive: &mut NpzArchive<R>, name: &str) -> Reading<Tensor> {
    let member = archive.by_name(name).map_err(damaged)?;
    from_npy(member.ok_or_else(|| format!("no array {name}"))?)
}

/// Whether a file is one that [`read_tensor`] reads: by its name, or by its first bytes.
pub(crate) fn is_array(path: &Path) -> bool {
    matches!(extension(path), "npy" | "npz" | "pb") || begins_as_array(path)
}

fn begins_as_array(path: &Path) -> bool {
    let mut magic = [0; 6];
    std::fs::File::open(path).is_ok_and(|mut file| file.read_exact(&mut magic).is_ok()) && magic == *b"\x93NUMPY"
}

/// The bytes of a file as a list of uint8.
pub(crate) fn read_bytes(path: &Path) -> Reading<Tensor> {
    let length = path.metadata().map_err(|error| cannot_read(path, error))?.len();
    limits::ask(length).map_err(|shortage| cannot_read(path, shortage))?;
    let bytes = std::fs::read(path).map_err(|error| cannot_read(path, error))?;
    let tensor = Tensor::new(Type::unsigned(8), vec![bytes.len() as i64], Blob::copy_of(&bytes));
    tensor.ok_or_else(|| cannot_read(path, "it is too long"))
}

/// The part of a file name after the last dot.
pub(crate) fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

fn cannot_read(path: &Path, error: impl std::fmt::Display) -> String {
    format!("{}: cannot be read: {error}", path.display())
}

/// The message for an array with an invalid header.
fn damaged(error: std::io::Error) -> String {
    let text = error.to_string();
    match (text.contains("magic"), text.lines().next()) {
        (true, _) => "it is not a .npy file; numpy.save writes one".to_string(),
        (false, first) => format!("its head is damaged: {}", first.unwrap_or_default().trim_end_matches([' ', ':'])),
    }
}

fn read_npy(reader: impl Read) -> Reading<Tensor> {
    from_npy(NpyFile::new(reader).map_err(damaged)?)
}

fn from_npy<R: Read>(file: NpyFile<R>) -> Reading<Tensor> {
    let shape: Vec<i64> = file.shape().iter().map(|&extent| i64::try_from(extent).unwrap_or(i64::MAX)).collect();
    let is_reversed = file.order() == Order::Fortran && shape.len() > 1;
    let DType::Plain(dtype) = file.dtype() else { return Err("it is a structured array".into()) };
    let width = dtype.num_bytes().unwrap_or(0);
    let element = match (dtype.type_char(), dtype.num_bytes()) {
        (TypeChar::Float, Some(2)) => Type::F16,
        (TypeChar::Float, Some(4)) => Type::F32,
        (TypeChar::Float, Some(8)) => Type::F64,
        (TypeChar::Complex, Some(8)) => Type::Complex(FloatType::F32),
        (TypeChar::Complex, Some(16)) => Type::Complex(FloatType::F64),
        (TypeChar::Bool, _) => Type::I1,
        (TypeChar::Int, Some(bytes)) => Type::integer(8 * bytes as u32),
        // formats that NumPy does not have: their bits, as in ml_dtypes
        (TypeChar::Uint, Some(bytes)) | (TypeChar::RawData, Some(bytes @ 1..=2)) => Type::unsigned(8 * bytes as u32),
        (TypeChar::UnicodeStr, _) => Type::dialect("onnx", "String", vec![]),
        _ => return Err(format!("its element type {} has no counterpart in ONNX", dtype)),
    };
    // for compound elements, each number
    let number = match element {
        Type::Complex(format) => format.width() as usize / 8,
        Type::Dialect(_) => 4,
        _ => width,
    };
    let is_big_endian = dtype.endianness() == Endianness::Big;
    let mut bytes = read_elements(file.into_inner(), &shape, width)?;
    if is_big_endian {
        bytes.chunks_exact_mut(number.max(1)).for_each(<[u8]>::reverse);
    }
    if is_reversed {
        bytes = row_major(&bytes, &shape, width);
    }
    if matches!(element, Type::Dialect(_)) {
        limits::ask_for(bytes.len() / width.max(1), 64).map_err(|shortage| shortage.to_string())?;
        let strings: Vec<String> = bytes.chunks_exact(width.max(1)).map(from_utf32).collect();
        let elements = DenseElements::from_strings(Type::static_tensor(&shape, element), &strings);
        return Tensor::from_elements(&elements).ok_or_else(|| "its shape does not match its data".into());
    }
    Tensor::new(element, shape, Blob::copy_of(&bytes)).ok_or_else(|| "its shape does not match its data".into())
}

/// The bytes of an array; their number follows from its header.
fn read_elements(mut reader: impl Read, shape: &[i64], width: usize) -> Reading<Vec<u8>> {
    let count = shape.iter().try_fold(width, |bytes, &extent| bytes.checked_mul(usize::try_from(extent).ok()?));
    let length =
        count.filter(|&bytes| bytes <= isize::MAX as usize).ok_or("its shape has more elements than can be")?;
    // once as it is read, and once as it is stored
    limits::ask_for(length, 2).map_err(|shortage| shortage.to_string())?;
    let mut bytes = Vec::new();
    reader.by_ref().take(length as u64).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    match bytes.len() == length {
        true => Ok(bytes),
        false => Err(format!("it is cut short: its shape needs {length} bytes, {} are there", bytes.len())),
    }
}

/// Converts elements from column-major order (Fortran's) to row-major order (C's).
fn row_major(bytes: &[u8], shape: &[i64], width: usize) -> Vec<u8> {
    let mut strides: Vec<usize> = Vec::new();
    let mut stride = width;
    for &extent in shape {
        strides.push(stride);
        stride *= extent as usize;
    }
    let mut moved = Vec::with_capacity(bytes.len());
    let mut index = vec![0; shape.len()];
    for _ in 0..bytes.len() / width.max(1) {
        let start: usize = index.iter().zip(&strides).map(|(at, stride)| at * stride).sum();
        moved.extend_from_slice(&bytes[start..start + width]);
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            if index[axis] < shape[axis] as usize {
                break;
            }
            index[axis] = 0;
        }
    }
    moved
}

/// A string of an array, whose end is padded with zeros; a zero before another character is part of the string.
fn from_utf32(bytes: &[u8]) -> String {
    let codes = bytes.chunks_exact(4).map(|code| u32::from_le_bytes([code[0], code[1], code[2], code[3]]));
    let padded: String = codes.filter_map(char::from_u32).collect();
    padded.trim_end_matches('\0').to_string()
}

/// Refuses a `.npy` file for several outputs before they are computed.
pub(crate) fn check_target(path: &Path, outputs: usize) -> Result<(), Failure> {
    match (extension(path), outputs) {
        ("npy", 1) => Ok(()),
        ("npy", several) => {
            let advice = "save them in a .npz file or a folder";
            Err(Failure::usage(format!("{}: the model has {several} outputs; {advice}", path.display())))
        }
        ("" | "npz", _) => Ok(()),
        _ if path.is_dir() => Ok(()),
        (other, _) => {
            let what = format!("outputs are not saved as .{other}, but in a .npz file, a .npy file, or a folder");
            Err(Failure::usage(format!("{}: {what}", path.display())))
        }
    }
}

/// Writes named values: all into one `.npz` file, or each into a separate `.npy` file in a folder, or a single one into
/// a `.npy` file. The values of a sequence are numbered; an empty optional is skipped.
pub(crate) fn save(path: &Path, values: &[(String, Value)], drafts: &Drafts) -> Result<(), Failure> {
    let mut tensors = Vec::new();
    values.iter().for_each(|(name, value)| flatten(name, value, &mut tensors));
    let write = |path: &Path, bytes: &[u8]| drafts.file(path)?.write(bytes);
    match (extension(path), &*tensors) {
        ("npz", _) => {
            let draft = drafts.file(path)?;
            write_archive(draft.path(), &tensors).map_err(|error| cannot_write(path, &error))?;
            draft.finish()
        }
        ("npy", [(_, only)]) => write(path, &npy_bytes(only)),
        ("npy", several) => Err(cannot_write(
            path,
            &format!("the output has {} tensors, which a .npz file or a folder takes", several.len()),
        )),
        _ => save_folder(path, &tensors, drafts),
    }
}

/// Writes each tensor into a separate file: all of them, or none.
fn save_folder(path: &Path, tensors: &[(String, &Tensor)], drafts: &Drafts) -> Result<(), Failure> {
    let is_new = !path.exists();
    if !is_new && !path.is_dir() {
        return Err(cannot_write(path, &"it is not a folder"));
    }
    std::fs::create_dir_all(path).map_err(|error| cannot_write(path, &error))?;
    let draft = |(name, tensor): &(String, &Tensor)| {
        drafts.file(&path.join(format!("{}.npy", encoded(name))))?.filled(&npy_bytes(tensor))
    };
    let written = tensors.iter().map(draft).collect::<Result<Vec<Draft>, _>>();
    let finished = written.and_then(|drafts| drafts.into_iter().try_for_each(Draft::finish));
    if finished.is_err() && is_new {
        // a folder that is not empty stays
        let _ = std::fs::remove_dir(path);
    }
    finished
}

/// The characters of tensor names that file names must not contain.
const ENCODED: [char; 4] = ['/', '\\', '%', '\0'];

/// A tensor name as a file name, percent-encoded: different names give different files.
fn encoded(name: &str) -> String {
    name.chars().fold(String::new(), |encoded, character| match ENCODED.contains(&character) {
        true => encoded + &escape(character),
        false => encoded + character.encode_utf8(&mut [0; 4]),
    })
}

/// The inverse of [`encoded`].
pub(crate) fn decoded(file: &str) -> String {
    let mut name = String::new();
    let mut rest = file;
    while let Some(first) = rest.chars().next() {
        let escaped = ENCODED.into_iter().find(|&character| rest.starts_with(&escape(character)));
        name.push(escaped.unwrap_or(first));
        rest = &rest[escaped.map_or(first.len_utf8(), |character| escape(character).len())..];
    }
    name
}

fn escape(character: char) -> String {
    format!("%{:02X}", character as u32)
}

fn flatten<'v>(name: &str, value: &'v Value, tensors: &mut Vec<(String, &'v Tensor)>) {
    match value {
        Value::Tensor(tensor) => tensors.push((name.to_string(), tensor)),
        Value::Optional(None) => {}
        Value::Optional(Some(value)) => flatten(name, value, tensors),
        Value::Sequence(values) => {
            values.iter().enumerate().for_each(|(at, value)| flatten(&format!("{name}.{at}"), value, tensors));
        }
        Value::Map { keys, values } => {
            tensors.extend([(format!("{name}.keys"), keys), (format!("{name}.values"), values)]);
        }
    }
}

fn write_archive(path: &Path, tensors: &[(String, &Tensor)]) -> std::io::Result<()> {
    let mut archive = NpzWriter::create(path)?;
    let written = write_members(&mut archive, tensors);
    if written.is_err() {
        // dropping it would write the directory, fail again, and print the error
        std::mem::forget(archive);
    }
    written
}

fn write_members<W: Write + Seek>(archive: &mut NpzWriter<W>, tensors: &[(String, &Tensor)]) -> std::io::Result<()> {
    let writer = archive.zip_writer();
    for (name, tensor) in tensors {
        writer.start_file(format!("{name}.npy"), Default::default()).map_err(std::io::Error::other)?;
        writer.write_all(&npy_bytes(tensor))?;
    }
    writer.finish().map(drop).map_err(std::io::Error::other)
}

/// A tensor as a `.npy` file; formats that NumPy does not have are stored as the unsigned integers of their bits.
fn npy_bytes(tensor: &Tensor) -> Vec<u8> {
    let (descriptor, data) = match tensor.elements().strings() {
        Some(strings) => {
            let longest = strings.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
            let padded = strings.iter().flat_map(|text| {
                let codes = text.chars().map(|character| character as u32).chain(std::iter::repeat(0));
                codes.take(longest).flat_map(u32::to_le_bytes).collect::<Vec<u8>>()
            });
            (format!("<U{longest}"), padded.collect())
        }
        None => (descriptor(&tensor.element), tensor.data.bytes().to_vec()),
    };
    let extents: String = tensor.shape.iter().map(|extent| format!("{extent},")).collect();
    let mut header = format!("{{'descr': '{descriptor}', 'fortran_order': False, 'shape': ({extents}), }}");
    // the data begins at a multiple of 64 bytes: ten bytes of preamble, the header, a newline
    let padding = (64 - (10 + header.len() + 1) % 64) % 64;
    header.push_str(&" ".repeat(padding));
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

fn descriptor(element: &Type) -> String {
    let bytes = element.byte_width().unwrap_or(1);
    let order = if bytes == 1 { '|' } else { '<' };
    let kind = match element {
        Type::Float(float) if matches!(float.keyword(), "f16" | "f32" | "f64") => 'f',
        Type::Integer(integer) if integer.width == 1 => 'b',
        Type::Complex(_) => 'c',
        Type::Integer(_) if !element.is_unsigned() => 'i',
        _ => 'u',
    };
    format!("{order}{kind}{bytes}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn npy(descriptor: &str, data: &[u8]) -> Vec<u8> {
        let header = format!("{{'descr': '{descriptor}', 'fortran_order': False, 'shape': (1,), }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn the_order_of_bytes_is_the_files() {
        let read = |descriptor: &str, data: &[u8]| read_npy(&npy(descriptor, data)[..]).expect("a good file");
        assert_eq!(read(">i4", &[0, 0, 1, 2]).elements().integers(), Some(vec![258]));
        assert_eq!(read("<i4", &[2, 1, 0, 0]).elements().integers(), Some(vec![258]));
        assert_eq!(read(">f8", &0.1f64.to_be_bytes()).to_f64(), Some(vec![0.1]));
        let complex = [1f32.to_be_bytes(), 2f32.to_be_bytes()].concat();
        assert_eq!(read(">c8", &complex).data.bytes(), [1f32.to_le_bytes(), 2f32.to_le_bytes()].concat());
        assert_eq!(read(">U2", &[0, 0, 0, b'o', 0, 0, 0, b'k']).elements().strings(), Some(vec!["ok".to_string()]));
    }

    #[test]
    fn strings_end_at_their_padding() {
        let utf32 = |text: &str| text.chars().flat_map(|code| (code as u32).to_le_bytes()).collect::<Vec<u8>>();
        for (stored, expected) in [("a\0b", "a\0b"), ("\0b\0", "\0b"), ("ab\0", "ab"), ("\0\0\0", "")] {
            let tensor = read_npy(&npy("<U3", &utf32(stored))[..]).expect("a good file");
            assert_eq!(tensor.strings(), Some(vec![expected.to_string()]));
            let again = read_npy(&npy_bytes(&tensor)[..]).expect("a good file");
            assert_eq!(again.strings(), tensor.strings());
        }
    }

    #[test]
    fn the_order_of_axes_is_ours() {
        // column-major: the columns of [[1, 2, 3], [4, 5, 6]]
        let header = "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }\n";
        let data: Vec<u8> = [1i32, 4, 2, 5, 3, 6].iter().flat_map(|element| element.to_le_bytes()).collect();
        let start = [&b"\x93NUMPY\x01\x00"[..], &(header.len() as u16).to_le_bytes()].concat();
        let read = |data: &[u8]| read_npy(&[&start, header.as_bytes(), data].concat()[..]);
        assert_eq!(read(&data).map(|tensor| tensor.elements().integers()), Ok(Some((1..=6).collect())));
        assert!(read(&data[..20]).is_err_and(|error| error.contains("cut short")));
    }

    #[test]
    fn heads_do_not_decide_how_much_memory_is_taken() {
        for shape in ["(1000000000000,)", "(4000000000, 4000000000, 4000000000)"] {
            let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n");
            let start = [&b"\x93NUMPY\x01\x00"[..], &(header.len() as u16).to_le_bytes()].concat();
            assert!(read_npy(&[&start, header.as_bytes(), &[0; 4]].concat()[..]).is_err());
        }
    }

    #[test]
    fn names_of_files_are_those_of_tensors() {
        for name in ["y", "a/b", "a_b", "a%2Fb", "%", "100%25", "..\\x"] {
            assert_eq!(decoded(&encoded(name)), name);
            assert!(!encoded(name).contains(['/', '\\']));
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let tensor = Tensor::from_f32(&[1], &[0.25]).expect("one value");
        let again = read_npy(&npy_bytes(&tensor)[..]).expect("a good file");
        assert_eq!((again.shape, again.data.bytes()), (vec![1], tensor.data.bytes()));
    }
}
