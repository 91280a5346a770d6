//! Modules at the kernel level to code that runs in this process.
//!
//! An [`Engine`] is one way there. Both of this crate give the same results bit for bit.
//! - [`PlainEngine`] lowers the module, compiles all of it, and links it. It has no threads in the background, writes no
//!   file, and its code does not change any more.
//! - [`FastStart`] shortens the time to the first result: code is compiled while it runs, weights are prepared in
//!   the background, and optimised tiers replace code that keeps running. Everything that only exists for this is in the folder `fast`.
//!
//! [`cache`] stores compiled models, [`worker`] has the LLVM back end in helper processes.

pub mod cache;
mod code;
mod entry;
pub mod fast;
mod globals;
mod partition;
mod plain;
pub mod prepare_constants;
mod routine_calls;
pub mod worker;

use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ir::pass::{Pass, Timings};
use ir::{Module, Result};

pub use code::{Code, Program};
pub use entry::{Entry, provide_nothing};
pub use fast::FastStart;
pub use fast::tiers::{CodeTier, Objects, Recipe, Unlinked};
pub use globals::{Globals, Memory, Slot};
pub use plain::{PlainEngine, load, lower_again};
pub use prepare_constants::{PREPARE_CONSTANTS, PrepareOptions};

/// The code generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeGenerator {
    /// Cranelift, in this process.
    Cranelift,
    /// LLVM, in a helper process.
    Llvm,
}

/// The passes from the kernel level to the low level.
pub trait Lowering: Send + Sync {
    /// Runs those on the whole module, which come first.
    fn lower_module(&self, module: &mut Module, timings: &mut Timings) -> Result<()>;

    /// Runs those on single functions, on a module with some of them.
    fn lower_partition(&self, partition: &mut Module) -> Result<()>;
}

/// How to build code.
#[derive(Clone)]
pub struct Settings {
    /// The code generator.
    pub generator: CodeGenerator,
    /// The passes.
    pub lowering: Arc<dyn Lowering>,
    /// The number of threads.
    pub workers: usize,
    /// The program that has the LLVM back end; `None` means the usual one ([`worker`]).
    pub helper: Option<PathBuf>,
    /// Whether all code must be compiled before any of it runs.
    pub is_complete: bool,
    /// Whether passes on single functions define functions that several partitions call.
    pub shares_functions: bool,
}

/// Code, and what it refers to.
pub struct Built {
    /// The memory of the module's globals.
    pub globals: Globals,
    /// The code.
    pub code: Code,
    /// The code in a form that can be stored.
    pub unlinked: Unlinked,
    /// Prepares the input of the optimised tier, if that is another one.
    pub recipe: Option<Prepare>,
}

/// Prepares the input of the optimised tier.
pub type Prepare = Box<dyn FnOnce() -> Result<Recipe> + Send>;

/// A way from a module at the kernel level to code.
pub trait Engine: Debug + Send + Sync {
    /// Builds code until that is cancelled.
    fn build(
        &self,
        module: &mut Module,
        settings: &Settings,
        cancelled: &Arc<AtomicBool>,
        timings: &mut Timings,
    ) -> Result<Built>;
}

/// The passes of this crate.
pub fn passes() -> [Pass; 1] {
    [&PREPARE_CONSTANTS]
}
