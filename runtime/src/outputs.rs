//! Memory of outputs that C callers own and free.
//!
//! Fresh memory costs more than many runs, because the system zeroes its pages one by one. Therefore a few freed
//! buffers are kept for later outputs, until a session is closed.
//!
//! Invariants
//! - The size of a buffer is stored before it.

#![allow(unsafe_code, reason = "C callers hold the memory as addresses")]

use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Alignment of a buffer, in bytes, and the space before it for its size.
const ALIGNMENT: usize = 64;
/// Buffers of at least this size are kept; the allocator caches smaller ones itself.
const LARGE: usize = 1 << 16;
/// The maximum number of buffers that are kept.
const KEPT: usize = 8;

/// A free buffer.
struct Spare {
    memory: *mut u8,
    bytes: usize,
}

impl Spare {
    fn free(self) {
        // SAFETY: the buffer is unused, and its allocation begins there.
        unsafe { libc::free(self.memory.sub(ALIGNMENT).cast()) };
    }
}

// SAFETY: no other code has the address.
unsafe impl Send for Spare {}

/// The oldest first.
static SPARE: Mutex<Vec<Spare>> = Mutex::new(Vec::new());

fn spare() -> MutexGuard<'static, Vec<Spare>> {
    SPARE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A buffer of at least `bytes` bytes; null if the allocation fails.
pub(crate) fn allocate(bytes: usize) -> *mut u8 {
    if bytes >= LARGE {
        let mut spare = spare();
        // a much larger buffer is not used for a small output
        if let Some(at) = spare.iter().position(|spare| (bytes..=2 * bytes).contains(&spare.bytes)) {
            return spare.remove(at).memory;
        }
    }
    let mut start: *mut c_void = std::ptr::null_mut();
    let Some(room) = bytes.checked_add(ALIGNMENT).filter(|_| limits::ask(bytes as u64).is_ok()) else {
        return std::ptr::null_mut();
    };
    // SAFETY: the alignment is a power of two; the address is only used if it is not null, and there is room for the
    // size.
    unsafe {
        if libc::posix_memalign(&raw mut start, ALIGNMENT, room) != 0 {
            return std::ptr::null_mut();
        }
        start.cast::<usize>().write(bytes);
        start.cast::<u8>().add(ALIGNMENT)
    }
}

/// Frees a buffer.
///
/// # Safety
/// The buffer is from [`allocate`] and not in use, or null.
pub(crate) unsafe fn release(memory: *mut u8) {
    if memory.is_null() {
        return;
    }
    // SAFETY: the size is stored before the buffer.
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

/// Frees the buffers that are kept.
pub(crate) fn clear() {
    spare().drain(..).for_each(Spare::free);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_memory_is_reused() {
        let memory = allocate(3 * LARGE);
        assert_eq!(memory.addr() % ALIGNMENT, 0);
        // SAFETY: both buffers were just allocated.
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
