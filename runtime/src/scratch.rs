//! Thread-local memory that generated code uses between the steps of one iteration of a parallel loop.

#![allow(unsafe_code, reason = "generated code calls this by name")]

use std::cell::RefCell;

/// The alignment of the memory.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line {
    _bytes: [u8; 64],
}

thread_local! {
    /// Reused by later calls, and never read before it is written.
    static SCRATCH: RefCell<Vec<Line>> = const { RefCell::new(Vec::new()) };
}

/// `bytes` bytes of the thread's memory, 64-byte aligned, until the next call on this thread. Their contents are
/// unspecified.
#[unsafe(no_mangle)]
pub extern "C" fn rt_scratch(bytes: i64) -> *mut u8 {
    let lines = usize::try_from(bytes).unwrap_or(0).div_ceil(size_of::<Line>());
    SCRATCH.with_borrow_mut(|scratch| {
        if scratch.capacity() < lines {
            *scratch = Vec::new();
            scratch.reserve_exact(lines);
        }
        scratch.as_mut_ptr().cast()
    })
}

#[cfg(test)]
mod tests {
    use super::rt_scratch;

    #[test]
    fn memory_grows_and_is_kept() {
        let small = rt_scratch(100);
        assert_eq!(small.align_offset(64), 0);
        assert_eq!(rt_scratch(128), small);
        let large = rt_scratch(1 << 20);
        // SAFETY: the memory has this size and is the thread's until the next call.
        unsafe { large.add((1 << 20) - 1).write(1) };
        assert_eq!(rt_scratch(64), large);
    }
}
