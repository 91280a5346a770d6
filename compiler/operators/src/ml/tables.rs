//! Constant tables for routines.

use ir::{Blob, DenseElements, Type};

/// A table of 32-bit integers.
pub(super) fn words(shape: &[i64], entries: impl Iterator<Item = i32>) -> DenseElements {
    let bytes: Vec<u8> = entries.flat_map(i32::to_le_bytes).collect();
    named(Type::static_tensor(shape, Type::I32), &bytes)
}

/// A list of floats: `f32` or `f64`.
pub(super) fn floats(entries: impl Iterator<Item = f64>, element: &Type) -> DenseElements {
    let bytes: Vec<u8> = match *element == Type::F64 {
        true => entries.flat_map(f64::to_le_bytes).collect(),
        false => entries.flat_map(|entry| (entry as f32).to_le_bytes()).collect(),
    };
    let element = if *element == Type::F64 { Type::F64 } else { Type::F32 };
    let count = bytes.len() / element.byte_width().expect("floats have a width");
    named(Type::static_tensor(&[count as i64], element), &bytes)
}

fn named(r#type: Type, bytes: &[u8]) -> DenseElements {
    DenseElements { key: Some("table".into()), ..DenseElements::new(r#type, Blob::copy_of(bytes)) }
}
