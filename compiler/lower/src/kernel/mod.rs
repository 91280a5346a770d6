//! Kernels: from fused groups of structured operations to loops over buffers.

mod access;
pub mod build;
mod columns;
pub mod contract;
pub mod emit;
mod evaluate;
mod fold;
pub mod lane;
pub mod loops;
mod pad;
pub mod reduce;
mod tile;
mod vectors;
mod walk;
mod windows;
mod winograd;
