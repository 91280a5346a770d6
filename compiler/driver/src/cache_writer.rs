//! Writes models to the cache.

use std::sync::{Arc, Mutex, PoisonError};

use engine::cache::entry::{DATA, Encoded};
use engine::{CodeTier, Globals};

use crate::cached_model::CachedModel;
use crate::options::Backend;
use crate::request::Request;

/// How to store a model that is being compiled.
#[derive(Clone, Debug)]
pub(crate) struct CacheRequest {
    pub(crate) request: Arc<Request>,
    /// Warnings about the model.
    pub(crate) warnings: Vec<String>,
}

/// Writes a model's entry, each time with code of a higher tier.
pub(crate) struct CacheWriter {
    pub(crate) request: Arc<Request>,
    pub(crate) backend: Backend,
    pub(crate) encoded: Encoded,
    /// The best tier that was written.
    pub(crate) written: Mutex<Option<CodeTier>>,
}

impl CacheWriter {
    /// For an initialized model; `None` if it is too large.
    pub(crate) fn new(
        cache_request: &CacheRequest,
        backend: Backend,
        cached: &CachedModel,
        globals: &Globals,
    ) -> Option<CacheWriter> {
        let encoded = Encoded::of(globals, &cache_request.request.model, |encoder| cached.encode(encoder));
        (encoded.data_length() <= DATA).then(|| CacheWriter {
            request: cache_request.request.clone(),
            backend,
            encoded,
            written: Mutex::default(),
        })
    }

    /// Writes the entry, unless it already has code of a higher tier.
    pub(crate) fn write(&self, tier: CodeTier, objects: &[Vec<u8>]) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if *written >= Some(tier) {
            return;
        }
        let (Some(folder), Some(name)) = (&self.request.folder, self.request.entry(self.backend)) else { return };
        let start = self.encoded.start(tier, objects);
        if folder.write(&name, &self.encoded.pieces(&start, objects)) {
            *written = Some(tier);
        }
    }
}
