//! Translates the low level to CLIF and machine code.
//!
//! Translation is one to one (see docs/src/contributing/low-level.md). Functions are compiled in parallel, each
//! separately, then linked into memory ([`compile`]) or an object file ([`object`]).
//!
//! Vectors of exactly 128 bits are in vector registers; vectors of any other length are in scalar registers, lane by
//! lane, which is correct but slow, so that callers choose 128-bit vectors.
//!
//! Host functions of the baseline tier, which run once, are assembled from templates instead ([`template`](crate)).
//! Code may also run while parts of it are still being compiled ([`OnDemand`]).

mod assembler;
mod control;
mod convert;
mod float;
mod form;
mod function;
mod integer;
mod link;
mod memory;
mod ondemand;
mod packed;
mod stubs;
mod template;
mod text;
mod vector;

pub use link::{
    Compiled, Functions, Generator, Options, Relocatable, Tier, clif, compile, object, relocatable, target_text,
};

pub use ondemand::{OnDemand, Provided, Source};
pub use text::Text;

#[cfg(test)]
mod tests;
