//! Constant data: shared bytes, mapped from files where possible, and read without copies.

#![allow(unsafe_code, reason = "memory maps are viewed as byte slices; the file is opened read-only and privately")]

use std::fmt;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use crate::memory::{AlignedBytes, Prefaulted};

/// Immutable bytes: owned, part of a mapped file, or computed by another thread. Cloning shares them.
#[derive(Clone)]
pub struct Blob {
    storage: Storage,
    offset: usize,
    length: usize,
}

#[derive(Clone)]
enum Storage {
    Mapped(Arc<memmap2::Mmap>),
    Owned(Arc<AlignedBytes>),
    Computed(Arc<Computed>),
}

/// Bytes that another thread computes.
struct Computed {
    /// Their address, known before they are computed.
    address: usize,
    /// `None` after a panic of the computation.
    bytes: OnceLock<Option<AlignedBytes>>,
}

/// A chunk of bytes to be computed by a background thread.
pub struct Piece {
    bytes: Option<AlignedBytes>,
    computed: Arc<Computed>,
}

impl Piece {
    /// The bytes, all zero at first.
    pub fn bytes_mut(&mut self) -> &mut AlignedBytes {
        self.bytes.as_mut().expect("they are there until the piece is finished")
    }

    /// Publishes the bytes to threads that wait for them.
    pub fn finish(mut self) {
        let bytes = self.bytes.take();
        self.computed.bytes.get_or_init(|| bytes);
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        // waiters must wake up in any case
        self.computed.bytes.get_or_init(|| None);
    }
}

impl Blob {
    /// Maps a whole file. Special files, such as a pipe without a writer, are refused without waiting.
    pub fn map_file(path: &Path) -> std::io::Result<Blob> {
        let metadata = std::fs::metadata(path)?;
        if !metadata.is_file() {
            return Err(std::io::Error::other(if metadata.is_dir() {
                "it is a folder"
            } else {
                "it is a pipe or a device, not a file"
            }));
        }
        Blob::map(&std::fs::File::open(path)?)
    }

    /// Maps an open file with its current contents.
    pub fn map(file: &std::fs::File) -> std::io::Result<Blob> {
        if file.metadata()?.len() == 0 {
            return Ok(Blob::copy_of(&[]));
        }
        // SAFETY: the map is private and read-only; we do not defend against another process truncating the file while
        // we read it, as no reader of memory maps can.
        let map = unsafe { memmap2::Mmap::map(file)? };
        let length = map.len();
        Ok(Blob { storage: Storage::Mapped(Arc::new(map)), offset: 0, length })
    }

    /// Owned bytes on a 64-byte boundary.
    pub fn copy_of(bytes: &[u8]) -> Blob {
        Blob::build(bytes.len(), |target| target.copy_from_slice(bytes))
    }

    /// Owned, zeroed bytes on a 64-byte boundary, which `fill` writes before they are shared.
    pub fn build(length: usize, fill: impl FnOnce(&mut [u8])) -> Blob {
        Blob::try_build(length, fill).unwrap_or_else(|shortage| limits::give_up(shortage))
    }

    /// The same, if the memory can be allocated.
    pub fn try_build(length: usize, fill: impl FnOnce(&mut [u8])) -> Result<Blob, limits::Shortage> {
        let mut bytes = AlignedBytes::try_zeroed(length)?;
        fill(bytes.as_mut_slice());
        Ok(Blob { storage: Storage::Owned(Arc::new(bytes)), offset: 0, length })
    }

    /// Chunks of some lengths that another thread computes, in prefaulted memory while there is some: a reader waits
    /// for its chunk.
    pub fn pending(lengths: &[usize], memory: Option<&Prefaulted>) -> (Vec<Blob>, Vec<Piece>) {
        let piece = |&length: &usize| {
            let bytes = memory.and_then(|memory| memory.bytes(length)).unwrap_or_else(|| AlignedBytes::zeroed(length));
            let address = bytes.as_slice().as_ptr().expose_provenance();
            Piece { bytes: Some(bytes), computed: Arc::new(Computed { address, bytes: OnceLock::new() }) }
        };
        let pieces: Vec<Piece> = lengths.iter().map(piece).collect();
        let blob = |(piece, &length): (&Piece, &usize)| Blob {
            storage: Storage::Computed(piece.computed.clone()),
            offset: 0,
            length,
        };
        let blobs = pieces.iter().zip(lengths).map(blob).collect();
        (blobs, pieces)
    }

    /// Bytes that are not written any more.
    pub fn from_owned(bytes: AlignedBytes) -> Blob {
        let length = bytes.as_slice().len();
        Blob { storage: Storage::Owned(Arc::new(bytes)), offset: 0, length }
    }

