//! Values: tensors, and containers of tensors.

use crate::{Element, Error, Result, Tensor};

/// An input or an output of a model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A tensor.
    Tensor(Tensor),
    /// Values in order.
    Sequence(Vec<Value>),
    /// A value or nothing.
    Optional(Option<Box<Value>>),
    /// Values by keys: two tensors of rank 1 and of equal length.
    Map {
        /// The keys.
        keys: Tensor,
        /// The values, in the order of the keys.
        values: Tensor,
    },
}

impl Value {
    /// The tensor.
    ///
    /// # Errors
    /// If the value is not a tensor.
    pub fn as_tensor(&self) -> Result<&Tensor> {
        match self {
            Value::Tensor(tensor) => Ok(tensor),
            other => Err(Error::input(format!("the value is {}, not a tensor", other.kind()))),
        }
    }

    /// The elements of the tensor in row-major order.
    ///
    /// # Errors
    /// If the value is not a tensor, and as [`Tensor::as_slice`].
    pub fn as_slice<T: Element>(&self) -> Result<&[T]> {
        self.as_tensor()?.as_slice()
    }

    /// The values of the sequence.
    ///
    /// # Errors
    /// If the value is not a sequence.
    pub fn as_sequence(&self) -> Result<&[Value]> {
        match self {
            Value::Sequence(values) => Ok(values),
            other => Err(Error::input(format!("the value is {}, not a sequence", other.kind()))),
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Value::Tensor(_) => "a tensor",
            Value::Sequence(_) => "a sequence",
            Value::Optional(_) => "an optional",
            Value::Map { .. } => "a map",
        }
    }

    pub(crate) fn of(value: driver::Value) -> Value {
        match value {
            driver::Value::Tensor(tensor) => Value::Tensor(Tensor::of(tensor)),
            driver::Value::Sequence(values) => Value::Sequence(values.into_iter().map(Value::of).collect()),
            driver::Value::Optional(value) => Value::Optional(value.map(|value| Box::new(Value::of(*value)))),
            driver::Value::Map { keys, values } => Value::Map { keys: Tensor::of(keys), values: Tensor::of(values) },
        }
    }

    pub(crate) fn inner(&self) -> driver::Value {
        match self {
            Value::Tensor(tensor) => driver::Value::Tensor(tensor.inner().clone()),
            Value::Sequence(values) => driver::Value::Sequence(values.iter().map(Value::inner).collect()),
            Value::Optional(value) => driver::Value::Optional(value.as_ref().map(|value| Box::new(value.inner()))),
            Value::Map { keys, values } => {
                driver::Value::Map { keys: keys.inner().clone(), values: values.inner().clone() }
            }
        }
    }
}

impl From<Tensor> for Value {
    fn from(tensor: Tensor) -> Value {
        Value::Tensor(tensor)
    }
}
