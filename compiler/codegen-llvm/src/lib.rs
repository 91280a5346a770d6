//! Translates the low level to LLVM IR, assembly and object files.
//!
//! Translation is one to one (see docs/src/contributing/low-level.md) and gives the same results as the Cranelift back
//! end. Vectors keep their length: LLVM splits those that are wider than a target's registers.

mod architecture;
mod control;
mod convert;
mod emit;
mod extreme;
mod fill;
mod float;
mod float16;
mod form;
mod frames;
mod function;
mod integer;
mod interface;
mod memory;
mod processor;
mod rolled;
mod rounding;
mod stack;
mod target;
mod vector;
mod webassembly;
mod weights_file;

pub use emit::{compile_assembly, compile_ir, compile_object, probe, write_object};
pub use interface::{Interface, Port, Training};
pub use target::{Optimization, Options};
pub use weights_file::Weights;

#[cfg(test)]
mod tests;
