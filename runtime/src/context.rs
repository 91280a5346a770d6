//! The memory and the status of one run.

#![allow(unsafe_code, reason = "generated code passes the context as an address")]

use std::alloc::{Layout, alloc, dealloc};
use std::ffi::c_void;
use std::sync::atomic::{AtomicI64, Ordering};

use abi::Status;

use crate::handles::HandleTable;
use crate::pages::prefer_huge;
use crate::stop;
use crate::strings::StringTable;

/// The minimum alignment of an arena, in bytes.
pub const ARENA_ALIGNMENT: usize = 64;

/// The number of freed buffers that are kept for reuse.
const SPARE_BUFFERS: usize = 16;

/// Returns `bytes` bytes for output `index`, valid until the caller of the run has read it; null if the allocation
/// fails. The memory may be that of the input at `over`, if that is not null, because the run does not read it any
/// more.
pub type OutputCallback = extern "C" fn(host: *mut c_void, index: i64, bytes: i64, over: *mut u8) -> *mut u8;

/// The scratch memory and state of one run. Reused from run to run; used by one run at a time.
#[repr(C)]
pub struct RunContext {
    /// 0 while no error has occurred, otherwise the number of the first message.
    pub status: i64,
    /// Scratch memory, 64-byte aligned; null before the first use.
    pub arena: *mut u8,
    /// Size of `arena`.
    pub arena_bytes: i64,
    /// Passed to `output`.
    pub host: *mut c_void,
    /// Provides memory for outputs.
    pub output: OutputCallback,
    /// The newest buffer allocated by the current run, or null.
    pub buffers: *mut RunBuffer,
    /// Buffers freed by a scope of the current run, or left by the run before, for reuse; the last one freed first.
    pub spare: *mut RunBuffer,
    /// The strings of the run, or null.
    pub strings: *mut StringTable,
    /// The sequences and optionals of the run, or null.
    pub handles: *mut HandleTable,
    /// The access that a checked build refused.
    pub fault: Option<Fault>,
}

/// An access outside of its buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The first byte, counted from the beginning of the buffer.
    pub offset: i64,
    /// The number of bytes.
    pub length: i64,
    /// The size of the buffer.
    pub bytes: i64,
}

