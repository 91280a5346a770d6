//! Which entry of the cache a model and the options of its compilation have.
//!
//! Invariants
//! - An entry's name says everything that its contents depend on: the bytes of the model (a hash of them, and how many there
//!   are), the options, the processor, the program that compiles (its build identifier, or a hash of its file: a new build makes
//!   new entries, a copy does not), and for LLVM's code the program that LLVM is in.
//! - Entries are of files that nobody has changed while they were compiled: a file's stamp (device, number, size, times) is
//!   taken before it is read, must have been the same for longer than clocks of file systems take to tick, and is the same
//!   when its hash has been computed.
//! - The hash of a file is remembered by its stamp, so that a large model is not read at each start.

use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ir::Blob;
use sha2::{Digest, Sha256};

use super::folder::Folder;
use super::program::{build_id, own_file};
use crate::compiler::{Backend, Options};
use crate::worker;

/// How long a file must have been as it is: some ticks of the slowest clock of a local file system.
const SETTLED: Duration = Duration::from_millis(100);
/// What the name of a remembered hash begins with.
const HASH: &str = "hash-";

/// A model that may be kept or found, and how it is compiled.
#[derive(Debug)]
pub(crate) struct Request {
    /// Where it is kept, if it is.
    pub(crate) folder: Option<Folder>,
    /// The whole file of the model.
    pub(crate) model: Blob,
    pub(crate) path: PathBuf,
    pub(crate) stamp: String,
    pub(crate) options: Options,
}

impl Request {
    /// Nothing is asked for where what is wanted is more than a model that runs.
    pub(crate) fn new(options: &Options, path: &Path, import: &import::Options) -> Option<Request> {
        let is_told = options.profile || options.explain || options.trace || options.metadata;
        let is_whole = options.without.is_empty();
        let is_plain =
            *import == import::Options::default() && options.operator_sets.is_empty() && options.outputs.is_empty();
        let runs_here = cfg!(target_arch = "x86_64") && options.freestanding.is_none();
        if is_told || !is_whole || !is_plain || !runs_here || !options.print_after.is_empty() {
            return None;
        }
        let metadata = path.metadata().ok().filter(Metadata::is_file)?;
        let changed =
            metadata.modified().ok()?.max(SystemTime::UNIX_EPOCH + Duration::from_secs(metadata.ctime() as u64));
        if changed.elapsed().is_ok_and(|age| age < SETTLED) {
            return None;
        }
        let folder = options.cache.as_ref().and_then(|cache| Folder::open(&cache.folder, cache.limit));
        let model = Blob::map_file(path).ok()?;
        Some(Request { folder, model, path: path.to_path_buf(), stamp: stamp(&metadata), options: options.clone() })
    }

    /// The name of the model's entry, if there may be one: where there is none of that size, the file is not read.
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
        let Options { processor, threads, dims, shapes, arithmetic, strict, rules, .. } = &self.options;
        let program = own_file().and_then(|path| self.identity(path));
        let compiler = match backend {
            Backend::Llvm => worker::program_file(self.options.helper.as_deref()).and_then(|path| self.identity(&path)),
            Backend::Auto | Backend::Cranelift => codegen_cranelift::target_text().ok(),
        };
        let text = format!(
            "{} {program:?} {compiler:?} {processor:?} {} {threads} {dims:?} {shapes:?} {arithmetic:?} {strict} {rules:?}",
            env!("CARGO_PKG_VERSION"),
            runtime::processor::level(),
        );
        let kind = if backend == Backend::Llvm { "llvm" } else { "cranelift" };
        format!("{kind}-{}-{:x}-", short(text.as_bytes()), self.model.bytes().len())
    }

    /// Whether the file of the model is still what it was when it was mapped.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.path.metadata().is_ok_and(|metadata| stamp(&metadata) == self.stamp)
    }

    /// What a program is, whatever its file is called and when it was written.
    fn identity(&self, program: &Path) -> Option<String> {
        build_id(program).or_else(|| self.hash_of(program, &stamp(&program.metadata().ok()?)))
    }

    /// A hash of the model's bytes; none where they may have changed since they were compiled.
    fn content_hash(&self) -> Option<String> {
        self.hash_of(&self.path, &self.stamp)
    }

    /// A hash of a file's bytes; none where they are not those any more that the stamp was taken of.
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
        // read, not mapped: pages of the mapping would stay with the process
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

/// What differs when a file has been changed, or is another one.
fn stamp(file: &Metadata) -> String {
    let (changed, renamed) = ((file.mtime(), file.mtime_nsec()), (file.ctime(), file.ctime_nsec()));
    format!("{} {} {} {changed:?} {renamed:?}", file.dev(), file.ino(), file.size())
}

fn short(bytes: &[u8]) -> String {
    half(Sha256::digest(bytes))
}

/// The first half of a hash, which is as good as any name.
fn half(hash: impl AsRef<[u8]>) -> String {
    hash.as_ref()[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}
