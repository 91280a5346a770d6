//! Maps a model and the options of its compilation to an entry of the cache.
//!
//! A model is a file, or bytes in memory.
//!
//! Invariants
//! - An entry's name encodes everything that its contents depend on: the bytes of the model (their hash and length),
//!   the options, the processor, the program that compiles (its build identifier, or a hash of its file: a new build
//!   makes new entries, a copy does not), and for LLVM's code the program that LLVM is in.
//! - Entries are only made for files that did not change during compilation: a file's stamp (device, inode, size,
//!   times) is taken before it is read, must be older than the granularity of file system clocks, and must be the same
//!   after its hash was computed.
//! - The hash of a file is stored under its stamp, so that a large model is not read at each start.

use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use engine::cache::folder::Folder;
use engine::cache::program::{build_id, own_file};
use engine::worker;
use ir::Blob;
use sha2::{Digest, Sha256};

use crate::options::{Backend, Extraction, Options};

/// The minimum age of a file's last change: some ticks of the slowest clock of a local file system.
const SETTLED: Duration = Duration::from_millis(100);
/// The prefix of the names of stored hashes.
const HASH: &str = "hash-";

/// A model that may be in the cache or go there, and its compilation.
#[derive(Debug)]
pub(crate) struct Request {
    /// The cache folder, if there is a cache.
    pub(crate) folder: Option<Folder>,
    /// The whole model.
    pub(crate) model: Blob,
    pub(crate) origin: Origin,
    pub(crate) options: Options,
}

/// Where a model is from.
#[derive(Debug)]
pub(crate) enum Origin {
    /// A file, and the stamp that it had before it was read.
    File { path: PathBuf, stamp: String },
    /// Memory that is never written.
    Memory,
}

impl Request {
    /// For a file; `None` if the options ask for more than a model that runs.
    pub(crate) fn new(options: &Options, path: &Path, import: &import::Options) -> Option<Request> {
        if !is_cached(options, import) {
            return None;
        }
        let metadata = path.metadata().ok().filter(Metadata::is_file)?;
        let changed =
            metadata.modified().ok()?.max(SystemTime::UNIX_EPOCH + Duration::from_secs(metadata.ctime() as u64));
        if changed.elapsed().is_ok_and(|age| age < SETTLED) {
            return None;
        }
        let origin = Origin::File { path: path.to_path_buf(), stamp: stamp(&metadata) };
        Some(Request { folder: folder(options), model: Blob::map_file(path).ok()?, origin, options: options.clone() })
    }

    /// For the bytes of a model; `None` if the options ask for more than a model that runs.
    pub(crate) fn of_bytes(options: &Options, model: Blob, import: &import::Options) -> Option<Request> {
        let request = || Request { folder: folder(options), model, origin: Origin::Memory, options: options.clone() };
        is_cached(options, import).then(request)
    }

    /// The name of the model's entry, if one may exist: if no entry has that size, the model's file is not read.
    pub(crate) fn find(&self, backend: Backend) -> Option<String> {
        let stem = self.stem(backend);
        self.folder.as_ref()?.names().iter().any(|name| name.starts_with(&stem)).then(|| self.name(&stem)).flatten()
    }

    /// The name of the model's entry.
    pub(crate) fn entry(&self, backend: Backend) -> Option<String> {
        self.name(&self.stem(backend))
    }

    fn name(&self, stem: &str) -> Option<String> {
        Some(format!("{stem}{}", self.content_hash()?))
    }

    fn stem(&self, backend: Backend) -> String {
        let Options { processor, threads, dims, shapes, arithmetic, refuse_violations, rules, ties, .. } =
            &self.options;
        let program = own_file().and_then(|path| self.identity(path));
        let compiler = match backend {
            Backend::Llvm => worker::program_file(self.options.helper.as_deref()).and_then(|path| self.identity(&path)),
            Backend::Auto | Backend::Cranelift => codegen_cranelift::target_text().ok(),
        };
        let text = format!(
            "{} {program:?} {compiler:?} {processor:?} {} {threads} {dims:?} {shapes:?} {arithmetic:?} {refuse_violations} {rules:?} {ties}",
            env!("CARGO_PKG_VERSION"),
            runtime::processor::level(),
        );
        let kind = if backend == Backend::Llvm { "llvm" } else { "cranelift" };
        format!("{kind}-{}-{:x}-", short(text.as_bytes()), self.model.bytes().len())
    }

