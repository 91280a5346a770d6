//! The inputs on a command line.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use commandline::Failure;
use driver::testdata::read_value;
use driver::{Blob, Compiler, Container, FloatType, ImportOptions, Port, Signature, Tensor, Type, Value};
use indexmap::IndexMap;

use crate::files::{decoded, extension, is_array, read_archive, read_bytes, read_tensor};
use crate::random;

/// A tensor, with the name in its file.
type NamedTensor = (String, Tensor);

/// Reads inputs from `NAME=FILE` arguments and from a `.npz` file or a folder.
pub(crate) fn read(
    signature: &Signature,
    named: &[String],
    all: Option<&Path>,
) -> Result<IndexMap<String, Value>, Failure> {
    let mut inputs = IndexMap::new();
    if let Some(path) = all {
        inputs.extend(match path.is_dir() {
            true => read_folder(path, signature)?,
            false => gathered(read_archive(path)?, signature),
        });
    }
    let mut given: IndexMap<&str, Vec<Value>> = IndexMap::new();
    for argument in named {
        let (port, file) = resolve(signature, argument).map_err(Failure::usage)?;
        given.entry(&port.name).or_default().push(read_input(file, port)?);
    }
    for (name, values) in given {
        inputs.insert(name.to_string(), together(name, values).map_err(Failure::usage)?);
    }
    for (name, value) in &mut inputs {
        if let Some(port) = signature.input(name) {
            fit(value, &port.element);
        }
        check_keys(name, value)?;
    }
    match inputs.keys().find(|name| signature.input(name).is_none()) {
        Some(unknown) => Err(no_such_input(signature, unknown).into()),
        None => Ok(inputs),
    }
}

/// Refuses a map with a key that occurs twice.
fn check_keys(name: &str, value: &Value) -> Result<(), String> {
    let Value::Map { keys, .. } = value else { return Ok(()) };
    let mut texts: Vec<String> = match keys.strings() {
        Some(strings) => strings.iter().map(|key| format!("'{key}'")).collect(),
        None => keys.elements().integers().unwrap_or_default().iter().map(i64::to_string).collect(),
    };
    texts.sort();
    match texts.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("input '{name}': key {} occurs twice", pair[0])),
        None => Ok(()),
    }
}

/// Removes the inputs that have a default: compilation depends on their values.
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

/// The arrays of an archive as values: those of a sequence are NAME.0, NAME.1, …, and those of a map NAME.keys and
/// NAME.values, as in saved outputs.
pub(crate) fn gathered(arrays: Vec<NamedTensor>, signature: &Signature) -> Vec<(String, Value)> {
    let mut arrays: IndexMap<String, Tensor> = arrays.into_iter().collect();
    let mut values = Vec::new();
    for port in signature.inputs.iter().chain(&signature.outputs) {
        if arrays.contains_key(&port.name) {
            continue;
        }
        let value = match assembled(&port.name, &port.element, &mut arrays) {
            Some(value) => value,
            // an input may be an empty sequence; an output may be missing
            None if port.container() == Container::Sequence && signature.input(&port.name).is_some() => {
                Value::Sequence(vec![])
            }
            None => continue,
        };
        values.push((port.name.clone(), value));
    }
    values.extend(arrays.into_iter().map(|(name, tensor)| (name, Value::Tensor(tensor))));
    values
}

/// The value of a type whose parts are arrays: the inverse of `files::flatten`.
fn assembled(name: &str, r#type: &Type, arrays: &mut IndexMap<String, Tensor>) -> Option<Value> {
    let dialect = match r#type {
        Type::Dialect(dialect) => Some((&*dialect.name, dialect.parameters.first())),
        _ => None,
    };
    match dialect {
        Some(("Opt", Some(held))) => Some(Value::Optional(Some(Box::new(assembled(name, held, arrays)?)))),
        Some(("Seq", Some(element))) => {
            let parts = (0..).map_while(|at: usize| assembled(&format!("{name}.{at}"), element, arrays));
            Some(Value::Sequence(parts.collect()))
                .filter(|value| !matches!(value, Value::Sequence(all) if all.is_empty()))
        }
        Some(("Map", _)) => {
            let [keys, values] = ["keys", "values"].map(|part| arrays.shift_remove(&format!("{name}.{part}")));
            Some(Value::Map { keys: keys?, values: values? })
        }
        _ => arrays.shift_remove(name).map(Value::Tensor),
    }
}

/// Combines several arguments for one input into a sequence.
fn together(name: &str, mut values: Vec<Value>) -> Result<Value, String> {
    if values.len() == 1 {
        return Ok(values.remove(0));
    }
    let elements = values.into_iter().map(|value| match value {
        Value::Sequence(elements) => Ok(elements),
        Value::Tensor(_) | Value::Optional(_) | Value::Map { .. } => {
            Err(format!("input '{name}': it is given more than once, and is not a sequence"))
        }
    });
    Ok(Value::Sequence(elements.collect::<Result<Vec<_>, _>>()?.concat()))
}