/// The header of a buffer that lives until the end of its scope, or of the run. The buffer follows immediately.
#[repr(C, align(64))]
pub struct RunBuffer {
    next: *mut RunBuffer,
    bytes: i64,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Fault { offset, length, bytes } = self;
        write!(f, "{length} bytes from byte {offset} on, and the buffer has {bytes} bytes")
    }
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
            spare: std::ptr::null_mut(),
            strings: std::ptr::null_mut(),
            handles: std::ptr::null_mut(),
            fault: None,
        }
    }

    /// A context for a model with strings.
    pub fn with_strings(mut self, strings: &[String]) -> RunContext {
        self.strings = Box::into_raw(Box::new(StringTable::new(strings)));
        self
    }

    /// The strings of the run.
    pub fn strings(&mut self) -> &mut StringTable {
        if self.strings.is_null() {
            self.strings = Box::into_raw(Box::new(StringTable::new(&[])));
        }
        // SAFETY: the pointer came from a box that the context owns.
        unsafe { &mut *self.strings }
    }

    /// The sequences and optionals of the run.
    pub fn handles(&mut self) -> &mut HandleTable {
        if self.handles.is_null() {
            self.handles = Box::into_raw(Box::default());
        }
        // SAFETY: the pointer came from a box that the context owns.
        unsafe { &mut *self.handles }
    }

    /// The context as generated code takes it.
    pub fn address(&mut self) -> i64 {
        std::ptr::from_mut(self).expose_provenance() as i64
    }

    /// At least `bytes` bytes of scratch memory; its contents are lost when it grows.
    fn arena(&mut self, bytes: i64) -> *mut u8 {
        if bytes > self.arena_bytes || self.arena.is_null() {
            self.release();
            let layout =
                arena_layout(bytes.max(ARENA_ALIGNMENT as i64)).filter(|_| limits::ask(bytes.max(0) as u64).is_ok());
            // SAFETY: the layout is not empty.
            self.arena = layout.map_or(std::ptr::null_mut(), |layout| unsafe { alloc(layout) });
            if self.arena.is_null() {
                self.fail(Status::OutOfMemory);
            } else {
                self.arena_bytes = bytes.max(ARENA_ALIGNMENT as i64);
                prefer_huge(self.arena, self.arena_bytes);
            }
        }
        self.arena
    }

    /// `bytes` bytes that live until the end of the current scope, or until [`RunContext::end_run`].
    pub(crate) fn allocate(&mut self, bytes: i64) -> *mut u8 {
        let header = match take_spare(&mut self.spare, bytes) {
            Some(spare) => spare,
            None => {
                let layout = buffer_layout(bytes).filter(|_| limits::ask(bytes.max(0) as u64).is_ok());
                // SAFETY: the layout holds at least a header.
                let header = layout.map_or(std::ptr::null_mut(), |layout| unsafe { alloc(layout) }).cast::<RunBuffer>();
                if header.is_null() {
                    self.fail(Status::OutOfMemory);
                    return std::ptr::null_mut();
                }
                // SAFETY: just allocated with room for the header.
                unsafe { header.write(RunBuffer { next: std::ptr::null_mut(), bytes }) };
                prefer_huge(header.cast(), bytes);
                header
            }
        };
        push(&mut self.buffers, header);
        // SAFETY: the buffer follows the header.
        unsafe { header.add(1).cast() }
    }

    /// Frees the buffers that are newer than `scope`, except those that begin at one of the addresses `kept`.
    fn end_scope(&mut self, scope: *mut RunBuffer, kept: &[i64]) {
        let mut newer = std::mem::replace(&mut self.buffers, scope);
        let mut survivors: Vec<*mut RunBuffer> = Vec::new();
        while newer != scope && !newer.is_null() {
            let header = newer;
            // SAFETY: every header in the list was allocated and written by `allocate`.
            newer = unsafe { (*header).next };
            match kept.contains(&address_after(header)) {
                true => survivors.push(header),
                false => push(&mut self.spare, header),
            }
        }
        for survivor in survivors.into_iter().rev() {
            push(&mut self.buffers, survivor);
        }
        free_after(&mut self.spare, SPARE_BUFFERS);
    }

    /// A buffer with the first `used` bytes of the one at `address`, which `allocate` returned, and room for `more`.
    /// Capacity doubles, so that copies are rare.
    fn grow(&mut self, address: i64, used: i64, more: i64) -> *mut u8 {
        let start: *mut u8 = std::ptr::with_exposed_provenance_mut(address as usize);
        // SAFETY: the header is directly before the memory that `allocate` returned.
        let room = unsafe { start.cast::<RunBuffer>().sub(1).read().bytes };
        let Some(needed) = used.checked_add(more).filter(|&needed| used >= 0 && more >= 0 && needed <= i64::MAX / 2)
        else {
            self.fail(Status::OutOfMemory);
            return std::ptr::null_mut();
        };
        if needed <= room {
            return start;
        }
        let grown = self.allocate(needed.max(2 * room));
        if !grown.is_null() {
            // SAFETY: both have this length, and the new one was just allocated.
            unsafe { std::ptr::copy_nonoverlapping(start, grown, used as usize) };
        }
        grown
    }

    /// Frees the buffers of the run and clears the status. The arena stays, and so do buffers for the next run: only those that this run
    /// needed at its end, so that memory follows what runs need.
    pub fn end_run(&mut self) {
        free_after(&mut self.spare, 0);
        self.spare = std::mem::replace(&mut self.buffers, std::ptr::null_mut());
        free_after(&mut self.spare, SPARE_BUFFERS);
        // SAFETY: the pointer came from a box that the context owns.
        if let Some(strings) = unsafe { self.strings.as_mut() } {
            strings.end_run();
        }
        // SAFETY: as above.
        if let Some(handles) = unsafe { self.handles.as_mut() } {
            handles.end_run();
        }
        self.status = 0;
        self.fault = None;
    }

    pub(crate) fn fail(&mut self, status: Status) {
        self.fail_with(status.code());
    }

    /// The same with the number of a status, or of a message of the model.
    fn fail_with(&mut self, status: i64) {
        if self.status == 0 {
            self.status = status;
        }
    }

    fn release(&mut self) {
        let (arena, bytes) = (std::mem::replace(&mut self.arena, std::ptr::null_mut()), self.arena_bytes);
        self.arena_bytes = 0;
        if let (false, Some(layout)) = (arena.is_null(), arena_layout(bytes)) {
            // SAFETY: allocated in `arena` with this very layout.
            unsafe { dealloc(arena, layout) };
        }
    }

    fn release_values(&mut self) {
        if !self.handles.is_null() {
            // SAFETY: the pointer came from a box, and nothing refers to it any more.
            drop(unsafe { Box::from_raw(std::mem::replace(&mut self.handles, std::ptr::null_mut())) });
        }
        if !self.strings.is_null() {
            // SAFETY: the pointer came from a box, and nothing refers to it any more.
            drop(unsafe { Box::from_raw(std::mem::replace(&mut self.strings, std::ptr::null_mut())) });
        }
    }
}