    /// Whether the model is in a file, from which another process can compile it.
    pub(crate) fn is_file(&self) -> bool {
        matches!(self.origin, Origin::File { .. })
    }

    /// Whether the model's file is unchanged since it was mapped.
    pub(crate) fn is_unchanged(&self) -> bool {
        match &self.origin {
            Origin::File { path, stamp } => path.metadata().is_ok_and(|metadata| self::stamp(&metadata) == *stamp),
            Origin::Memory => true,
        }
    }

    /// The identity of a program, independent of its path and time stamps.
    fn identity(&self, program: &Path) -> Option<String> {
        build_id(program).or_else(|| self.hash_of(program, &stamp(&program.metadata().ok()?)))
    }

    /// A hash of the model's bytes; `None` if they may have changed since they were compiled.
    fn content_hash(&self) -> Option<String> {
        match &self.origin {
            Origin::File { path, stamp } => self.hash_of(path, stamp),
            Origin::Memory => Some(short(self.model.bytes())),
        }
    }

    /// A hash of a file's bytes; `None` if they may have changed since the stamp was taken.
    fn hash_of(&self, path: &Path, now: &str) -> Option<String> {
        let place = path.canonicalize().ok()?;
        let memory = format!("{HASH}{}", short(place.as_os_str().as_encoded_bytes()));
        let folder = self.folder.as_ref()?;
        let known = folder.read(&memory).and_then(|known| String::from_utf8(known.bytes().to_vec()).ok());
        if let Some((stamp, hash)) = known.as_deref().and_then(|known| known.split_once('\n'))
            && stamp == now
        {
            return Some(hash.to_string());
        }
        // read, not mapped: mapped pages would stay in the process
        let mut hash = Sha256::new();
        std::io::copy(&mut File::open(path).ok()?, &mut hash).ok()?;
        let hash = half(hash.finalize());
        if path.metadata().ok().is_none_or(|metadata| stamp(&metadata) != now) {
            return None;
        }
        folder.write(&memory, &[now.as_bytes(), b"\n", hash.as_bytes()]);
        Some(hash)
    }
}

/// Whether the options ask for a model that runs, and for no more.
fn is_cached(options: &Options, import: &import::Options) -> bool {
    let is_told = options.profile || options.explain || options.trace || options.metadata || options.sanitize;
    let is_whole = options.without.is_empty() && options.extraction == Extraction::Cheapest;
    let is_plain =
        *import == import::Options::default() && options.operator_sets.is_empty() && options.outputs.is_empty();
    let runs_here = cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) && options.freestanding.is_none();
    let is_fast = options.engine.is_fast();
    !is_told && is_whole && is_plain && runs_here && is_fast && options.print_after.is_empty()
}

/// The folder of the cache, if there is a cache.
fn folder(options: &Options) -> Option<Folder> {
    options.cache.as_ref().and_then(|cache| Folder::open(&cache.folder, cache.limit))
}

/// Identifies a version of a file.
fn stamp(file: &Metadata) -> String {
    let (changed, renamed) = ((file.mtime(), file.mtime_nsec()), (file.ctime(), file.ctime_nsec()));
    format!("{} {} {} {changed:?} {renamed:?}", file.dev(), file.ino(), file.size())
}

fn short(bytes: &[u8]) -> String {
    half(Sha256::digest(bytes))
}

/// The first half of a hash, which is unique enough for a name.
fn half(hash: impl AsRef<[u8]>) -> String {
    hash.as_ref()[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}
