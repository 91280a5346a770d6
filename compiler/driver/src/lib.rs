//! The public API: a [`Compiler`] makes a [`CompiledModel`], a [`Session`] runs it on [`Tensor`]s.

mod compiler;
mod globals;
mod loader;
pub mod pipeline;
mod session;
mod signature;
mod tensor;
pub mod testdata;
pub mod worker;

pub use codegen_cranelift::clif;
pub use compiler::{Backend, CompiledModel, Compiler, Level, Options};
pub use ir::{Blob, DenseElements, Diagnostic, ErrorClass, Result, Type};
pub use session::Session;
pub use signature::{Extent, Port, Signature};
pub use tensor::{Tensor, type_name};
