//! A folder of files, each of which is either complete and unchanged, or absent.
//!
//! Invariants
//! - The folder belongs to the user and is closed to others; otherwise it is not used.
//! - A file is written under another name and then renamed, so that readers see complete files, whatever other
//!   processes do.
//! - A file begins with its length and a hash of what follows. A file that does not match them is removed, not read.
//! - The total size of the files is at most the folder's limit; the least recently used files are removed first.
//! - A file that cannot be written is skipped without an error.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use ir::Blob;
use xxhash_rust::xxh3::Xxh3;

/// The first bytes of a file.
const MAGIC: [u8; 8] = *b"onnxkept";
/// The offset of the contents: after magic, length and hash, with padding so that alignment in the contents is
/// alignment in memory.
const START: usize = 64;
/// The prefix of the name of a file that is being written.
const UNFINISHED: &str = ".unfinished-";
/// The age from which an unfinished file is taken to be left over from a process that has ended.
const LEFT_BEHIND: Duration = Duration::from_secs(3600);

/// A folder of files.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    /// The maximum total size of the files in bytes.
    limit: u64,
}

impl Folder {
    /// Opens the folder at a path, which is created if it is missing; `None` if other users have access to it.
    pub fn open(path: &Path, limit: u64) -> Option<Folder> {
        DirBuilder::new().recursive(true).mode(0o700).create(path).ok()?;
        let is_own = is_private(&path.metadata().ok()?);
        is_own.then(|| Folder { path: path.to_path_buf(), limit })
    }

    /// The names of all files.
    pub fn names(&self) -> Vec<String> {
        let Ok(entries) = self.path.read_dir() else { return vec![] };
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
    }

    /// The contents of a file.
    pub fn read(&self, name: &str) -> Option<Blob> {
        let path = self.path.join(name);
        if !is_private(&path.symlink_metadata().ok()?) {
            return None;
        }
        let contents = Blob::map_file(&path).ok().and_then(|file| contents(&file));
        match contents {
            // used now: it is removed later. If that cannot be recorded, it is removed earlier
            Some(_) => drop(File::open(&path).and_then(|file| file.set_modified(SystemTime::now()))),
            None => drop(std::fs::remove_file(&path)),
        }
        contents
    }

    /// Writes a file, replacing the one of that name. Returns whether it exists afterwards.
    pub fn write(&self, name: &str, contents: &[&[u8]]) -> bool {
        let length: usize = contents.iter().map(|part| part.len()).sum();
        if !self.has_room((START + length) as u64) {
            return false;
        }
        let Ok(mut unfinished) = self.begin() else { return false };
        write(&mut unfinished.file, contents).is_ok() && self.place(unfinished, name)
    }

    /// A file that does not have its name yet.
    pub fn begin(&self) -> std::io::Result<Unfinished> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = self.path.join(format!("{UNFINISHED}{}-{number}", std::process::id()));
        let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
        Ok(Unfinished { file, path })
    }

    /// Renames a file that was written. Returns whether it exists afterwards.
    pub fn place(&self, unfinished: Unfinished, name: &str) -> bool {
        let fits = unfinished.file.metadata().is_ok_and(|metadata| self.has_room(metadata.len()));
        fits && std::fs::rename(&unfinished.path, self.path.join(name)).and_then(|()| self.make_room()).is_ok()
    }

    fn has_room(&self, bytes: u64) -> bool {
        bytes <= self.limit / 2
    }

    /// Removes files until the others fit the limit.
    fn make_room(&self) -> std::io::Result<()> {
        let mut files = Vec::new();
        for entry in self.path.read_dir()? {
            let entry = entry?;
            // another process may have removed it
            let Ok(metadata) = entry.metadata() else { continue };
            let used = metadata.modified()?;
            let is_unfinished = entry.file_name().to_string_lossy().starts_with(UNFINISHED);
            match is_unfinished {
                true if used.elapsed().unwrap_or_default() < LEFT_BEHIND => {}
                true => drop(std::fs::remove_file(entry.path())),
                false => files.push((used, metadata.len(), entry.path())),
            }
        }
        files.sort();
        let mut total: u64 = files.iter().map(|(_, size, _)| size).sum();
        for (_, size, path) in files {
            if total <= self.limit {
                break;
            }
            let _ = std::fs::remove_file(path);
            total -= size;
        }
        Ok(())
    }
}

