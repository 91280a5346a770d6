//! Instruction caches and code that was just written.
//!
//! On x86-64 processors keep them coherent. On AArch64 written code reaches instruction fetches only after both caches
//! were maintained, and every processor that may have fetched ahead was made to fetch anew.

/// Makes code visible to instruction fetches of all threads. It was just written, at the addresses where it will run or
/// through another mapping of the same memory, and does not run yet.
pub fn publish<'a>(code: impl IntoIterator<Item = &'a [u8]>) {
    #[cfg(target_arch = "aarch64")]
    {
        code.into_iter().for_each(aarch64::clean);
        aarch64::synchronize_processors();
    }
    #[cfg(not(target_arch = "aarch64"))]
    drop(code);
}

#[cfg(target_arch = "aarch64")]
mod aarch64 {
    use std::arch::asm;

    /// Writes the lines of the data cache back to where instructions are fetched from, and drops those of the
    /// instruction cache.
    pub(super) fn clean(code: &[u8]) {
        let sizes: usize;
        // SAFETY: reads a register that the system lets programs read.
        unsafe { asm!("mrs {}, ctr_el0", out(reg) sizes, options(nomem, nostack, preserves_flags)) };
        // both are given as the logarithm of a number of words
        let (data, instructions) = (4 << (sizes >> 16 & 15), 4 << (sizes & 15));
        for line in lines(code, data) {
            // SAFETY: keeps the contents of memory, which is readable.
            unsafe { asm!("dc cvau, {}", in(reg) line, options(nostack, preserves_flags)) };
        }
        // SAFETY: waits for the above.
        unsafe { asm!("dsb ish", options(nostack, preserves_flags)) };
        for line in lines(code, instructions) {
            // SAFETY: as above.
            unsafe { asm!("ic ivau, {}", in(reg) line, options(nostack, preserves_flags)) };
        }
        // SAFETY: waits for the above, and lets this processor fetch anew.
        unsafe { asm!("dsb ish", "isb", options(nostack, preserves_flags)) };
    }

    /// The addresses of the cache lines that have a part of the code.
    fn lines(code: &[u8], size: usize) -> impl Iterator<Item = usize> {
        let range = code.as_ptr_range();
        (range.start.addr() / size * size..range.end.addr()).step_by(size)
    }

    /// Lets all processors that run threads of this process fetch anew. Linux before 4.16 lacks the call; there the
    /// caches alone are maintained, as other compilers in the process do.
    #[cfg(target_os = "linux")]
    pub(super) fn synchronize_processors() {
        use rustix::thread::{MembarrierCommand, membarrier};
        use std::sync::LazyLock;

        static IS_REGISTERED: LazyLock<bool> =
            LazyLock::new(|| membarrier(MembarrierCommand::RegisterPrivateExpeditedSyncCore).is_ok());
        if *IS_REGISTERED {
            // it fails only in processes that are not registered
            let _ = membarrier(MembarrierCommand::PrivateExpeditedSyncCore);
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn synchronize_processors() {}
}
