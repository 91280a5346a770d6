//! The operations of every dialect: definitions, verifiers, folds.
//!
//! Upstream's dialects have upstream's names, operands, attributes and semantics.

pub mod arith;
mod assembly;
pub mod builtin;
pub mod cf;
mod checks;
mod codes;
pub mod func;
pub mod levels;
pub mod linalg;
pub mod math;
pub mod memref;
pub mod ml_program;
pub mod onnx;
pub mod rt;
pub mod scf;
pub mod shape_ops;
pub mod tensor;
pub mod vector;

use ir::Registry;

pub use codes::{Dialect, OpCode, OpCodes};

/// Every operation of every dialect.
pub fn registry() -> Registry {
    let mut registry = Registry::default();
    registry.extend(builtin::operations());
    registry.extend(func::operations());
    registry.extend(arith::operations());
    registry.extend(math::operations());
    registry.extend(tensor::operations());
    registry.extend(linalg::operations());
    registry.extend(scf::operations());
    registry.extend(memref::operations());
    registry.extend(ml_program::operations());
    registry.extend(vector::operations());
    registry.extend(cf::operations());
    registry.extend(rt::operations());
    registry.extend_discardable(rt::discardable_attributes());
    registry.extend_on_demand("onnx", onnx::find_operation, onnx::operations);
    registry
}
