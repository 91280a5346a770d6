//! The cache of compiled models: a folder that processes share. A model with an entry needs no compilation.
//!
//! An entry contains everything of a model except the weights, which stay in its file. Code is stored as relocatable objects and linked like that of the LLVM back end: first that of the
//! baseline tier, which the optimised code replaces once a process has compiled it, and in a separate entry LLVM's.
//!
//! - [`entry`] encodes a model, [`folder`] reads and writes files, [`program`] identifies programs.
//! - Entries are written in the background of the first run; those with LLVM's code by the helper process that compiles
//!   it.
//! - An invalid entry counts as missing: the model is compiled, and the entry rewritten.

pub mod bytes;
pub mod entry;
pub mod folder;
pub mod program;

use std::path::PathBuf;

use folder::Folder;

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
