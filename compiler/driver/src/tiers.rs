//! Tiers of code: quick code gives the first results, a model that runs again gets code that took longer to make, and one
//! that goes on running gets LLVM's, where the LLVM back end is there.
//!
//! Invariants
//! - Both tiers of Cranelift's code come from the same module and give the same results bit for bit. LLVM's code may round
//!   sums in another order, unless the arithmetic is fixed.
//! - Code is never freed before the model is, so a run may go on in either tier of it. A session goes over to LLVM's model
//!   between two runs.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use codegen_cranelift::Tier;
use ir::{ErrorClass, Module, Result};

use crate::background::Background;
use crate::code::Code;
use crate::compiler::CompiledModel;
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
    pub(crate) threads: usize,
}

impl Recipe {
    /// The code in one tier.
    pub(crate) fn compile(&self, tier: Tier, cancelled: &Arc<AtomicBool>) -> Result<Code> {
        let (symbols, cancelled) = (self.symbols.clone(), cancelled.clone());
        let options = codegen_cranelift::Options { symbols, threads: self.threads, tier, cancelled };
        codegen_cranelift::compile(&self.parts, &options).map(Box::new).map(Code::Cranelift)
    }
}

/// The better tier of Cranelift's code, and where it begins.
pub(crate) type Upgrade = Background<(Code, Entry)>;

/// The upgrade of a model whose quick code was made from the same recipe.
pub(crate) fn upgrade(mut recipe: Recipe) -> Upgrade {
    Background::new(move |conditions| {
        if conditions.beside {
            recipe.threads = 1;
        }
        let code = recipe.compile(Tier::Optimised, &conditions.cancelled)?;
        let main = code.function(MAIN).expect("both tiers define the same functions");
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
