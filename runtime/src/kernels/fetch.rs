//! Lines of memory that are asked for before they are read.

/// Where a line is brought.
#[derive(Clone, Copy)]
pub(super) enum Cache {
    /// On the way there are few lines at a time.
    First,
    /// More of them can be on the way.
    Second,
}

/// Has a line of memory brought into a cache. No address faults, whatever it is.
#[inline(always)]
pub(super) fn ahead<T>(from: *const T, cache: Cache) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: this never faults, whatever the address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _MM_HINT_T1, _mm_prefetch};
        match cache {
            Cache::First => _mm_prefetch::<_MM_HINT_T0>(from.cast()),
            Cache::Second => _mm_prefetch::<_MM_HINT_T1>(from.cast()),
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (from, cache);
}
