//! Prefaults the pages of an arena before the first run uses them.
//!
//! The first touch of a page takes a microsecond or more, which adds up to a good part of a first run. A background
//! thread requests many pages at once, in the order in which the run is likely to use them.

#![allow(unsafe_code, reason = "advises the system about memory that a run works in")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Smaller arenas do not justify a thread.
const WORTH: usize = 1 << 20;
/// Bytes that are requested at once: the end of a run waits for at most one request.
const STEP: usize = 1 << 18;
/// A multiple of the size of pages.
const PAGE: usize = 1 << 16;

/// A thread that prefaults pages until all are present or this is dropped.
pub struct Prefault {
    cancelled: Arc<AtomicBool>,
    thread: Option<crew::Handle<()>>,
}

impl Prefault {
    /// Starts prefaulting; the memory must not be freed before the result is dropped. `None` for small arenas.
    pub fn begin(memory: *mut u8, bytes: usize) -> Option<Prefault> {
        if bytes < WORTH || cfg!(not(target_os = "linux")) {
            return None;
        }
        let cancelled = Arc::<AtomicBool>::default();
        let (start, is_cancelled) = (memory.expose_provenance(), cancelled.clone());
        let thread = crew::spawn(move || {
            let mut at = start.next_multiple_of(PAGE);
            while at + STEP <= start + bytes && !is_cancelled.load(Ordering::Relaxed) {
                take_pages(std::ptr::with_exposed_provenance_mut(at), STEP);
                at += STEP;
            }
        });
        Some(Prefault { cancelled, thread: Some(thread) })
    }
}

impl Drop for Prefault {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // pages that were not prefaulted are allocated when they are touched
            let _ = thread.outcome();
        }
    }
}

/// Prefaults the pages of some memory; its contents stay unchanged.
fn take_pages(memory: *mut u8, bytes: usize) {
    #[cfg(target_os = "linux")]
    {
        use rustix::mm::{Advice, madvise};
        // SAFETY: the memory is mapped, and the call only populates its pages; a refusal changes nothing.
        let _ = unsafe { madvise(memory.cast(), bytes, Advice::LinuxPopulateWrite) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (memory, bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_keeps_what_is_written_meanwhile() {
        let mut memory = vec![0u8; 8 << 20];
        let prefault = Prefault::begin(memory.as_mut_ptr(), memory.len());
        let start = memory.as_mut_ptr();
        for at in (0..memory.len()).step_by(1000) {
            // SAFETY: inside the vector, which no other code writes to.
            unsafe { start.add(at).write(at as u8) };
        }
        drop(prefault);
        assert!((0..memory.len()).step_by(1000).all(|at| memory[at] == at as u8));
        assert!(Prefault::begin(memory.as_mut_ptr(), 1000).is_none());
    }
}