/// Converts a value to the type of an input: the bits of an element that NumPy does not have, or a wider number, become
/// that element, and a value becomes an optional.
pub(crate) fn fit(value: &mut Value, wanted: &Type) {
    match (&mut *value, wanted) {
        (Value::Tensor(tensor), Type::Float(format)) => fit_float(tensor, *format),
        (Value::Tensor(tensor), Type::Integer(integer)) if integer.width < 8 && integer.width > 1 => {
            fit_narrow(tensor, wanted);
        }
        (Value::Sequence(values), Type::Dialect(dialect)) if &*dialect.name == "Seq" => {
            if let Some(element) = dialect.parameters.first() {
                values.iter_mut().for_each(|value| fit(value, element.element()));
            }
        }
        (Value::Optional(Some(value)), Type::Dialect(dialect)) if &*dialect.name == "Opt" => {
            dialect.parameters.first().iter().for_each(|element| fit(value, element.element()));
        }
        (Value::Tensor(_) | Value::Sequence(_) | Value::Map { .. }, Type::Dialect(dialect))
            if &*dialect.name == "Opt" =>
        {
            let held = std::mem::replace(value, Value::Optional(None));
            *value = Value::Optional(Some(Box::new(held)));
            fit(value, wanted);
        }
        _ => {}
    }
}

fn fit_float(tensor: &mut Tensor, format: FloatType) {
    let is_foreign = !matches!(format, FloatType::F16 | FloatType::F32 | FloatType::F64);
    let bits = tensor.element.is_unsigned() && tensor.element.byte_width() == Type::Float(format).byte_width();
    if is_foreign && bits {
        tensor.element = Type::Float(format);
    } else if is_foreign
        && matches!(tensor.element, Type::Float(FloatType::F16 | FloatType::F32 | FloatType::F64))
        && let Some(numbers) = tensor.to_f64()
        && let Some(fitting) = random::floats(&tensor.shape, format, numbers.into_iter())
    {
        *tensor = fitting;
    }
}

/// Integers of less than a byte, each in a separate byte: from floats or signed integers in their range, or from their
/// bits, as unsigned integers.
fn fit_narrow(tensor: &mut Tensor, wanted: &Type) {
    let Type::Integer(integer) = wanted else { return };
    let (is_unsigned, all) = (wanted.is_unsigned(), 1i64 << integer.width);
    let range = if is_unsigned { 0..all } else { -all / 2..all / 2 };
    let are_bits = tensor.element == Type::unsigned(8);
    let number = |number: f64| {
        let whole = number as i64;
        let signed = match are_bits && !is_unsigned {
            // also sign-extended to a byte
            true if whole >= all => whole - 256,
            true if whole >= range.end => whole - all,
            _ => whole,
        };
        (range.contains(&signed) && whole as f64 == number).then_some(signed as u8)
    };
    let is_number = tensor.element.is_float() || tensor.element.byte_width() == Some(1);
    let bytes: Option<Vec<u8>> =
        tensor.to_f64().filter(|_| is_number).and_then(|all| all.into_iter().map(number).collect());
    let fitting = bytes.and_then(|bytes| Tensor::new(wanted.clone(), tensor.shape.clone(), Blob::copy_of(&bytes)));
    if let Some(fitting) = fitting {
        *tensor = fitting;
    }
}

/// Shapes for the inputs without declared rank: those of the given tensors. Such inputs are `open` if compilation needs
/// their ranks; otherwise they are searched if an input's rank differs from the inferred one.
pub(crate) fn shapes(
    compiler: &Compiler,
    path: &Path,
    (signature, open): (&Signature, Option<Vec<String>>),
    given: &IndexMap<String, Value>,
) -> IndexMap<String, Vec<Option<i64>>> {
    let shape = |name: &str| Some(&given.get(name)?.as_tensor()?.shape);
    let differs = |port: &Port| shape(&port.name).is_some_and(|shape| shape.len() != port.shape.len());
    let found = || signature.inputs.iter().any(differs).then(|| compiler.unranked_inputs(path)).flatten();
    let open = open.or_else(|| found().map(|(_, open)| open)).unwrap_or_default();
    let known = |name: String| shape(&name).map(|shape| (name.clone(), shape.iter().copied().map(Some).collect()));
    open.into_iter().filter_map(known).collect()
}

