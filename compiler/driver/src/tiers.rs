//! Tiers of code: quick code gives the first results, a model that runs again gets code that took longer to make, and one
//! that goes on running gets LLVM's, where the LLVM back end is there.
//!
//! Invariants
//! - Both tiers of Cranelift's code come from the same module and give the same results bit for bit. LLVM's code may round
//!   sums in another order, unless the arithmetic is fixed.
//! - Code is never freed before the model is, so a run may go on in either tier of it. A session goes over to LLVM's model
//!   between two runs.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use codegen_cranelift::{Relocatable, Tier};
use ir::{Blob, ErrorClass, IndexMap, Module, Result};

use crate::background::Background;
use crate::cache::Keeper;
use crate::code::Code;
use crate::compiler::CompiledModel;
use crate::firstcode::Parts;
use crate::pipeline::MAIN;
use crate::session::Entry;

/// How long a model has run when LLVM's code is worth its making.
const WORTH_LLVM: Duration = Duration::from_millis(300);

/// What machine code is made from in process.
pub(crate) struct Recipe {
    /// The module at the low level, in parts.
    pub(crate) parts: Vec<Module>,
    /// The addresses of everything the code refers to.
    pub(crate) symbols: BTreeMap<String, usize>,
    /// Threads to compile on.
    pub(crate) workers: usize,
}

/// The code of a module in parts, in one tier, not linked yet.
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

/// How good code is, the best last. Entries of the cache have the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CodeTier {
    /// Cranelift's, made in a hurry.
    Quick,
    /// Cranelift's best.
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

/// Code that may be kept.
pub(crate) enum Unlinked {
    /// Cranelift's, of which some may still be made.
    Cranelift(Arc<Parts>),
    /// Objects of the LLVM back end.
    Llvm(Vec<Vec<u8>>),
}

/// Code in object files.
pub(crate) struct Objects {
    pub(crate) tier: CodeTier,
    pub(crate) files: Vec<Vec<u8>>,
    /// Constants that nobody else knows.
    pub(crate) constants: IndexMap<String, Blob>,
}

impl Unlinked {
    /// A model's first code as it is kept.
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

/// The better tier of Cranelift's code, and where it begins.
pub(crate) type Upgrade = Background<(Code, Entry)>;

/// The upgrade of a model whose quick code was made from the same recipe; its code is kept, too, if the model is.
pub(crate) fn upgrade(recipe: Box<dyn FnOnce() -> Result<Recipe> + Send>, keeper: Arc<OnceLock<Keeper>>) -> Upgrade {
    Background::new(move |conditions| {
        let mut recipe = recipe()?;
        if conditions.beside {
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
    /// A model that is made when it is worth it.
    pub(crate) fn new(make: impl FnOnce(&Arc<AtomicBool>) -> Result<CompiledModel> + Send + 'static) -> Successor {
        let model = Background::new(|conditions| make(&conditions.cancelled).map(Arc::new));
        Successor { model, nanoseconds: AtomicU64::new(0) }
    }

    /// The model, once it is there.
    pub(crate) fn get(&self) -> Option<&Arc<CompiledModel>> {
        self.model.get()
    }

    /// Tells how long a run took.
    pub(crate) fn ran(&self, time: Duration) {
        let time = time.as_nanos() as u64;
        let before = self.nanoseconds.fetch_add(time, Ordering::Relaxed);
        if u128::from(before.saturating_add(time)) >= WORTH_LLVM.as_nanos() {
            self.model.start();
        }
    }

    /// Makes the model, or waits for it. Whether it is there: the LLVM back end may be missing.
    pub(crate) fn finish(&self) -> Result<bool> {
        match self.model.finish() {
            Ok(()) => Ok(true),
            Err(diagnostics) if diagnostics.iter().all(|d| d.class == ErrorClass::Unsupported) => Ok(false),
            Err(diagnostics) => Err(diagnostics),
        }
    }
}
