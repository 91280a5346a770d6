//! Test suites over the whole compiler.

pub mod check;
pub mod conformance;
pub mod entities;
pub mod graphs;
pub mod guard;
pub mod interpreted;
pub mod linked;
pub mod lit;
pub mod models;
pub mod node;
pub mod npy;
pub mod profile;
pub mod reduce;
pub mod round_trip;
pub mod scratch;
pub mod upstream;
pub mod web;
pub mod worker;

/// Reports that a test cannot run without what is missing. Where the environment variable `CI` is set it must run.
///
/// # Panics
/// If `CI` is set.
pub fn skip(reason: &str) {
    assert!(std::env::var_os("CI").is_none(), "{reason}");
    eprintln!("skipped: {reason}");
}
