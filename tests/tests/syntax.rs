//! Models in every text format that ONNX's tools write, compared with what those read.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use proto::{Message, Model, ModelProto};
use tests::conformance::repository;

/// The folder that `tests/syntax/generate.py` writes, once and completely; none if it cannot run.
static FOLDER: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let root = repository();
    let (suite, folder) = (root.join("target/conformance"), root.join("target/syntax"));
    if folder.exists() {
        return Some(folder);
    }
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let own = folder.with_extension(std::process::id().to_string());
    let output = Command::new(&python).arg(root.join("tests/syntax/generate.py")).args([&suite, &own]).output();
    let is_written = output.is_ok_and(|output| output.status.success());
    // another process may have been faster
    if !is_written || std::fs::rename(&own, &folder).is_err() {
        let _ = std::fs::remove_dir_all(&own);
    }
    if !is_written {
        tests::skip(&format!("`{python} tests/syntax/generate.py {}` does not run", suite.display()));
    }
    is_written.then_some(folder)
});

/// The existing files with some endings.
fn texts(endings: &[&str]) -> Vec<PathBuf> {
    let Some(folder) = FOLDER.as_deref() else { return vec![] };
    let entries = std::fs::read_dir(folder).expect("the script writes the folder");
    let has_ending = |path: &Path| path.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known));
    entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| has_ending(path)).collect()
}

fn read_back(path: &Path) -> ModelProto {
    ModelProto::decode(&*std::fs::read(path).expect("the script writes it")).expect("onnx writes valid models")
}

/// Models whose text is not read, or read incorrectly.
fn wrong(paths: &[PathBuf], truth: impl Fn(&Path) -> PathBuf) -> Vec<String> {
    let problem = |path: &PathBuf| match Model::load(path) {
        Ok(model) if model.proto.encode_to_vec() == read_back(&truth(path)).encode_to_vec() => None,
        Ok(_) => Some(format!("{}: differs", path.display())),
        Err(problem) => Some(problem.to_string()),
    };
    paths.iter().filter_map(problem).collect()
}

#[test]
fn the_textual_syntax_is_read_as_onnx_reads_it() {
    let paths = texts(&["onnxtxt"]);
    let problems = wrong(&paths, |path| path.with_extension("onnxtxt.onnx"));
    assert!(problems.is_empty(), "{} of {}:\n{}", problems.len(), paths.len(), problems.join("\n"));
}

#[test]
fn protobufs_own_texts_are_read() {
    let paths = texts(&["json", "textproto"]);
    let problems = wrong(&paths, |path| path.with_extension("onnx"));
    assert!(problems.is_empty(), "{} of {}:\n{}", problems.len(), paths.len(), problems.join("\n"));
}
