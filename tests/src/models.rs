//! A real model against expected outputs.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use driver::testdata::{Tolerance, compare, data_sets, read_data_set};
use driver::{Compiler, Result, Session};

/// How exact real models must be: deep ones add up rounding errors.
pub const TOLERANCE: Tolerance = Tolerance { relative: 1e-3, absolute: 1e-4 };

/// The models in a folder: every folder with a `model.onnx`, by name.
pub fn models(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let with_model = entries.filter(|entry| entry.path().join("model.onnx").exists());
    let mut names: Vec<String> = with_model.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// What happened to a model, in one line; the error is what is wrong.
pub fn check(compiler: &Compiler, folder: &Path) -> Result<String, String> {
    let message = |diagnostics: Vec<driver::Diagnostic>| {
        diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n    ")
    };
    let start = Instant::now();
    let model = Arc::new(compiler.compile_file(&folder.join("model.onnx")).map_err(message)?);
    let compiled = start.elapsed();
    let mut session = Session::new(model.clone());
    let mut times = Vec::new();
    let sets = data_sets(folder).map_err(message)?;
    for (number, set) in sets.iter().enumerate() {
        let set = read_data_set(set, &model.signature).map_err(message)?;
        let start = Instant::now();
        let outputs = session.run_values(&set.inputs).map_err(message)?;
        times.push(format!("{:.1} ms", start.elapsed().as_secs_f64() * 1e3));
        for ((port, expected), actual) in model.signature.outputs.iter().zip(&set.outputs).zip(&outputs) {
            compare(actual, expected, TOLERANCE)
                .map_err(|difference| format!("data set {number}, output '{}': {difference}", port.name))?;
        }
    }
    Ok(format!("compiled in {:.2} s, first runs {}", compiled.as_secs_f64(), times.join(", ")))
}
