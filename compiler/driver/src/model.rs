//! Compiled models.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use engine::fast::background::Background;
use engine::fast::tiers::{Successor, Upgrade};
use engine::{Code, Entry, Globals, Objects, Unlinked, provide_nothing};
use ir::pass::Timings;
use ir::{Diagnostic, IndexMap, Location, Result};
use runtime::RunContext;

use crate::cache_writer::{CacheRequest, CacheWriter};
use crate::cached_model::CachedModel;
use crate::options::Backend;
use crate::progress::Reporter;
use crate::signature::Signature;

/// A model as machine code, with its weights. Shared by the sessions that run it.
pub struct CompiledModel {
    /// The model's inputs and outputs.
    pub signature: Signature,
    /// The time of each stage of compilation.
    pub timings: Timings,
    pub(crate) globals: Globals,
    pub(crate) main: Entry,
    /// The optimised Cranelift tier, if the back end has tiers.
    pub(crate) upgrade: Option<Upgrade>,
    /// The model on a better back end.
    pub(crate) successor: Option<Successor<CompiledModel>>,
    /// Computes what depends on the weights alone.
    pub(crate) initialize: Option<Entry>,
    pub(crate) messages: Vec<String>,
    /// The strings that are constants of the model.
    pub(crate) strings: Vec<String>,
    pub(crate) threads: usize,
    /// The number of threads that initialize it.
    pub(crate) workers: usize,
    /// Whether a run that contradicts the model's declared extents is refused.
    pub(crate) refuse_violations: bool,
    /// Receives warnings about runs.
    pub(crate) reporter: Reporter,
    /// Kernel and nodes of each timed call.
    pub(crate) profiled: Vec<Vec<String>>,
    /// The operator of each node, by name, if calls are timed.
    pub(crate) operators: IndexMap<String, String>,
    /// Writes the model's cache entry, if it has one.
    pub(crate) cache_writer: Arc<OnceLock<CacheWriter>>,
    /// The job that writes that entry.
    pub(crate) cache_write: Option<Background<()>>,
    /// The code that contains `main`.
    pub(crate) code: Code,
}

impl CompiledModel {
    /// Computes what depends on the weights alone; called once, before the first run.
    pub(crate) fn initialize(&mut self) -> Result<()> {
        let Some(initialize) = &self.initialize else { return Ok(()) };
        let mut context = RunContext::new(std::ptr::null_mut(), provide_nothing);
        let status = initialize.call(&mut [context.address()], self.workers);
        self.check(status, &context)
    }

    /// The error that a run ended in, if it did.
    pub(crate) fn check(&self, status: i64, context: &RunContext) -> Result<()> {
        match (self.code.failure(), status) {
            (Some(diagnostics), _) => Err(diagnostics.to_vec()),
            (None, 0) => Ok(()),
            (None, _) => {
                let failure = self.failure(status);
                Err(match context.fault {
                    Some(fault) => failure.with_note(fault.to_string()),
                    None => failure,
                }
                .into())
            }
        }
    }

    fn failure(&self, status: i64) -> Diagnostic {
        if status == abi::Status::OutOfMemory.code() {
            return Diagnostic::input(Location::Unknown, "the run needs more memory than is available");
        }
        let message = usize::try_from(status - 1).ok().and_then(|index| self.messages.get(index));
        match message {
            Some(message) => Diagnostic::input(Location::Unknown, message),
            None => Diagnostic::internal(Location::Unknown, format!("the run ended with the unknown status {status}")),
        }
    }

    /// The entry point of the model in its best code.
    pub(crate) fn main(&self) -> &Entry {
        self.upgrade.as_ref().and_then(Background::get).map_or(&self.main, |(_, main)| main)
    }

    /// The model on a better back end, once it is ready.
    pub(crate) fn successor(&self) -> Option<&Arc<CompiledModel>> {
        self.successor.as_ref()?.get()
    }

    /// Writes the model to the cache in the background.
    pub(crate) fn write_to_cache(&mut self, cache_request: CacheRequest, backend: Backend, unlinked: Unlinked) {
        let (cached, mut globals) = self.cache_parts(&cache_request.warnings);
        let slot = self.cache_writer.clone();
        let cache_write = Background::new(move |_| {
            let Objects { tier, files, constants } = unlinked.objects()?;
            constants.into_iter().for_each(|(name, bytes)| globals.add_constant(name, bytes));
            if let Some(cache_writer) = CacheWriter::new(&cache_request, backend, &cached, &globals) {
                slot.get_or_init(|| cache_writer).write(tier, &files);
            }
            Ok(())
        });
        cache_write.start();
        self.cache_write = Some(cache_write);
    }

    /// The stored part of the model next to its code. The model is initialized, and its buffers are not written any
    /// more.
    pub(crate) fn cache_parts(&mut self, warnings: &[String]) -> (CachedModel, Globals) {
        let CompiledModel { signature, messages, strings, globals, .. } = self;
        let cached = CachedModel {
            signature: signature.clone(),
            messages: messages.clone(),
            strings: strings.clone(),
            warnings: warnings.to_vec(),
        };
        (cached, globals.frozen())
    }

    /// Waits until the model is in the cache, if it goes there.
    pub fn finish_cache_write(&self) -> Result<()> {
        self.cache_write.as_ref().map_or(Ok(()), Background::finish)
    }

    /// Reports that the model runs more than once, so that optimised code is worth its compile time.
    pub(crate) fn runs_again(&self) {
        if let Some(upgrade) = &self.upgrade {
            upgrade.start();
        }
    }

    /// Reports the time of a run.
    pub(crate) fn ran(&self, time: Duration) {
        if let Some(successor) = &self.successor {
            successor.ran(time);
        }
    }

    /// Waits for the best code. Without this, a model that runs again gets it after some runs, as soon as a background
    /// thread has compiled it.
    pub fn settle(&self) -> Result<()> {
        match &self.successor {
            Some(successor) if successor.finish()? => Ok(()),
            Some(_) | None => self.upgrade.as_ref().map_or(Ok(()), Background::finish),
        }
    }
}
