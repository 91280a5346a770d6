//! Kernels: lowers fused groups of structured operations to loops over buffers.

mod access;
mod attention;
pub mod build;
mod chosen;
pub mod contract;
mod converted;
pub mod emit;
mod evaluate;
mod fold;
mod gathered;
pub mod lane;
mod lines;
pub mod loops;
mod moves;
mod pad;
mod parts;
pub(crate) mod products;
pub mod reduce;
mod rounding;
mod tables;
mod tile;
mod vectors;
mod walk;
mod windows;
pub(crate) mod winograd;
