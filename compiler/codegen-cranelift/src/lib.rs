//! Translates the low level to CLIF and machine code.
//!
//! Translation is one to one (see docs/src/contributing/low-level.md). Functions are compiled in parallel, each
//! separately, then linked into an object file ([`object`]), which may be loaded into memory ([`compile`]).
//!
//! Vectors of exactly 128 bits are in vector registers; vectors of any other length are in scalar registers, lane by
//! lane, which is correct but slow, so that callers choose 128-bit vectors.

mod control;
mod convert;
mod float;
mod form;
mod function;
mod integer;
mod link;
mod memory;
mod packed;
mod vector;

pub use function::External;
pub use link::{
    CompiledFunction, Functions, Generator, Options, Relocatable, Tier, check_symbols, clif, compile, object,
    relocatable, target_text,
};

#[cfg(test)]
mod tests;
