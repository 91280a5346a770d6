//! Inputs and outputs of a model, of any kind.

use std::sync::Arc;

use ir::{Blob, DenseElements, Type};
use operators::types::{element_number, element_type};
use runtime::RunContext;
use runtime::handles::{self, StoredTensor};

use crate::tensor::Tensor;

/// An input or an output.
#[derive(Clone, Debug)]
pub enum Value {
    /// A tensor.
    Tensor(Tensor),
    /// A list of values.
    Sequence(Vec<Value>),
    /// A value or nothing.
    Optional(Option<Box<Value>>),
    /// A map: keys and values in two lists of one length.
    Map {
        /// The keys.
        keys: Tensor,
        /// The values, in the order of the keys.
        values: Tensor,
    },
}

impl From<Tensor> for Value {
    fn from(tensor: Tensor) -> Value {
        Value::Tensor(tensor)
    }
}

impl Value {
    /// The tensor, if the value is one.
    pub fn as_tensor(&self) -> Option<&Tensor> {
        match self {
            Value::Tensor(tensor) => Some(tensor),
            Value::Sequence(_) | Value::Optional(_) | Value::Map { .. } => None,
        }
    }

    /// The kind of the value, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Tensor(_) => "a tensor",
            Value::Sequence(_) => "a sequence",
            Value::Optional(_) => "an optional",
            Value::Map { .. } => "a map",
        }
    }

    /// The number of elements of its tensors.
    pub fn element_count(&self) -> usize {
        match self {
            Value::Tensor(tensor) => tensor.element_count(),
            Value::Sequence(values) => values.iter().map(Value::element_count).sum(),
            Value::Optional(value) => value.as_ref().map_or(0, |value| value.element_count()),
            Value::Map { values, .. } => values.element_count(),
        }
    }

    /// Whether two values are equal bit for bit.
    pub fn is_same(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Tensor(a), Value::Tensor(b)) => is_same(a, b),
            (Value::Map { keys: k, values: v }, Value::Map { keys, values }) => is_same(k, keys) && is_same(v, values),
            (Value::Sequence(a), Value::Sequence(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_same(b))
            }
            (Value::Optional(Some(a)), Value::Optional(Some(b))) => a.is_same(b),
            (Value::Optional(None), Value::Optional(None)) => true,
            (Value::Tensor(_) | Value::Sequence(_) | Value::Optional(_) | Value::Map { .. }, _) => false,
        }
    }

    /// The value in a run's table; `None` if runs do not support its element type.
    pub(crate) fn bind(&self, context: &mut RunContext) -> Option<handles::Value> {
        Some(match self {
            Value::Tensor(tensor) => handles::Value::Tensor(store(tensor, context)?),
            Value::Map { keys, values } => {
                handles::Value::Map { keys: store(keys, context)?, values: store(values, context)? }
            }
            Value::Sequence(values) => {
                let values: Option<Vec<_>> = values.iter().map(|value| value.bind(context)).collect();
                handles::Value::Sequence(Arc::new(values?))
            }
            Value::Optional(None) => handles::Value::Optional(None),
            Value::Optional(Some(value)) => handles::Value::Optional(Some(Arc::new(value.bind(context)?))),
        })
    }

    /// A value from a run's table.
    pub(crate) fn read(value: &handles::Value, context: &mut RunContext) -> Option<Value> {
        Some(match value {
            handles::Value::Tensor(tensor) => Value::Tensor(restore(tensor, context)?),
            handles::Value::Map { keys, values } => {
                Value::Map { keys: restore(keys, context)?, values: restore(values, context)? }
            }
            handles::Value::Sequence(values) => {
                Value::Sequence(values.iter().map(|value| Value::read(value, context)).collect::<Option<_>>()?)
            }
            handles::Value::Optional(None) => Value::Optional(None),
            handles::Value::Optional(Some(value)) => Value::Optional(Some(Box::new(Value::read(value, context)?))),
        })
    }
}

