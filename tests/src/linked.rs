//! C programs that link compiled models.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::scratch;

/// The output of a command that must succeed.
pub fn run(command: &mut Command) -> Vec<u8> {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Builds a program with a model in a separate folder; `arguments` are for `onnxc`.
pub fn build(onnxc: &Path, model: &Path, arguments: &[&str], program: &str, name: &str) -> PathBuf {
    let folder = scratch::folder(name);
    for (emit, file) in [("obj", "model.o"), ("header", "model.h")] {
        let mut command = Command::new(onnxc);
        command.arg(model).args(arguments).args(["--name", "model", "--emit", emit, "-o"]);
        run(command.arg(folder.join(file)));
    }
    std::fs::write(folder.join("main.c"), program).expect("the folder takes files");
    let mut link = Command::new("cc");
    link.current_dir(&folder).args(["main.c", "model.o"]).arg(onnxc.with_file_name("libruntime.a"));
    run(link.args(["-lpthread", "-lm", "-ldl", "-o", "program"]));
    folder.join("program")
}
