//! Everything ONNX says about its operators.

pub mod composites;
pub mod graph;
pub mod shape;
pub mod structured;
pub mod types;
pub mod upgrade;
