//! The representation of IR values in LLVM.

use inkwell::AddressSpace;
use inkwell::context::Context;
use inkwell::types::{BasicType, BasicTypeEnum, VectorType};
use ir::FloatType;

/// The scalar type of an element: an `i1` is an `i1`, an `f16` or `bf16` its bits.
pub(crate) fn scalar_type<'c>(context: &'c Context, r#type: &ir::Type) -> Option<BasicTypeEnum<'c>> {
    Some(match r#type {
        ir::Type::Index => context.i64_type().into(),
        ir::Type::MemRef(_) => context.ptr_type(AddressSpace::default()).into(),
        ir::Type::Integer(integer) => match integer.width {
            1 => context.bool_type().into(),
            8 => context.i8_type().into(),
            16 => context.i16_type().into(),
            32 => context.i32_type().into(),
            64 => context.i64_type().into(),
            128 => context.i128_type().into(),
            _ => return None,
        },
        ir::Type::Float(FloatType::F16 | FloatType::BF16) => context.i16_type().into(),
        ir::Type::Float(FloatType::F32) => context.f32_type().into(),
        ir::Type::Float(FloatType::F64) => context.f64_type().into(),
        _ => return None,
    })
}

/// The type of a value; `None` for types that the low level does not have.
pub(crate) fn value_type<'c>(context: &'c Context, r#type: &ir::Type) -> Option<BasicTypeEnum<'c>> {
    let Some(vector) = r#type.as_vector() else { return scalar_type(context, r#type) };
    let &[count] = vector.shape.as_slice() else { return None };
    let lanes = u32::try_from(count).ok().filter(|&lanes| lanes > 0)?;
    Some(vector_of(scalar_type(context, &vector.element)?, lanes)?.into())
}

/// A vector of scalars.
pub(crate) fn vector_of(scalar: BasicTypeEnum<'_>, lanes: u32) -> Option<VectorType<'_>> {
    match scalar {
        BasicTypeEnum::IntType(r#type) => Some(r#type.vec_type(lanes)),
        BasicTypeEnum::FloatType(r#type) => Some(r#type.vec_type(lanes)),
        BasicTypeEnum::PointerType(r#type) => Some(r#type.vec_type(lanes)),
        _ => None,
    }
}

/// `like` with another scalar type in its lanes.
pub(crate) fn with_scalar<'c>(like: BasicTypeEnum<'c>, scalar: BasicTypeEnum<'c>) -> BasicTypeEnum<'c> {
    match like {
        BasicTypeEnum::VectorType(vector) => {
            vector_of(scalar, vector.get_size()).expect("scalars form vectors").as_basic_type_enum()
        }
        _ => scalar,
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
