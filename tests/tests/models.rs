//! Runs real models on every back end and compares with their expected outputs.

use std::path::Path;
use std::process::Command;

use tests::conformance::repository;
use tests::worker::onnxc;

fn check(backend: &str, threads: &str) {
    if !repository().join("target/models").is_dir() {
        tests::skip("the models were not found; `python tests/models/fetch.py target/models` fetches them");
        return;
    }
    let program = Path::new(env!("CARGO_BIN_EXE_models"));
    let mut command = Command::new(program);
    if backend == "llvm" {
        command.env("ONNXC", onnxc(program));
    }
    let output = command.args(["--backend", backend, "--threads", threads]).output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn cranelift() {
    check("cranelift", "1,2");
}

#[test]
fn llvm() {
    check("llvm", "2");
}
