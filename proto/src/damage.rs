//! The error of a file or message that cannot be read.

use std::fmt;
use std::path::{Path, PathBuf};

/// A file that cannot be read or written, or is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The file; `None` for a message in memory.
    pub file: Option<PathBuf>,
    /// One line: what is wrong.
    pub message: String,
}

impl Damage {
    pub(crate) fn of(file: &Path, message: String) -> Damage {
        Damage { file: Some(file.to_path_buf()), message }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{}: {}", file.display(), self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Damage {}
