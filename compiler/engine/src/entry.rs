//! Host functions as functions.

#![allow(unsafe_code, reason = "calls generated code")]

use std::ffi::c_void;
use std::sync::Arc;

use crate::code::Program;

/// `@main_graph(%table) -> status`. The table holds the address of the run context; for each input its address and
/// extents; for each output space for the same.
#[derive(Clone)]
pub struct Entry(Host);

#[derive(Clone)]
enum Host {
    Machine(extern "C" fn(*mut i64) -> i64),
    Program(Arc<dyn Program>, String),
}

impl Entry {
    /// The host function at an address, which must come from bufferization.
    pub(crate) fn at(address: *const u8) -> Entry {
        // SAFETY: the pipeline gives the function this signature.
        Entry(Host::Machine(unsafe { std::mem::transmute::<*const u8, extern "C" fn(*mut i64) -> i64>(address) }))
    }

    /// The host function of that name.
    pub(crate) fn in_program(program: Arc<dyn Program>, name: &str) -> Entry {
        Entry(Host::Program(program, name.to_string()))
    }

    /// Calls it with a number of threads for its loops; returns the status.
    pub fn call(&self, table: &mut [i64], threads: usize) -> i64 {
        runtime::pool::rt_set_threads(threads as i64);
        runtime::pool::rt_begin_run();
        let status = match &self.0 {
            Host::Machine(function) => function(table.as_mut_ptr()),
            Host::Program(program, name) => program.call(name, table),
        };
        runtime::pool::rt_end_run();
        status
    }
}

/// For runs without outputs.
pub extern "C" fn provide_nothing(_: *mut c_void, _: i64, _: i64, _: *mut u8) -> *mut u8 {
    std::ptr::null_mut()
}
