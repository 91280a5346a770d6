//! `--test-data`: running ONNX's test data sets.

use std::path::{Path, PathBuf};

use driver::testdata::{Tolerance, compare, data_sets, read_data_set};
use driver::{ErrorClass, Session};

use crate::Failure;

/// Runs every data set below a folder, or the one that the folder is; a wrong output is an error.
pub(crate) fn run(session: &mut Session, folder: &Path, tolerance: Tolerance) -> Result<(), Failure> {
    let mut lines = Vec::new();
    for set in sets(folder)? {
        let label = set.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let data = read_data_set(&set, &session.model().signature)?;
        let outputs = session.run_values(&data.inputs)?;
        for ((found, expected), port) in outputs.iter().zip(&data.outputs).zip(&session.model().signature.outputs) {
            match compare(found, expected, tolerance) {
                Ok(()) => println!("{label}: output '{}' is right ({} elements)", port.name, found.element_count()),
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
