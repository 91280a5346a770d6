//! The size of the pages that this process gets its memory in.
//!
//! What a compilation makes is small and scattered, so that most of a large page would be there for nothing: the allocator is built to
//! have small ones, for which it forbids large ones to the whole process. Weights that are prepared and what runs work in ask for
//! large ones, which are there after one touch and which the processor finds faster.

/// Lets memory come in large pages that asks for it.
pub(crate) fn allow_large() {
    #[cfg(target_os = "linux")]
    // a system that has no large pages does not need to be told
    let _ = rustix::thread::disable_transparent_huge_pages(false);
}
