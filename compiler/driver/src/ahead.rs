//! The pages of an arena, taken from the system ahead of the first run that works in it.
//!
//! The first touch of a page takes a microsecond or more, which for a first run adds up to a good part of its time. A thread beside the
//! run asks for many pages at once, in the order in which they are likely to be used.

#![allow(unsafe_code, reason = "advises the system about memory that a run works in")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Smaller arenas are not worth a thread.
const WORTH: usize = 1 << 20;
/// Bytes asked for at once: a run that ends does not wait for more.
const STEP: usize = 1 << 18;
/// A multiple of the size of pages.
const PAGE: usize = 1 << 16;

/// A thread that asks for pages until they are all there or nobody wants them any more, which is when this is dropped.
pub(crate) struct Ahead {
    cancelled: Arc<AtomicBool>,
    thread: Option<crew::Handle<()>>,
}

impl Ahead {
    /// Begins with memory that must not be freed before the result is dropped; `None` for little memory.
    pub(crate) fn begin(memory: *mut u8, bytes: usize) -> Option<Ahead> {
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
        Some(Ahead { cancelled, thread: Some(thread) })
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join();
        }
    }
}

/// Asks the system for the pages of some memory, whose contents stay what they are.
fn take_pages(memory: *mut u8, bytes: usize) {
    #[cfg(target_os = "linux")]
    {
        use rustix::mm::{Advice, madvise};
        // SAFETY: the memory is there, and only its pages change; a refusal changes nothing.
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
        let ahead = Ahead::begin(memory.as_mut_ptr(), memory.len());
        let start = memory.as_mut_ptr();
        for at in (0..memory.len()).step_by(1000) {
            // SAFETY: within the vector, which nobody else writes.
            unsafe { start.add(at).write(at as u8) };
        }
        drop(ahead);
        assert!((0..memory.len()).step_by(1000).all(|at| memory[at] == at as u8));
        assert!(Ahead::begin(memory.as_mut_ptr(), 1000).is_none());
    }
}
