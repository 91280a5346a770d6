//! Prefaulted pages: an idle thread requests them from the system before they are written.
//!
//! The first touch of a page takes a microsecond or more. A compilation knows early how many bytes of weights it will
//! write, and has an idle processor until it does.
//!
//! Invariants
//! - A window is zero when it is handed out, and is not shared until it is dropped, which releases its pages.
//! - Prefaulted pages that were not handed out are released when [`Prefaulted`] is dropped.

#![allow(unsafe_code, reason = "windows of one mapping are handed out")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use memmap2::MmapRaw;

use super::{AlignedBytes, Memory, PAGE, map};

/// Fewer bytes are not worth a thread.
const WORTH: usize = 1 << 18;
/// Bytes whose pages are requested at once: other threads that change the process's mappings wait meanwhile.
const STEP: usize = 1 << 18;

/// Memory that is prefaulted from front to back, and handed out in the same order.
struct Mapping {
    pages: MmapRaw,
    /// The offset of the next window.
    next: AtomicUsize,
    is_wanted: AtomicBool,
}

/// Pages that are handed out until this is dropped.
pub struct Prefaulted {
    mapping: Arc<Mapping>,
}

/// The work of prefaulting these pages, for another thread.
pub struct Prefaulting {
    mapping: Arc<Mapping>,
}

impl Prefaulting {
    /// Requests the pages one after the other, until all are present or prefaulting is stopped.
    pub fn run(self) {
        let length = self.mapping.pages.len();
        for start in (0..length).step_by(STEP).take_while(|_| self.mapping.is_wanted.load(Ordering::Relaxed)) {
            self.mapping.populate(start, STEP.min(length - start));
        }
    }
}

impl Prefaulted {
    /// Memory for `bytes` bytes, and the work of prefaulting it; `None` for few.
    pub fn begin(bytes: usize) -> Option<(Prefaulted, Prefaulting)> {
        if bytes < WORTH || cfg!(not(target_os = "linux")) {
            return None;
        }
        limits::ask(bytes as u64).ok()?;
        let pages = map(bytes.next_multiple_of(PAGE))?.into();
        let mapping = Arc::new(Mapping { pages, next: AtomicUsize::new(0), is_wanted: AtomicBool::new(true) });
        Some((Prefaulted { mapping: mapping.clone() }, Prefaulting { mapping }))
    }

    /// Stops prefaulting; pages are still handed out.
    pub fn stop(&self) {
        self.mapping.is_wanted.store(false, Ordering::Relaxed);
    }

    /// `length` zeros, while enough is left.
    pub fn bytes(&self, length: usize) -> Option<AlignedBytes> {
        let room = length.checked_next_multiple_of(PAGE)?;
        let end = |offset: usize| offset.checked_add(room).filter(|&end| end <= self.mapping.pages.len());
        let offset = self.mapping.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, end).ok()?;
        let window = Window { mapping: self.mapping.clone(), offset, length };
        Some(AlignedBytes { memory: Memory::Window(window), length })
    }
}

impl Drop for Prefaulted {
    fn drop(&mut self) {
        self.stop();
        let first = self.mapping.next.load(Ordering::Relaxed);
        self.mapping.give_back(first, self.mapping.pages.len() - first);
    }
}

impl Mapping {
    fn populate(&self, start: usize, bytes: usize) {
        #[cfg(target_os = "linux")]
        let _ = self.pages.advise_range(memmap2::Advice::PopulateWrite, start, bytes);
        #[cfg(not(target_os = "linux"))]
        let _ = (start, bytes);
    }

    /// Releases pages that are not in use and will not be handed out.
    fn give_back(&self, start: usize, bytes: usize) {
        #[cfg(target_os = "linux")]
        // SAFETY: no references to these bytes exist.
        let _ = unsafe { self.pages.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, start, bytes) };
        #[cfg(not(target_os = "linux"))]
        let _ = (start, bytes);
    }
}

/// A part of a mapping.
pub(super) struct Window {
    mapping: Arc<Mapping>,
    offset: usize,
    length: usize,
}

impl Window {
    pub(super) fn as_slice(&self) -> &[u8] {
        // SAFETY: the window is inside the mapping, and no other window overlaps with it.
        unsafe { std::slice::from_raw_parts(self.mapping.pages.as_ptr().add(self.offset), self.length) }
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.mapping.pages.as_mut_ptr().add(self.offset), self.length) }
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        self.mapping.give_back(self.offset, self.length.next_multiple_of(PAGE));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn windows_are_zero_and_apart() {
        assert!(Prefaulted::begin(1000).is_none());
        let (pages, prefaulting) = Prefaulted::begin(1 << 20).expect("there is memory");
        let worker = std::thread::spawn(|| prefaulting.run());
        let lengths = [100_000, PAGE, 300_001, 10, 600_000, 400_000];
        let windows = lengths.map(|length| pages.bytes(length));
        assert_eq!(windows.each_ref().map(Option::is_some), [true, true, true, true, false, true]);
        let mut all: Vec<AlignedBytes> = windows.into_iter().flatten().collect();
        for (number, bytes) in all.iter_mut().enumerate() {
            assert!(bytes.as_slice().iter().all(|&byte| byte == 0));
            bytes.as_mut_slice().fill(number as u8 + 1);
        }
        pages.stop();
        worker.join().expect("it does not panic");
        // windows outlive the rest of the mapping
        drop(pages);
        for (number, bytes) in all.iter().enumerate() {
            assert!(bytes.as_slice().iter().all(|&byte| byte == number as u8 + 1), "{number}");
        }
    }
}
