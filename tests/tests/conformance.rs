//! The ONNX backend suite on every back end, against the list of cases that pass.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use tests::conformance::repository;
use tests::worker::onnxc;

/// The suite is written once, however many tests want it.
static FETCHED: LazyLock<bool> = LazyLock::new(fetch);

/// Writes the suite below the target folder; `false` where there is no Python with the onnx package.
fn fetch() -> bool {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let script = repository().join("tests/conformance/fetch.py");
    let folder = repository().join("target/conformance");
    let done = Command::new(&python).arg(&script).arg(&folder).output().is_ok_and(|output| output.status.success());
    if !done {
        eprintln!("skipped: `{python} {}` does not run; set PYTHON to one with the onnx package", script.display());
    }
    done
}

fn check(backend: &str, mode: &str) {
    if !*FETCHED {
        return;
    }
    let program = Path::new(env!("CARGO_BIN_EXE_conformance"));
    let mut command = Command::new(program);
    if backend == "llvm" {
        command.env("ONNXC", onnxc(program));
    }
    let output = command.args(["--backend", backend, "--mode", mode]).output().expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn cranelift() {
    check("cranelift", "given");
}

#[test]
fn cranelift_with_dynamic_inputs() {
    check("cranelift", "dynamic");
}

#[test]
fn cranelift_with_constant_inputs() {
    check("cranelift", "constant");
}

/// The modes differ above the code generators.
#[test]
fn llvm() {
    check("llvm", "given");
}
