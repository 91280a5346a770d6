//! Everything ONNX says about its operators.
//!
//! An operator is one row ([`Operator`]) in one file, or a few in one where they are one idea; folders group them as the
//! standard does. What rows are made with stands beside: `graph` and `upgrade` (building the graph level), `shape`
//! (symbolic shapes), `structured` (building the structured level).

mod contrib;
pub mod decompose;
mod generator;
pub mod graph;
mod image;
mod logical;
mod math;
mod ml;
mod nn;
mod object_detection;
mod operator;
mod quantization;
mod random;
mod recurrent;
mod reduction;
pub mod shape;
pub mod structured;
#[cfg(test)]
mod support;
mod table;
mod tensor;
mod training;
pub mod types;
pub mod upgrade;

pub use operator::{Compose, Cost, Kind, Lower, Operator, ScalarBody, Step, TypeRule};
pub use table::{all, former, row, row_of};
