//! Compiled models, kept in a folder from process to process: a model that is there again needs no compilation.
//!
//! An entry has all that a [`CompiledModel`](crate::CompiledModel) is made of but the weights, which stay in the model's file. Code is
//! kept as relocatable objects, and linked when it is found as that of the LLVM back end is always: first the quick code, in
//! its place the optimised code once a process has made it, and beside it LLVM's.
//!
//! - [`request`] says which entry belongs to a model, [`entry`] what is in it, [`folder`] how files are read and written.
//! - Entries are written on threads beside the first run; those with LLVM's code by another process, if it makes that
//!   ([`handover`]).
//! - What is not as it should be is not there: it is compiled, and kept anew.

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

use crate::compiler::Backend;
use crate::tiers::CodeTier;

/// Where compiled models are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    /// A folder that belongs to the user alone; it is made where there is none.
    pub folder: PathBuf,
    /// Bytes of everything that is kept; what has not been used for longest goes first.
    pub limit: u64,
}

impl Cache {
    /// Two gigabytes.
    const LIMIT: u64 = 2 << 30;

    /// One in a folder, of the usual size.
    pub fn at(folder: PathBuf) -> Cache {
        Cache { folder, limit: Cache::LIMIT }
    }

    /// Whether models can be kept there and found; the error says why not.
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

    /// The user's own, where the XDG base directories say: `$XDG_CACHE_HOME/onnxc`, or `~/.cache/onnxc`.
    pub fn of_user() -> Option<Cache> {
        let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
        Some(Cache::at(base.join("onnxc")))
    }
}

/// How a model that is being compiled is kept.
#[derive(Clone, Debug)]
pub(crate) struct Keep {
    pub(crate) request: Arc<Request>,
    /// What was suspicious about the model.
    pub(crate) warnings: Vec<String>,
}

/// Writes a model's entry, with better code each time.
pub(crate) struct Keeper {
    request: Arc<Request>,
    backend: Backend,
    encoded: Encoded,
    /// The best code that was written.
    written: Mutex<Option<CodeTier>>,
}

impl Keeper {
    /// For a model that is initialized; nothing for one that is too large.
    pub(crate) fn new(keep: &Keep, backend: Backend, kept: &Kept) -> Option<Keeper> {
        let encoded = Encoded::of(kept, &keep.request.model);
        (encoded.data_length() <= DATA).then(|| Keeper {
            request: keep.request.clone(),
            backend,
            encoded,
            written: Mutex::default(),
        })
    }

    /// Writes the entry, unless it has better code.
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
