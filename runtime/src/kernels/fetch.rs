//! Lines of memory that are asked for before they are read. No address faults here, whatever it is.

/// Has a line brought into the first cache, of which few are on their way at a time.
#[inline(always)]
pub(super) fn into_first<T>(from: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: this never faults, whatever the address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(from.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = from;
}

/// Has a line brought into the second cache, on whose way more lines can be than on that into the first.
#[inline(always)]
pub(super) fn into_second<T>(from: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: as above.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T1>(from.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = from;
}
