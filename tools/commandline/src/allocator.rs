//! The allocator of the tools: mimalloc, called without an alignment if its blocks are sufficiently aligned anyway.
//!
//! Its functions with an alignment round most sizes that are not a power of two up to the next larger size class, on a
//! slow path.

#![allow(unsafe_code, reason = "the functions of the allocator are C's")]

use std::alloc::{GlobalAlloc, Layout};
use std::ffi::c_void;

use libmimalloc_sys::{
    mi_free, mi_malloc, mi_malloc_aligned, mi_realloc, mi_realloc_aligned, mi_zalloc, mi_zalloc_aligned,
};

/// Compilation allocates and frees many small values; the system's allocator would take a third of its time.
pub struct Allocator;

/// Blocks of at least a word are aligned to a word, those of at least two words to two words, as C requires of
/// `malloc`.
fn is_given_anyway(size: usize, alignment: usize) -> bool {
    const WORD: usize = size_of::<usize>();
    alignment <= WORD || (alignment <= 2 * WORD && size >= 2 * WORD)
}

/// Returns a block, or ends the tool if the allocation failed: code that can handle a failure asks [`limits`] before.
#[inline]
fn given(size: usize, block: *mut c_void) -> *mut u8 {
    if block.is_null() {
        crate::fatal::out_of_memory(size);
    }
    block.cast()
}

// SAFETY: mimalloc meets the contract of `GlobalAlloc`; blocks from all of its functions are freed by `mi_free`.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: any size and any power of two are valid.
        unsafe {
            given(
                layout.size(),
                match is_given_anyway(layout.size(), layout.align()) {
                    true => mi_malloc(layout.size()),
                    false => mi_malloc_aligned(layout.size(), layout.align()),
                },
            )
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        unsafe {
            given(
                layout.size(),
                match is_given_anyway(layout.size(), layout.align()) {
                    true => mi_zalloc(layout.size()),
                    false => mi_zalloc_aligned(layout.size(), layout.align()),
                },
            )
        }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, _layout: Layout) {
        // SAFETY: the caller got the block from this allocator.
        unsafe { mi_free(block.cast()) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller got the block from this allocator.
        unsafe {
            given(
                size,
                match is_given_anyway(size, layout.align()) {
                    true => mi_realloc(block.cast(), size),
                    false => mi_realloc_aligned(block.cast(), size, layout.align()),
                },
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_lie_where_their_layouts_ask() {
        for size in (1..200).chain([1000, 1500, 5000, 70_000]) {
            for alignment in [1, 2, 4, 8, 16, 32, 64, 4096] {
                let layout = Layout::from_size_align(size, alignment).expect("a power of two");
                // SAFETY: the layouts are not empty; each block is freed once, with its current layout.
                unsafe {
                    let blocks: Vec<*mut u8> = (0..50).map(|_| Allocator.alloc_zeroed(layout)).collect();
                    for &block in &blocks {
                        assert!(block.addr().is_multiple_of(alignment), "{size} bytes on {alignment}");
                        let grown = Allocator.realloc(block, layout, 2 * size);
                        assert!(grown.addr().is_multiple_of(alignment), "{size} bytes on {alignment}, grown");
                        assert_eq!(grown.add(size - 1).read(), 0);
                        Allocator.dealloc(grown, Layout::from_size_align(2 * size, alignment).expect("a power of two"));
                    }
                }
            }
        }
    }
}
