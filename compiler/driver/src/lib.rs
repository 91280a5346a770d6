//! The public API: a [`Compiler`] makes a [`CompiledModel`], a [`Session`] runs it on [`Tensor`]s.

mod code;
mod compiler;
mod evidence;
mod freestanding;
mod globals;
mod parts;
pub mod passes;
pub mod pipeline;
mod progress;
mod session;
mod signature;
mod tensor;
pub mod testdata;
mod tiers;
mod trace;
mod value;
mod worker;

pub use check::{Finding, Level as RuleLevel, Profile, rules};
pub use codegen_cranelift::clif;
pub use compiler::{Arithmetic, Backend, CompiledModel, Compiler, Options, Processor};
pub use dialects::levels::Level;
pub use evidence::Evidence;
pub use import::{check_file, check_model};
pub use ir::{Blob, DenseElements, Diagnostic, ErrorClass, FloatType, Result, Type};
pub use lower::low::dispatch::PROCESSOR_LEVEL;
pub use lower::low::{ERROR_BOUNDS, NO_ADDRESS, VectorRegisters};
pub use progress::{Observer, Stage};
pub use runtime::pages::available_memory;
pub use runtime::processor::level as processor_level;
pub use session::{KernelTime, Session};
pub use signature::{Container, Extent, Port, Signature};
pub use tensor::{Tensor, element_text, type_name};
pub use trace::{Operations, Symbol, Trace, TracedNode};
pub use value::Value;
