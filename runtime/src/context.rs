//! The memory and the status of one run.

#![allow(unsafe_code, reason = "generated code passes the context as an address")]

use std::alloc::{Layout, alloc, dealloc};
use std::ffi::c_void;

/// Alignment of every arena, in bytes.
pub const ARENA_ALIGNMENT: usize = 64;

/// [`RunContext::status`] of a run that found no memory.
pub const STATUS_OUT_OF_MEMORY: i64 = -1;

/// Returns `bytes` bytes for output `index`, valid until the caller of the run has read it; null when there are none.
pub type OutputCallback = extern "C" fn(host: *mut c_void, index: i64, bytes: i64) -> *mut u8;

/// What one run of a compiled model works in. Reused from run to run; used by one run at a time.
#[repr(C)]
pub struct RunContext {
    /// 0 while all is well, otherwise the number of the first message.
    pub status: i64,
    /// Scratch memory, 64-byte aligned; null before the first use.
    pub arena: *mut u8,
    /// Size of `arena`.
    pub arena_bytes: i64,
    /// Handed to `output`.
    pub host: *mut c_void,
    /// Provides memory for outputs.
    pub output: OutputCallback,
    /// The newest of the buffers allocated by the current run; null when there is none.
    pub buffers: *mut RunBuffer,
}

/// The header of a buffer that lives until the end of the run. The buffer follows at once.
#[repr(C, align(64))]
pub struct RunBuffer {
    next: *mut RunBuffer,
    bytes: i64,
}

impl RunContext {
    /// A context without memory.
    pub fn new(host: *mut c_void, output: OutputCallback) -> RunContext {
        RunContext {
            status: 0,
            arena: std::ptr::null_mut(),
            arena_bytes: 0,
            host,
            output,
            buffers: std::ptr::null_mut(),
        }
    }

    /// The context as generated code takes it.
    pub fn address(&mut self) -> i64 {
        std::ptr::from_mut(self).expose_provenance() as i64
    }

    /// At least `bytes` bytes of scratch memory; what was in it before is lost when it grows.
    fn arena(&mut self, bytes: i64) -> *mut u8 {
        if bytes > self.arena_bytes || self.arena.is_null() {
            self.release();
            let layout = arena_layout(bytes.max(ARENA_ALIGNMENT as i64));
            // SAFETY: the layout is not empty.
            self.arena = layout.map_or(std::ptr::null_mut(), |layout| unsafe { alloc(layout) });
            if self.arena.is_null() {
                self.fail(STATUS_OUT_OF_MEMORY);
            } else {
                self.arena_bytes = bytes.max(ARENA_ALIGNMENT as i64);
            }
        }
        self.arena
    }

    /// `bytes` bytes that live until [`RunContext::end_run`].
    fn allocate(&mut self, bytes: i64) -> *mut u8 {
        let layout = buffer_layout(bytes);
        // SAFETY: the layout holds at least a header.
        let header = layout.map_or(std::ptr::null_mut(), |layout| unsafe { alloc(layout) }).cast::<RunBuffer>();
        if header.is_null() {
            self.fail(STATUS_OUT_OF_MEMORY);
            return std::ptr::null_mut();
        }
        // SAFETY: just allocated with room for the header and the buffer.
        unsafe {
            header.write(RunBuffer { next: self.buffers, bytes });
            self.buffers = header;
            header.add(1).cast()
        }
    }

    /// Frees the buffers of the run and clears the status; the arena stays.
    pub fn end_run(&mut self) {
        while !self.buffers.is_null() {
            // SAFETY: every header in the list was allocated and written by `allocate`.
            unsafe {
                let RunBuffer { next, bytes } = self.buffers.read();
                if let Some(layout) = buffer_layout(bytes) {
                    dealloc(self.buffers.cast(), layout);
                }
                self.buffers = next;
            }
        }
        self.status = 0;
    }

    fn fail(&mut self, status: i64) {
        if self.status == 0 {
            self.status = status;
        }
    }

    fn release(&mut self) {
        if let (false, Some(layout)) = (self.arena.is_null(), arena_layout(self.arena_bytes)) {
            // SAFETY: allocated in `arena` with this very layout.
            unsafe { dealloc(self.arena, layout) };
        }
        self.arena = std::ptr::null_mut();
        self.arena_bytes = 0;
    }
}

