//! `--test-data`: runs ONNX's test data sets.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use commandline::{Failure, print, warn};
use driver::testdata::{Tolerance, compare_with, data_sets, errors, read_partial_data_set};
use driver::{ErrorClass, Port, Session, Signature, Type, Value};

use crate::files::read_archive;
use crate::inputs::{fit, gathered};

/// Archives of a data set: the inputs, and the outputs under either name.
const INPUTS: &str = "inputs.npz";
const OUTPUTS: [&str; 2] = ["outputs.npz", "expected.npz"];

/// Runs every data set in a folder, or the folder itself if it is one; a wrong output is an error. Tolerances are those
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
        let signature = session.model().signature.clone();
        let (inputs, expected) = match set.join(INPUTS).exists() {
            true => archives(&set, &signature)?,
            false => read_partial_data_set(&set, &signature)?,
        };
        let outputs = session.run_values(&inputs)?;
        for ((found, expected), port) in outputs.iter().zip(&expected).zip(&signature.outputs) {
            let Some(expected) = expected else {
                warn(&format!("note: {label}: no data was found for output '{}', it is not compared", port.name));
                continue;
            };
            let report = report(found, expected);
            match compare_with(found, expected, &tolerance) {
                Ok(()) => {
                    let count = found.element_count();
                    print(&format!("{label}: output '{}' is right ({count} elements{report})\n", port.name))?;
                }
                Err(problem) => lines.push(format!("error: {label}: output '{}': {problem}{report}", port.name)),
            }
        }
        if expected.iter().all(Option::is_none) {
            lines.push(format!("error: {}: no data was found for any output", set.display()));
        }
    }
    if lines.is_empty() { Ok(()) } else { Err(Failure { code: ErrorClass::Input.exit_code(), lines }) }
}

/// The difference of an output from the expected one, as a clause.
fn report(found: &Value, expected: &Value) -> String {
    let tensors = found.as_tensor().zip(expected.as_tensor());
    let errors = tensors.filter(|(found, expected)| found.shape == expected.shape).and_then(|(f, e)| errors(f, e));
    errors.map_or(String::new(), |errors| {
        let (largest, mean, cosine) = (errors.largest, errors.mean, errors.cosine);
        format!("; largest error {largest:.3e} at {:?}, mean {mean:.3e}, cosine {cosine:.9}", errors.index)
    })
}

/// A data set in two archives, by name.
fn archives(set: &Path, signature: &Signature) -> Result<(Vec<Value>, Vec<Option<Value>>), Failure> {
    let read = |path: &Path| Ok::<_, String>(gathered(read_archive(path)?, signature).into_iter().collect());
    let mut inputs: HashMap<String, Value> = read(&set.join(INPUTS))?;
    let outputs = OUTPUTS.iter().map(|name| set.join(name)).find(|path| path.exists());
    let mut outputs: HashMap<String, Value> = outputs.map_or(Ok(HashMap::new()), |path| read(&path))?;
    let missing = |port: &Port| format!("{}: no data was found for input '{}'", set.join(INPUTS).display(), port.name);
    let fitted = |port: &Port, mut value: Value| {
        fit(&mut value, &port.element);
        value
    };
    let inputs = signature.inputs.iter().map(|port| {
        let value = inputs.remove(&port.name).ok_or_else(|| missing(port))?;
        Ok::<_, String>(fitted(port, value))
    });
    let inputs = inputs.collect::<Result<_, _>>()?;
    let output = |port: &Port| outputs.remove(&port.name).map(|value| fitted(port, value));
    Ok((inputs, signature.outputs.iter().map(output).collect()))
}

fn sets(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    match ["input_0.pb", "output_0.pb", INPUTS].iter().any(|name| folder.join(name).exists()) {
        true => Ok(vec![folder.to_path_buf()]),
        false => Ok(data_sets(folder)?),
    }
}
