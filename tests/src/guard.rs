//! An allocator whose buffers end at a guard page, so that an access after a buffer ends the process.
//!
//! # Safety
//!
//! Blocks are in one range of addresses that is reserved once and never reused: each block has separate pages, which
//! become inaccessible when it is freed. The address of a block decides how it is freed, so that it does not matter
//! whether guards are on by then. Outside of [`guarded`], and after the range is used up, blocks come from the system.

#![allow(unsafe_code, reason = "an allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use driver::{Blob, Tensor, Value};

/// Bytes of a page.
const PAGE: usize = 4096;
/// The size of the reserved range of addresses.
const ROOM: usize = 16 << 40;
/// The byte that fresh blocks are filled with, so that elements that are not written are noticed.
const FILL: u8 = 0xcd;
/// The maximum size of blocks that are filled.
const FILLED: usize = 1 << 20;
/// The alignment that tensors rely on. Their buffers are blocks of that alignment, or of bytes. Other blocks are not accessed by
/// generated code: most belong to the code generator, which compiles during the first run.
const ALIGNMENT: usize = 64;

static ON: AtomicBool = AtomicBool::new(false);
static START: AtomicUsize = AtomicUsize::new(0);
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// The allocator of a program that runs models with guard pages.
#[derive(Clone, Copy, Debug)]
pub struct GuardPages;

/// Reserves addresses: from now on [`guarded`] has an effect.
pub fn reserve() {
    let protection = libc::PROT_NONE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a fresh mapping that replaces none
    let start = unsafe { libc::mmap(std::ptr::null_mut(), ROOM, protection, flags, -1, 0) };
    assert!(start != libc::MAP_FAILED, "the system reserves addresses");
    NEXT.store(start as usize, Ordering::Relaxed);
    START.store(start as usize, Ordering::Release);
}

/// Whether there are guards.
pub fn is_reserved() -> bool {
    START.load(Ordering::Relaxed) != 0
}

/// Calls a function whose buffers have guard pages, as those of other threads have meanwhile.
pub fn guarded<T>(run: impl FnOnce() -> T) -> T {
    ON.store(is_reserved(), Ordering::Release);
    let result = run();
    ON.store(false, Ordering::Release);
    result
}

/// A copy of a value in memory that ends at a guard page.
pub fn moved(value: &Value) -> Value {
    let Value::Tensor(tensor) = value else { return value.clone() };
    let bytes = tensor.data.bytes();
    let room = bytes.len().next_multiple_of(ALIGNMENT);
    if !is_reserved() || bytes.is_empty() {
        return value.clone();
    }
    let mut padded = vec![0; room];
    padded[room - bytes.len()..].copy_from_slice(bytes);
    let blob = guarded(|| Blob::copy_of(&padded));
    let data = blob.window(room - bytes.len(), bytes.len()).expect("it has that size");
    Value::Tensor(Tensor { data, ..tensor.clone() })
}

fn is_inside(address: usize) -> bool {
    let start = START.load(Ordering::Relaxed);
    start != 0 && (start..start + ROOM).contains(&address)
}

/// The last possible address of a block in separate pages, with a guard page after them.
fn place(layout: Layout) -> Option<(usize, usize)> {
    let is_buffer = layout.align() == 1 || (ALIGNMENT..=PAGE).contains(&layout.align());
    if !ON.load(Ordering::Relaxed) || !is_buffer || layout.size() > ROOM / 1024 {
        return None;
    }
    let size = (layout.size() + layout.align()).next_multiple_of(PAGE);
    let at = NEXT.fetch_add(size + PAGE, Ordering::Relaxed);
    is_inside(at + size + PAGE).then_some((at, size))
}

// SAFETY: see the module
unsafe impl GlobalAlloc for GuardPages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some((at, size)) = place(layout) else {
            // SAFETY: the caller's layout
            return unsafe { System.alloc(layout) };
        };
        // SAFETY: fresh pages of the range
        if unsafe { libc::mprotect(at as *mut _, size, libc::PROT_READ | libc::PROT_WRITE) } != 0 {
            // SAFETY: the caller's layout
            return unsafe { System.alloc(layout) };
        }
        let block = ((at + size - layout.size()) & !(layout.align() - 1)) as *mut u8;
        if layout.size() <= FILLED {
            // SAFETY: the pages contain the block
            unsafe { block.write_bytes(FILL, layout.size()) };
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if !is_inside(block as usize) {
            // SAFETY: not in the range, so it is the system's
            return unsafe { System.dealloc(block, layout) };
        }
        let first = block as usize & !(PAGE - 1);
        let length = (block as usize + layout.size()).next_multiple_of(PAGE) - first;
        // SAFETY: the block's pages, which are not used any more
        unsafe {
            libc::mprotect(first as *mut _, length, libc::PROT_NONE);
            libc::madvise(first as *mut _, length, libc::MADV_DONTNEED);
        }
    }
}
