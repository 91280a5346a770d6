//! Decoding of attributes: `prost::encoding`, except for lists of numbers, of which a tree ensemble has a million
//! elements.
//!
//! In protobuf each element of such a list is preceded by the field's key. Here consecutive elements are read in one
//! loop while the key stays the same. The message that contains the attribute has no field with this key, so that in a
//! well-formed message a list cannot continue after its attribute; in a malformed one the length of the attribute is
//! found to be wrong.

pub(crate) use prost::*;

/// `prost::encoding`, with a different decoder for lists of numbers.
pub(crate) mod encoding {
    pub(crate) use prost::encoding::*;
    use prost::{DecodeError, bytes::Buf};

    const fn key(tag: u8, wire_type: WireType) -> u8 {
        tag << 3 | wire_type as u8
    }

    /// Reads an element, and those that follow with the same key. A message is contiguous in memory.
    fn merge_run<T, B: Buf>(
        key: u8,
        values: &mut Vec<T>,
        buffer: &mut B,
        take: impl Fn(&mut &[u8]) -> Result<T, DecodeError>,
    ) -> Result<(), DecodeError> {
        let chunk = buffer.chunk();
        let mut rest = chunk;
        loop {
            values.push(take(&mut rest)?);
            match rest {
                [next, after @ ..] if *next == key => rest = after,
                _ => break,
            }
        }
        let read = chunk.len() - rest.len();
        buffer.advance(read);
        Ok(())
    }

    /// The field `ints`.
    pub(crate) mod int64 {
        pub(crate) use prost::encoding::int64::*;

        use super::{Buf, DecodeContext, DecodeError, WireType, key, merge_run};

        /// Reads an element, or a packed list, and the elements after it.
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
            merge_run(key, values, buffer, |rest| match rest {
                // most have one byte
                [byte @ ..0x80, after @ ..] if wire_type == WireType::Varint => {
                    let value = i64::from(*byte);
                    *rest = after;
                    Ok(value)
                }
                _ => {
                    let mut value = 0;
                    merge(wire_type, &mut value, rest, context.clone())?;
                    Ok(value)
                }
            })
        }
    }

    /// The field `floats`.
    pub(crate) mod float {
        pub(crate) use prost::encoding::float::*;

        use super::{Buf, DecodeContext, DecodeError, WireType, key, merge_run};

        /// Reads an element, or a packed list, and the elements after it.
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
            merge_run(key, values, buffer, |rest| match rest.split_first_chunk() {
                Some((bytes, after)) if wire_type == WireType::ThirtyTwoBit => {
                    *rest = after;
                    Ok(f32::from_le_bytes(*bytes))
                }
                _ => {
                    let mut value = 0.0;
                    merge(wire_type, &mut value, rest, context.clone())?;
                    Ok(value)
                }
            })
        }
    }
}