impl Drop for RunContext {
    fn drop(&mut self) {
        self.end_run();
        self.release();
    }
}

fn arena_layout(bytes: i64) -> Option<Layout> {
    Layout::from_size_align(usize::try_from(bytes).ok()?, ARENA_ALIGNMENT).ok()
}

fn buffer_layout(bytes: i64) -> Option<Layout> {
    let bytes = usize::try_from(bytes).ok()?.checked_add(size_of::<RunBuffer>())?;
    Layout::from_size_align(bytes, ARENA_ALIGNMENT).ok()
}

fn context<'a>(address: i64) -> &'a mut RunContext {
    // SAFETY: generated code passes on the address its host gave it, and one run uses a context at a time.
    unsafe { &mut *std::ptr::with_exposed_provenance_mut(address as usize) }
}

/// The run's scratch memory, at least `bytes` long and 64-byte aligned; null, with the status set, when there is none.
#[unsafe(no_mangle)]
pub extern "C" fn rt_arena(context_address: i64, bytes: i64) -> *mut u8 {
    context(context_address).arena(bytes)
}

/// `bytes` bytes, 64-byte aligned, that live until the end of the run; null, with the status set, when there are none.
#[unsafe(no_mangle)]
pub extern "C" fn rt_allocate(context_address: i64, bytes: i64) -> *mut u8 {
    context(context_address).allocate(bytes)
}

/// Copies `bytes` bytes between buffers that do not overlap.
///
/// # Safety
/// Both buffers are at least that long.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_copy(target: *mut u8, source: *const u8, bytes: i64) {
    if let Ok(bytes @ 1..) = usize::try_from(bytes) {
        // SAFETY: promised by the caller.
        unsafe { std::ptr::copy_nonoverlapping(source, target, bytes) }
    }
}

/// Memory for output `index`; null, with the status set, when there is none.
#[unsafe(no_mangle)]
pub extern "C" fn rt_output(context_address: i64, index: i64, bytes: i64) -> *mut u8 {
    let context = context(context_address);
    let memory = (context.output)(context.host, index, bytes);
    if memory.is_null() {
        context.fail(STATUS_OUT_OF_MEMORY);
    }
    memory
}

/// Sets the run's status unless it is set already.
#[unsafe(no_mangle)]
pub extern "C" fn rt_fail(context_address: i64, status: i64) {
    context(context_address).fail(status);
}

/// Frees what one run allocated and clears the status; the arena stays for the next run.
#[unsafe(no_mangle)]
pub extern "C" fn rt_end_context_run(context_address: i64) {
    context(context_address).end_run();
}

/// Frees all memory of a context that C code made.
#[unsafe(no_mangle)]
pub extern "C" fn rt_release(context_address: i64) {
    context(context_address).end_run();
    context(context_address).release();
}

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn no_output(_: *mut c_void, _: i64, _: i64) -> *mut u8 {
        std::ptr::null_mut()
    }

    #[test]
    fn arena_grows_and_is_reused() {
        let mut context = RunContext::new(std::ptr::null_mut(), no_output);
        let address = context.address();
        let first = rt_arena(address, 1000);
        assert_eq!(first as usize % ARENA_ALIGNMENT, 0);
        assert_eq!(rt_arena(address, 10), first);
        assert!(!rt_arena(address, 1 << 20).is_null());
        assert_eq!(context.status, 0);
    }

    #[test]
    fn buffers_live_until_the_run_ends() {
        let mut context = RunContext::new(std::ptr::null_mut(), no_output);
        let address = context.address();
        let (first, second) = (rt_allocate(address, 100), rt_allocate(address, 0));
        assert_eq!((first as usize % ARENA_ALIGNMENT, second as usize % ARENA_ALIGNMENT), (0, 0));
        context.end_run();
        assert!(context.buffers.is_null());
    }

    #[test]
    fn first_failure_wins() {
        let mut context = RunContext::new(std::ptr::null_mut(), no_output);
        let address = context.address();
        rt_fail(address, 7);
        assert!(rt_output(address, 0, 4).is_null());
        assert_eq!(context.status, 7);
    }
}
