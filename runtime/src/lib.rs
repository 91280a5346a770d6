//! The runtime behind generated code: a C ABI of `rt_` symbols.
//!
//! - [`pool`]: one thread pool a process, parked between runs.
//! - [`calls`]: routines for work that is not loop-shaped.
//! - [`clock`]: time, for profiles.
//! - [`context`]: the memory of one run.
//! - [`handles`]: sequences, optionals and maps of one run.
//! - [`kernels`]: micro-kernels chosen by CPU features.
//! - [`model`]: the C interface of a compiled model.
//! - `outputs`: memory that C callers own.
//! - [`pages`]: how much memory there is, and giving back that of constants.
//! - [`processor`]: its instructions.
//! - [`elementary`]: elementary functions that generated code does not expand.
//! - [`scratch`]: memory of one thread.
//! - [`strings`]: the strings of one run.
//! - [`symbols`]: every symbol by name, for in-process linking.
//! - [`values`]: sequences, optionals and maps as C callers read them.
//!
//! Nothing here panics across the C boundary, and nothing but the pool and spare memory of outputs is global.

pub mod busy;
pub mod calls;
pub mod clock;
pub mod context;
pub mod elementary;
pub mod handles;
pub mod kernels;
pub mod model;
mod outputs;
pub mod pages;
pub mod pool;
pub mod processor;
pub mod scratch;
pub mod stop;
pub mod strings;
mod symbols;
pub mod values;

pub use context::RunContext;
pub use symbols::symbols;
