//! What decodes attributes: `prost`, but for lists of numbers, of which a tree ensemble has a million.
//!
//! The elements of a list stand one behind the other, each with the field's key in front. Here they are read together,
//! as long as the key is the same. What holds attributes has no field with such a key, so that a list never goes on
//! behind its attribute in a well-formed message; in any other, the length of the attribute is found to be wrong.

pub(crate) use prost::*;

/// `prost::encoding`, with other lists of numbers.
pub(crate) mod encoding {
    pub(crate) use prost::encoding::*;
    use prost::{DecodeError, bytes::Buf};

    const fn key(tag: u8, wire_type: WireType) -> u8 {
        tag << 3 | wire_type as u8
    }

    /// Reads an element, and those that follow with the same key.
    fn merge_run<T: Default, B: Buf>(
        key: u8,
        values: &mut Vec<T>,
        buffer: &mut B,
        merge: impl Fn(&mut T, &mut B) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        loop {
            let mut value = T::default();
            merge(&mut value, buffer)?;
            values.push(value);
            match buffer.chunk().first() {
                Some(&next) if next == key => buffer.advance(1),
                _ => return Ok(()),
            }
        }
    }

    /// The field `ints`.
    pub(crate) mod int64 {
        pub(crate) use prost::encoding::int64::*;

        use super::{Buf, DecodeContext, DecodeError, WireType, key, merge_run};

        /// Reads an element, or a list that is packed, and the elements behind it.
        pub(crate) fn merge_repeated(
            wire_type: WireType,
            values: &mut Vec<i64>,
            buffer: &mut impl Buf,
            context: DecodeContext,
        ) -> Result<(), DecodeError> {
            if wire_type == WireType::LengthDelimited {
                return prost::encoding::int64::merge_repeated(wire_type, values, buffer, context);
            }
            let key = const { key(8, WireType::Varint) };
            merge_run(key, values, buffer, |value, buffer| merge(wire_type, value, buffer, context.clone()))
        }
    }

    /// The field `floats`.
    pub(crate) mod float {
        pub(crate) use prost::encoding::float::*;

        use super::{Buf, DecodeContext, DecodeError, WireType, key, merge_run};

        /// Reads an element, or a list that is packed, and the elements behind it.
        pub(crate) fn merge_repeated(
            wire_type: WireType,
            values: &mut Vec<f32>,
            buffer: &mut impl Buf,
            context: DecodeContext,
        ) -> Result<(), DecodeError> {
            if wire_type == WireType::LengthDelimited {
                return prost::encoding::float::merge_repeated(wire_type, values, buffer, context);
            }
            let key = const { key(7, WireType::ThirtyTwoBit) };
            merge_run(key, values, buffer, |value, buffer| merge(wire_type, value, buffer, context.clone()))
        }
    }
}
