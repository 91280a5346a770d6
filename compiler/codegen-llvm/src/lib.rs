//! The low level to LLVM IR, assembly and object files.
//!
//! Translation is one to one (see docs/src/contributing/low-level.md) and gives the results that the
//! Cranelift back end gives. Vectors keep their length: LLVM splits what a target's registers do not hold.

mod control;
mod convert;
mod emit;
mod extreme;
mod fill;
mod float;
mod form;
mod frames;
mod function;
mod integer;
mod interface;
mod memory;
mod rolled;
mod target;
mod vector;

pub use emit::{compile_assembly, compile_ir, compile_object, probe, write_object, write_object_with_frames};
pub use frames::Frames;
pub use interface::{Interface, Port, Training};
pub use target::{Optimization, Options};

#[cfg(test)]
mod tests;