fn is_same(a: &Tensor, b: &Tensor) -> bool {
    a.shape == b.shape && a.data.bytes() == b.data.bytes()
}

/// A tensor in a run's table.
fn store(tensor: &Tensor, context: &mut RunContext) -> Option<Arc<StoredTensor>> {
    let extents = tensor.shape.iter().map(|&extent| extent.max(0) as usize).collect();
    let bytes = bytes_in_run(tensor, context).bytes().to_vec();
    Some(Arc::new(StoredTensor { kind: element_number(&tensor.element)?, extents, bytes }))
}

/// A tensor from a run's table.
fn restore(tensor: &StoredTensor, context: &mut RunContext) -> Option<Tensor> {
    let element = element_type(i32::try_from(tensor.kind).ok()?).ok()?;
    let shape: Vec<i64> = tensor.extents.iter().map(|&extent| extent as i64).collect();
    tensor_of_run(&tensor.bytes, shape, element, context)
}

/// An input of a run.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// A value.
    Value(&'a Value),
    /// A tensor of numbers or booleans whose elements the caller owns: little-endian, in row-major order, `i1` in one
    /// byte.
    Elements {
        /// The element type.
        element: &'a Type,
        /// Extents, outermost first.
        shape: &'a [i64],
        /// The elements; read in place if they are aligned to their size, otherwise from a copy.
        bytes: &'a [u8],
    },
}

impl<'a> Input<'a> {
    /// Values as inputs, in order.
    pub fn of(values: &'a [Value]) -> Vec<Input<'a>> {
        values.iter().map(Input::Value).collect()
    }

    /// Element type and extents of a tensor.
    pub fn tensor(&self) -> Option<(&Type, &[i64])> {
        match self {
            Input::Value(value) => value.as_tensor().map(|tensor| (&tensor.element, &*tensor.shape)),
            Input::Elements { element, shape, .. } => Some((element, shape)),
        }
    }
}

/// An output of a run.
#[derive(Clone, Debug)]
pub enum Output {
    /// A value.
    Value(Value),
    /// A tensor whose elements are in the memory that the caller lent.
    Written {
        /// The number of bytes written.
        shape: Vec<i64>,
        /// How many bytes were written.
        bytes: usize,
    },
}

impl Output {
    /// The extents of a tensor.
    pub fn shape(&self) -> Option<&[i64]> {
        match self {
            Output::Value(value) => value.as_tensor().map(|tensor| &*tensor.shape),
            Output::Written { shape, .. } => Some(shape),
        }
    }
}

/// The elements of a tensor in the form that generated code reads, at an aligned address. Strings are indices into the
/// run's table.
pub(crate) fn bytes_in_run(tensor: &Tensor, context: &mut RunContext) -> Blob {
    if let Some(texts) = tensor.strings() {
        let strings = context.strings();
        let bytes: Vec<u8> = texts.iter().flat_map(|text| strings.number(text).to_le_bytes()).collect();
        return Blob::copy_of(&bytes);
    }
    let width = tensor.element.byte_width().unwrap_or(1);
    match (tensor.data.bytes().as_ptr() as usize).is_multiple_of(width) {
        true => tensor.data.clone(),
        false => Blob::copy_of(tensor.data.bytes()),
    }
}

/// A tensor from elements in the form that generated code writes.
pub(crate) fn tensor_of_run(bytes: &[u8], shape: Vec<i64>, element: Type, context: &mut RunContext) -> Option<Tensor> {
    if !matches!(element, Type::Dialect(_)) {
        return Tensor::new(element, shape, Blob::copy_of(bytes));
    }
    let strings = context.strings();
    let words = bytes.chunks_exact(8).map(|word| i64::from_le_bytes(word.try_into().expect("8 bytes")));
    let texts: Vec<Arc<str>> = words.map(|number| strings.text(number)).collect();
    let elements = DenseElements::from_strings(Type::static_tensor(&shape, element.clone()), &texts);
    Some(Tensor { element, shape, data: elements.data })
}
