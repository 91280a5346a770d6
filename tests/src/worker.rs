//! The program that compiles with LLVM in a helper process.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// `onnxc` next to a program of this package, built from the repository: tests of one package do not make cargo build
/// the programs of another.
pub fn onnxc(sibling: &Path) -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let folder = sibling.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        let profile = folder.filter(|&name| name != "debug").unwrap_or("dev");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        // the whole workspace, with the features that everything else was built with
        let mut build = Command::new(cargo);
        build.args(["build", "-q", "--workspace", "--lib", "--bins", "--profile", profile]);
        build.args(std::env::var("WORKSPACE_FLAGS").unwrap_or_default().split_whitespace());
        let built = build.status();
        assert!(built.is_ok_and(|status| status.success()), "onnxc cannot be built");
        sibling.with_file_name("onnxc")
    })
}
