//! Identifies a program independently of its path and time stamps: by its linker's build identifier, or a hash of its
//! file.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The file that contains this code: the program, or a shared library.
pub fn own_file() -> Option<&'static Path> {
    static OWN: OnceLock<Option<PathBuf>> = OnceLock::new();
    OWN.get_or_init(|| {
        mapped_at(own_file as fn() -> Option<&'static Path> as usize).or_else(|| std::env::current_exe().ok())
    })
    .as_deref()
}

/// The file that is mapped at an address. The system lists a program before its libraries, so that little is read.
fn mapped_at(own: usize) -> Option<PathBuf> {
    let holds = |line: &String| {
        let address = |text: &str| usize::from_str_radix(text, 16).ok();
        let range = line.split(' ').next().and_then(|range| range.split_once('-'));
        range.and_then(|(from, to)| Some((address(from)?..address(to)?).contains(&own))).unwrap_or(false)
    };
    let line = BufReader::new(File::open("/proc/self/maps").ok()?).lines().map_while(Result::ok).find(holds)?;
    line.find('/').map(|start| PathBuf::from(&line[start..]))
}

/// The build identifier of an ELF file, in hexadecimal digits.
pub fn build_id(path: &Path) -> Option<String> {
    let file = File::open(path).ok()?;
    let header = read(&file, 0, 64)?;
    let is_64_bit_little_endian = header.starts_with(b"\x7fELF\x02\x01");
    if !is_64_bit_little_endian {
        return None;
    }
    let (start, size, count) = (word(&header, 32, 8)?, word(&header, 54, 2)?, word(&header, 56, 2)?);
    let segments = read(&file, start, usize::try_from(size * count).ok()?)?;
    let notes = segments.chunks_exact(usize::try_from(size).ok().filter(|&size| size >= 56)?);
    notes.filter(|segment| word(segment, 0, 4) == Some(NOTE)).find_map(|segment| {
        let length = word(segment, 32, 8)?.min(MOST);
        identifier(&read(&file, word(segment, 8, 8)?, length as usize)?)
    })
}

/// The types of a segment with notes, and of the note with the identifier.
const NOTE: u64 = 4;
const BUILD_ID: u64 = 3;
/// The maximum number of bytes of notes that are read.
const MOST: u64 = 4096;

/// Finds the identifier among notes. Each has three words (the lengths of name and contents, the type), then both,
/// padded to four bytes.
fn identifier(mut notes: &[u8]) -> Option<String> {
    loop {
        let [name, contents] = [word(notes, 0, 4)? as usize, word(notes, 4, 4)? as usize];
        let start = 12 + name.next_multiple_of(4);
        if word(notes, 8, 4)? == BUILD_ID && notes.get(12..12 + name)? == b"GNU\0" {
            let bytes = notes.get(start..start.checked_add(contents)?)?;
            return Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect());
        }
        notes = notes.get(start.checked_add(contents.next_multiple_of(4))?..)?;
    }
}

fn read(file: &File, offset: u64, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, offset).ok().map(|()| bytes)
}

/// A little-endian number.
fn word(bytes: &[u8], offset: usize, length: usize) -> Option<u64> {
    let bytes = bytes.get(offset..offset + length)?;
    Some(bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_identifier_is_that_of_the_contents() {
        let note = |name: &[u8], kind: u32, contents: &[u8]| {
            let words = [name.len() as u32, contents.len() as u32, kind].map(u32::to_le_bytes).concat();
            [&words, name, contents].concat()
        };
        let notes = [note(b"GNU\0", 5, &[0; 8]), note(b"GNU\0", 3, &[0xab, 0, 1, 2])].concat();
        assert_eq!(identifier(&notes).as_deref(), Some("ab000102"));
        assert_eq!(identifier(&notes[..30]), None);
        assert_eq!(build_id(Path::new("/dev/null")), None);
        let own = std::env::current_exe().expect("this program has a path");
        assert_eq!(own_file(), Some(&*own));
        let copy = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::copy(&own, copy.path()).expect("it can be copied");
        assert_eq!(build_id(copy.path()), build_id(&own));
    }
}
