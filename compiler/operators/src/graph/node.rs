//! Nodes of a model before they become operations.

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
    /// For each output, whether it has a name and may be read.
    pub outputs: Vec<bool>,
    /// The values that its attributes name, for operators that name values.
    pub named: Vec<Value>,
    /// Declared types of its outputs, as far as the model has them.
    pub declared: Vec<Option<Type>>,
    /// The values of its outputs, if they are not built by an operation of this name.
    pub results: Option<Vec<Value>>,
    /// Maps the operation's results to the node's, if a step built something around it.
    pub finish: Option<Finish>,
}

/// Maps the results of an operation to those of its node.
pub type Finish = Box<dyn FnOnce(&mut Emitter, Vec<Value>) -> Vec<Value>>;

/// Why a node cannot be imported.
#[derive(Debug)]
pub struct Problem {
    /// Its class.
    pub class: ErrorClass,
    /// The broken rule.
    pub rule: Option<&'static str>,
    /// The problem, as the end of a sentence that starts with the operator.
    pub message: String,
}

impl Problem {
    /// An invalid model.
    pub fn input(message: impl Into<String>) -> Problem {
        Problem::broken("operator-conditions", message)
    }

    /// A model that breaks a rule, given by its identifier.
    pub fn broken(rule: &'static str, message: impl Into<String>) -> Problem {
        Problem { class: ErrorClass::Input, rule: Some(rule), message: message.into() }
    }

    /// A valid model that is not supported.
    pub fn unsupported(message: impl Into<String>) -> Problem {
        Problem { class: ErrorClass::Unsupported, rule: None, message: message.into() }
    }
}
