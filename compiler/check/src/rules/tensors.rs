//! Tensors that a model holds.

use proto::{DataLocation, DataType, TensorProto};

use super::types::is_element_type;
use crate::{Finder, Rule, Visit, error, violation};

const TENSORS: &str = "onnx.proto, TensorProto";
const DATA: &str = "onnx.proto, TensorProto.raw_data";

/// The maximum size of a tensor in bytes.
const SIZE_LIMIT: u128 = 1 << 40;

pub(super) const RULES: &[Rule] = &[
    error(
        "tensor-type-known",
        "onnx.proto, TensorProto.data_type",
        "A tensor's element type is one that ONNX defines.",
        Finder::Tensor(type_known),
    ),
    error(
        "tensor-extent-not-negative",
        "IR, Tensor Definition",
        "The extents of a tensor are not negative.",
        Finder::Tensor(extent_not_negative),
    ),
    error(
        "tensor-size",
        "IR, Tensor Definition",
        "A tensor has a size that a machine can address.",
        Finder::Tensor(size),
    ),
    error("tensor-one-field", TENSORS, "The elements of a tensor are in one field.", Finder::Tensor(one_field)),
    error(
        "tensor-field-of-type",
        TENSORS,
        "The elements are in the field for their type or in raw_data; strings are in string_data.",
        Finder::Tensor(field_of_type),
    ),
    error(
        "tensor-count",
        "IR, Tensor Definition",
        "The number of elements is the product of the extents.",
        Finder::Tensor(count),
    ),
    error(
        "tensor-value-range",
        "onnx.proto, TensorProto.int32_data",
        "A value in a field of a wider type is in the range of the element type.",
        Finder::Tensor(value_range),
    ),
    error("tensor-bool", DATA, "A boolean is stored as 0 or 1.", Finder::Tensor(bool_bytes)),
    error("tensor-padding", DATA, "Bits that belong to no element of six bits are 0.", Finder::Tensor(padding)),
    error("tensor-text", "onnx.proto, TensorProto.string_data", "A string is UTF-8.", Finder::Tensor(text)),
    violation(
        "tensor-text-plain",
        "onnx.proto, TensorProto.string_data",
        "A string neither begins with a byte order mark nor ends in a zero byte.",
        Finder::Tensor(text_plain),
    ),
    error(
        "tensor-whole",
        "onnx.proto, TensorProto.segment",
        "A tensor is stored in one piece: the format does not specify where other segments are.",
        Finder::Tensor(whole),
    ),
    error(
        "tensor-location-known",
        "onnx.proto, TensorProto.data_location",
        "A tensor's data location is DEFAULT or EXTERNAL.",
        Finder::Tensor(location_known),
    ),
];

/// The element type, if it is valid.
fn data_type(tensor: &TensorProto) -> Option<DataType> {
    DataType::try_from(tensor.data_type).ok().filter(|&found| found != DataType::Undefined)
}

/// The field for elements of a type, named as in `onnx.proto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Float,
    Int32,
    Text,
    Int64,
    Double,
    Uint64,
    Raw,
}

impl Field {
    fn name(self) -> &'static str {
        match self {
            Field::Float => "float_data",
            Field::Int32 => "int32_data",
            Field::Text => "string_data",
            Field::Int64 => "int64_data",
            Field::Double => "double_data",
            Field::Uint64 => "uint64_data",
            Field::Raw => "raw_data",
        }
    }

    fn of(r#type: DataType) -> Field {
        match r#type {
            DataType::Float | DataType::Complex64 => Field::Float,
            DataType::Double | DataType::Complex128 => Field::Double,
            DataType::Int64 => Field::Int64,
            DataType::Uint32 | DataType::Uint64 => Field::Uint64,
            DataType::String => Field::Text,
            _ => Field::Int32,
        }
    }
}

/// The fields with contents, with the number of entries of each. `raw_data` counts bytes.
fn filled(tensor: &TensorProto) -> impl Iterator<Item = (Field, usize)> {
    let lengths = [
        (Field::Float, tensor.float_data.len()),
        (Field::Int32, tensor.int32_data.len()),
        (Field::Text, tensor.string_data.len()),
        (Field::Int64, tensor.int64_data.len()),
        (Field::Double, tensor.double_data.len()),
        (Field::Uint64, tensor.uint64_data.len()),
        (Field::Raw, tensor.raw_data.as_ref().map_or(0, |raw| raw.len())),
    ];
    lengths.into_iter().filter(|(_, length)| *length > 0)
}

/// Bits of an element.
fn bits(r#type: DataType) -> u128 {
    r#type.bits() as u128
}

/// The number of elements for some extents; `None` if an extent is negative or the product overflows.
pub(super) fn element_count(dims: &[i64]) -> Option<u128> {
    dims.iter().try_fold(1u128, |count, &extent| count.checked_mul(u128::try_from(extent).ok()?))
}

pub(super) fn is_external(tensor: &TensorProto) -> bool {
    tensor.data_location == DataLocation::External as i32
}

/// The size of a tensor in bytes, as in `raw_data`.
pub(super) fn byte_count(tensor: &TensorProto) -> Option<u128> {
    Some((element_count(&tensor.dims)?.checked_mul(bits(data_type(tensor)?))?).div_ceil(8))
}

fn type_known(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    let number = tensor.data_type;
    visit.expect(is_element_type(number), || format!("has element type {number}, expected 1 to 28"));
}

fn extent_not_negative(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    visit.expect(tensor.dims.iter().all(|&extent| extent >= 0), || format!("is of shape {:?}", tensor.dims));
}

fn size(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    let is_shape = tensor.dims.iter().all(|&extent| extent >= 0);
    let fits = element_count(&tensor.dims).is_some_and(|count| count <= SIZE_LIMIT);
    visit.expect(!is_shape || fits, || format!("is of shape {:?}, which is too large", tensor.dims));
}