impl Drop for RunContext {
    fn drop(&mut self) {
        self.end_run();
        free_after(&mut self.spare, 0);
        self.release();
        self.release_values();
    }
}

fn push(list: &mut *mut RunBuffer, header: *mut RunBuffer) {
    // SAFETY: every header was allocated and written by `allocate`, and is in no other list.
    unsafe { (*header).next = *list };
    *list = header;
}

/// Removes a buffer from a list that has room for `bytes` bytes and is not much larger.
fn take_spare(list: &mut *mut RunBuffer, bytes: i64) -> Option<*mut RunBuffer> {
    let mut link: *mut *mut RunBuffer = list;
    // SAFETY: every header in the list was allocated and written by `allocate`.
    unsafe {
        while !(*link).is_null() {
            let header = *link;
            if bytes <= (*header).bytes && (*header).bytes <= bytes.saturating_mul(2).saturating_add(4096) {
                *link = (*header).next;
                return Some(header);
            }
            link = &raw mut (*header).next;
        }
    }
    None
}

/// Frees all buffers of a list but the first `kept`.
fn free_after(list: &mut *mut RunBuffer, kept: usize) {
    let mut link: *mut *mut RunBuffer = list;
    // SAFETY: every header in the list was allocated and written by `allocate`.
    unsafe {
        for _ in 0..kept {
            if (*link).is_null() {
                return;
            }
            link = &raw mut (**link).next;
        }
        let mut rest = std::mem::replace(&mut *link, std::ptr::null_mut());
        while !rest.is_null() {
            let RunBuffer { next, bytes } = rest.read();
            if let Some(layout) = buffer_layout(bytes) {
                dealloc(rest.cast(), layout);
            }
            rest = next;
        }
    }
}

/// The address of the buffer after a header.
fn address_after(header: *mut RunBuffer) -> i64 {
    header.wrapping_add(1).expose_provenance() as i64
}

fn arena_layout(bytes: i64) -> Option<Layout> {
    Layout::from_size_align(usize::try_from(bytes).ok()?, ARENA_ALIGNMENT).ok()
}

fn buffer_layout(bytes: i64) -> Option<Layout> {
    let bytes = usize::try_from(bytes).ok()?.checked_add(size_of::<RunBuffer>())?;
    Layout::from_size_align(bytes, ARENA_ALIGNMENT).ok()
}

pub(crate) fn context<'a>(address: i64) -> &'a mut RunContext {
    // SAFETY: generated code passes on the address its host gave it, and one run uses a context at a time.
    unsafe { &mut *std::ptr::with_exposed_provenance_mut(address as usize) }
}

/// The run's scratch memory, at least `bytes` long and 64-byte aligned; null, with the status set, if the allocation
/// fails.
#[unsafe(no_mangle)]
pub extern "C" fn rt_arena(context_address: i64, bytes: i64) -> *mut u8 {
    context(context_address).arena(bytes)
}

/// `bytes` bytes, 64-byte aligned, that live until the end of the run; null, with the status set, if the allocation
/// fails.
#[unsafe(no_mangle)]
pub extern "C" fn rt_allocate(context_address: i64, bytes: i64) -> *mut u8 {
    context(context_address).allocate(bytes)
}

/// Begins a scope: [`rt_scope_end`] with the result frees what is allocated from here on.
#[unsafe(no_mangle)]
pub extern "C" fn rt_scope_begin(context_address: i64) -> i64 {
    context(context_address).buffers.expose_provenance() as i64
}

/// Frees what was allocated since `scope` began, except the buffers at `count` addresses, which move to the enclosing
/// scope.
///
/// # Safety
/// `kept` points to `count` words, and scopes end in the reverse order of their beginnings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_scope_end(context_address: i64, scope: i64, kept: *const i64, count: i64) {
    // SAFETY: promised by the caller.
    let kept = unsafe { std::slice::from_raw_parts(kept, count.max(0) as usize) };
    context(context_address).end_scope(std::ptr::with_exposed_provenance_mut(scope as usize), kept);
}

/// Begins a scope of handles, as [`rt_scope_begin`] does of buffers.
#[unsafe(no_mangle)]
pub extern "C" fn rt_handles_begin(context_address: i64) -> i64 {
    context(context_address).handles().mark()
}

/// Ends a scope of handles, as [`rt_scope_end`] does of buffers.
///
/// # Safety
/// `kept` points to `count` words, and scopes end in the reverse order of their beginnings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_handles_end(context_address: i64, scope: i64, kept: *const i64, count: i64) {
    // SAFETY: promised by the caller.
    let kept = unsafe { std::slice::from_raw_parts(kept, count.max(0) as usize) };
    context(context_address).handles().end_scope(scope, kept);
}

