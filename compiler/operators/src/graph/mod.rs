//! Building the graph level: operations of the onnx dialect whose result types follow from their operands.

mod emit;
mod node;

pub use emit::Emitter;
pub use node::{Node, Problem};
