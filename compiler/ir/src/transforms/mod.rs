//! Passes that are independent of dialects: they use definitions, traits and hooks from the registry.

mod canonicalize;
mod cse;
mod dead;

use crate::pass::Pass;

pub use canonicalize::canonicalize;
pub use cse::merge_equal;
pub use dead::{remove_dead, remove_unread};

/// The passes of this module.
pub fn passes() -> [Pass; 2] {
    [&canonicalize::PASS, &cse::PASS]
}
