//! Kernels: lowers fused groups of structured operations to loops over buffers.

mod access;
mod attention;
pub mod build;
mod chosen;
mod column_tables;
pub mod contract;
mod converted;
pub mod emit;
mod evaluate;
mod fold;
mod gathered;
mod k_blocks;
pub mod lane;
mod lines;
pub mod loops;
mod moves;
mod pad;
mod pooling;
pub(crate) mod products;
pub mod reduce;
mod rounding;
mod transposed_tiles;
mod vectors;
mod walk;
pub(crate) mod winograd;