/// Appends `bytes` bytes to the first `used` bytes of a buffer of the run; returns the buffer's new address, or null,
/// with the status set, if the allocation fails.
///
/// # Safety
/// The buffer is from `rt_allocate` or this function, and `source` has `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_append(
    context_address: i64,
    buffer: i64,
    used: i64,
    source: *const u8,
    bytes: i64,
) -> *mut u8 {
    let grown = context(context_address).grow(buffer, used, bytes);
    if !grown.is_null() && bytes > 0 {
        // SAFETY: `grow` made room for it.
        unsafe { std::ptr::copy_nonoverlapping(source, grown.add(used as usize), bytes as usize) };
    }
    grown
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

/// Memory for output `index`; null, with the status set, if the allocation fails. `over` is the address of an input
/// that is dead and whose memory the output may reuse, or 0.
#[unsafe(no_mangle)]
pub extern "C" fn rt_output(context_address: i64, index: i64, bytes: i64, over: i64) -> *mut u8 {
    let context = context(context_address);
    let over = std::ptr::with_exposed_provenance_mut(over as usize);
    let memory = (context.output)(context.host, index, bytes, over);
    if memory.is_null() {
        context.fail(Status::OutOfMemory);
    }
    memory
}

/// Sets the run's status unless it is set already.
#[unsafe(no_mangle)]
pub extern "C" fn rt_fail(context_address: i64, status: i64) {
    context(context_address).fail_with(status);
}

/// Sets the run's status, and which bytes of a buffer of `bytes` bytes were to be accessed, unless it is set already.
/// Called by several threads.
///
/// # Safety
/// The address is that of the context of a run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_out_of_bounds(context_address: i64, number: i64, offset: i64, length: i64, bytes: i64) {
    let context: *mut RunContext = std::ptr::with_exposed_provenance_mut(context_address as usize);
    // SAFETY: the context of a run outlives it, and nothing else writes the status or the fault while kernels run, except
    // kernels' assertions, which write the status without reading it.
    unsafe {
        let status = AtomicI64::from_ptr(&raw mut (*context).status);
        if status.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            (*context).fault = Some(Fault { offset, length, bytes });
        }
    }
}

/// Sets the run's status if it is to end early: an iteration of a loop of the host function calls it.
#[unsafe(no_mangle)]
pub extern "C" fn rt_check_stop(context_address: i64) {
    if stop::is_due() {
        context(context_address).fail(Status::Stopped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn no_output(_: *mut c_void, _: i64, _: i64, _: *mut u8) -> *mut u8 {
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
    fn scopes_free_all_but_what_is_passed_on() {
        let mut context = RunContext::new(std::ptr::null_mut(), no_output);
        let address = context.address();
        rt_allocate(address, 8);
        let scope = rt_scope_begin(address);
        let mut carried = rt_allocate(address, 1 << 20);
        for _ in 0..1000 {
            rt_allocate(address, 1 << 20);
            let next = rt_allocate(address, 1 << 20);
            let kept = [next.expose_provenance() as i64];
            // SAFETY: one word.
            unsafe { rt_scope_end(address, scope, kept.as_ptr(), 1) };
            assert_ne!(next, carried);
            carried = next;
        }
        let length = |list: *mut RunBuffer| {
            // SAFETY: every header in the list was written by `allocate`.
            std::iter::successors((!list.is_null()).then_some(list), |&b| {
                let next = unsafe { (*b).next };
                (!next.is_null()).then_some(next)
            })
            .count()
        };
        assert_eq!(length(context.buffers), 2);
        assert!(length(context.spare) <= 2);
    }

    #[test]
    fn appended_bytes_stay_in_order() {
        let mut context = RunContext::new(std::ptr::null_mut(), no_output);
        let address = context.address();
        let mut buffer = rt_allocate(address, 0);
        for byte in 0..200u8 {
            // SAFETY: one byte.
            buffer = unsafe { rt_append(address, buffer.expose_provenance() as i64, byte as i64, &raw const byte, 1) };
        }
        // SAFETY: 200 bytes were appended.
        let bytes = unsafe { std::slice::from_raw_parts(buffer, 200) };
        assert!(bytes.iter().copied().eq(0..200));
    }

    #[test]
    fn first_failure_wins() {
        let mut context = RunContext::new(std::ptr::null_mut(), no_output);
        let address = context.address();
        rt_fail(address, 7);
        assert!(rt_output(address, 0, 4, 0).is_null());
        assert_eq!(context.status, 7);
    }
}
