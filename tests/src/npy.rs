//! NumPy's `.npy` files, as inputs of programs.

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
