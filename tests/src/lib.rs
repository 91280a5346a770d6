//! Test suites over the whole compiler.

pub mod conformance;
pub mod models;
