//! A model between its import and its code.

use std::sync::Arc;

use engine::prepare_constants::PrefaultedMemory;
use ir::pass::Timings;
use ir::{IndexMap, Module};

use crate::signature::Signature;

/// A model before its code is built.
pub(crate) struct UncompiledModel {
    pub(crate) module: Module,
    pub(crate) signature: Signature,
    /// The operators of the nodes, by node name, if kernels are timed.
    pub(crate) operators: IndexMap<String, String>,
    /// Times of what was done so far.
    pub(crate) timings: Timings,
    /// Memory for prepared weights.
    pub(crate) memory: Option<Arc<PrefaultedMemory>>,
}

impl UncompiledModel {
    /// A module, of which nothing else is known.
    pub(crate) fn of(module: Module) -> UncompiledModel {
        let signature = Signature::default();
        UncompiledModel { module, signature, operators: IndexMap::default(), timings: Timings::default(), memory: None }
    }
}
