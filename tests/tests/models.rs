//! Real models on every back end, against the list of models that pass.

use std::process::Command;

use tests::conformance::repository;

fn check(backend: &str) {
    if !repository().join("target/models").is_dir() {
        eprintln!("skipped: there are no models; `python tests/models/fetch.py target/models` fetches them");
        return;
    }
    let output = Command::new(env!("CARGO_BIN_EXE_models")).args(["--backend", backend]).output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn cranelift() {
    check("cranelift");
}
