//! Files and folders that are there for the time of a run only: results are written beside their place and moved there
//! when they are whole. What a signal ends leaves none of them behind.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// The drafts of a process.
#[derive(Clone, Default)]
pub struct Drafts(Arc<Mutex<BTreeSet<PathBuf>>>);

impl Drafts {
    /// No drafts yet; those to come are removed when a signal ends the process.
    pub fn watch() -> io::Result<Drafts> {
        let drafts = Drafts::default();
        let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
        let watched = drafts.clone();
        std::thread::spawn(move || {
            for signal in signals.forever() {
                watched.paths().iter().for_each(|path| remove(path));
                // ends the process, as if there were no handler
                let _ = emulate_default_handler(signal);
            }
        });
        Ok(drafts)
    }

    /// What will be the file `target`.
    pub fn file(&self, target: &Path) -> Draft {
        // a link goes on being one; devices and pipes are written as they are
        let target = target.canonicalize().unwrap_or_else(|_| target.to_path_buf());
        let is_special = target.metadata().is_ok_and(|metadata| !metadata.is_file());
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let path = match is_special {
            true => target.clone(),
            false => target.with_file_name(format!(".{name}.{}", std::process::id())),
        };
        let temporary = Temporary { path, drafts: self.clone() };
        if !is_special {
            self.paths().insert(temporary.path.clone());
        }
        Draft { temporary, target, is_special }
    }

    /// A new folder among the temporary ones.
    pub fn folder(&self, stem: &str) -> io::Result<Temporary> {
        let path = std::env::temp_dir().join(format!("{stem}-{}", std::process::id()));
        std::fs::create_dir(&path)?;
        self.paths().insert(path.clone());
        Ok(Temporary { path, drafts: self.clone() })
    }

    fn paths(&self) -> std::sync::MutexGuard<'_, BTreeSet<PathBuf>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A file or folder that goes with its value.
pub struct Temporary {
    path: PathBuf,
    drafts: Drafts,
}

impl Temporary {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if self.drafts.paths().remove(&self.path) {
            remove(&self.path);
        }
    }
}

/// A file that goes with its value, unless it is finished.
pub struct Draft {
    temporary: Temporary,
    target: PathBuf,
    is_special: bool,
}

impl Draft {
    /// Where to write it.
    pub fn path(&self) -> &Path {
        self.temporary.path()
    }

    /// Moves it to its place.
    pub fn finish(self) -> io::Result<()> {
        if self.is_special {
            return Ok(());
        }
        std::fs::rename(self.path(), &self.target)?;
        self.temporary.drafts.paths().remove(self.path());
        Ok(())
    }

    /// Writes the whole of it.
    pub fn write(self, bytes: &[u8]) -> io::Result<()> {
        std::fs::write(self.path(), bytes)?;
        self.finish()
    }
}

fn remove(path: &Path) {
    // nothing is lost when it stays, or when it is not there yet
    let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_finished_stays() {
        let drafts = Drafts::default();
        let folder = drafts.folder("commandline-drafts").expect("a temporary folder");
        let target = folder.path().join("result");
        std::fs::write(&target, "before").expect("the folder takes files");
        let draft = drafts.file(&target);
        std::fs::write(draft.path(), "half").expect("the folder takes files");
        drop(draft);
        assert_eq!(std::fs::read_to_string(&target).expect("it is there"), "before");
        drafts.file(&target).write(b"after").expect("the folder takes files");
        assert_eq!(std::fs::read_to_string(&target).expect("it is there"), "after");
        assert_eq!(std::fs::read_dir(folder.path()).expect("it is there").count(), 1);
        let path = folder.path().to_path_buf();
        drop(folder);
        assert!(!path.exists());
    }
}
