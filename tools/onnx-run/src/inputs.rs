//! The inputs that a command line names.

use std::path::Path;

use driver::testdata::read_value;
use driver::{Container, ImportOptions, Port, Signature, Value};
use indexmap::IndexMap;

use crate::files::{extension, read_archive, read_tensor};

/// Reads inputs from `NAME=FILE` arguments and from a `.npz` file or a folder.
pub(crate) fn read(
    signature: &Signature,
    named: &[String],
    all: Option<&Path>,
) -> Result<IndexMap<String, Value>, String> {
    let mut inputs = IndexMap::new();
    if let Some(path) = all {
        inputs.extend(if path.is_dir() { read_folder(path, signature)? } else { tensors(read_archive(path)?) });
    }
    for argument in named {
        let (port, file) = resolve(signature, argument)?;
        inputs.insert(port.name.clone(), read_input(Path::new(file), port)?);
    }
    match inputs.keys().find(|name| signature.input(name).is_none()) {
        Some(unknown) => Err(no_such_input(signature, unknown)),
        None => Ok(inputs),
    }
}

/// Takes those inputs out that have a value of their own: what is compiled depends on them.
pub(crate) fn overrides(signature: &Signature, inputs: &mut IndexMap<String, Value>) -> Result<ImportOptions, String> {
    let mut options = ImportOptions::default();
    for port in &signature.optional {
        match inputs.shift_remove(&port.name) {
            Some(Value::Tensor(tensor)) => drop(options.constants.insert(port.name.clone(), tensor.elements())),
            Some(_) => return Err(format!("input '{}' must be a tensor", port.name)),
            None => {}
        }
    }
    Ok(options)
}

fn tensors(arrays: Vec<(String, driver::Tensor)>) -> Vec<(String, Value)> {
    arrays.into_iter().map(|(name, tensor)| (name, Value::Tensor(tensor))).collect()
}

/// The input that an argument is for, and its file.
fn resolve<'a>(signature: &'a Signature, argument: &'a str) -> Result<(&'a Port, &'a str), String> {
    let named = argument.split_once('=').and_then(|(name, file)| signature.input(name).map(|port| (port, file)));
    match (named, argument.split_once('='), &*signature.inputs) {
        (Some(named), _, _) => Ok(named),
        (None, None, [only]) => Ok((only, argument)),
        (None, Some(_), [only]) if Path::new(argument).exists() => Ok((only, argument)),
        (None, Some((unknown, _)), _) => Err(no_such_input(signature, unknown)),
        (None, None, _) => {
            Err(format!("--input {argument}: which input is it? NAME=FILE says; {}", inputs_of(signature)))
        }
    }
}

fn no_such_input(signature: &Signature, unknown: &str) -> String {
    format!("input '{unknown}': the model has no input of this name; {}", inputs_of(signature))
}

fn inputs_of(signature: &Signature) -> String {
    let names: Vec<&str> = signature.inputs.iter().chain(&signature.optional).map(|port| port.name.as_str()).collect();
    format!("it has {}", names.join(", "))
}

/// Reads what an input takes: an archive is a sequence of its arrays, and a tensor will do for an optional one.
fn read_input(path: &Path, port: &Port) -> Result<Value, String> {
    match (extension(path), port.container()) {
        ("pb", _) => read_value(path, Some(port)).map(|(_, value)| value).map_err(|found| found[0].statement()),
        ("npz", Container::Sequence) => {
            Ok(Value::Sequence(read_archive(path)?.into_iter().map(|(_, tensor)| Value::Tensor(tensor)).collect()))
        }
        (_, Container::Optional) => Ok(Value::Optional(Some(Box::new(Value::Tensor(read_tensor(path)?))))),
        _ => read_tensor(path).map(Value::Tensor),
    }
}

/// Each file of a folder under its own name, or the name it holds; `input_0.pb` without a name is the first input.
fn read_folder(folder: &Path, signature: &Signature) -> Result<Vec<(String, Value)>, String> {
    let entries =
        std::fs::read_dir(folder).map_err(|error| format!("{}: cannot be read: {error}", folder.display()))?;
    let mut paths: Vec<_> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    let mut values = Vec::new();
    for path in paths {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_string();
        let number = stem.strip_prefix("input_").and_then(|number| number.parse::<usize>().ok());
        let port = signature.input(&stem).or_else(|| signature.inputs.get(number?));
        match extension(&path) {
            "npy" => values.push((stem, Value::Tensor(read_tensor(&path)?))),
            "pb" if !stem.starts_with("output_") => {
                let (name, value) = read_value(&path, port).map_err(|found| found[0].statement())?;
                let own = port.map_or(stem, |port| port.name.clone());
                values.push((if name.is_empty() { own } else { name }, value));
            }
            _ => {}
        }
    }
    Ok(values)
}
