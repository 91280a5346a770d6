//! The compiler's API: a [`Compiler`] builds a [`CompiledModel`], and a [`Session`] runs it on [`Tensor`]s.

mod cache_loader;
mod cache_writer;
mod cached_model;
mod compile;
mod compiler;
mod evidence;
mod freestanding;
mod handover;
mod merge;
mod missing_routines;
mod model;
mod options;
mod part;
pub mod partition;
pub mod passes;
pub mod pipeline;
mod progress;
mod request;
mod session;
mod signature;
mod tensor;
pub mod testdata;
mod trace;
mod training;
mod uncompiled;
mod value;

pub use abi::Status;
pub use check::{Finding, Level as RuleLevel, Profile, rules};
pub use codegen_cranelift::clif;
pub use compiler::Compiler;
pub use dialects::levels::Level;
pub use engine::cache::Cache;
pub use engine::worker::{check_conventions, other_target, read_framed, write_framed};
pub use evidence::Evidence;
pub use handover::write_successor;
pub use import::{
    Entry, METADATA, OperatorSetProto, Options as ImportOptions, check_bytes, check_file, check_model, damaged,
};
pub use ir::floats::encode as encode_float;
pub use ir::{Blob, DenseElements, Diagnostic, ErrorClass, FloatType, Location, Result, Type};
pub use lower::low::dispatch::PROCESSOR_LEVEL;
pub use lower::low::{ERROR_BOUNDS, FIXED_ERROR_BOUNDS, HALF_ERROR_BOUND, VectorRegisters};
pub use merge::merge;
pub use model::CompiledModel;
pub use operators::elements::element as element_type;
pub use options::{Arithmetic, Backend, EngineKind, Extraction, INITIALIZE, MAIN, Options, Processor};
pub use part::Part;
pub use progress::{Observer, Reporter, Stage};
pub use runtime::processor::level as processor_level;
pub use runtime::stop::{Due, Stop};
pub use session::{KernelTime, Session};
pub use signature::{Container, Extent, Port, Signature, StatedExtent};
pub use tensor::{Tensor, array_type, byte_count, element_text, ml_dtype, type_name, type_names, type_number};
pub use trace::{Operations, Symbol, Trace, TracedNode};
pub use training::Trainer;
pub use value::{Input, Output, Value};
