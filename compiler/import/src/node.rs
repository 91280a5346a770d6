//! A node on its way from the file to an operation.

use ir::{Attributes, ErrorClass, Type, Value};

/// A node with its inputs resolved, in the form of some opset.
pub(crate) struct Node {
    /// The operator.
    pub(crate) name: String,
    /// Its inputs; `onnx.NoValue` for an omitted one.
    pub(crate) operands: Vec<Value>,
    /// Its attributes, but not graphs.
    pub(crate) attributes: Attributes,
    /// Whether each of its outputs has a name, so that it may be read.
    pub(crate) outputs: Vec<bool>,
    /// Declared types of its outputs, as far as the model states them.
    pub(crate) declared: Vec<Option<Type>>,
    /// The values of its outputs, once they are built otherwise than by an operation of this name.
    pub(crate) results: Option<Vec<Value>>,
}

/// Why a node cannot be imported.
#[derive(Debug)]
pub(crate) struct Problem {
    /// Whose fault it is.
    pub(crate) class: ErrorClass,
    /// What is wrong, as the end of a sentence that starts with the operator.
    pub(crate) message: String,
}

impl Problem {
    /// The model is wrong.
    pub(crate) fn input(message: impl Into<String>) -> Problem {
        Problem { class: ErrorClass::Input, message: message.into() }
    }

    /// The model is right, but this is not supported.
    pub(crate) fn unsupported(message: impl Into<String>) -> Problem {
        Problem { class: ErrorClass::Unsupported, message: message.into() }
    }
}
