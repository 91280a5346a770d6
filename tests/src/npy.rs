//! NumPy's `.npy` files, as inputs and outputs of programs.

use std::path::Path;

/// The bytes of a file. `element` is NumPy's name of an element type, as `<f4`; `data` has the byte order that it states.
pub fn file(element: &str, shape: &[usize], data: &[u8]) -> Vec<u8> {
    let shape: String = shape.iter().map(|extent| format!("{extent}, ")).collect();
    let mut header = format!("{{'descr': '{element}', 'fortran_order': False, 'shape': ({shape}), }}");
    // data begin at a multiple of 64, as NumPy's do, after the ten bytes of magic number, version and length
    header += &" ".repeat(63 - (10 + header.len()) % 64);
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

/// The bytes of a file of float32.
pub fn floats(shape: &[usize], values: &[f32]) -> Vec<u8> {
    let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    file("<f4", shape, &data)
}

/// An array of a file.
pub struct Array {
    /// Its extents.
    pub shape: Vec<usize>,
    /// Its elements, in the file's byte order.
    pub data: Vec<u8>,
}

impl Array {
    /// Reads a file of version 1, which programs of this project write.
    ///
    /// # Panics
    /// If it is missing or another kind of file.
    pub fn read(path: &Path) -> Array {
        let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(bytes.starts_with(b"\x93NUMPY\x01\x00"), "{}: another kind of file", path.display());
        let begin = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        let header = String::from_utf8_lossy(&bytes[10..begin]);
        let shape = header.split_once("'shape': (").expect("a shape").1.split_once(')').expect("its end").0;
        let shape = shape.split(',').filter_map(|extent| extent.trim().parse().ok()).collect();
        Array { shape, data: bytes[begin..].to_vec() }
    }

    /// The elements as little-endian words of 32 bits.
    pub fn words(&self) -> impl Iterator<Item = u32> {
        self.data.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
    }
}
