//! Host functions as functions.

#![allow(unsafe_code, reason = "calls generated code")]

use std::ffi::c_void;

/// `@main_graph(%table) -> status`. The table holds the address of the run context; for each input its address and
/// extents; for each output space for the same.
#[derive(Clone, Copy)]
pub struct Entry(extern "C" fn(*mut i64) -> i64);

impl Entry {
    /// The host function at an address, which must come from bufferization.
    pub(crate) fn at(address: *const u8) -> Entry {
        // SAFETY: the pipeline gives the function this signature.
        Entry(unsafe { std::mem::transmute::<*const u8, extern "C" fn(*mut i64) -> i64>(address) })
    }

    /// Calls it with a number of threads for its loops; returns the status.
    pub fn call(self, table: &mut [i64], threads: usize) -> i64 {
        runtime::pool::rt_set_threads(threads as i64);
        runtime::pool::rt_begin_run();
        let status = (self.0)(table.as_mut_ptr());
        runtime::pool::rt_end_run();
        status
    }
}

/// For runs without outputs.
pub extern "C" fn provide_nothing(_: *mut c_void, _: i64, _: i64, _: *mut u8) -> *mut u8 {
    std::ptr::null_mut()
}
