//! The operators of ONNX, one operation each.

pub mod shape;
