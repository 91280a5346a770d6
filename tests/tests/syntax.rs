//! Models in every text that ONNX's own tools write, as those read them.

use std::path::{Path, PathBuf};

use proto::{Message, Model, ModelProto};
use tests::conformance::repository;

/// The files that `tests/syntax/generate.py` writes; none where it does not run.
fn texts(endings: &[&str]) -> Vec<PathBuf> {
    let root = repository();
    let (suite, folder) = (root.join("target/conformance"), root.join("target/syntax"));
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    if !folder.exists() {
        let script = root.join("tests/syntax/generate.py");
        let output = std::process::Command::new(&python).arg(script).args([&suite, &folder]).output();
        if !output.is_ok_and(|output| output.status.success()) {
            let _ = std::fs::remove_dir_all(&folder);
            eprintln!("skipped: `{python} tests/syntax/generate.py {}` does not run", suite.display());
            return vec![];
        }
    }
    let entries = std::fs::read_dir(&folder).expect("the script writes the folder");
    let has_ending = |path: &Path| path.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known));
    entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| has_ending(path)).collect()
}

fn read_back(path: &Path) -> ModelProto {
    ModelProto::decode(&*std::fs::read(path).expect("the script writes it")).expect("onnx writes valid models")
}

/// Models whose text is not read, or not as what it is.
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
