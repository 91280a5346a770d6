//! Library functions that code generators call implicitly.

use std::ffi::{c_int, c_void};

unsafe extern "C" {
    fn memcpy(to: *mut c_void, from: *const c_void, bytes: usize) -> *mut c_void;
    fn memmove(to: *mut c_void, from: *const c_void, bytes: usize) -> *mut c_void;
    fn memset(to: *mut c_void, byte: c_int, bytes: usize) -> *mut c_void;
}

/// The address of a function of the C library that LLVM generates calls of.
pub(crate) fn address(name: &str) -> Option<usize> {
    let function = match name {
        "memcpy" => memcpy as *const u8,
        "memmove" => memmove as *const u8,
        "memset" => memset as *const u8,
        _ => return None,
    };
    Some(function.expose_provenance())
}
