//! Constant arrays for routines.

use ir::{Blob, DenseElements, Type};

/// A list of 32-bit integers.
pub(super) fn words(entries: impl Iterator<Item = i32>) -> DenseElements {
    named(Type::I32, &entries.flat_map(i32::to_le_bytes).collect::<Vec<u8>>())
}

/// A list of floats: `f32` or `f64`.
pub(super) fn floats(entries: impl Iterator<Item = f64>, element: &Type) -> DenseElements {
    let bytes: Vec<u8> = match *element == Type::F64 {
        true => entries.flat_map(f64::to_le_bytes).collect(),
        false => entries.flat_map(|entry| (entry as f32).to_le_bytes()).collect(),
    };
    let element = if *element == Type::F64 { Type::F64 } else { Type::F32 };
    named(element, &bytes)
}

fn named(element: Type, bytes: &[u8]) -> DenseElements {
    let count = bytes.len() / element.byte_width().expect("numbers have a width");
    let r#type = Type::static_tensor(&[count as i64], element);
    DenseElements { key: Some("table".into()), ..DenseElements::new(r#type, Blob::copy_of(bytes)) }
}
