//! Conversions below the graph level: linalg to kernels, kernels to the low level. From onnx to linalg: `operators::structured`.

mod attention;
pub mod bufferize;
mod byte_tables;
mod collapse;
mod concat;
pub mod constant_relayouts;
pub mod contraction;
pub mod extents;
mod fold_constants;
pub mod fuse;
mod half_weights;
pub mod kernel;
mod known;
pub mod low;
pub mod outline;
pub mod outline_initialization;
pub mod passes;
mod routines;
mod sink_scalars;
mod transposed_operands;
mod winograd;
