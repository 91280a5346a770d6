//! Tiers of code: the baseline tier computes the first results, a model that runs again gets the optimised tier, and
//! one that keeps running gets LLVM's code, if the LLVM back end is available.
//!
//! Invariants
//! - Both tiers of Cranelift's code come from the same module and give the same results bit for bit. LLVM's code may
//!   round sums in another order, unless the arithmetic is fixed.
//! - Code is never freed before the model, so that a run may continue in either tier. A session switches to LLVM's
//!   model between two runs.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use codegen_cranelift::{Relocatable, Tier};
use dialects::func::MAIN;
use ir::{Blob, ErrorClass, IndexMap, Module, Result};

use super::background::Background;
use super::baseline::Parts;
use crate::Prepare;
use crate::code::Code;
use crate::entry::Entry;

/// The run time from which LLVM's code is worth compiling.
const WORTH_LLVM: Duration = Duration::from_millis(300);

/// The input of an in-process compilation.
pub struct Recipe {
    /// The module at the low level, in partitions.
    pub parts: Vec<Module>,
    /// The addresses of all symbols that the code refers to.
    pub symbols: BTreeMap<String, usize>,
    /// The number of threads to compile on.
    pub workers: usize,
}

/// Compiles a partitioned module in one tier, without linking.
fn compile(parts: &[Module], workers: usize, tier: Tier, cancelled: &Arc<AtomicBool>) -> Result<Relocatable> {
    let options =
        codegen_cranelift::Options { threads: workers, tier, cancelled: cancelled.clone(), ..Default::default() };
    codegen_cranelift::relocatable(parts, &options)
}

/// The tiers of code, the best last. Cache entries contain the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CodeTier {
    /// Cranelift's baseline tier.
    Quick,
    /// Cranelift's optimised tier.
    Optimised,
    /// LLVM's.
    Llvm,
}

impl CodeTier {
    /// The tier of a number.
    pub fn of(number: u64) -> Option<CodeTier> {
        [CodeTier::Quick, CodeTier::Optimised, CodeTier::Llvm].into_iter().find(|&tier| tier as u64 == number)
    }
}

/// Code that can be stored in the cache.
pub enum Unlinked {
    /// The baseline tier; some partitions may still be compiled.
    Baseline(Arc<Parts>),
    /// Object files of a tier.
    Objects(CodeTier, Vec<Vec<u8>>),
}

/// Code in object files.
pub struct Objects {
    /// The tier.
    pub tier: CodeTier,
    /// The object files.
    pub files: Vec<Vec<u8>>,
    /// Constants that only these object files refer to.
    pub constants: IndexMap<String, Blob>,
}

impl Unlinked {
    /// A model's baseline code as object files.
    pub fn objects(self) -> Result<Objects> {
        Ok(match self {
            Unlinked::Baseline(parts) => {
                let (code, constants) = parts.relocatable()?;
                Objects { tier: CodeTier::Quick, files: vec![code.object()?], constants }
            }
            Unlinked::Objects(tier, files) => Objects { tier, files, constants: IndexMap::default() },
        })
    }
}

/// The optimised Cranelift tier, and its entry point.
pub type Upgrade = Background<(Code, Entry)>;

/// The upgrade of a model whose baseline code was compiled from the same recipe; its object file is passed to `keep`.
pub fn upgrade(recipe: Prepare, keep: impl Fn(CodeTier, &[Vec<u8>]) + Send + 'static) -> Upgrade {
    Background::new(move |conditions| {
        let mut recipe = recipe()?;
        if conditions.in_background {
            recipe.workers = 1;
        }
        let unlinked = compile(&recipe.parts, recipe.workers, Tier::Optimised, &conditions.cancelled)?;
        let code = Code::Objects(unlinked.link(&recipe.symbols)?);
        let main = code.function(MAIN).expect("both tiers define the same functions");
        keep(CodeTier::Optimised, &[unlinked.object()?]);
        Ok((code, Entry::at(main)))
    })
}

/// The same model on the LLVM back end, and how long this one has run.
pub struct Successor<M> {
    model: Background<Arc<M>>,
    nanoseconds: AtomicU64,
}

impl<M: Send + Sync + 'static> Successor<M> {
    /// A model that is compiled when it is worth it.
    pub fn new(make: impl FnOnce(&Arc<AtomicBool>) -> Result<M> + Send + 'static) -> Successor<M> {
        let model = Background::new(|conditions| make(&conditions.cancelled).map(Arc::new));
        Successor { model, nanoseconds: AtomicU64::new(0) }
    }

    /// The model, once it is ready.
    pub fn get(&self) -> Option<&Arc<M>> {
        self.model.get()
    }

    /// Reports the time of a run.
    pub fn ran(&self, time: Duration) {
        let time = time.as_nanos() as u64;
        let before = self.nanoseconds.fetch_add(time, Ordering::Relaxed);
        if u128::from(before.saturating_add(time)) >= WORTH_LLVM.as_nanos() {
            self.model.start();
        }
    }

    /// Compiles the model, or waits for it. Returns whether it exists: the LLVM back end may be missing.
    pub fn finish(&self) -> Result<bool> {
        match self.model.finish() {
            Ok(()) => Ok(true),
            Err(diagnostics) if diagnostics.iter().all(|d| d.class == ErrorClass::Unsupported) => Ok(false),
            Err(diagnostics) => Err(diagnostics),
        }
    }
}
