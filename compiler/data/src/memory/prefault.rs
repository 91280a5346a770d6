//! Prefaulted pages: an idle thread requests them from the system before they are written.
//!
//! The first touch of a page takes a microsecond or more. A compilation knows early how many bytes of weights it will
//! write, and has an idle processor until it does.
//!
//! Invariants
//! - A window is zero when it is handed out, and is not shared until it is dropped, which releases its pages.
//! - Prefaulted pages that were not handed out are released at the end of the compilation.

#![allow(unsafe_code, reason = "windows of one mapping are handed out")]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use memmap2::MmapRaw;

use super::{PAGE, map, steps};

/// Fewer bytes are not worth a thread.
const WORTH: usize = 1 << 18;

/// The mapping that windows are taken from. Like the allocator's pages, these are for all threads of the process.
static CURRENT: Mutex<Option<Arc<Mapping>>> = Mutex::new(None);

/// Memory that is prefaulted from front to back, and handed out in the same order.
struct Mapping {
    pages: MmapRaw,
    /// The offset of the next window.
    next: AtomicUsize,
    /// Everything before this offset has been prefaulted.
    taken: AtomicUsize,
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
        let is_wanted = |_: &(usize, usize)| self.mapping.is_wanted.load(Ordering::Relaxed);
        for (start, bytes) in steps(0, self.mapping.pages.len()).take_while(is_wanted) {
            self.mapping.populate(start, bytes);
            self.mapping.taken.store(start + bytes, Ordering::Release);
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
        let [next, taken] = [0, 0].map(AtomicUsize::new);
        let mapping = Arc::new(Mapping { pages, next, taken, is_wanted: AtomicBool::new(true) });
        *current() = Some(mapping.clone());
        Some((Prefaulted { mapping: mapping.clone() }, Prefaulting { mapping }))
    }

    /// Stops prefaulting; prefaulted pages are still handed out.
    pub fn stop(&self) {
        self.mapping.is_wanted.store(false, Ordering::Relaxed);
    }
}

impl Drop for Prefaulted {
    fn drop(&mut self) {
        self.stop();
        let mut current = current();
        if current.as_ref().is_some_and(|current| Arc::ptr_eq(current, &self.mapping)) {
            *current = None;
        }
        drop(current);
        // no more windows are handed out from now on
        let end = self.mapping.pages.len();
        let first = self.mapping.next.swap(end, Ordering::Relaxed);
        self.mapping.give_back(first, end - first);
    }
}

/// Stops prefaulting, to use the processors for something else; prefaulted pages are still handed out.
pub fn stop_prefaulting() {
    if let Some(mapping) = &*current() {
        mapping.is_wanted.store(false, Ordering::Relaxed);
    }
}

fn current() -> MutexGuard<'static, Option<Arc<Mapping>>> {
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner)
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
    /// A window of prefaulted memory, while enough is left.
    pub(super) fn of_taken(length: usize) -> Option<Window> {
        let mapping = current().clone()?;
        let end = |offset: usize| offset.checked_add(length.checked_next_multiple_of(PAGE)?);
        let fits = |offset| end(offset).filter(|&end| end <= mapping.pages.len());
        let offset = mapping.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).ok()?;
        Some(Window { mapping, offset, length })
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        // SAFETY: the window is inside the mapping, and no other window overlaps with it.
        unsafe { std::slice::from_raw_parts(self.mapping.pages.as_ptr().add(self.offset), self.length) }
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.mapping.pages.as_mut_ptr().add(self.offset), self.length) }
    }

    /// Prefaults the pages of a range that are not present yet.
    pub(super) fn take(&self, first: usize, end: usize) {
        let first = (self.offset + first).max(self.mapping.taken.load(Ordering::Acquire));
        steps(first, self.offset + end).for_each(|(start, bytes)| self.mapping.populate(start, bytes));
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        self.mapping.give_back(self.offset, self.length.next_multiple_of(PAGE));
    }
}

#[cfg(test)]
mod tests {
    use super::super::AlignedBytes;
    use super::*;

    #[test]
    fn windows_are_zero_and_apart() {
        assert!(Prefaulted::begin(1000).is_none());
        let (taken, worker) = Prefaulted::begin(1 << 20)
            .map(|(taken, prefaulting)| (taken, std::thread::spawn(|| prefaulting.run())))
            .unzip();
        assert_eq!(taken.is_some(), cfg!(target_os = "linux"));
        let lengths = [100_000, PAGE, 300_001, 10, 600_000, 400_000];
        let mut all: Vec<AlignedBytes> = lengths.into_iter().map(AlignedBytes::zeroed).collect();
        for (number, bytes) in all.iter_mut().enumerate() {
            bytes.expect_writes(0, lengths[number]);
            assert_eq!(bytes.as_slice().len(), lengths[number]);
            assert!(bytes.as_slice().iter().all(|&byte| byte == 0));
            bytes.as_mut_slice().fill(number as u8 + 1);
        }
        stop_prefaulting();
        worker.into_iter().for_each(|worker| worker.join().expect("it does not panic"));
        // windows outlive the rest of the mapping
        drop(taken);
        assert!(Window::of_taken(PAGE).is_none());
        for (number, bytes) in all.iter().enumerate() {
            assert!(bytes.as_slice().iter().all(|&byte| byte == number as u8 + 1), "{number}");
        }
    }
}