/// A file that is being written. It is removed when this is dropped, unless it was renamed.
pub struct Unfinished {
    /// The open file.
    pub file: File,
    path: PathBuf,
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // after a rename this finds no file
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Whether a file belongs to this user, and others may neither change it nor, if it is a folder, list it.
fn is_private(metadata: &Metadata) -> bool {
    let others = if metadata.is_dir() { 0o077 } else { 0o022 };
    metadata.uid() == rustix::process::geteuid().as_raw() && metadata.mode() & others == 0 && !metadata.is_symlink()
}

fn contents(file: &Blob) -> Option<Blob> {
    let contents = unhashed(file)?;
    (file.bytes()[16..32] == hash(&[contents.bytes()])).then_some(contents)
}

/// The contents of a file that was just written, and that no other process can have damaged, without a check of its
/// hash.
pub fn unhashed(file: &Blob) -> Option<Blob> {
    let (head, rest) = file.bytes().split_at_checked(START)?;
    let length = usize::try_from(u64::from_le_bytes(head[8..16].try_into().ok()?)).ok()?;
    let is_whole = head[..8] == MAGIC && rest.len() == length;
    if is_whole { file.window(START, length) } else { None }
}

/// Detects damage, not malice: no other user can write to the folder. Contents can be hundreds of megabytes, and are
/// hashed at each start.
fn hash(contents: &[&[u8]]) -> [u8; 16] {
    let mut hash = Xxh3::new();
    contents.iter().for_each(|part| hash.update(part));
    hash.digest128().to_le_bytes()
}

/// Writes contents after the header.
pub fn write(file: &mut impl Write, contents: &[&[u8]]) -> std::io::Result<()> {
    let length: usize = contents.iter().map(|part| part.len()).sum();
    let mut head = [0; START];
    head[..8].copy_from_slice(&MAGIC);
    head[8..16].copy_from_slice(&(length as u64).to_le_bytes());
    head[16..32].copy_from_slice(&hash(contents));
    file.write_all(&head)?;
    contents.iter().try_for_each(|part| file.write_all(part))?;
    file.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that is removed at the end of the test.
    struct Scratch(Folder);

    impl std::ops::Deref for Scratch {
        type Target = Folder;

        fn deref(&self) -> &Folder {
            &self.0
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }

    fn folder(name: &str, limit: u64) -> Scratch {
        let path = std::env::temp_dir().join(format!("onnx-kept-{}-{name}", std::process::id()));
        Scratch(Folder::open(&path, limit).expect("it is the user's own"))
    }

    fn read(folder: &Folder, name: &str) -> Option<Vec<u8>> {
        folder.read(name).map(|blob| blob.bytes().to_vec())
    }

    #[test]
    fn what_was_written_is_read() {
        let folder = folder("read", 1 << 20);
        assert!(folder.write("a", &[b"one", b"", b" and two"]) && folder.write("b", &[]));
        assert_eq!((read(&folder, "a"), read(&folder, "b")), (Some(b"one and two".to_vec()), Some(vec![])));
        assert!(folder.write("a", &[b"other"]));
        assert_eq!((read(&folder, "a"), read(&folder, "c")), (Some(b"other".to_vec()), None));
        assert_eq!(folder.names().len(), 2);
    }

    #[test]
    fn damaged_files_are_removed() {
        let folder = folder("damaged", 1 << 20);
        let path = folder.path.join("a");
        let damages: [fn(&mut Vec<u8>); 6] = [
            |bytes| bytes[70] ^= 1,
            |bytes| bytes[20] ^= 1,
            |bytes| bytes[0] = 0,
            |bytes| bytes.truncate(80),
            |bytes| bytes.push(0),
            |bytes| bytes.clear(),
        ];
        for damage in damages {
            assert!(folder.write("a", &[&[7; 100]]));
            let mut bytes = std::fs::read(&path).expect("it was written");
            damage(&mut bytes);
            std::fs::write(&path, &bytes).expect("it can be written");
            assert_eq!((read(&folder, "a"), path.exists()), (None, false));
        }
    }

    #[test]
    fn the_oldest_files_make_room() {
        let folder = folder("room", 1000);
        for (at, name) in ["a", "b", "c", "d"].into_iter().enumerate() {
            assert!(folder.write(name, &[&[0; 200]]));
            let used = SystemTime::now() - Duration::from_secs(100 - at as u64);
            let file = File::open(folder.path.join(name)).expect("it was written");
            file.set_modified(used).expect("it is the user's own");
            if name == "c" {
                assert!(folder.read("a").is_some());
            }
        }
        let mut names = folder.names();
        names.sort();
        assert_eq!(names, ["a", "c", "d"]);
        assert!(!folder.write("large", &[&[0; 2000]]) && folder.names().len() == 3);
    }

    #[test]
    fn a_clock_that_jumps_loses_no_file_that_is_whole() {
        let folder = folder("clock", 1000);
        let (past, future) = (SystemTime::UNIX_EPOCH, SystemTime::now() + Duration::from_secs(1 << 31));
        for (name, written) in [("a", past), ("b", future)] {
            assert!(folder.write(name, &[b"one"]));
            let file = File::open(folder.path.join(name)).expect("it was written");
            file.set_modified(written).expect("it is the user's own");
        }
        // begun before the clock jumped, forwards and backwards
        let [early, late] = [past, future].map(|begun| {
            let unfinished = folder.begin().expect("it is a new file");
            unfinished.file.set_modified(begun).expect("it is the user's own");
            unfinished
        });
        assert!(folder.write("c", &[b"one"]));
        assert!(["a", "b", "c"].iter().all(|name| folder.read(name).is_some()));
        // one was taken for what a dead process left
        assert!(!folder.place(early, "d") && folder.place(late, "e"));
        let mut names = folder.names();
        names.sort();
        assert_eq!(names, ["a", "b", "c", "e"]);
    }

    #[test]
    fn what_others_may_change_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let folder = folder("others", 1000);
        let set = |path: &Path, mode| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("own");
        assert!(folder.write("a", &[b"one"]));
        set(&folder.path.join("a"), 0o666);
        assert!(folder.read("a").is_none());
        set(&folder.path, 0o755);
        assert!(Folder::open(&folder.path, 1000).is_none());
        set(&folder.path, 0o700);
        let link = folder.path.join("link");
        std::os::unix::fs::symlink(folder.path.join("a"), link).expect("own");
        set(&folder.path.join("a"), 0o600);
        assert!(folder.read("a").is_some() && folder.read("link").is_none());
    }

    #[test]
    fn many_write_at_once() {
        let folder = folder("many", 1 << 20);
        std::thread::scope(|scope| {
            for byte in 0..8u8 {
                let folder = &folder;
                scope.spawn(move || (0..50).for_each(|_| assert!(folder.write("a", &[&[byte; 5000]]))));
            }
            for _ in 0..200 {
                let found = read(&folder, "a").unwrap_or_default();
                assert!(found.windows(2).all(|pair| pair[0] == pair[1]));
            }
        });
        assert_eq!(folder.names(), ["a"]);
    }
}
