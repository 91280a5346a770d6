//! Everything that ONNX specifies about its operators.
//!
//! An operator is one row ([`Operator`]) in one file, or a few in one where they are one idea; folders group them as
//! the standard does. Shared code of the rows is next to them: `graph` and `upgrade` (building the graph level),
//! `shape` (symbolic shapes), `structured` (building the structured level).

mod contrib;
mod control_flow;
pub mod decompose;
pub mod elements;
mod generator;
pub mod graph;
mod image;
pub mod literal;
mod logical;
mod math;
mod ml;
mod nn;
mod object_detection;
mod operator;
#[cfg(test)]
mod operators_page;
mod optional;
pub mod passes;
pub mod points;
mod quantization;
mod random;
mod recurrent;
mod reduction;
mod sequence;
pub mod shape;
pub mod specialize;
pub mod structured;
mod table;
mod tensor;
mod text;
mod training;
pub mod types;
pub mod upgrade;

pub use contrib::nchwc;
pub use operator::{
    Bodies, Compose, Conditions, Cost, Demand, DemandRule, ElementRule, Kind, Lower, Operator, Rank, ScalarBody, Step,
    TypeRule, Uniform,
};
pub use table::{all, former, row, row_of};
