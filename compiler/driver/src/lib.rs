//! The compiler's API: a [`Compiler`] builds a [`CompiledModel`], and a [`Session`] runs it on [`Tensor`]s.

mod ahead;
mod awaits;
mod background;
mod cache;
mod code;
mod compiler;
mod evidence;
mod firstcode;
mod freestanding;
mod generate;
mod globals;
mod merge;
mod part;
mod parts;
pub mod passes;
pub mod pipeline;
mod prepare;
mod progress;
mod routine_calls;
mod session;
mod signature;
mod tensor;
pub mod testdata;
mod tiers;
mod trace;
mod training;
mod value;
mod worker;

pub use cache::{Cache, write_successor};
pub use check::{Finding, Level as RuleLevel, Profile, rules};
pub use codegen_cranelift::clif;
pub use compiler::{Arithmetic, Backend, CompiledModel, Compiler, Options, Processor};
pub use dialects::levels::Level;
pub use evidence::Evidence;
pub use import::{Entry, METADATA, OperatorSetProto, Options as ImportOptions, check_bytes, check_file, check_model};
pub use ir::floats::encode as encode_float;
pub use ir::{Blob, DenseElements, Diagnostic, ErrorClass, FloatType, Result, Type};
pub use lower::low::dispatch::PROCESSOR_LEVEL;
pub use lower::low::{
    ERROR_BOUNDS, FIXED_ERROR_BOUNDS, HALF_ERROR_BOUND, NO_ADDRESS, NOT_INITIALIZED, VectorRegisters,
};
pub use merge::merge;
pub use part::Part;
pub use progress::{Observer, Reporter, Stage};
pub use proto::element_type;
pub use runtime::processor::level as processor_level;
pub use runtime::stop::{Due, Stop};
pub use session::{KernelTime, Session};
pub use signature::{Container, Extent, Port, Signature, StatedExtent};
pub use tensor::{Tensor, byte_count, element_text, type_name, type_names, type_number};
pub use trace::{Operations, Symbol, Trace, TracedNode};
pub use training::Trainer;
pub use value::{Input, Output, Value};
pub use worker::{read_framed, write_framed};
