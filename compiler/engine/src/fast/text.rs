//! Memory for code that grows while some of it runs.
//!
//! Invariants
//! - No address is both writable and executable: the same pages are mapped twice.
//! - Placed code does not move, and is not written any more once it may run: from when it was published.
//! - Placing code changes no mapping: system calls that do wait for each other, and for threads that allocate pages.

#![allow(unsafe_code, reason = "generated code is called from here")]

use ir::{Diagnostic, Location};
use memmap2::{Mmap, MmapMut, MmapOptions};

/// The size of the reserved address range; pages are allocated as they are written.
const REGION: usize = 64 << 20;

/// Memory for code, which lives as long as this value.
pub(crate) struct Text {
    regions: Vec<Region>,
}

/// Two mappings of the same pages.
struct Region {
    writable: MmapMut,
    executable: Mmap,
    used: usize,
}

impl Text {
    /// Memory with room for some code.
    pub(crate) fn new() -> std::io::Result<Text> {
        Ok(Text { regions: vec![Region::of(REGION)?] })
    }

    /// Copies code to a multiple of an alignment; returns its executable address.
    pub(crate) fn place(&mut self, code: &[u8], alignment: usize) -> Result<usize, Diagnostic> {
        let has_room = |region: &Region| region.start(alignment) + code.len() <= region.writable.len();
        if !self.regions.last().is_some_and(has_room) {
            let region = Region::of(code.len().max(REGION)).map_err(|error| {
                Diagnostic::internal(Location::Unknown, format!("no memory is available for code: {error}"))
            })?;
            self.regions.push(region);
        }
        let region = self.regions.last_mut().expect("one was just made");
        let start = region.start(alignment);
        region.used = start + code.len();
        region.writable[start..region.used].copy_from_slice(code);
        Ok(region.address() + start)
    }

    /// Writes to code that was placed and does not run yet.
    pub(crate) fn write(&mut self, address: usize, word: [u8; 8]) {
        let region = self.regions.iter_mut().find(|region| region.holds(address)).expect("code was placed there");
        let start = address - region.address();
        region.writable[start..start + word.len()].copy_from_slice(&word);
    }

    /// Lets code run that is complete, given by addresses and lengths.
    pub(crate) fn publish(&self, code: impl IntoIterator<Item = (usize, usize)>) {
        loader::publish(code.into_iter().map(|(address, length)| {
            let region = self.regions.iter().find(|region| region.holds(address)).expect("code was placed there");
            let start = address - region.address();
            &region.executable[start..start + length]
        }));
    }
}

impl Region {
    /// Its executable address.
    fn address(&self) -> usize {
        self.executable.as_ptr().expose_provenance()
    }

    /// Whether something was placed at an address.
    fn holds(&self, address: usize) -> bool {
        (self.address()..self.address() + self.used).contains(&address)
    }

    fn start(&self, alignment: usize) -> usize {
        self.used.next_multiple_of(alignment)
    }

    #[cfg(target_os = "linux")]
    fn of(length: usize) -> std::io::Result<Region> {
        use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
        let file = memfd_create("code", MemfdFlags::CLOEXEC)?;
        ftruncate(&file, length as u64)?;
        let file = std::fs::File::from(file);
        let options = MmapOptions::new();
        // SAFETY: no other process has the file, and `Text` only writes code that does not run yet.
        let (writable, executable) = unsafe { (options.map_mut(&file)?, options.map_exec(&file)?) };
        Ok(Region { writable, executable, used: 0 })
    }

    #[cfg(not(target_os = "linux"))]
    fn of(_: usize) -> std::io::Result<Region> {
        Err(std::io::ErrorKind::Unsupported.into())
    }
}
