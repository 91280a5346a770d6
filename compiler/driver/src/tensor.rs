//! Tensors as inputs and outputs of a session.

use std::fmt;

use ir::{Blob, DenseElements, FloatType, Signedness, Type, floats};

/// A dense tensor: element type, extents and bytes in row-major order.
///
/// Strings are encoded as by [`DenseElements::from_strings`]; `i1` takes one byte per element.
#[derive(Clone, Debug)]
pub struct Tensor {
    /// The element type as the graph level has it, with signedness.
    pub element: Type,
    /// Extents, outermost first.
    pub shape: Vec<i64>,
    /// The elements.
    pub data: Blob,
}

impl Tensor {
    /// A tensor of numbers or booleans; `None` if `data` does not have the length that the shape requires.
    pub fn new(element: Type, shape: Vec<i64>, data: Blob) -> Option<Tensor> {
        (byte_count(&element, &shape) == Some(data.bytes().len())).then_some(Tensor { element, shape, data })
    }

    /// A tensor of `f32`; `None` if the number of values does not match the shape.
    pub fn from_f32(shape: &[i64], values: &[f32]) -> Option<Tensor> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        Tensor::new(Type::F32, shape.to_vec(), Blob::copy_of(&bytes))
    }

    /// The value of a constant.
    pub fn from_elements(elements: &DenseElements) -> Option<Tensor> {
        let shape = elements.r#type.static_shape()?;
        let element = elements.r#type.element().clone();
        let data = match elements.splat && element.byte_width().is_some() {
            false => elements.data.clone(),
            true => Blob::copy_of(&elements.data.bytes().repeat(elements.element_count())),
        };
        Some(Tensor { element, shape, data })
    }

    /// Number of elements.
    pub fn element_count(&self) -> usize {
        self.shape.iter().product::<i64>() as usize
    }

    /// The tensor as a constant, whose accessors read single elements.
    pub fn elements(&self) -> DenseElements {
        DenseElements::new(Type::static_tensor(&self.shape, self.element.clone()), self.data.clone())
    }

    /// The elements of a tensor of strings; `None` for others.
    pub fn strings(&self) -> Option<Vec<String>> {
        let mut strings = self.elements().strings()?;
        // a splat constant has a single element
        if let [only] = &strings[..] {
            strings = vec![only.clone(); self.element_count()];
        }
        Some(strings)
    }

    /// All elements as `f64`; `None` for strings.
    pub fn to_f64(&self) -> Option<Vec<f64>> {
        let elements = self.elements();
        elements.floats().or_else(|| Some(elements.integers()?.into_iter().map(|value| value as f64).collect()))
    }
}

/// The size of a tensor of numbers or booleans in bytes; `None` for other types, or if the size overflows.
pub fn byte_count(element: &Type, shape: &[i64]) -> Option<usize> {
    let extents = shape.iter().map(|&extent| usize::try_from(extent).ok());
    extents.into_iter().try_fold(element.byte_width()?, |bytes, extent| bytes.checked_mul(extent?))
}

/// The element type's number in ONNX's `TensorProto.DataType`; 0 if it has none.
pub fn type_number(element: &Type) -> i64 {
    numbered().find(|(_, known)| known == element).map_or(0, |(number, _)| number)
}

/// The names of all element types, as in [`type_name`], by number.
pub fn type_names() -> impl Iterator<Item = (i64, String)> {
    numbered().map(|(number, element)| (number, type_name(&element)))
}

fn numbered() -> impl Iterator<Item = (i64, Type)> {
    (1..=i32::from(u8::MAX)).filter_map(|number| Some((number.into(), operators::elements::element(number)?)))
}

/// The exact text of element `index`: a float as the shortest number that only this element rounds to in its format.
/// Strings are elements of one constant and have no such text.
pub fn element_text(elements: &DenseElements, index: usize) -> Option<String> {
    let element = elements.r#type.element();
    match element {
        Type::Float(format) => elements.float(index).map(|value| float_text(value, *format)),
        Type::Integer(integer) if integer.width == 1 => {
            elements.integer(index).map(|value| if value == 0 { "false" } else { "true" }.to_string())
        }
        Type::Integer(integer) if integer.width == 64 && element.is_unsigned() => {
            elements.integer(index).map(|value| (value as u64).to_string())
        }
        Type::Complex(format) => {
            let width = format.width().div_ceil(8) as usize;
            let (real, imaginary) = elements.element_bytes(index).split_at_checked(width)?;
            let [real, imaginary] = [real, imaginary].map(|bytes| {
                let mut bits = [0; 8];
                bits[..width].copy_from_slice(bytes);
                floats::decode(u64::from_le_bytes(bits), *format)
            });
            let sign = if imaginary.is_sign_negative() { '-' } else { '+' };
            Some(format!("{}{sign}{}i", float_text(real, *format), float_text(imaginary.abs(), *format)))
        }
        _ => elements.integer(index).map(|value| value.to_string()),
    }
}

/// A number that is exact in `format`, with as few digits as distinguish it from its neighbours there.
pub(crate) fn float_text(value: f64, format: FloatType) -> String {
    match format {
        FloatType::F64 => return format!("{value:?}"),
        FloatType::F32 => return format!("{:?}", value as f32),
        _ if !value.is_finite() => return format!("{value:?}"),
        _ => {}
    }
    let bits = floats::encode(value, format);
    let rounded = (0..17).map(|digits| format!("{value:.digits$e}").parse::<f64>().expect("a number was written"));
    let shortest = rounded.into_iter().find(|&rounded| floats::encode(rounded, format) == bits);
    format!("{:?}", shortest.unwrap_or(value))
}

