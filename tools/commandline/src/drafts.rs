//! Temporary files and folders: results are written in the same folder under another name and renamed when they are
//! complete. However the process ends, none of them is left over.
//!
//! Invariants
//! - A draft is a new file under an unpredictable name: it is never an existing file, nor the target of a link.
//! - The files in [`LEFT`] are removed when the process ends, unless they have been renamed.

use std::collections::BTreeSet;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::failure::Failure;

/// The drafts of the process.
static LEFT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Creates drafts.
pub struct Drafts(());

impl Drafts {
    /// From now on drafts are removed if a signal ends the process; if no thread can be created for that, they stay.
    pub fn watch() -> Drafts {
        if let Ok(mut signals) = Signals::new([SIGHUP, SIGINT, SIGTERM]) {
            let watch = move || {
                for signal in signals.forever() {
                    remove_all();
                    // ends the process like the default handler
                    let _ = emulate_default_handler(signal);
                }
            };
            let _ = std::thread::Builder::new().spawn(watch);
        }
        Drafts(())
    }

    /// The draft of the file `target`.
    pub fn file(&self, target: &Path) -> Result<Draft, Failure> {
        let named = target.to_path_buf();
        // a link is kept; devices and pipes are written directly
        let target = target.canonicalize().unwrap_or_else(|_| target.to_path_buf());
        let is_special = target.metadata().is_ok_and(|metadata| !metadata.is_file());
        let is_in_place = is_special && !target.is_dir();
        if is_in_place {
            return Ok(Draft { temporary: Temporary(target.clone()), target, named, is_in_place });
        }
        match new_file(&target) {
            Ok(path) => Ok(Draft { temporary: Temporary(path), target, named, is_in_place: false }),
            // the folder refuses new files, but the file may be written
            Err(_) if !is_special && std::fs::OpenOptions::new().write(true).open(&target).is_ok() => {
                Ok(Draft { temporary: Temporary(target.clone()), target, named, is_in_place: true })
            }
            Err(error) => Err(cannot_write(&named, &error)),
        }
    }

    /// A new folder for temporary files, or in the current folder if that one is read-only.
    pub fn folder(&self, stem: &str) -> Result<Temporary, Failure> {
        let place = std::env::temp_dir();
        let new = |place: &Path| tempfile::Builder::new().prefix(&format!(".{stem}-")).tempdir_in(place);
        let folder = new(&place).or_else(|error| new(Path::new(".")).map_err(|_| error));
        let path = folder.map_err(|error| cannot_write(&place, &without_path(error)))?.keep();
        left().insert(path.clone());
        Ok(Temporary(path))
    }
}

/// The error of writing a file or folder.
pub fn cannot_write(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::input(format!("{}: cannot be written: {error}", path.display()))
}

/// An empty file in the folder of another, listed among the drafts.
fn new_file(target: &Path) -> io::Result<PathBuf> {
    if target.is_dir() {
        return Err(io::Error::other("it is a folder"));
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // after the rename the file keeps its mode: that of any new file
    let mode = std::fs::Permissions::from_mode(0o666);
    let file = tempfile::Builder::new().prefix(".onnx-").permissions(mode).tempfile_in(folder);
    let (_, path) = file.map_err(without_path)?.keep().map_err(|error| error.error)?;
    left().insert(path.clone());
    Ok(path)
}

/// The system's error, without the draft's name, which the crate adds.
fn without_path(error: io::Error) -> io::Error {
    let text = error.to_string();
    io::Error::new(error.kind(), text.split(" at path ").next().unwrap_or_default())
}

fn left() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    LEFT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes every draft. The process is about to end; a thread that holds the list at this moment ends with it.
pub(crate) fn remove_all() {
    if let Ok(paths) = LEFT.try_lock() {
        paths.iter().for_each(|path| remove(path));
    }
}

/// A file or folder that is removed when this is dropped, if it is listed.
pub struct Temporary(PathBuf);

impl Temporary {
    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if left().remove(&self.0) {
            remove(&self.0);
        }
    }
}

/// A file that is removed when this is dropped, unless it is finished.
pub struct Draft {
    temporary: Temporary,
    target: PathBuf,
    /// The target as the user named it.
    named: PathBuf,
    /// Whether it is written directly: devices, and files in folders that refuse new ones.
    is_in_place: bool,
}

impl Draft {
    /// The path to write to.
    pub fn path(&self) -> &Path {
        self.temporary.path()
    }

    /// Renames it to the target.
    pub fn finish(self) -> Result<(), Failure> {
        if self.is_in_place {
            return Ok(());
        }
        std::fs::rename(self.path(), &self.target).map_err(|error| cannot_write(&self.named, &error))?;
        left().remove(self.path());
        Ok(())
    }

    /// The draft with its complete contents.
    pub fn filled(self, bytes: &[u8]) -> Result<Draft, Failure> {
        std::fs::write(self.path(), bytes).map_err(|error| cannot_write(&self.named, &error))?;
        Ok(self)
    }

    /// Writes its complete contents.
    pub fn write(self, bytes: &[u8]) -> Result<(), Failure> {
        self.filled(bytes)?.finish()
    }
}

fn remove(path: &Path) {
    // it does no harm if it stays, or does not exist yet
    let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> usize {
        std::fs::read_dir(folder).expect("it is there").count()
    }

    #[test]
    fn only_what_is_finished_stays() {
        let drafts = Drafts::watch();
        let folder = drafts.folder("commandline-drafts").expect("a temporary folder");
        let target = folder.path().join("result");
        std::fs::write(&target, "before").expect("the folder takes files");
        let draft = drafts.file(&target).expect("the folder takes files");
        std::fs::write(draft.path(), "half").expect("the folder takes files");
        drop(draft);
        assert_eq!(std::fs::read_to_string(&target).expect("it is there"), "before");
        let draft = drafts.file(&target).expect("the folder takes files");
        draft.write(b"after").expect("the folder takes files");
        assert_eq!(std::fs::read_to_string(&target).expect("it is there"), "after");
        assert_eq!(names(folder.path()), 1);
        let path = folder.path().to_path_buf();
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn what_cannot_be_written_is_named_and_leaves_nothing() {
        let drafts = Drafts::watch();
        let folder = drafts.folder("commandline-refused").expect("a temporary folder");
        for target in [folder.path().to_path_buf(), folder.path().join("none/result")] {
            let failure = drafts.file(&target).err().expect("it cannot be written");
            assert!(failure.lines[0].contains(&*target.to_string_lossy()) && !failure.lines[0].contains(".onnx-"));
            assert_eq!(failure.code, 1);
        }
        assert_eq!(names(folder.path()), 0);
    }
}
