//! Upstream's `mlir-opt` reads small modules and real models at every level.

use std::path::Path;

use tests::conformance::repository;
use tests::upstream::{mlir_opt, read, read_all_levels};
use tests::{models, round_trip};

#[test]
fn small_modules() {
    let registry = dialects::registry();
    for path in files(&repository().join("tests/upstream")) {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let module = ir::parse_module(&text, "test.mlir", Some(&registry)).unwrap_or_else(|e| panic!("{}", e[0]));
        let Some(program) = mlir_opt() else { return };
        read_all_levels(program, &module).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()));
    }
}

/// The modules of round trips are valid for upstream, except for dialects that it does not know.
#[test]
fn modules_of_round_trips() {
    let Some(program) = mlir_opt() else { return };
    let registry = dialects::registry();
    for path in files(&repository().join("tests/roundtrip")) {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        for chunk in text.split("// -----\n") {
            let module = ir::parse_module(chunk, "test.mlir", Some(&registry)).unwrap_or_else(|e| panic!("{}", e[0]));
            read(program, &module).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()));
        }
    }
}

#[test]
fn real_models() {
    let folder = repository().join("target/models");
    for name in models::models(&folder) {
        let imported = import::import_file(&folder.join(&name).join("model.onnx"), &import::Options::default());
        let Ok(module) = imported else { continue };
        let brief = ir::PrintOptions { print_locations: true, ..ir::PrintOptions::brief() };
        round_trip::check_with(&module, &brief).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        let is_supported = {
            let (options, mut timings) = (driver::Options::default(), ir::pass::Timings::default());
            driver::pipeline::run(&mut module.clone(), &driver::pipeline::graph(&options), &options, &mut timings)
                .is_ok()
        };
        if let Some(program) = mlir_opt().filter(|_| is_supported) {
            read_all_levels(program, &module).unwrap_or_else(|problem| panic!("{name}: {problem}"));
            println!("{name} is read");
        }
    }
}

/// The files of a folder by name.
fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder is there").flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
