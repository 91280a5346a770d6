//! Compiles ONNX models to native code, in process, and runs them.
//!
//! [`Model`] reads a model, [`Compiler`] turns it into a [`CompiledModel`], and a [`Session`] of that runs it on
//! [`Tensor`]s.
//!
//! ```
//! # fn main() -> Result<(), onnxc::Error> {
//! let text = r#"<ir_version: 10, opset_import: ["": 21]>
//!     affine (float[N, 3] x) => (float[N, 3] y) { y = Add(x, x) }"#;
//! let model = onnxc::Model::from_bytes(text)?;
//! let compiled = onnxc::Compiler::new().compile(&model)?;
//! let mut session = compiled.session();
//! let x = onnxc::Tensor::from_slice(&[1, 3], &[1.0f32, 2.0, 3.0])?;
//! let outputs = session.run([("x", &x)])?;
//! assert_eq!(outputs["y"].as_slice::<f32>()?, [2.0, 4.0, 6.0]);
//! # Ok(())
//! # }
//! ```
//!
//! A [`CompiledModel`] is cheap to clone and is shared by threads; each thread has its own session. The crate prints
//! nothing, reads no standard input and starts no process unless [`Builder::llvm`] asks for one. Failures are
//! [`Error`]s, never panics.

mod c_function;
mod compiler;
mod custom;
mod custom_node;
mod divided;
mod error;
mod inputs;
mod model;
mod protos;
mod session;
mod signature;
mod tensor;
mod value;

pub use c_function::{CCall, CFunction};
pub use compiler::{Arithmetic, Builder, CompiledModel, Compiler};
pub use custom::{CustomCall, CustomKernel, CustomOperator, Extents};
pub use custom_node::{Attribute, CustomNode, NodeValue};
pub use driver::{KernelTime, Stage};
pub use error::{Error, ErrorKind, Problem};
pub use inputs::{Input, OutputBuffer, TensorView};
pub use model::{Metadata, Model};
pub use session::{Cancel, Output, Outputs, RunOptions, Session};
pub use signature::{Dimension, Port, PortKind, ValueType};
pub use tensor::{Element, ElementType, Tensor};
pub use value::Value;

/// The result of an operation that may fail with an [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;
