//! The runtime library of generated code, with a C ABI of `rt_` symbols.
//!
//! - [`pool`]: one thread pool a process, parked between runs.
//! - [`calls`]: routines for operations that are not loop-shaped.
//! - [`clock`]: time, for profiles.
//! - [`context`]: the memory of one run.
//! - [`handles`]: sequences, optionals and maps of one run.
//! - [`kernels`]: micro-kernels chosen by CPU features.
//! - [`model`]: the C interface of a compiled model.
//! - `outputs`: memory that C callers own.
//! - [`pages`]: transparent huge pages, and releasing the pages of constants.
//! - [`processor`]: the instruction set level of the processor.
//! - [`elementary`]: elementary functions that generated code does not expand.
//! - [`scratch`]: thread-local scratch memory.
//! - [`strings`]: the strings of one run.
//! - [`symbols`]: every symbol by name, for in-process linking.
//! - `unwinding`: what GCC's unwinder asks musl for.
//! - [`values`]: sequences, optionals and maps as C callers read them.
//!
//! No function panics across the C boundary, and only the pool and the spare memory of outputs are global.

pub mod busy;
pub mod calls;
pub mod clock;
pub mod context;
pub mod elementary;
mod exports;
pub mod handles;
pub mod kernels;
pub mod model;
mod outputs;
pub mod pages;
pub mod parts;
pub mod pool;
pub mod processor;
#[cfg(test)]
mod samples;
pub mod scratch;
pub mod stop;
pub mod strings;
#[cfg(target_env = "musl")]
mod unwinding;
pub mod values;
mod weights_file;

pub use context::RunContext;
pub use exports::symbols;
