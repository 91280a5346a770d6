//! Memory of constants and buffers: aligned and zeroed; large ones have separate pages. Mapped weights are in `blob.rs`.

mod prefault;

use limits::Shortage;
use memmap2::MmapMut;

use prefault::Window;
pub use prefault::{Prefaulted, Prefaulting};

/// Bytes that begin on a 64-byte boundary (a cache line, and a full AVX-512 vector).
pub struct AlignedBytes {
    memory: Memory,
    length: usize,
}

enum Memory {
    /// A vector, and the aligned position in it at which the bytes begin.
    Heap(Vec<u8>, usize),
    /// Separate pages.
    Pages(MmapMut),
    /// Prefaulted pages.
    Window(Window),
}

/// Alignment of owned bytes.
const ALIGNMENT: usize = 64;
/// From this size on, bytes get separate pages, which the system zeroes when they are first written.
const OWN_PAGES: usize = 1 << 16;
/// A multiple of the size of pages.
const PAGE: usize = 1 << 16;
/// From this size on, bytes request transparent huge pages, which have fewer TLB misses.
const HUGE_PAGES: usize = 4 << 20;

impl AlignedBytes {
    /// `length` zeros. The system allocates memory as it is written. If the allocation fails, [`limits::catch`] returns
    /// the shortage.
    pub fn zeroed(length: usize) -> AlignedBytes {
        AlignedBytes::try_zeroed(length).unwrap_or_else(|shortage| limits::give_up(shortage))
    }

    /// `length` zeros, if the memory can be allocated.
    pub fn try_zeroed(length: usize) -> Result<AlignedBytes, Shortage> {
        limits::ask(length as u64)?;
        let memory = match length >= OWN_PAGES {
            true => Memory::Pages(map(length).ok_or(Shortage { wanted: length as u64, available: None })?),
            false => {
                let bytes = vec![0u8; length + ALIGNMENT - 1];
                let start = bytes.as_ptr().align_offset(ALIGNMENT);
                Memory::Heap(bytes, start)
            }
        };
        Ok(AlignedBytes { memory, length })
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        match &self.memory {
            Memory::Heap(bytes, start) => &bytes[*start..*start + self.length],
            Memory::Pages(pages) => pages,
            Memory::Window(window) => window.as_slice(),
        }
    }

    /// The bytes, to write them.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        match &mut self.memory {
            Memory::Heap(bytes, start) => &mut bytes[*start..*start + self.length],
            Memory::Pages(pages) => pages,
            Memory::Window(window) => window.as_mut_slice(),
        }
    }
}

/// Fresh pages, which are zero.
fn map(length: usize) -> Option<MmapMut> {
    let pages = MmapMut::map_anon(length).ok()?;
    #[cfg(target_os = "linux")]
    if length >= HUGE_PAGES {
        // only advice
        let _ = pages.advise(memmap2::Advice::HugePage);
    }
    Some(pages)
}
