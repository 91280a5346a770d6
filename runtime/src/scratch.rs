//! Memory of a thread for what generated code keeps between the steps of one iteration of a parallel loop.

#![allow(unsafe_code, reason = "generated code calls this by name")]

use std::cell::RefCell;

/// What memory of a thread is aligned to.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line {
    _bytes: [u8; 64],
}

thread_local! {
    /// Kept from call to call, and never read before it is written.
    static SCRATCH: RefCell<Vec<Line>> = const { RefCell::new(Vec::new()) };
}

/// So many bytes of the thread's memory, 64-byte aligned, until the next call on this thread. What is in them is not known.
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
        // SAFETY: so many bytes are the thread's until the next call.
        unsafe { large.add((1 << 20) - 1).write(1) };
        assert_eq!(rt_scratch(64), large);
    }
}
