//! Maps the file of a model's weights.

#![allow(unsafe_code, reason = "maps a file for generated code")]

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

use abi::weights_file::{HEAD, head};

/// The contents of a file of weights with this checksum and length, which stay in memory until the process ends.
///
/// # Errors
/// The file cannot be read, or is that of another model.
pub(crate) fn load(path: &Path, checksum: u64, length: u64) -> Result<*const u8> {
    let mut file = File::open(path)?;
    let mut found = [0; HEAD];
    file.read_exact(&mut found)?;
    if file.metadata()?.len() != length || found != head(checksum, length) {
        return Err(Error::new(ErrorKind::InvalidData, "the file is that of another model"));
    }
    map(&file, length)
}

#[cfg(unix)]
fn map(file: &File, length: u64) -> Result<*const u8> {
    use std::os::fd::AsRawFd;
    let length = usize::try_from(length).map_err(|_| ErrorKind::OutOfMemory)?;
    // SAFETY: a new private and read-only mapping. A file that another process cuts short ends reads with a signal, as
    // no reader of mappings can prevent.
    let address =
        unsafe { libc::mmap(std::ptr::null_mut(), length, libc::PROT_READ, libc::MAP_PRIVATE, file.as_raw_fd(), 0) };
    if address == libc::MAP_FAILED { Err(Error::last_os_error()) } else { Ok(address.cast()) }
}

#[cfg(not(unix))]
fn map(mut file: &File, length: u64) -> Result<*const u8> {
    use std::io::{Seek, SeekFrom};
    let length = usize::try_from(length).map_err(|_| ErrorKind::OutOfMemory)?;
    let memory = crate::outputs::allocate(length);
    if memory.is_null() {
        return Err(ErrorKind::OutOfMemory.into());
    }
    file.seek(SeekFrom::Start(0))?;
    // SAFETY: just allocated with this size, and written before it is shared.
    file.read_exact(unsafe { std::slice::from_raw_parts_mut(memory, length) })?;
    Ok(memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "it maps no files")]
    fn only_the_own_file_is_loaded() {
        let path = std::env::temp_dir().join(format!("runtime-weights-{}", std::process::id()));
        let length = HEAD as u64 + 4;
        std::fs::write(&path, [&head(7, length)[..], &[1, 2, 3, 4]].concat()).expect("the folder takes files");
        let start = load(&path, 7, length).expect("it is a file of weights");
        // SAFETY: the mapping has this length.
        assert_eq!(unsafe { std::slice::from_raw_parts(start.add(HEAD), 4) }, [1, 2, 3, 4]);
        assert_eq!(load(&path, 8, length).expect_err("another checksum").kind(), ErrorKind::InvalidData);
        assert_eq!(load(&path, 7, length + 64).expect_err("another length").kind(), ErrorKind::InvalidData);
        std::fs::remove_file(&path).expect("it exists");
        assert_eq!(load(&path, 7, length).expect_err("no file").kind(), ErrorKind::NotFound);
    }
}
