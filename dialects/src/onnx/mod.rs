//! `onnx`: one operation per ONNX operator, in its newest form.
//!
//! Operands and results are the operator's inputs and outputs by position; an omitted optional input is the result of
//! `onnx.NoValue`, an omitted optional output has type `none`. Graphs held by attributes are regions ending in
//! `onnx.Yield`. Attributes keep ONNX's names; one that is missing has ONNX's default.

mod operations;
pub mod schema;

pub use operations::operations;
