//! Tensors as they go into and come out of a session.

use std::fmt;

use ir::{Blob, DenseElements, FloatType, Signedness, Type};

/// A dense tensor: element type, extents and bytes in row-major order.
///
/// Strings are held as [`DenseElements::from_strings`] writes them; `i1` takes one byte an element.
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
    /// A tensor of numbers or booleans; `None` when `data` is not exactly as long as the shape asks.
    pub fn new(element: Type, shape: Vec<i64>, data: Blob) -> Option<Tensor> {
        let count = shape.iter().try_fold(1usize, |count, &extent| count.checked_mul(usize::try_from(extent).ok()?))?;
        let bytes = count.checked_mul(element.byte_width()?)?;
        (data.bytes().len() == bytes).then_some(Tensor { element, shape, data })
    }

    /// A tensor of `f32`; `None` when there are not as many values as the shape asks.
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

    /// All elements as `f64`; `None` for strings.
    pub fn to_f64(&self) -> Option<Vec<f64>> {
        let elements = self.elements();
        (0..self.element_count())
            .map(|index| elements.float(index).or_else(|| elements.integer(index).map(|value| value as f64)))
            .collect()
    }
}

/// ONNX's name of an element type, as users know it.
pub fn type_name(element: &Type) -> String {
    match element {
        Type::Float(FloatType::F16) => "float16".to_string(),
        Type::Float(FloatType::F32) => "float32".to_string(),
        Type::Float(FloatType::F64) => "float64".to_string(),
        Type::Float(FloatType::BF16) => "bfloat16".to_string(),
        Type::Complex(float) => format!("complex{}", 2 * float.width()),
        Type::Integer(integer) if integer.width == 1 => "bool".to_string(),
        Type::Integer(integer) => {
            let sign = if integer.signedness == Signedness::Unsigned { "u" } else { "" };
            format!("{sign}int{}", integer.width)
        }
        Type::Dialect(dialect) if &*dialect.name == "String" => "string".to_string(),
        other => other.to_string(),
    }
}

/// `[2, 3]`
pub(crate) fn shape_text<T: fmt::Display>(shape: impl IntoIterator<Item = T>) -> String {
    let extents: Vec<String> = shape.into_iter().map(|extent| extent.to_string()).collect();
    format!("[{}]", extents.join(", "))
}
