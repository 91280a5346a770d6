//! Software prefetching.

/// The cache level of a prefetch.
#[derive(Clone, Copy)]
pub(super) enum Cache {
    /// L1, which tracks few outstanding lines.
    First,
    /// L2, which tracks more of them.
    Second,
}

/// Prefetches a cache line. No address faults.
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
