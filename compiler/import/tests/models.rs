//! Imports real models, if available: `ONNX_MODELS` names a folder with one `model.onnx` in each of its folders.

use std::path::PathBuf;

use import::{Options, import_file};
use ir::{PrintOptions, parse_module, print_module, verify};

fn models() -> Vec<PathBuf> {
    let Some(folder) = std::env::var_os("ONNX_MODELS") else {
        eprintln!("skipped: ONNX_MODELS is not set");
        return vec![];
    };
    let entries = std::fs::read_dir(folder).expect("ONNX_MODELS names a folder");
    let mut paths: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path().join("model.onnx"))).filter(|path| path.exists()).collect();
    paths.sort();
    paths
}

#[test]
fn models_import_verify_and_survive_text() {
    let registry = dialects::registry();
    let options = PrintOptions { print_locations: true, ..PrintOptions::default() };
    let mut failures = Vec::new();
    for path in models() {
        let name = path.display().to_string();
        let module = match import_file(&path, &Options::default()) {
            Ok(module) => module,
            Err(diagnostics) => {
                failures.extend(diagnostics.iter().map(|d| format!("{name}: {d}")));
                continue;
            }
        };
        if let Err(diagnostics) = verify(&module, &registry) {
            failures.extend(diagnostics.iter().map(|d| format!("{name}: {d}")));
        }
        let text = print_module(&module, &options);
        match parse_module(&text, &name, Some(&registry)) {
            Ok(parsed) if print_module(&parsed, &options) == text => {}
            Ok(_) => failures.push(format!("{name}: the text changes when it is read and printed again")),
            Err(diagnostics) => failures.extend(diagnostics.iter().map(|d| format!("{name}: {d}"))),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
