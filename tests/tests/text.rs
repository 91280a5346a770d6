//! Text tests of passes, errors and round trips.

use std::path::Path;

use tests::lit::run_file;

/// Printed modules are read back and printed identically, for every module of a file.
fn round_trip(path: &Path) -> datatest_stable::Result<()> {
    let text = std::fs::read_to_string(path)?;
    let registry = dialects::registry();
    for chunk in text.split("// -----\n") {
        if let Ok(module) = ir::parse_module(chunk, "test.mlir", Some(&registry)) {
            tests::round_trip::check(&module)?;
        }
    }
    Ok(())
}

datatest_stable::harness! {
    { test = run_file, root = "passes", pattern = r"\.mlir$" },
    { test = run_file, root = "errors", pattern = r"\.mlir$" },
    { test = run_file, root = "roundtrip", pattern = r"\.mlir$" },
    { test = round_trip, root = "passes", pattern = r"\.mlir$" },
    { test = round_trip, root = "roundtrip", pattern = r"\.mlir$" },
}