/// The input of an argument, and its file.
fn resolve<'a>(signature: &'a Signature, argument: &'a str) -> Result<(&'a Port, &'a str), String> {
    // names may contain the sign: the longest that is an input's name
    let mut splits = argument.rmatch_indices('=').map(|(at, _)| (&argument[..at], &argument[at + 1..]));
    let named = splits.find_map(|(name, file)| signature.input(name).map(|port| (port, file)));
    match (named, argument.split_once('='), &*signature.inputs) {
        (Some(named), _, _) => Ok(named),
        (None, None, [only]) => Ok((only, argument)),
        (None, Some(_), [only]) if Path::new(argument).exists() => Ok((only, argument)),
        (None, Some((unknown, _)), _) => Err(no_such_input(signature, unknown)),
        (None, None, _) => {
            let ways = "NAME=FILE does, and --inputs takes all from one .npz file";
            Err(format!("--input {argument}: it does not name its input: {ways}; {}", inputs_of(signature)))
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

/// Reads the value of an input; without a file, an optional without a value, or an empty sequence.
fn read_input(file: &str, port: &Port) -> Result<Value, String> {
    let path = Path::new(file);
    if is_list_of_bytes(port) && !is_array(path) {
        return read_bytes(path).map(Value::Tensor);
    }
    match (extension(path), port.container()) {
        ("", Container::Optional) if file.is_empty() => Ok(Value::Optional(None)),
        ("", Container::Sequence) if file.is_empty() => Ok(Value::Sequence(vec![])),
        ("pb", _) => read_value(path, Some(port)).map(|(_, value)| value).map_err(|found| found[0].statement()),
        _ => read_of_type(path, &port.element),
    }
}

/// Whether an input may be the contents of any file, such as the encoded picture of an ImageDecoder.
fn is_list_of_bytes(port: &Port) -> bool {
    port.element == Type::unsigned(8) && port.shape.len() == 1
}

/// Reads a value of a type: the arrays of an archive or folder are the elements of a sequence; those named keys and
/// values are a map.
fn read_of_type(path: &Path, r#type: &Type) -> Result<Value, String> {
    let dialect = match r#type {
        Type::Dialect(dialect) => Some((&*dialect.name, dialect.parameters.first())),
        _ => None,
    };
    match dialect {
        Some(("Opt", Some(held))) => Ok(Value::Optional(Some(Box::new(read_of_type(path, held)?)))),
        Some(("Seq", Some(_))) => {
            Ok(Value::Sequence(read_all(path)?.into_iter().map(|(_, t)| Value::Tensor(t)).collect()))
        }
        Some(("Map", _)) => {
            let mut arrays: HashMap<String, Tensor> = read_all(path)?.into_iter().collect();
            match (arrays.remove("keys"), arrays.remove("values")) {
                (Some(keys), Some(values)) => Ok(Value::Map { keys, values }),
                _ => Err(format!("{}: a map is an archive with two arrays, keys and values", path.display())),
            }
        }
        _ => read_tensor(path).map(Value::Tensor),
    }
}

/// The arrays of an archive or a folder, or the only one of a file.
fn read_all(path: &Path) -> Result<Vec<NamedTensor>, String> {
    if path.is_dir() {
        let paths = files_of(path).map_err(|error| format!("{}: cannot be read: {error}", path.display()))?;
        let arrays = paths.iter().filter(|path| extension(path) == "npy");
        return arrays.map(|path| Ok((decoded(stem(path)), read_tensor(path)?))).collect();
    }
    match extension(path) {
        "npz" => read_archive(path),
        _ => Ok(vec![(String::new(), read_tensor(path)?)]),
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

/// The tensor of a file, with the name in a `.pb` file.
fn read_named(path: &Path) -> Result<NamedTensor, String> {
    match extension(path) {
        "pb" => driver::testdata::read_tensor(path).map_err(|found| found[0].statement()),
        _ => read_tensor(path).map(|tensor| (String::new(), tensor)),
    }
}

/// The files of a folder by file name, or by the name inside; `input_0.pb` without a name is the first input. The parts
/// of a sequence or a map are named as in saved outputs.
fn read_folder(folder: &Path, signature: &Signature) -> Result<Vec<(String, Value)>, String> {
    let paths = files_of(folder).map_err(|error| format!("{}: cannot be read: {error}", folder.display()))?;
    let (mut arrays, mut values) = (Vec::new(), Vec::new());
    for path in paths.into_iter().filter(|path| is_input(path)) {
        let stem = stem(&path);
        let number = stem.strip_prefix("input_").and_then(|number| number.parse::<usize>().ok());
        let file_name = decoded(stem);
        let port = signature.input(&file_name).or_else(|| signature.inputs.get(number?));
        let is_tensor = extension(&path) == "npy" || port.is_none_or(|port| port.container() == Container::Tensor);
        let (name, value) = match is_tensor {
            true => read_named(&path).map(|(name, tensor)| (name, Value::Tensor(tensor)))?,
            false => read_value(&path, port).map_err(|found| found[0].statement())?,
        };
        let own = port.filter(|_| extension(&path) == "pb").map_or(file_name, |port| port.name.clone());
        let name = if name.is_empty() { own } else { name };
        match value {
            Value::Tensor(tensor) => arrays.push((name, tensor)),
            other => values.push((name, other)),
        }
    }
    let arrays = gathered(arrays, signature).into_iter();
    let others: Vec<_> = arrays.filter(|(name, _)| values.iter().all(|(known, _)| known != name)).collect();
    values.extend(others);
    Ok(values)
}
