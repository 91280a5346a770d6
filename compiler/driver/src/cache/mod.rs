//! The cache of compiled models: a folder that processes share. A model with an entry needs no compilation.
//!
//! An entry contains everything in a [`CompiledModel`](crate::CompiledModel) except the weights, which stay in the
//! model's file. Code is stored as relocatable objects and linked like that of the LLVM back end: first that of the
//! baseline tier, which the optimised code replaces once a process has compiled it, and in a separate entry LLVM's.
//!
//! - [`request`] maps a model to its entry, [`entry`] encodes it, [`folder`] reads and writes files.
//! - Entries are written in the background of the first run; those with LLVM's code by the helper process that compiles
//!   it ([`handover`]).
//! - An invalid entry counts as missing: the model is compiled, and the entry rewritten.

mod bytes;
mod entry;
mod folder;
mod handover;
mod program;
mod request;
mod revive;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) use entry::DATA;
use entry::Encoded;
pub(crate) use entry::Kept;
use folder::Folder;
pub use handover::write_successor;
pub(crate) use request::Request;

use crate::options::Backend;
use crate::tiers::CodeTier;

/// The location of compiled models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    /// A folder that belongs to the user alone; it is created if it is missing.
    pub folder: PathBuf,
    /// The maximum total size in bytes; the least recently used entries are removed first.
    pub limit: u64,
}

impl Cache {
    /// Two gigabytes.
    const LIMIT: u64 = 2 << 30;

    /// A cache in a folder, of the default size.
    pub fn at(folder: PathBuf) -> Cache {
        Cache { folder, limit: Cache::LIMIT }
    }

    /// Whether entries can be written and found; the error says why not.
    pub fn check(&self) -> Result<(), String> {
        if self.folder.exists() && !self.folder.is_dir() {
            return Err("it is not a folder".to_string());
        }
        match Folder::open(&self.folder, self.limit) {
            Some(_) => Ok(()),
            None => Err(match std::fs::create_dir_all(&self.folder) {
                Err(error) => error.to_string(),
                Ok(()) => "the folder must belong to you, and be closed to others: chmod 700".to_string(),
            }),
        }
    }

    /// The user's cache, by the XDG base directories: `$XDG_CACHE_HOME/onnxc`, or `~/.cache/onnxc`.
    pub fn of_user() -> Option<Cache> {
        let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
        Some(Cache::at(base.join("onnxc")))
    }
}

/// How to store a model that is being compiled.
#[derive(Clone, Debug)]
pub(crate) struct Keep {
    pub(crate) request: Arc<Request>,
    /// Warnings about the model.
    pub(crate) warnings: Vec<String>,
}

/// Writes a model's entry, each time with code of a higher tier.
pub(crate) struct Keeper {
    request: Arc<Request>,
    backend: Backend,
    encoded: Encoded,
    /// The best tier that was written.
    written: Mutex<Option<CodeTier>>,
}

impl Keeper {
    /// For an initialized model; `None` if it is too large.
    pub(crate) fn new(keep: &Keep, backend: Backend, kept: &Kept) -> Option<Keeper> {
        let encoded = Encoded::of(kept, &keep.request.model);
        (encoded.data_length() <= DATA).then(|| Keeper {
            request: keep.request.clone(),
            backend,
            encoded,
            written: Mutex::default(),
        })
    }

    /// Writes the entry, unless it already has code of a higher tier.
    pub(crate) fn keep(&self, tier: CodeTier, objects: &[Vec<u8>]) {
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
