//! Digests of values, which are equal exactly if the values are: types, shapes and bits. All NaNs count as one, because
//! which NaN a result is depends on the processor.

use driver::{Tensor, Value, type_name};
use sha2::{Digest, Sha256};

/// The SHA-256 digest of a value, in hexadecimal digits.
pub(crate) fn digest(value: &Value) -> String {
    let mut hash = Sha256::new();
    add(&mut hash, value);
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn add(hash: &mut Sha256, value: &Value) {
    match value {
        Value::Tensor(tensor) => add_tensor(hash, tensor),
        Value::Sequence(values) => {
            hash.update(format!("sequence {}\n", values.len()));
            values.iter().for_each(|value| add(hash, value));
        }
        Value::Optional(None) => hash.update("none\n"),
        Value::Optional(Some(value)) => {
            hash.update("some\n");
            add(hash, value);
        }
        Value::Map { keys, values } => {
            hash.update("map\n");
            add_tensor(hash, keys);
            add_tensor(hash, values);
        }
    }
}

/// The type and the shape, then the elements: their bytes, or texts with their lengths.
fn add_tensor(hash: &mut Sha256, tensor: &Tensor) {
    hash.update(format!("{} {:?}\n", type_name(&tensor.element), tensor.shape));
    if let Some(texts) = tensor.strings() {
        texts.iter().for_each(|text| hash.update(format!("{}\n{text}", text.len())));
        return;
    }
    let bytes = tensor.data.bytes();
    match Layout::of(&type_name(&tensor.element)) {
        Some(layout) => bytes.chunks_exact(layout.width).for_each(|element| hash.update(layout.plain(element))),
        None => hash.update(bytes),
    }
}

/// The layout of a float in memory, little-endian.
struct Layout {
    /// Bytes.
    width: usize,
    /// The bits of infinity: all those of the exponent.
    infinity: u64,
}

impl Layout {
    fn of(name: &str) -> Option<Layout> {
        let (width, infinity) = match name {
            "float16" => (2, 0x7c00),
            "bfloat16" => (2, 0x7f80),
            "float32" => (4, 0x7f80_0000),
            "float64" => (8, 0x7ff0_0000_0000_0000),
            _ => return None,
        };
        Some(Layout { width, infinity })
    }

    /// An element's bytes; of a NaN, those of the NaN with all bits.
    fn plain(&self, element: &[u8]) -> [u8; 8] {
        let mut word = [0; 8];
        word[..self.width].copy_from_slice(element);
        let sign = 1u64 << (8 * self.width - 1);
        match u64::from_le_bytes(word) & (sign - 1) > self.infinity {
            true => [0xff; 8],
            false => word,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(floats: &[f32], shape: &[i64]) -> String {
        digest(&Value::Tensor(Tensor::from_f32(shape, floats).expect("as many elements as the shape has")))
    }

    #[test]
    fn digests_differ_where_bits_do() {
        let other_nan = f32::from_bits(f32::NAN.to_bits() ^ 0x8000_0001);
        assert_eq!(of(&[f32::NAN, 1.0], &[2]), of(&[other_nan, 1.0], &[2]));
        assert_ne!(of(&[0.0, 1.0], &[2]), of(&[-0.0, 1.0], &[2]));
        assert_ne!(of(&[f32::INFINITY, 1.0], &[2]), of(&[f32::NAN, 1.0], &[2]));
        assert_ne!(of(&[0.0, 1.0], &[2]), of(&[0.0, 1.0], &[1, 2]));
    }
}
