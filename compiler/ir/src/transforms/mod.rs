//! Passes that know no dialect: they read definitions, traits and hooks from the registry.

mod canonicalize;
mod cse;

use crate::pass::PassDefinition;

pub use canonicalize::canonicalize;
pub use cse::merge_equal;

/// The passes of this module.
pub fn passes() -> Vec<PassDefinition> {
    vec![canonicalize::PASS, cse::PASS]
}
