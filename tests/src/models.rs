//! Compares a real model with expected outputs.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use driver::testdata::{Tolerance, compare, data_sets, read_data_set};
use driver::{Compiler, Result, Session, Tensor, Value};

use crate::conformance::repository;

/// The tolerance of real models: deep ones accumulate rounding errors.
const TOLERANCE: Tolerance = Tolerance { relative: 1e-3, absolute: 1e-4 };

/// The tolerance of a model.
#[derive(Clone, Copy, Debug)]
enum Nearness {
    /// For each element.
    Elements(Tolerance),
    /// For an output as a whole: the root mean square of differences, relative to the standard deviation.
    Whole(f64),
}

impl Nearness {
    /// The manifest may justify another tolerance.
    fn of(name: &str) -> Nearness {
        let path = repository().join("tests/models/manifest.toml");
        let manifest: toml::Table =
            std::fs::read_to_string(path).expect("the manifest is there").parse().expect("TOML");
        let models = manifest["model"].as_array().expect("the manifest lists models");
        let model = models.iter().find(|model| model["name"].as_str() == Some(name));
        let number = |key: &str| model?.get("tolerance")?.get(key)?.as_float();
        if let Some(most) = number("rms") {
            return Nearness::Whole(most);
        }
        Nearness::Elements(Tolerance {
            relative: number("relative").unwrap_or(TOLERANCE.relative),
            absolute: number("absolute").unwrap_or(TOLERANCE.absolute),
        })
    }

    fn check(self, actual: &Value, expected: &Value) -> Result<(), String> {
        let most = match self {
            Nearness::Elements(tolerance) => return compare(actual, expected, tolerance),
            Nearness::Whole(most) => most,
        };
        let numbers = |value: &Value| value.as_tensor().and_then(Tensor::to_f64).ok_or("the output is not numeric");
        let (actual, expected) = (numbers(actual)?, numbers(expected)?);
        if actual.len() != expected.len() {
            return Err(format!("expected {} elements, got {}", expected.len(), actual.len()));
        }
        let mean = expected.iter().sum::<f64>() / expected.len() as f64;
        let spread: f64 = expected.iter().map(|number| (number - mean).powi(2)).sum();
        let distance: f64 = actual.iter().zip(&expected).map(|(actual, expected)| (actual - expected).powi(2)).sum();
        let distance = (distance / spread).sqrt();
        match distance <= most {
            true => Ok(()),
            false => Err(format!("{distance:.3} of the standard deviation away, which is more than {most}")),
        }
    }
}

/// The models in a folder: every folder with a `model.onnx`, by name.
pub fn models(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let with_model = entries.filter(|entry| entry.path().join("model.onnx").exists());
    let mut names: Vec<String> = with_model.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// The result of a model, in one line; the error describes what is wrong.
pub fn check(compiler: &Compiler, folder: &Path) -> Result<String, String> {
    let message = |diagnostics: Vec<driver::Diagnostic>| {
        diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n    ")
    };
    let nearness = Nearness::of(&folder.file_name().unwrap_or_default().to_string_lossy());
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
            nearness
                .check(actual, expected)
                .map_err(|difference| format!("data set {number}, output '{}': {difference}", port.name))?;
        }
    }
    Ok(format!("compiled in {:.2} s, first runs {}", compiled.as_secs_f64(), times.join(", ")))
}
