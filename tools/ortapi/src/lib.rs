//! ONNX Runtime's C interface: the shared library `libonnxruntime.so`, in which a session is a compiled model.
//!
//! [`OrtGetApiBase`] returns the function table `OrtApi` as `ort-sys` declares it. The macro `entries!` defines the functions: it
//! converts pointers from C to Rust types, catches panics, and returns an `OrtStatus`. The macro `refuse!` makes the entry of an
//! unsupported function, whose status names the function.

#[macro_use]
mod raw;
#[macro_use]
mod refuse;

mod binding;
mod containers;
mod custom_domain;
mod custom_library;
mod custom_operator;
mod dense;
mod editor;
mod element;
mod env;
mod external;
mod kernel_context;
mod kernel_info;
mod memory;
mod metadata;
mod operator_attribute;
mod options;
mod pairs;
mod profile;
mod providers;
mod run;
mod run_options;
mod session;
mod shape_context;
mod status;
mod strings;
mod table;
mod tensor_info;
mod type_info;
mod value;

pub use table::{OrtGetApiBase, OrtSessionOptionsAppendExecutionProvider_CPU};
