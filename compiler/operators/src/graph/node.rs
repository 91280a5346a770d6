//! A node on its way from the file to an operation.

use ir::{Attributes, ErrorClass, Type, Value};

use super::Emitter;

/// A node with its inputs resolved, in the form of some opset.
pub struct Node {
    /// The domain of the operator.
    pub domain: &'static str,
    /// The operator.
    pub name: String,
    /// Its inputs; `onnx.NoValue` for an omitted one.
    pub operands: Vec<Value>,
    /// Its attributes, but not graphs.
    pub attributes: Attributes,
    /// Whether each of its outputs has a name, so that it may be read.
    pub outputs: Vec<bool>,
    /// The values that its attributes name, if it is an operator that names values.
    pub named: Vec<Value>,
    /// Declared types of its outputs, as far as the model states them.
    pub declared: Vec<Option<Type>>,
    /// The values of its outputs, once they are built otherwise than by an operation of this name.
    pub results: Option<Vec<Value>>,
    /// What makes the node's results of those of the operation, where a step built something around it.
    pub finish: Option<Finish>,
}

/// From the results of an operation to those of the node it stands for.
pub type Finish = Box<dyn FnOnce(&mut Emitter, Vec<Value>) -> Vec<Value>>;

/// Why a node cannot be imported.
#[derive(Debug)]
pub struct Problem {
    /// Whose fault it is.
    pub class: ErrorClass,
    /// The rule that is broken.
    pub rule: Option<&'static str>,
    /// What is wrong, as the end of a sentence that starts with the operator.
    pub message: String,
}

impl Problem {
    /// The model is wrong.
    pub fn input(message: impl Into<String>) -> Problem {
        Problem::broken("operator-conditions", message)
    }

    /// The model breaks a rule, which is named by its identifier.
    pub fn broken(rule: &'static str, message: impl Into<String>) -> Problem {
        Problem { class: ErrorClass::Input, rule: Some(rule), message: message.into() }
    }

    /// The model is right, but this is not supported.
    pub fn unsupported(message: impl Into<String>) -> Problem {
        Problem { class: ErrorClass::Unsupported, rule: None, message: message.into() }
    }
}
