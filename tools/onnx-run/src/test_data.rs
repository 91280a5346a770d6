//! `--test-data`: running ONNX's test data sets.

use std::path::{Path, PathBuf};

use commandline::{Failure, print};
use driver::testdata::{Tolerance, compare_with, data_sets, read_data_set};
use driver::{ErrorClass, Session, Type};

/// Runs every data set below a folder, or the one that the folder is; a wrong output is an error. Tolerances are those
/// of the element types unless they are given.
pub(crate) fn run(
    session: &mut Session,
    folder: &Path,
    relative: Option<f64>,
    absolute: Option<f64>,
) -> Result<(), Failure> {
    let tolerance = |element: &Type| {
        let usual = Tolerance::of(element);
        Tolerance { relative: relative.unwrap_or(usual.relative), absolute: absolute.unwrap_or(usual.absolute) }
    };
    let mut lines = Vec::new();
    for set in sets(folder)? {
        let label = set.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let data = read_data_set(&set, &session.model().signature)?;
        let outputs = session.run_values(&data.inputs)?;
        for ((found, expected), port) in outputs.iter().zip(&data.outputs).zip(&session.model().signature.outputs) {
            match compare_with(found, expected, &tolerance) {
                Ok(()) => {
                    print(&format!("{label}: output '{}' is right ({} elements)\n", port.name, found.element_count()))?;
                }
                Err(problem) => lines.push(format!("error: {label}: output '{}': {problem}", port.name)),
            }
        }
    }
    if lines.is_empty() { Ok(()) } else { Err(Failure { code: ErrorClass::Input.exit_code(), lines }) }
}

fn sets(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    match folder.join("input_0.pb").exists() || folder.join("output_0.pb").exists() {
        true => Ok(vec![folder.to_path_buf()]),
        false => Ok(data_sets(folder)?),
    }
}
