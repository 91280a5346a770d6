//! Nodes of a model before they become operations.

use ir::{Attributes, Type, Value};

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
