//! The ONNX backend suite, each case on the module that the code generator gets.

use std::path::Path;
use std::process::Command;

use tests::conformance::{repository, write};
use tests::worker::onnxc;

const FOLDER: &str = "target/conformance";

/// Runs the cases of which the number is a multiple of `sample`, or all where `ALL_CASES` is set, but for those that take
/// too many operations.
fn check(backend: &str, sample: usize, options: &[&str]) {
    if !write("tests/conformance/fetch.py", FOLDER) {
        return;
    }
    let program = Path::new(env!("CARGO_BIN_EXE_conformance"));
    let mut command = Command::new(program);
    if backend == "llvm" {
        command.env("ONNXC", onnxc(program));
    }
    command.arg("--suite").arg(repository().join(FOLDER)).args(["--backend", backend, "--engine", "interpreted"]);
    let sample = if std::env::var_os("ALL_CASES").is_some() { 1 } else { sample };
    let output = command.args(["--sample", &sample.to_string()]).args(options).output().expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn sample_on_cranelift() {
    check("cranelift", 7, &["--strict-fp"]);
}

#[test]
fn sample_on_llvm() {
    check("llvm", 40, &["--strict-fp"]);
}

/// Enough for every case.
const UNLIMITED: [&str; 4] = ["--limit", "1000000000000", "--timeout", "600"];

#[test]
#[ignore = "takes minutes"]
fn suite_on_cranelift() {
    check("cranelift", 1, &UNLIMITED);
    check("cranelift", 1, &[&["--strict-fp"], &UNLIMITED[..]].concat());
    check("cranelift", 1, &["--mode", "dynamic"]);
}

#[test]
#[ignore = "takes minutes"]
fn suite_on_llvm() {
    check("llvm", 1, &["--timeout", "600"]);
    check("llvm", 1, &["--strict-fp", "--timeout", "600"]);
}
