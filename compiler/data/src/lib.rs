//! Storage of constants and buffers: mapped files, aligned memory, and the formats of elements.
//!
//! Invariant: this crate starts no thread. A chunk of bytes ([`Piece`]) that another thread computes, and pages that
//! another thread prefaults ([`Prefaulting`]), are handed to the caller, which has the threads.

mod blob;
pub mod floats;
mod memory;

pub use blob::{Blob, Piece};
pub use memory::{AlignedBytes, Prefaulted, Prefaulting};
