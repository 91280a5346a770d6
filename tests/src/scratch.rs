//! Temporary files of tests, below the build folder.

use std::path::PathBuf;

use crate::conformance::repository;

/// An empty folder for a test; `name` is unique among all tests.
pub fn folder(name: &str) -> PathBuf {
    let path = place(name);
    // it does not exist the first time
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("the build's folder takes folders");
    path
}

/// The path of a file or folder of that name, which is not changed.
pub fn place(name: &str) -> PathBuf {
    let all = repository().join("target/tmp");
    std::fs::create_dir_all(&all).expect("the build's folder takes folders");
    all.join(name)
}
