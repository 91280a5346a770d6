//! Two tiers of in-process code: quick code gives the first results, and a model that runs again gets code that took
//! longer to make.
//!
//! Invariants
//! - Both tiers come from the same module and give the same results bit for bit.
//! - Code is never freed before the model is, so a run may go on in either tier.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;

use codegen_cranelift::Tier;
use ir::{Module, Result};

use crate::code::Code;
use crate::pipeline::MAIN;
use crate::session::Entry;

/// What machine code is made from in process.
pub(crate) struct Recipe {
    /// The module at the low level, in parts.
    pub(crate) parts: Vec<Module>,
    /// The addresses of everything the code refers to.
    pub(crate) symbols: BTreeMap<String, usize>,
    /// Threads to compile on; 0 means all there are.
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

/// The better tier of a model's code.
pub(crate) struct Upgrade {
    shared: Arc<Shared>,
    recipe: Mutex<Option<Recipe>>,
    worker: Mutex<Option<JoinHandle<()>>>,
}

/// What the model and the thread that compiles both know.
#[derive(Default)]
struct Shared {
    optimised: OnceLock<Result<(Code, Entry)>>,
    cancelled: Arc<AtomicBool>,
}

impl Shared {
    fn compile(&self, recipe: &Recipe) {
        self.optimised.get_or_init(|| {
            let code = recipe.compile(Tier::Optimised, &self.cancelled)?;
            let main = code.function(MAIN).expect("both tiers define the same functions");
            Ok((code, Entry::at(main)))
        });
    }
}

impl Upgrade {
    /// The upgrade of a model whose quick code was made from the same recipe.
    pub(crate) fn from(recipe: Recipe) -> Upgrade {
        Upgrade { shared: Arc::default(), recipe: Mutex::new(Some(recipe)), worker: Mutex::default() }
    }

    /// The better code's entry, once it is there.
    pub(crate) fn main(&self) -> Option<Entry> {
        self.shared.optimised.get()?.as_ref().ok().map(|(_, main)| *main)
    }

    /// Starts to compile on a thread beside the runs; once.
    pub(crate) fn start(&self) {
        let Some(mut recipe) = self.take_recipe() else { return };
        // the other processors are busy running the model
        recipe.threads = 1;
        let shared = self.shared.clone();
        let worker = std::thread::spawn(move || shared.compile(&recipe));
        *self.worker.lock().unwrap_or_else(PoisonError::into_inner) = Some(worker);
    }

    /// Compiles now, or waits for the thread that does.
    pub(crate) fn finish(&self) -> Result<()> {
        match self.take_recipe() {
            Some(recipe) => self.shared.compile(&recipe),
            None => self.join(),
        }
        match self.shared.optimised.get() {
            Some(Err(diagnostics)) => Err(diagnostics.clone()),
            Some(Ok(_)) | None => Ok(()),
        }
    }

    fn take_recipe(&self) -> Option<Recipe> {
        self.recipe.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn join(&self) {
        let worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(worker) = worker {
            worker.join().expect("compilation does not panic");
        }
    }
}

impl Drop for Upgrade {
    fn drop(&mut self) {
        self.shared.cancelled.store(true, Ordering::Relaxed);
        self.join();
    }
}
