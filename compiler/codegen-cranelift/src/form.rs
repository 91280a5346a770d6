//! The representation of IR values in CLIF.

use cranelift_codegen::ir::{Type, types};
use ir::FloatType;

use crate::packed::PACKED_LANES;

/// The CLIF values of one IR value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// One scalar. An `i1` is an `i8` with value 0 or 1; an `f16` or `bf16` is its bits.
    Scalar(Type),
    /// One 128-bit vector; f16 and bf16 are their bits. The lanes of a mask are all ones or all zeros and as wide as
    /// 128 bits allow.
    Vector(Type),
    /// Four elements of 8 or 16 bits, in the first lanes of a 128-bit vector of such lanes.
    Packed(Type),
    /// One scalar per lane.
    Lanes(Type, usize),
}

impl Form {
    /// The types of the CLIF values.
    pub(crate) fn types(self) -> Vec<Type> {
        match self {
            Form::Scalar(r#type) | Form::Vector(r#type) | Form::Packed(r#type) => vec![r#type],
            Form::Lanes(lane, count) => vec![lane; count],
        }
    }
}

/// The scalar type of an element.
pub(crate) fn scalar_type(r#type: &ir::Type) -> Option<Type> {
    Some(match r#type {
        ir::Type::Index | ir::Type::MemRef(_) => types::I64,
        ir::Type::Integer(integer) => match integer.width {
            1 | 8 => types::I8,
            16 => types::I16,
            32 => types::I32,
            64 => types::I64,
            128 => types::I128,
            _ => return None,
        },
        ir::Type::Float(FloatType::F16 | FloatType::BF16) => types::I16,
        ir::Type::Float(FloatType::F32) => types::F32,
        ir::Type::Float(FloatType::F64) => types::F64,
        _ => return None,
    })
}

/// The representation of a type; `None` for types that the low level does not have.
pub(crate) fn form(r#type: &ir::Type) -> Option<Form> {
    let Some(vector) = r#type.as_vector() else { return scalar_type(r#type).map(Form::Scalar) };
    let &[count] = vector.shape.as_slice() else { return None };
    let lane = scalar_type(&vector.element)?;
    let count = usize::try_from(count).ok()?;
    if count == PACKED_LANES && lane.bytes() <= 2 && !is_bit(&vector.element) {
        return lane.by(16 / lane.bytes()).map(Form::Packed);
    }
    let register_lane =
        if is_bit(&vector.element) { mask_lane(count) } else { (lane.bytes() as usize * count == 16).then_some(lane) };
    match register_lane {
        Some(lane) => lane.by(count as u32).map(Form::Vector),
        None => Some(Form::Lanes(lane, count)),
    }
}

fn mask_lane(count: usize) -> Option<Type> {
    match count {
        2 => Some(types::I64),
        4 => Some(types::I32),
        8 => Some(types::I16),
        16 => Some(types::I8),
        _ => None,
    }
}

/// Whether this is `i1`.
pub(crate) fn is_bit(r#type: &ir::Type) -> bool {
    *r#type == ir::Type::I1
}

/// Whether this is a format that is only stored, without arithmetic.
pub(crate) fn is_half(r#type: &ir::Type) -> bool {
    matches!(r#type, ir::Type::Float(FloatType::F16 | FloatType::BF16))
}
