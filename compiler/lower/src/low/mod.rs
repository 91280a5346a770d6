//! The kernel level to the low level: flat buffers, blocks instead of structured control flow, elementary functions as
//! arithmetic, loops that run on several threads as calls of the runtime.
//!
//! The passes run in the order of [`PASSES`]; each leaves a module the next one can read.

mod assertions;
mod contract;
mod control;
mod declare;
mod elementary;
mod expand;
mod flatten;
mod narrow;
mod parallel;
pub mod profile;
mod scope;
mod simplify;

pub use crate::kernel::emit::Target;

use ir::{Module, Result};

/// The module attribute that lists the messages of assertions; status `n` means message `n - 1`.
pub const MESSAGES: &str = "rt.messages";

/// Marks a host function: it calls kernels and is not worth optimizing itself.
pub const HOST: &str = "rt.host";

/// A step of the lowering.
pub type Pass = fn(&mut Module, &Target) -> Result<()>;

/// Every step by name, in order.
pub const PASSES: &[(&str, Pass)] = &[
    ("number-assertions", assertions::number_assertions),
    ("call-contractions", contract::call_contractions),
    ("flatten-buffers", flatten::flatten_buffers),
    ("widen-narrow-types", narrow::widen_narrow_types),
    ("expand-math", expand::expand_math),
    ("outline-parallel", parallel::outline_parallel),
    ("lower-control-flow", control::lower_control_flow),
    ("guard-host", assertions::guard_host),
    ("simplify", simplify::simplify),
    ("declare-runtime", declare::declare_runtime),
];

/// Takes a module from the kernel level to the low level.
pub fn lower_to_low(module: &mut Module, target: &Target) -> Result<()> {
    PASSES.iter().try_for_each(|(_, pass)| pass(module, target))
}
