//! Test data as ONNX lays it out: folders `test_data_set_*` with `input_*.pb` and `output_*.pb`.

use std::path::{Path, PathBuf};

use driver::{ErrorClass, Session, Tensor};

use crate::Failure;
use crate::compare::{Tolerance, compare};
use crate::files::read_proto;

/// Runs every data set below a folder; a wrong output is an error.
pub(crate) fn run(session: &mut Session, folder: &Path, tolerance: Tolerance) -> Result<(), Failure> {
    let sets = data_sets(folder)?;
    let mut lines = Vec::new();
    for set in &sets {
        let label = set.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let inputs = numbered(set, "input_")?;
        let expected = numbered(set, "output_")?;
        let outputs = session.run(&inputs)?;
        for ((found, expected), port) in outputs.iter().zip(&expected).zip(&session.model().signature.outputs) {
            match compare(found, expected, tolerance) {
                Ok(errors) => println!(
                    "{label}: output '{}' is right: {} elements, largest error {:.3e}",
                    port.name, errors.count, errors.absolute
                ),
                Err(problem) => lines.push(format!("error: {label}: output '{}': {problem}", port.name)),
            }
        }
    }
    if lines.is_empty() { Ok(()) } else { Err(Failure { code: ErrorClass::Input.exit_code(), lines }) }
}

fn data_sets(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let mut sets: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.is_dir())
        .filter(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(|n| n.starts_with("test_data_set")))
        .collect();
    sets.sort();
    Ok(if sets.is_empty() { vec![folder.to_path_buf()] } else { sets })
}

/// `input_0.pb`, `input_1.pb`, … as far as they go.
fn numbered(folder: &Path, stem: &str) -> Result<Vec<Tensor>, String> {
    (0..)
        .map(|index| folder.join(format!("{stem}{index}.pb")))
        .take_while(|path| path.exists())
        .map(|path| read_proto(&path).map(|(_, tensor)| tensor))
        .collect()
}
