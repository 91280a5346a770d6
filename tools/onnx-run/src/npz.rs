//! `.npz` files: archives of `.npy` files.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use driver::Tensor;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use crate::npy::{npy_bytes, read_npy};

/// Reads every array of an archive, by name.
pub(crate) fn read_archive(path: &Path) -> Result<Vec<(String, Tensor)>, String> {
    // without the words that the crate puts before errors of files
    let reason = |error| io::Error::from(error).to_string();
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(reason)?;
    let mut arrays = Vec::new();
    for index in 0..archive.len() {
        let member = archive.by_index(index).map_err(reason)?;
        if let Some(name) = member.name().map_err(reason)?.strip_suffix(".npy").map(str::to_string) {
            let tensor = read_npy(member).map_err(|error| format!("array {name}: {error}"))?;
            arrays.push((name, tensor));
        }
    }
    Ok(arrays)
}

/// Writes named arrays to a new archive.
pub(crate) fn write_archive(path: &Path, tensors: &[(String, &Tensor)]) -> io::Result<()> {
    let file = FailsOnce { file: File::create(path)?, has_failed: false };
    let mut archive = ZipWriter::new(BufWriter::new(file));
    for (name, tensor) in tensors {
        let array = npy_bytes(tensor);
        let options = SimpleFileOptions::default().large_file(array.len() >= u32::MAX as usize);
        archive.start_file(format!("{name}.npy"), options)?;
        archive.write_all(&array)?;
    }
    archive.finish()?.flush()
}

/// A file that reports its first error and ignores what is written after it. An archive that is dropped because of an error
/// writes its directory, and prints the next error.
struct FailsOnce {
    file: File,
    has_failed: bool,
}

impl Write for FailsOnce {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.has_failed {
            self.file.seek_relative(bytes.len() as i64)?;
            return Ok(bytes.len());
        }
        self.file.write(bytes).inspect_err(|_| self.has_failed = true)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for FailsOnce {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.file.seek(position)
    }
}
