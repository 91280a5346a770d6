//! `.npy` files: one array.

use std::io::{Cursor, Read};

use driver::{Blob, DenseElements, FloatType, Tensor, Type};
use npyz::{DType, Endianness, NpyFile, Order, TypeChar};

type Reading<T> = Result<T, String>;

/// The message for an array with an invalid header.
fn damaged(error: std::io::Error) -> String {
    let text = error.to_string();
    match (text.contains("magic"), text.lines().next()) {
        (true, _) => "it is not a .npy file; numpy.save writes one".to_string(),
        (false, first) => format!("its head is damaged: {}", first.unwrap_or_default().trim_end_matches([' ', ':'])),
    }
}

/// Reads an array.
pub(crate) fn read_npy(mut reader: impl Read) -> Reading<Tensor> {
    let start = read_header(&mut reader).map_err(damaged)?;
    from_npy(NpyFile::new(start.chain(reader)).map_err(damaged)?)
}

/// The maximum length of a header in bytes, which is NumPy's too.
const MAX_HEADER: usize = 10_000;

/// The maximum nesting of brackets in a header; `{'shape': (2, 3)}` has 2. The time to parse one grows exponentially with it.
const MAX_NESTING: usize = 4;

/// The bytes of a `.npy` file to the end of its header, which is short and hardly nested. The rest is checked by its parser.
fn read_header(reader: &mut impl Read) -> std::io::Result<Cursor<Vec<u8>>> {
    let invalid = |reason: &str| Err(std::io::Error::new(std::io::ErrorKind::InvalidData, reason));
    let mut start = Vec::new();
    // the signature, two bytes of the version, and the length of the header, which has four bytes from version 2 on
    reader.take(12).read_to_end(&mut start)?;
    let (length, before) = match start.strip_prefix(b"\x93NUMPY") {
        Some(&[1, _, a, b, ..]) => (u32::from_le_bytes([a, b, 0, 0]), 10),
        Some(&[_, _, a, b, c, d]) => (u32::from_le_bytes([a, b, c, d]), 12),
        _ => return Ok(Cursor::new(start)),
    };
    if length as usize > MAX_HEADER {
        return invalid("it is longer than 10,000 bytes");
    }
    let rest = (before + length as usize).saturating_sub(start.len());
    reader.take(rest as u64).read_to_end(&mut start)?;
    let mut depth = 0usize;
    for byte in &start[before..] {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_NESTING {
            return invalid("its brackets are nested too deep");
        }
    }
    Ok(Cursor::new(start))
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

/// A tensor as a `.npy` file; formats that NumPy does not have are stored as the unsigned integers of their bits.
pub(crate) fn npy_bytes(tensor: &Tensor) -> Vec<u8> {
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
    fn headers_are_short_and_hardly_nested() {
        let headers = [format!("{{'descr': {}", "(".repeat(60)), "[{(".repeat(70), " ".repeat(20_000)];
        for header in headers {
            for version in [1, 2] {
                let length = (header.len() as u32).to_le_bytes();
                let width = if version == 1 { 2 } else { 4 };
                let start = [&b"\x93NUMPY"[..], &[version, 0], &length[..width]].concat();
                let error = read_npy(&[&start, header.as_bytes()].concat()[..]).expect_err("a bad header");
                assert!(error.contains("nested too deep") || error.contains("longer than"), "{error}");
            }
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let tensor = Tensor::from_f32(&[1], &[0.25]).expect("one value");
        let again = read_npy(&npy_bytes(&tensor)[..]).expect("a good file");
        assert_eq!((again.shape, again.data.bytes()), (vec![1], tensor.data.bytes()));
    }
}
