//! The inputs that a command line names.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use driver::testdata::read_value;
use driver::{Container, ImportOptions, Port, Signature, Tensor, Value};
use indexmap::IndexMap;

use crate::files::{decoded, extension, read_archive, read_tensor};

/// Fewer bytes are read in no time.
const WORTH: u64 = 1 << 17;

/// The tensors of a folder, read while what tells how they are used is made.
#[derive(Default)]
pub(crate) struct ReadAhead(Option<crew::Handle<HashMap<PathBuf, NamedTensor>>>);

/// A tensor, with the name that its file says.
type NamedTensor = (String, Tensor);

impl ReadAhead {
    /// Begins to read a folder, if it is one. What is no tensor, or cannot be read, is left to whoever wants it.
    pub(crate) fn begin(folder: Option<&Path>) -> ReadAhead {
        let mut paths = folder.and_then(|folder| files_of(folder).ok()).unwrap_or_default();
        paths.retain(|path| is_input(path));
        let bytes: u64 = paths.iter().filter_map(|path| path.metadata().ok()).map(|metadata| metadata.len()).sum();
        let tensor = |path: PathBuf| Some((path.clone(), read_named(&path).ok()?));
        let read = || crew::spawn_later(move || paths.into_iter().filter_map(tensor).collect());
        ReadAhead((bytes >= WORTH).then(read))
    }

    fn finish(self) -> HashMap<PathBuf, NamedTensor> {
        self.0.map(|thread| thread.join()).unwrap_or_default()
    }
}

/// Reads inputs from `NAME=FILE` arguments and from a `.npz` file or a folder, which may have been read ahead.
pub(crate) fn read(
    signature: &Signature,
    named: &[String],
    all: Option<&Path>,
    ahead: ReadAhead,
) -> Result<IndexMap<String, Value>, String> {
    let mut inputs = IndexMap::new();
    if let Some(path) = all {
        let ahead = ahead.finish();
        inputs.extend(if path.is_dir() { read_folder(path, signature, ahead)? } else { tensors(read_archive(path)?) });
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

fn tensors(arrays: Vec<NamedTensor>) -> Vec<(String, Value)> {
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

/// The files of a folder, in order.
fn files_of(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut paths: Vec<_> =
        std::fs::read_dir(folder)?.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    Ok(paths)
}

/// Whether a file of a folder is one of the inputs.
fn is_input(path: &Path) -> bool {
    match extension(path) {
        "npy" => true,
        "pb" => !stem(path).starts_with("output_"),
        _ => false,
    }
}

fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
}

/// The tensor of a file, with the name that a `.pb` file says.
fn read_named(path: &Path) -> Result<NamedTensor, String> {
    match extension(path) {
        "pb" => driver::testdata::read_tensor(path).map_err(|found| found[0].statement()),
        _ => read_tensor(path).map(|tensor| (String::new(), tensor)),
    }
}

/// Each file of a folder under its own name, or the name it holds; `input_0.pb` without a name is the first input.
fn read_folder(
    folder: &Path,
    signature: &Signature,
    mut ahead: HashMap<PathBuf, NamedTensor>,
) -> Result<Vec<(String, Value)>, String> {
    let paths = files_of(folder).map_err(|error| format!("{}: cannot be read: {error}", folder.display()))?;
    let mut values = Vec::new();
    for path in paths.into_iter().filter(|path| is_input(path)) {
        let stem = stem(&path);
        let number = stem.strip_prefix("input_").and_then(|number| number.parse::<usize>().ok());
        let file_name = decoded(stem);
        let port = signature.input(&file_name).or_else(|| signature.inputs.get(number?));
        let is_tensor = extension(&path) == "npy" || port.is_none_or(|port| port.container() == Container::Tensor);
        let (name, value) = match ahead.remove(&path).filter(|_| is_tensor) {
            Some((name, tensor)) => (name, Value::Tensor(tensor)),
            None if is_tensor => read_named(&path).map(|(name, tensor)| (name, Value::Tensor(tensor)))?,
            None => read_value(&path, port).map_err(|found| found[0].statement())?,
        };
        let own = port.filter(|_| extension(&path) == "pb").map_or(file_name, |port| port.name.clone());
        values.push((if name.is_empty() { own } else { name }, value));
    }
    Ok(values)
}
