//! Static libraries: an archive of a model's object and the runtime.
//!
//! The system's `ar` does not list the symbols of objects that also have code of a newer LLVM, as those of Rust's standard
//! library do, so the archive is written here.

use std::fs::{self, File};
use std::path::Path;

use ar_archive_writer::{ArchiveKind, DEFAULT_OBJECT_READER, NewArchiveMember, write_archive_to_stream};
use commandline::{Drafts, Failure, cannot_write};
use object::read::archive::ArchiveFile;

/// Writes an archive of an object and of the members of the runtime's.
pub(crate) fn archive(
    target: &Path,
    runtime: &Path,
    drafts: &Drafts,
    write_object: impl FnOnce(&Path) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let folder = drafts.folder(crate::native::SCRATCH)?;
    let path = folder.path().join("model.o");
    write_object(&path)?;
    let object = read(&path)?;
    let bytes = read(runtime)?;
    let mut members = members(&bytes).map_err(|error| Failure::input(format!("{}: {error}", runtime.display())))?;
    members.push(member(&object, "model.o".to_string()));
    let file = File::create(target).map_err(|error| cannot_write(target, &error))?;
    let written = write_archive_to_stream(&mut &file, &members, ArchiveKind::Gnu, false, None);
    written.map_err(|error| cannot_write(target, &error))
}

fn members(archive: &[u8]) -> Result<Vec<NewArchiveMember<'_>>, object::Error> {
    let mut members = Vec::new();
    for found in ArchiveFile::parse(archive)?.members() {
        let found = found?;
        members.push(member(found.data(archive)?, String::from_utf8_lossy(found.name()).into_owned()));
    }
    Ok(members)
}

fn member(bytes: &[u8], name: String) -> NewArchiveMember<'_> {
    NewArchiveMember::new(bytes, &DEFAULT_OBJECT_READER, name)
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| Failure::input(format!("{}: {error}", path.display())))
}
