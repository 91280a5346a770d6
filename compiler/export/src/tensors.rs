//! Constants to `TensorProto`.

use ir::{Blob, DenseElements};
use proto::{Bytes, DataType, TensorProto};

use crate::types::element_number;

/// Bytes that a message shares with a constant.
struct Shared(Blob);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        self.0.bytes()
    }
}

/// A constant as a tensor; `None` if its contents are not available.
pub fn export_tensor(elements: &DenseElements, name: &str) -> Option<TensorProto> {
    if !elements.is_available() {
        return None;
    }
    let number = element_number(elements.r#type.element());
    let mut tensor = TensorProto {
        name: name.into(),
        dims: elements.r#type.static_shape()?,
        data_type: number,
        ..TensorProto::default()
    };
    if number == DataType::String as i32 {
        tensor.string_data = texts(elements)?;
    } else {
        tensor.raw_data = Some(raw(elements)?);
    }
    Some(tensor)
}

fn texts(elements: &DenseElements) -> Option<Vec<Bytes>> {
    let mut texts: Vec<Bytes> = elements.strings()?.into_iter().map(Bytes::from).collect();
    if elements.splat {
        texts = vec![texts[0].clone(); elements.element_count()];
    }
    Some(texts)
}

/// The elements' bytes; those of less than a byte are packed, low bits first.
fn raw(elements: &DenseElements) -> Option<Bytes> {
    let bits = elements.r#type.element().bit_width()? as usize;
    let whole = match elements.splat {
        true => Blob::copy_of(&elements.element_bytes(0).repeat(elements.element_count())),
        false => elements.data.clone(),
    };
    Some(match bits {
        2 | 4 | 6 => Bytes::from(packed(whole.bytes(), bits)),
        _ => Bytes::from_owner(Shared(whole)),
    })
}

fn packed(elements: &[u8], bits: usize) -> Vec<u8> {
    let mut packed = vec![0; (elements.len() * bits).div_ceil(8)];
    for (index, &element) in elements.iter().enumerate() {
        let (byte, shift) = (index * bits / 8, index * bits % 8);
        let low = u16::from(element) & ((1 << bits) - 1);
        let [first, second] = (low << shift).to_le_bytes();
        packed[byte] |= first;
        // only where an element crosses a byte
        packed.get_mut(byte + 1).into_iter().for_each(|next| *next |= second);
    }
    packed
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::{FloatType, Type};

    #[test]
    fn narrow_elements_are_read_back() {
        for (element, bits) in [(Type::integer(4), 4), (Type::unsigned(2), 2), (Type::Float(FloatType::F6E2M3FN), 6)] {
            let signed = bits == 4;
            let bytes: Vec<u8> = (0..7u8).map(|n| n.wrapping_mul(11) & ((1 << bits) - 1)).collect();
            let extended = bytes.iter().map(|&byte| if signed && byte > 7 { byte | 0xf0 } else { byte });
            let data = Blob::copy_of(&extended.collect::<Vec<_>>());
            let elements = DenseElements::new(Type::static_tensor(&[7], element), data);
            let tensor = export_tensor(&elements, "t").expect("the elements are there");
            let model = proto::Model::from_proto(Default::default());
            let read = proto::Tensors::new(&model).value(&tensor);
            assert_eq!(read.map(operators::elements::constant), Ok(elements));
        }
    }
}