    /// The bytes, to be written again, if they are not shared.
    pub fn into_owned(self) -> Result<AlignedBytes, Blob> {
        let Blob { storage, offset, length } = self;
        match storage {
            Storage::Owned(bytes) => {
                Arc::try_unwrap(bytes).map_err(|bytes| Blob { storage: Storage::Owned(bytes), offset, length })
            }
            storage @ (Storage::Mapped(_) | Storage::Computed(_)) => Err(Blob { storage, offset, length }),
        }
    }

    /// A part of the same bytes; `None` if it is out of range.
    pub fn window(&self, offset: usize, length: usize) -> Option<Blob> {
        let end = offset.checked_add(length)?;
        (end <= self.length).then(|| Blob { storage: self.storage.clone(), offset: self.offset + offset, length })
    }

    /// The bytes, which must not depend on a computation that may fail.
    pub fn bytes(&self) -> &[u8] {
        self.ready().expect("the computation of bytes does not fail")
    }

    /// The bytes, after waiting for the thread that computes them; `None` if it failed.
    pub fn ready(&self) -> Option<&[u8]> {
        let whole: &[u8] = match &self.storage {
            Storage::Mapped(map) => map,
            Storage::Owned(bytes) => bytes.as_slice(),
            Storage::Computed(computed) => computed.bytes.wait().as_ref()?.as_slice(),
        };
        Some(&whole[self.offset..self.offset + self.length])
    }

    /// The address of the first byte. This does not wait for bytes that are still being computed, so that they must not
    /// be read.
    pub fn address(&self) -> usize {
        match &self.storage {
            Storage::Computed(computed) => computed.address + self.offset,
            Storage::Mapped(_) | Storage::Owned(_) => self.bytes().as_ptr().expose_provenance(),
        }
    }

    /// Identifies the chunk that these bytes become ready with, by its address. `None` if they were never computed in
    /// the background.
    pub fn piece(&self) -> Option<usize> {
        match &self.storage {
            Storage::Computed(computed) => Some(computed.address),
            Storage::Mapped(_) | Storage::Owned(_) => None,
        }
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The offset of the bytes in a file that was mapped as a whole, if they are part of it.
    pub fn offset_in(&self, file: &Blob) -> Option<usize> {
        match (&self.storage, &file.storage) {
            (Storage::Mapped(own), Storage::Mapped(other)) if Arc::ptr_eq(own, other) => Some(self.offset),
            _ => None,
        }
    }

    /// Whether the bytes are in a mapped file.
    pub fn is_mapped(&self) -> bool {
        matches!(self.storage, Storage::Mapped(_))
    }

    /// Whether two handles refer to the same bytes of the same storage, without reading them.
    pub fn same_storage(&self, other: &Blob) -> bool {
        let is_same = match (&self.storage, &other.storage) {
            (Storage::Mapped(own), Storage::Mapped(other)) => Arc::ptr_eq(own, other),
            (Storage::Owned(own), Storage::Owned(other)) => Arc::ptr_eq(own, other),
            (Storage::Computed(own), Storage::Computed(other)) => Arc::ptr_eq(own, other),
            (Storage::Mapped(_) | Storage::Owned(_) | Storage::Computed(_), _) => false,
        };
        is_same && self.offset == other.offset && self.length == other.length
    }

    /// Returns the pages of a mapped file to the system: later reads load them from the file again.
    pub fn discard(&self) {
        #[cfg(unix)]
        if let Storage::Mapped(map) = &self.storage {
            // SAFETY: the mapping is read-only, so that the file has the same contents; a refusal is ignored.
            let _ = unsafe { map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, self.offset, self.length) };
        }
    }
}

impl fmt::Debug for Blob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Blob({} bytes)", self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_there_one_after_the_other() {
        let (may_go_on, goes_on) = std::sync::mpsc::channel();
        let (blobs, pieces) = Blob::pending(&[3, 1 << 17, 5], None);
        let worker = std::thread::spawn(move || {
            for (number, mut piece) in pieces.into_iter().enumerate() {
                goes_on.recv().expect("the test goes on");
                piece.bytes_mut().as_mut_slice().fill(number as u8 + 1);
                piece.finish();
            }
        });
        let window = blobs[1].window(100, 2).expect("it fits");
        assert_eq!(window.piece(), Some(blobs[1].address()));
        assert_eq!(window.address(), blobs[1].address() + 100);
        for (number, blob) in blobs.iter().enumerate() {
            may_go_on.send(()).expect("a thread computes");
            assert!(blob.bytes().iter().all(|&byte| byte == number as u8 + 1));
            assert_eq!(blob.bytes().as_ptr().expose_provenance(), blob.address());
        }
        assert_eq!(Blob::copy_of(&[1]).piece(), None);
        worker.join().expect("it does not panic");
    }

    #[test]
    fn no_thread_waits_for_bytes_that_do_not_come() {
        let (blobs, pieces) = Blob::pending(&[8], None);
        drop(pieces);
        assert_eq!(blobs[0].ready(), None);
    }
}
