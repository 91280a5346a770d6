//! Tiers of code: the baseline tier computes the first results, a model that runs again gets the optimised tier, and
//! one that keeps running gets LLVM's code, if the LLVM back end is available.
//!
//! Invariants
//! - Both tiers of Cranelift's code come from the same module and give the same results bit for bit. LLVM's code may
//!   round sums in another order, unless the arithmetic is fixed.
//! - Code is never freed before the model, so that a run may continue in either tier. A session switches to LLVM's
//!   model between two runs.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use codegen_cranelift::{Relocatable, Tier};
use ir::{Blob, ErrorClass, IndexMap, Module, Result};

use crate::background::Background;
use crate::baseline::Parts;
use crate::cache::Keeper;
use crate::code::Code;
use crate::compiler::CompiledModel;
use crate::options::MAIN;
use crate::session::Entry;

/// The run time from which LLVM's code is worth compiling.
const WORTH_LLVM: Duration = Duration::from_millis(300);

/// The input of an in-process compilation.
pub(crate) struct Recipe {
    /// The module at the low level, in partitions.
    pub(crate) parts: Vec<Module>,
    /// The addresses of all symbols that the code refers to.
    pub(crate) symbols: BTreeMap<String, usize>,
    /// The number of threads to compile on.
    pub(crate) workers: usize,
}

/// Compiles a partitioned module in one tier, without linking.
pub(crate) fn compile(
    parts: &[Module],
    workers: usize,
    tier: Tier,
    cancelled: &Arc<AtomicBool>,
) -> Result<Relocatable> {
    let options =
        codegen_cranelift::Options { threads: workers, tier, cancelled: cancelled.clone(), ..Default::default() };
    codegen_cranelift::relocatable(parts, &options)
}

/// The tiers of code, the best last. Cache entries contain the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CodeTier {
    /// Cranelift's baseline tier.
    Quick,
    /// Cranelift's optimised tier.
    Optimised,
    /// LLVM's.
    Llvm,
}

impl CodeTier {
    /// The tier of a number.
    pub(crate) fn of(number: u64) -> Option<CodeTier> {
        [CodeTier::Quick, CodeTier::Optimised, CodeTier::Llvm].into_iter().find(|&tier| tier as u64 == number)
    }
}

/// Code that can be stored in the cache.
pub(crate) enum Unlinked {
    /// Cranelift's; some partitions may still be compiled.
    Cranelift(Arc<Parts>),
    /// Object files of the LLVM back end.
    Llvm(Vec<Vec<u8>>),
}

/// Code in object files.
pub(crate) struct Objects {
    pub(crate) tier: CodeTier,
    pub(crate) files: Vec<Vec<u8>>,
    /// Constants that only these object files refer to.
    pub(crate) constants: IndexMap<String, Blob>,
}

impl Unlinked {
    /// A model's baseline code as object files.
    pub(crate) fn objects(self) -> Result<Objects> {
        Ok(match self {
            Unlinked::Cranelift(parts) => {
                let (code, constants) = parts.relocatable()?;
                Objects { tier: CodeTier::Quick, files: vec![code.object()?], constants }
            }
            Unlinked::Llvm(files) => Objects { tier: CodeTier::Llvm, files, constants: IndexMap::default() },
        })
    }
}

/// The optimised Cranelift tier, and its entry point.
pub(crate) type Upgrade = Background<(Code, Entry)>;

/// The upgrade of a model whose baseline code was compiled from the same recipe; if the model is cached, the upgrade
/// is, too.
pub(crate) fn upgrade(recipe: Box<dyn FnOnce() -> Result<Recipe> + Send>, keeper: Arc<OnceLock<Keeper>>) -> Upgrade {
    Background::new(move |conditions| {
        let mut recipe = recipe()?;
        if conditions.in_background {
            recipe.workers = 1;
        }
        let unlinked = compile(&recipe.parts, recipe.workers, Tier::Optimised, &conditions.cancelled)?;
        let code = Code::Cranelift(Box::new(unlinked.link(&recipe.symbols)?));
        let main = code.function(MAIN)?.expect("both tiers define the same functions");
        if let Some(keeper) = keeper.get() {
            keeper.keep(CodeTier::Optimised, &[unlinked.object()?]);
        }
        Ok((code, Entry::at(main)))
    })
}

/// The same model on the LLVM back end, and how long this one has run.
pub(crate) struct Successor {
    model: Background<Arc<CompiledModel>>,
    nanoseconds: AtomicU64,
}

impl Successor {
    /// A model that is compiled when it is worth it.
    pub(crate) fn new(make: impl FnOnce(&Arc<AtomicBool>) -> Result<CompiledModel> + Send + 'static) -> Successor {
        let model = Background::new(|conditions| make(&conditions.cancelled).map(Arc::new));
        Successor { model, nanoseconds: AtomicU64::new(0) }
    }

    /// The model, once it is ready.
    pub(crate) fn get(&self) -> Option<&Arc<CompiledModel>> {
        self.model.get()
    }

    /// Reports the time of a run.
    pub(crate) fn ran(&self, time: Duration) {
        let time = time.as_nanos() as u64;
        let before = self.nanoseconds.fetch_add(time, Ordering::Relaxed);
        if u128::from(before.saturating_add(time)) >= WORTH_LLVM.as_nanos() {
            self.model.start();
        }
    }

    /// Compiles the model, or waits for it. Returns whether it exists: the LLVM back end may be missing.
    pub(crate) fn finish(&self) -> Result<bool> {
        match self.model.finish() {
            Ok(()) => Ok(true),
            Err(diagnostics) if diagnostics.iter().all(|d| d.class == ErrorClass::Unsupported) => Ok(false),
            Err(diagnostics) => Err(diagnostics),
        }
    }
}
