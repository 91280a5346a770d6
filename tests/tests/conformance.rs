//! Runs the ONNX backend suite on every back end; also cases of ONNX Runtime's operators and of older operator versions.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use tests::conformance::{repository, write};
use tests::worker::onnxc;

/// Cases that a script writes to the target folder.
struct Suite {
    folder: &'static str,
    /// The runner's arguments.
    arguments: &'static [&'static str],
    /// They are written once for all tests; `false` if the script cannot run.
    written: LazyLock<bool>,
}

static STANDARD: Suite = Suite {
    folder: "target/conformance",
    arguments: &[],
    written: LazyLock::new(|| write("tests/conformance/fetch.py", STANDARD.folder)),
};

static CONTRIB: Suite = Suite {
    folder: "target/contrib",
    arguments: &["--every"],
    written: LazyLock::new(|| write("tests/contrib/generate.py", CONTRIB.folder)),
};

static VERSIONS: Suite = Suite {
    folder: "target/versions",
    arguments: &["--every"],
    // derived from the suite's cases
    written: LazyLock::new(|| *STANDARD.written && write("tests/versions/generate.py", VERSIONS.folder)),
};

/// Every case.
const ALL: usize = 1;

/// Runs every case of a suite whose number is a multiple of `sample`; all of them where `ALL_CASES` is set.
fn check(suite: &Suite, backend: &str, mode: &str, sample: usize) {
    check_with(suite, backend, mode, sample, &[]);
}

fn check_with(suite: &Suite, backend: &str, mode: &str, sample: usize, options: &[&str]) {
    if !*suite.written {
        return;
    }
    let program = Path::new(env!("CARGO_BIN_EXE_conformance"));
    let mut command = Command::new(program);
    match backend {
        "llvm" => command.env("ONNXC", onnxc(program)),
        // the baseline tier is tested, and not LLVM's code
        _ => command.env("ONNXC", "none"),
    };
    let sample = if std::env::var_os("ALL_CASES").is_some() { ALL } else { sample };
    command.args(["--sample", &sample.to_string()]);
    command.arg("--suite").arg(repository().join(suite.folder)).args(suite.arguments).args(options);
    let output = command.args(["--backend", backend, "--mode", mode]).output().expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn cranelift() {
    check(&STANDARD, "cranelift", "given", ALL);
}

/// Every buffer ends at a guard page.
#[test]
fn cranelift_with_dynamic_inputs() {
    check_with(&STANDARD, "cranelift", "dynamic", 3, &["--guard-pages"]);
}

/// Both engines give the same bits.
#[test]
fn both_engines() {
    check_with(&STANDARD, "cranelift", "given", 7, &["--engine", "both"]);
}

/// No access of generated code is outside of its buffer.
#[test]
fn checked_accesses() {
    check_with(&STANDARD, "cranelift", "dynamic", 7, &["--sanitize"]);
    check_with(&STANDARD, "llvm", "given", 29, &["--sanitize"]);
    check_with(&STANDARD, "cranelift", "given", ALL, &["--sanitize", "--graphs", "30"]);
}

/// Random graphs, whose rows end inside vectors.
#[test]
fn graphs_between_guard_pages() {
    check_with(&STANDARD, "cranelift", "given", ALL, &["--graphs", "100", "--guard-pages"]);
}

/// Runs cases for AArch64, in an emulator: the runner is built for it, and its results are compared there. `onnxc` is not, and
/// generates code for another target.
fn check_on_aarch64(backend: &str, mode: &str, sample: usize, options: &[&str]) {
    let program = repository().join("target/aarch64-unknown-linux-musl/release/conformance");
    if !program.exists() || Command::new("qemu-aarch64").arg("--version").output().is_err() {
        tests::skip(&format!("qemu-aarch64 or {} was not found", program.display()));
        return;
    }
    let program = program.to_str().expect("the repository's path is text");
    let emulated = ["--child", "qemu-aarch64", "--child", program, "--timeout", "3600"];
    check_with(&STANDARD, backend, mode, sample, &[options, &emulated].concat());
}

#[test]
#[ignore = "needs a program that `./x targets` builds"]
fn cranelift_on_aarch64() {
    check_on_aarch64("cranelift", "given", ALL, &[]);
    check_on_aarch64("cranelift", "dynamic", 20, &["--engine", "both"]);
}

#[test]
#[ignore = "needs a program that `./x targets` builds"]
fn llvm_on_aarch64() {
    check_on_aarch64("llvm", "given", ALL, &[]);
}

#[test]
fn cranelift_with_constant_inputs() {
    check(&STANDARD, "cranelift", "constant", 4);
}

/// What the exporter writes, the importer reads, and it computes the same.
#[test]
fn simplified() {
    check(&STANDARD, "cranelift", "simplified", 5);
    check(&CONTRIB, "cranelift", "simplified", 5);
}

/// Code that runs once.
#[test]
fn auto() {
    ["given", "dynamic"].into_iter().for_each(|mode| check(&STANDARD, "auto", mode, 8));
}

/// The modes differ above the code generators; a case takes LLVM as long as Cranelift takes for seven.
#[test]
fn llvm() {
    check(&STANDARD, "llvm", "given", 5);
}

#[test]
fn contrib() {
    check(&CONTRIB, "cranelift", "given", ALL);
    ["dynamic", "constant"].into_iter().for_each(|mode| check(&CONTRIB, "cranelift", mode, 3));
}

#[test]
fn contrib_on_llvm() {
    check(&CONTRIB, "llvm", "given", 3);
}

#[test]
fn versions() {
    ["given", "constant"].into_iter().for_each(|mode| check(&VERSIONS, "cranelift", mode, 3));
}

#[test]
fn versions_on_llvm() {
    check(&VERSIONS, "llvm", "given", 5);
}

#[test]
fn coverage() {
    if !*VERSIONS.written {
        return;
    }
    let written = std::fs::read_to_string(repository().join(VERSIONS.folder).join("COVERAGE.md")).expect("it is there");
    let path = repository().join("tests/versions/COVERAGE.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &written).expect("the source tree can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == written, "COVERAGE.md differs from the suites' results; UPDATE=1 regenerates it");
}
