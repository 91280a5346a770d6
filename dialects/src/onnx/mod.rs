//! `onnx`: one operation per ONNX operator, in its newest form.
//!
//! Operands and results are the operator's inputs and outputs by position; an omitted optional input is the result of
//! `onnx.NoValue`, an omitted optional output has type `none`. Graphs held by attributes are regions ending in
//! `onnx.Yield`. Attributes have ONNX's names; a missing one has ONNX's default.

#[rustfmt::skip]
mod names;
mod operations;
pub mod schema;
mod verify;
pub mod views;

use std::sync::LazyLock;

use ir::{Body, IndexMap, Op};

/// The name of the constant operation.
pub const CONSTANT: &str = "onnx.Constant";
/// The name of the operation for omitted operands.
pub const NO_VALUE: &str = "onnx.NoValue";
/// The name of the operation that ends a region.
pub const YIELD: &str = "onnx.Yield";

pub use names::OnnxOp;
pub use operations::{find_operation, is_random, operations};
pub use verify::{check_choices, check_numbers, check_types, type_name};

impl OnnxOp {
    /// The operator with an operation's name; `None` for other operations.
    pub fn from_name(name: &str) -> Option<OnnxOp> {
        static BY_NAME: LazyLock<IndexMap<&str, OnnxOp>> = LazyLock::new(|| names::OPERATORS.iter().copied().collect());
        BY_NAME.get(name).copied()
    }

    /// The operator of an operation; `None` for other operations.
    pub fn of(body: &Body, op: Op) -> Option<OnnxOp> {
        OnnxOp::from_name(body.name(op))
    }

    /// The name of its operations: `onnx.Add`, `onnx.ml.Scaler`.
    pub fn name(self) -> &'static str {
        names::OPERATORS[self as usize].0
    }

    /// Every operator, sorted by name.
    pub fn all() -> impl Iterator<Item = OnnxOp> {
        names::OPERATORS.iter().map(|&(_, operator)| operator)
    }
}
