//! Memory of constants and buffers: aligned, zero, and where it is much, in pages of its own.

mod ahead;

use limits::Shortage;
use memmap2::MmapMut;

use ahead::Window;
pub use ahead::{TakenAhead, stop_taking_ahead};

/// Bytes whose first one lies on a 64-byte boundary (a cache line, and a whole AVX-512 vector).
pub struct AlignedBytes {
    memory: Memory,
    length: usize,
}

enum Memory {
    /// A vector with room to begin at the given, aligned position.
    Heap(Vec<u8>, usize),
    /// Pages of their own.
    Pages(MmapMut),
    /// Pages that were taken ahead.
    Window(Window),
}

/// Alignment of owned bytes.
const ALIGNMENT: usize = 64;
/// From this size on, bytes get pages of their own, which come as zeros when they are first written.
const OWN_PAGES: usize = 1 << 16;
/// A multiple of the size of pages.
const PAGE: usize = 1 << 16;
/// From this size on, bytes get huge pages where the system has them: reading through many small ones waits for where they are.
const HUGE_PAGES: usize = 4 << 20;
/// Bytes whose pages are taken at once: who changes the mappings of the process waits meanwhile.
const STEP: usize = 1 << 18;

impl AlignedBytes {
    /// That many zeros. Memory is only taken from the system as it is written. Where there is none, [`limits::catch`] returns why.
    pub fn zeroed(length: usize) -> AlignedBytes {
        AlignedBytes::try_zeroed(length).unwrap_or_else(|shortage| limits::give_up(shortage))
    }

    /// That many zeros, if there is memory for them.
    pub fn try_zeroed(length: usize) -> Result<AlignedBytes, Shortage> {
        limits::ask(length as u64)?;
        let memory = match length >= OWN_PAGES {
            true => match Window::of_taken(length) {
                Some(window) => Memory::Window(window),
                None => Memory::Pages(map(length).ok_or(Shortage { wanted: length as u64, available: None })?),
            },
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

    /// Takes memory from the system for bytes that are about to be written, for all at once: the first touch of a page takes a
    /// microsecond or more.
    pub fn expect_writes(&mut self, offset: usize, length: usize) {
        if length < OWN_PAGES {
            return;
        }
        let (first, end) = (offset / PAGE * PAGE, offset + length);
        match &self.memory {
            Memory::Heap(..) => {}
            Memory::Pages(pages) => steps(first, end).for_each(|(start, bytes)| populate(pages, start, bytes)),
            Memory::Window(window) => window.take(first, end),
        }
    }
}

/// Pages that nobody has, as zeros.
fn map(length: usize) -> Option<MmapMut> {
    let pages = MmapMut::map_anon(length).ok()?;
    #[cfg(target_os = "linux")]
    if length >= HUGE_PAGES {
        // no more than a wish
        let _ = pages.advise(memmap2::Advice::HugePage);
    }
    Some(pages)
}

/// The pieces of some memory whose pages are taken at once, and their lengths.
fn steps(first: usize, end: usize) -> impl Iterator<Item = (usize, usize)> {
    (first..end).step_by(STEP).map(move |start| (start, STEP.min(end - start)))
}

/// Asks for the pages of a part of a mapping; where the system does not know how to, they come as they are touched.
fn populate(pages: &MmapMut, start: usize, bytes: usize) {
    #[cfg(target_os = "linux")]
    let _ = pages.advise_range(memmap2::Advice::PopulateWrite, start, bytes);
    #[cfg(not(target_os = "linux"))]
    let _ = (pages, start, bytes);
}
