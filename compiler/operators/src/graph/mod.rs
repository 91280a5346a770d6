//! Building the graph level: operations of the onnx dialect whose result types follow from their operands.

mod compose;
mod dead;
pub(crate) mod derivative;
mod emit;
mod node;
mod problem;
mod region;

pub use dead::remove_dead;
pub use derivative::{Derivative, Differential};
pub use emit::Emitter;
pub use node::{Finish, Node};
pub use problem::Problem;
pub(crate) use region::Scan;