/// The name of an element type in `ml_dtypes`.
pub fn ml_dtype(element: &Type) -> Option<&'static str> {
    Some(match element {
        Type::Float(FloatType::BF16) => "bfloat16",
        Type::Float(FloatType::F8E4M3FN) => "float8_e4m3fn",
        Type::Float(FloatType::F8E4M3FNUZ) => "float8_e4m3fnuz",
        Type::Float(FloatType::F8E5M2) => "float8_e5m2",
        Type::Float(FloatType::F8E5M2FNUZ) => "float8_e5m2fnuz",
        Type::Float(FloatType::F8E8M0FNU) => "float8_e8m0fnu",
        Type::Float(FloatType::F4E2M1FN) => "float4_e2m1fn",
        Type::Float(FloatType::F6E2M3FN) => "float6_e2m3fn",
        Type::Float(FloatType::F6E3M2FN) => "float6_e3m2fn",
        Type::Integer(integer) => match (integer.width, integer.signedness == Signedness::Unsigned) {
            (4, false) => "int4",
            (4, true) => "uint4",
            (2, false) => "int2",
            (2, true) => "uint2",
            _ => return None,
        },
        _ => return None,
    })
}

/// The type of an array of these elements in Python: `numpy.float32`, `ml_dtypes.int4`.
pub fn array_type(element: &Type) -> String {
    match ml_dtype(element) {
        Some(name) => format!("ml_dtypes.{name}"),
        None => format!("numpy.{}", type_name(element)),
    }
}

/// ONNX's name of an element type.
pub fn type_name(element: &Type) -> String {
    match element {
        Type::Float(FloatType::F32) => "float32".to_string(),
        Type::Float(FloatType::F64) => "float64".to_string(),
        Type::Float(_) => proto::type_name(type_number(element) as i32),
        Type::Complex(float) => format!("complex{}", 2 * float.width()),
        Type::Integer(integer) if integer.width == 1 => "bool".to_string(),
        Type::Integer(integer) => {
            let sign = if integer.signedness == Signedness::Unsigned { "u" } else { "" };
            format!("{sign}int{}", integer.width)
        }
        Type::Tensor(tensor) => type_name(&tensor.element),
        Type::Dialect(dialect) => match (&*dialect.name, &dialect.parameters[..]) {
            ("String", _) => "string".to_string(),
            ("Seq", [element]) => format!("sequence of {}", type_name(element)),
            ("Opt", [held]) => format!("optional {}", type_name(held)),
            ("Map", [key, value]) => format!("map of {} to {}", type_name(key), type_name(value)),
            _ => element.to_string(),
        },
        other => other.to_string(),
    }
}

/// `[2, 3]`
pub(crate) fn shape_text<T: fmt::Display>(shape: impl IntoIterator<Item = T>) -> String {
    let extents: Vec<String> = shape.into_iter().map(|extent| extent.to_string()).collect();
    format!("[{}]", extents.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(element: Type, bytes: &[u8]) -> String {
        element_text(&DenseElements::new(Type::static_tensor(&[1], element), Blob::copy_of(bytes)), 0)
            .expect("a number")
    }

    #[test]
    fn integers_are_exact() {
        assert_eq!(text(Type::I64, &((1i64 << 53) + 1).to_le_bytes()), "9007199254740993");
        assert_eq!(text(Type::I64, &i64::MIN.to_le_bytes()), "-9223372036854775808");
        assert_eq!(text(Type::unsigned(64), &u64::MAX.to_le_bytes()), "18446744073709551615");
        assert_eq!(text(Type::unsigned(8), &[255]), "255");
        assert_eq!(text(Type::I1, &[1]), "true");
    }

    #[test]
    fn floats_have_the_digits_of_their_own_format() {
        assert_eq!(text(Type::F32, &0.001_570_684_3f32.to_le_bytes()), "0.0015706843");
        assert_eq!(text(Type::F32, &1e-40f32.to_le_bytes()), "1e-40");
        assert_eq!(text(Type::F32, &f32::MAX.to_le_bytes()), "3.4028235e38");
        assert_eq!(text(Type::F64, &0.1f64.to_le_bytes()), "0.1");
        assert_eq!(float_text(floats::decode(0x2e66, FloatType::F16), FloatType::F16), "0.1");
        assert_eq!(float_text(floats::decode(1, FloatType::F16), FloatType::F16), "6e-8");
        assert_eq!(float_text(floats::decode(0x3dcd, FloatType::BF16), FloatType::BF16), "0.1");
        assert_eq!(float_text(f64::NEG_INFINITY, FloatType::F16), "-inf");
        let complex = [0.5f32.to_le_bytes(), (-1e-40f32).to_le_bytes()].concat();
        assert_eq!(text(Type::Complex(FloatType::F32), &complex), "0.5-1e-40i");
    }

    #[test]
    fn element_types_have_the_names_of_onnx() {
        for (number, name) in type_names() {
            // with their width, as in NumPy
            let expected = match &*proto::type_name(number as i32) {
                "float" => "float32".to_string(),
                "double" => "float64".to_string(),
                other => other.to_string(),
            };
            assert_eq!(name, expected);
        }
    }
}
