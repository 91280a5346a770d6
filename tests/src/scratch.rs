//! Where tests leave files: below the build's own folder, so that nothing gathers elsewhere.

use std::path::PathBuf;

use crate::conformance::repository;

/// A folder of a test's own, empty; `name` is its own among all tests.
pub fn folder(name: &str) -> PathBuf {
    let path = place(name);
    // there is none the first time
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("the build's folder takes folders");
    path
}

/// Where a file or folder of that name goes, left as it is.
pub fn place(name: &str) -> PathBuf {
    let all = repository().join("target/tmp");
    std::fs::create_dir_all(&all).expect("the build's folder takes folders");
    all.join(name)
}
