//! External data files, each examined once, however many tensors it has.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use proto::{DataLocation, TensorProto};
use rustc_hash::FxHashMap;

/// What is known about a file without opening it.
#[derive(Debug)]
pub(crate) struct ExternalFile {
    /// Whether it is in the model's folder.
    pub(crate) is_inside: bool,
    /// Whether its path is inside, though a link leads elsewhere.
    pub(crate) is_link: bool,
    /// Its length in bytes, or why it cannot be mapped.
    pub(crate) length: Result<u64, String>,
    /// The SHA-1 digest, if a tensor states one.
    pub(crate) digest: Option<String>,
    path: PathBuf,
}

/// The files that tensors name.
#[derive(Debug, Default)]
pub(crate) struct Files<'m> {
    known: FxHashMap<&'m str, ExternalFile>,
}

impl<'m> Files<'m> {
    /// Examines the file of a tensor, if it has one that is new.
    pub(crate) fn meet(&mut self, folder: &Path, tensor: &'m TensorProto) {
        let Some(location) = entry(tensor, "location").filter(|location| !location.is_empty()) else { return };
        let file = self.known.entry(location).or_insert_with(|| ExternalFile::look(folder, location));
        if file.digest.is_none() && file.length.is_ok() && entry(tensor, "checksum").is_some() {
            file.digest = digest(&file.path);
        }
    }

    /// What is known about a tensor's file.
    pub(crate) fn get(&self, tensor: &TensorProto) -> Option<&ExternalFile> {
        self.known.get(entry(tensor, "location")?)
    }
}

impl ExternalFile {
    /// Examines a file without opening it: opening a pipe blocks until another process writes to it.
    fn look(folder: &Path, location: &str) -> ExternalFile {
        let path = folder.join(location);
        let is_down = leads_down(location);
        let is_link = is_down
            && match (path.canonicalize(), folder.join(".").canonicalize()) {
                (Ok(path), Ok(folder)) => !path.starts_with(folder),
                _ => false,
            };
        let length = match path.metadata() {
            Ok(metadata) if metadata.is_file() => Ok(metadata.len()),
            Ok(metadata) if metadata.is_dir() => Err("is a folder".to_string()),
            Ok(_) => Err("is not a regular file".to_string()),
            Err(error) => Err(format!("cannot be read: {error}")),
        };
        ExternalFile { is_inside: is_down && !is_link, is_link, length, digest: None, path }
    }
}

/// The value of a key in a tensor's external data; the first one if there are several.
pub(crate) fn entry<'m>(tensor: &'m TensorProto, key: &str) -> Option<&'m str> {
    let is_external = tensor.data_location == DataLocation::External as i32;
    let entries = if is_external { &tensor.external_data[..] } else { &[] };
    entries.iter().find(|entry| entry.key == key).map(|entry| &*entry.value)
}

/// Whether a path is relative and stays below its folder.
fn leads_down(location: &str) -> bool {
    let is_down = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    !location.contains('\\') && Path::new(location).components().all(is_down)
}

fn digest(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let (mut digest, mut buffer) = (sha1_smol::Sha1::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer).ok()? {
            0 => return Some(digest.digest().to_string()),
            length => digest.update(&buffer[..length]),
        }
    }
}
