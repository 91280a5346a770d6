//! Tensor files: `.npy`, `.npz`, and `.pb` as in ONNX's tests.

use std::io::Read;
use std::path::Path;

use commandline::{Draft, Drafts, Failure, cannot_write};
use driver::{Blob, Tensor, Type, Value};

use crate::npy::{npy_bytes, read_npy};
use crate::npz::{self, write_archive};

type Reading<T> = Result<T, String>;

/// Reads the tensor of a `.npy` or `.pb` file, or the only one of a `.npz` file.
pub(crate) fn read_tensor(path: &Path) -> Reading<Tensor> {
    match extension(path) {
        "pb" => driver::testdata::read_tensor(path).map(|(_, tensor)| tensor).map_err(|found| found[0].statement()),
        "npz" => match &mut *read_archive(path)? {
            [] => Err(format!("{}: it holds no array", path.display())),
            [(_, tensor)] => Ok(tensor.clone()),
            several => Err(format!("{}: it holds {} arrays; --inputs reads them all", path.display(), several.len())),
        },
        _ => {
            let file = std::fs::File::open(path).map_err(|error| cannot_read(path, error))?;
            read_npy(std::io::BufReader::new(file)).map_err(|error| cannot_read(path, error))
        }
    }
}

/// Reads every array of a `.npz` file, by name.
pub(crate) fn read_archive(path: &Path) -> Reading<Vec<(String, Tensor)>> {
    npz::read_archive(path).map_err(|error| cannot_read(path, error))
}

/// Whether a file is one that [`read_tensor`] reads: by its name, or by its first bytes.
pub(crate) fn is_array(path: &Path) -> bool {
    matches!(extension(path), "npy" | "npz" | "pb") || begins_as_array(path)
}

fn begins_as_array(path: &Path) -> bool {
    let mut magic = [0; 6];
    std::fs::File::open(path).is_ok_and(|mut file| file.read_exact(&mut magic).is_ok()) && magic == *b"\x93NUMPY"
}

/// The bytes of a file as a list of uint8.
pub(crate) fn read_bytes(path: &Path) -> Reading<Tensor> {
    let length = path.metadata().map_err(|error| cannot_read(path, error))?.len();
    limits::ask(length).map_err(|shortage| cannot_read(path, shortage))?;
    let bytes = std::fs::read(path).map_err(|error| cannot_read(path, error))?;
    let tensor = Tensor::new(Type::unsigned(8), vec![bytes.len() as i64], Blob::copy_of(&bytes));
    tensor.ok_or_else(|| cannot_read(path, "it is too long"))
}

/// The part of a file name after the last dot.
pub(crate) fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

fn cannot_read(path: &Path, error: impl std::fmt::Display) -> String {
    format!("{}: cannot be read: {error}", path.display())
}

/// Refuses a `.npy` file for several outputs before they are computed.
pub(crate) fn check_target(path: &Path, outputs: usize) -> Result<(), Failure> {
    match (extension(path), outputs) {
        ("npy", 1) => Ok(()),
        ("npy", several) => {
            let advice = "save them in a .npz file or a folder";
            Err(Failure::usage(format!("{}: the model has {several} outputs; {advice}", path.display())))
        }
        ("" | "npz", _) => Ok(()),
        _ if path.is_dir() => Ok(()),
        (other, _) => {
            let what = format!("outputs are not saved as .{other}, but in a .npz file, a .npy file, or a folder");
            Err(Failure::usage(format!("{}: {what}", path.display())))
        }
    }
}

/// Writes named values: all into one `.npz` file, or each into a separate `.npy` file in a folder, or a single one into
/// a `.npy` file. The values of a sequence are numbered; an empty optional is skipped.
pub(crate) fn save(path: &Path, values: &[(String, Value)], drafts: &Drafts) -> Result<(), Failure> {
    let mut tensors = Vec::new();
    values.iter().for_each(|(name, value)| flatten(name, value, &mut tensors));
    let write = |path: &Path, bytes: &[u8]| drafts.file(path)?.write(bytes);
    match (extension(path), &*tensors) {
        ("npz", _) => {
            let draft = drafts.file(path)?;
            write_archive(draft.path(), &tensors).map_err(|error| cannot_write(path, &error))?;
            draft.finish()
        }
        ("npy", [(_, only)]) => write(path, &npy_bytes(only)),
        ("npy", several) => Err(cannot_write(
            path,
            &format!("the output has {} tensors, which a .npz file or a folder takes", several.len()),
        )),
        _ => save_folder(path, &tensors, drafts),
    }
}

/// Writes each tensor into a separate file: all of them, or none.
fn save_folder(path: &Path, tensors: &[(String, &Tensor)], drafts: &Drafts) -> Result<(), Failure> {
    let is_new = !path.exists();
    if !is_new && !path.is_dir() {
        return Err(cannot_write(path, &"it is not a folder"));
    }
    std::fs::create_dir_all(path).map_err(|error| cannot_write(path, &error))?;
    let draft = |(name, tensor): &(String, &Tensor)| {
        drafts.file(&path.join(format!("{}.npy", encoded(name))))?.filled(&npy_bytes(tensor))
    };
    let written = tensors.iter().map(draft).collect::<Result<Vec<Draft>, _>>();
    let finished = written.and_then(|drafts| drafts.into_iter().try_for_each(Draft::finish));
    if finished.is_err() && is_new {
        // a folder that is not empty stays
        let _ = std::fs::remove_dir(path);
    }
    finished
}

/// The characters of tensor names that file names must not contain.
const ENCODED: [char; 4] = ['/', '\\', '%', '\0'];

/// A tensor name as a file name, percent-encoded: different names give different files.
fn encoded(name: &str) -> String {
    name.chars().fold(String::new(), |encoded, character| match ENCODED.contains(&character) {
        true => encoded + &escape(character),
        false => encoded + character.encode_utf8(&mut [0; 4]),
    })
}

/// The inverse of [`encoded`].
pub(crate) fn decoded(file: &str) -> String {
    let mut name = String::new();
    let mut rest = file;
    while let Some(first) = rest.chars().next() {
        let escaped = ENCODED.into_iter().find(|&character| rest.starts_with(&escape(character)));
        name.push(escaped.unwrap_or(first));
        rest = &rest[escaped.map_or(first.len_utf8(), |character| escape(character).len())..];
    }
    name
}

fn escape(character: char) -> String {
    format!("%{:02X}", character as u32)
}

fn flatten<'v>(name: &str, value: &'v Value, tensors: &mut Vec<(String, &'v Tensor)>) {
    match value {
        Value::Tensor(tensor) => tensors.push((name.to_string(), tensor)),
        Value::Optional(None) => {}
        Value::Optional(Some(value)) => flatten(name, value, tensors),
        Value::Sequence(values) => {
            values.iter().enumerate().for_each(|(at, value)| flatten(&format!("{name}.{at}"), value, tensors));
        }
        Value::Map { keys, values } => {
            tensors.extend([(format!("{name}.keys"), keys), (format!("{name}.values"), values)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_those_of_tensors() {
        for name in ["y", "a/b", "a_b", "a%2Fb", "%", "100%25", "..\\x"] {
            assert_eq!(decoded(&encoded(name)), name);
            assert!(!encoded(name).contains(['/', '\\']));
        }
    }
}