fn one_field(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    visit.expect(is_external(tensor) || filled(tensor).count() <= 1, || {
        let names: Vec<&str> = filled(tensor).map(|(field, _)| field.name()).collect();
        format!("has elements in {}", names.join(" and "))
    });
}

/// The field of the elements, if it is the right one for the type.
fn stored(tensor: &TensorProto) -> Option<(DataType, Field, usize)> {
    let r#type = data_type(tensor).filter(|_| !is_external(tensor))?;
    let mut fields = filled(tensor);
    let (field, length) = fields.next().unwrap_or((Field::of(r#type), 0));
    let fits = field == Field::of(r#type) || (field == Field::Raw && r#type != DataType::String);
    (fits && fields.next().is_none()).then_some((r#type, field, length))
}

fn field_of_type(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    let Some(r#type) = data_type(tensor).filter(|_| !is_external(tensor)) else { return };
    let mut fields = filled(tensor);
    let (Some((field, _)), None) = (fields.next(), fields.next()) else { return };
    visit.expect(stored(tensor).is_some(), || {
        let right = Field::of(r#type).name();
        format!("has elements of {} in {}, expected {right}", proto::type_name(tensor.data_type), field.name())
    });
}

/// The number of entries of a field that `elements` elements take.
fn entries(r#type: DataType, field: Field, elements: u128) -> u128 {
    match (field, r#type) {
        (Field::Raw, _) => (elements * bits(r#type)).div_ceil(8),
        (_, DataType::Complex64 | DataType::Complex128) => elements * 2,
        (Field::Int32, _) if bits(r#type) < 6 => (elements * bits(r#type)).div_ceil(8),
        _ => elements,
    }
}

fn count(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    let Some((r#type, field, found)) = stored(tensor).filter(|_| tensor.segment.is_none()) else { return };
    let Some(elements) = element_count(&tensor.dims).filter(|&count| count <= SIZE_LIMIT) else { return };
    let right = entries(r#type, field, elements);
    visit.expect(found as u128 == right, || {
        let unit = if field == Field::Raw { "bytes" } else { "entries" };
        format!(
            "has {found} {unit} in {}, but shape {:?} of {} takes {right}",
            field.name(),
            tensor.dims,
            proto::type_name(tensor.data_type)
        )
    });
}

/// The least and the greatest entry of `int32_data` for a type. Bit patterns may be written as signed numbers.
fn int32_range(r#type: DataType) -> (i32, i32) {
    match r#type {
        DataType::Int32 => (i32::MIN, i32::MAX),
        DataType::Int16 => (i16::MIN.into(), i16::MAX.into()),
        DataType::Int8 => (i8::MIN.into(), i8::MAX.into()),
        DataType::Bool => (0, 1),
        DataType::Uint16 | DataType::Float16 | DataType::Bfloat16 => (0, u16::MAX.into()),
        DataType::Float6e2m3 | DataType::Float6e3m2 => (0, 63),
        // two or four to a byte
        DataType::Int4 | DataType::Int2 => (i8::MIN.into(), u8::MAX.into()),
        _ => (0, u8::MAX.into()),
    }
}

fn value_range(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    let Some((r#type, field, _)) = stored(tensor) else { return };
    let wrong = match field {
        Field::Int32 if r#type != DataType::Int32 => {
            let (least, greatest) = int32_range(r#type);
            let wrong = tensor.int32_data.iter().position(|value| !(least..=greatest).contains(value));
            wrong.map(|at| (at, tensor.int32_data[at].to_string()))
        }
        Field::Uint64 if r#type == DataType::Uint32 => {
            let wrong = tensor.uint64_data.iter().position(|&value| value > u32::MAX.into());
            wrong.map(|at| (at, tensor.uint64_data[at].to_string()))
        }
        _ => None,
    };
    if let Some((at, value)) = wrong {
        visit.found(|| {
            format!("has {value} as entry {at}, which is not a value of {}", proto::type_name(tensor.data_type))
        });
    }
}

fn bool_bytes(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    let Some(raw) = tensor.raw_data.as_ref().filter(|_| data_type(tensor) == Some(DataType::Bool)) else { return };
    if let Some(at) = raw.iter().position(|&byte| byte > 1) {
        visit.found(|| format!("has {} as element {at}", raw[at]));
    }
}

fn padding(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    let Some((DataType::Float6e2m3 | DataType::Float6e3m2, Field::Raw, length)) = stored(tensor) else { return };
    let (Some(elements), Some(last)) =
        (element_count(&tensor.dims), tensor.raw_data.as_ref().and_then(|raw| raw.last()))
    else {
        return;
    };
    let used = (elements * 6 % 8) as u32;
    let is_whole = elements * 6 / 8 == length as u128 || used == 0;
    visit.expect(is_whole || last >> used == 0, || "has bits after its last element".into());
}

fn text(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    if let Some(at) = tensor.string_data.iter().position(|text| std::str::from_utf8(text).is_err()) {
        visit.found(|| format!("has a text as element {at} that is not UTF-8"));
    }
}

fn text_plain(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    let is_plain = |text: &proto::Bytes| !text.starts_with(b"\xef\xbb\xbf") && !text.ends_with(b"\0");
    if let Some(at) = tensor.string_data.iter().position(|text| !is_plain(text)) {
        visit.found(|| format!("has a byte order mark or a zero in element {at}"));
    }
}

fn whole(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    visit.expect(tensor.segment.is_none(), || "is a segment of a tensor".into());
}

fn location_known(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    let number = tensor.data_location;
    visit.expect(DataLocation::try_from(number).is_ok(), || format!("has data_location {number}, expected 0 or 1"));
}
