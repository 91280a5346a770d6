//! Memory of outputs that C callers own, and which they give back.
//!
//! Fresh memory costs more than many a run: the system zeroes its pages one by one. What callers gave back is therefore kept
//! for outputs to come, a few buffers in all, until a session is closed.
//!
//! Invariants
//! - In front of each buffer stands how many bytes it has.

#![allow(unsafe_code, reason = "C callers hold the memory as addresses")]

use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Alignment of a buffer, in bytes, and the room for its size.
const ALIGNMENT: usize = 64;
/// From this size on buffers are kept; smaller ones the allocator keeps by itself.
const LARGE: usize = 1 << 16;
/// Buffers kept.
const KEPT: usize = 8;

/// A buffer that nobody uses.
struct Spare {
    memory: *mut u8,
    bytes: usize,
}

impl Spare {
    fn free(self) {
        // SAFETY: nobody uses it, and that is where it begins.
        unsafe { libc::free(self.memory.sub(ALIGNMENT).cast()) };
    }
}

// SAFETY: nobody else has the address.
unsafe impl Send for Spare {}

/// The oldest first.
static SPARE: Mutex<Vec<Spare>> = Mutex::new(Vec::new());

fn spare() -> MutexGuard<'static, Vec<Spare>> {
    SPARE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A buffer of so many bytes or more; null when there is no memory.
pub(crate) fn allocate(bytes: usize) -> *mut u8 {
    if bytes >= LARGE {
        let mut spare = spare();
        // much larger memory is not kept for a small output
        if let Some(at) = spare.iter().position(|spare| (bytes..=2 * bytes).contains(&spare.bytes)) {
            return spare.remove(at).memory;
        }
    }
    let mut start: *mut c_void = std::ptr::null_mut();
    let Some(room) = bytes.checked_add(ALIGNMENT).filter(|_| limits::ask(bytes as u64).is_ok()) else {
        return std::ptr::null_mut();
    };
    // SAFETY: the alignment is a power of two; the address is taken only if there is one, and there is room for the size.
    unsafe {
        if libc::posix_memalign(&raw mut start, ALIGNMENT, room) != 0 {
            return std::ptr::null_mut();
        }
        start.cast::<usize>().write(bytes);
        start.cast::<u8>().add(ALIGNMENT)
    }
}

/// Takes a buffer back.
///
/// # Safety
/// [`allocate`] made it, and nobody else uses it; or it is null.
pub(crate) unsafe fn release(memory: *mut u8) {
    if memory.is_null() {
        return;
    }
    // SAFETY: the size stands in front of it.
    let bytes = unsafe { memory.sub(ALIGNMENT).cast::<usize>().read() };
    let mut last = Spare { memory, bytes };
    if bytes >= LARGE {
        let mut spare = spare();
        spare.push(last);
        if spare.len() <= KEPT {
            return;
        }
        last = spare.remove(0);
    }
    last.free();
}

/// Gives back what is kept.
pub(crate) fn clear() {
    spare().drain(..).for_each(Spare::free);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_back_is_used_again() {
        let memory = allocate(3 * LARGE);
        assert_eq!(memory.addr() % ALIGNMENT, 0);
        // SAFETY: it was just made, and so is what follows.
        unsafe {
            memory.add(3 * LARGE - 1).write(1);
            release(memory);
            let small = allocate(LARGE);
            assert_ne!(small, memory);
            let again = allocate(2 * LARGE);
            assert_eq!(again, memory);
            release(small);
            release(again);
            release(std::ptr::null_mut());
        }
        clear();
        assert!(spare().is_empty());
    }
}
