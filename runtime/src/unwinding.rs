//! What GCC's unwinder asks the C library for. Debian's compilers for musl have the one that was built for the GNU C library, whose
//! `_dl_find_object` musl lacks.

#![allow(unsafe_code, reason = "an exported C symbol, and the tables of programs and libraries")]

use std::ffi::{c_int, c_void};

/// `struct dl_find_object` of the GNU C library, of which the unwinder reads `frames`.
#[repr(C)]
struct Found {
    flags: u64,
    start: *mut c_void,
    end: *mut c_void,
    map: *mut c_void,
    /// The index of unwinding tables: the segment `PT_GNU_EH_FRAME`.
    frames: *const c_void,
    reserved: [u64; 7],
}

struct Search {
    address: usize,
    frames: Option<usize>,
}

/// Finds the unwinding tables of the program or library with the code at an address. Returns 0, or -1 if there are none.
///
/// # Safety
/// `found` is valid for writes.
#[unsafe(no_mangle)]
unsafe extern "C" fn _dl_find_object(address: *mut c_void, found: *mut Found) -> c_int {
    let mut search = Search { address: address as usize, frames: None };
    // SAFETY: `visit` is passed what it expects
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    let Some(frames) = search.frames else { return -1 };
    let nothing = std::ptr::null_mut();
    let frames = frames as *const c_void;
    // SAFETY: the caller's contract
    unsafe { found.write(Found { flags: 0, start: nothing, end: nothing, map: nothing, frames, reserved: [0; 7] }) };
    0
}

/// Ends the iteration at the program or library with the address.
///
/// # Safety
/// `info` is what `dl_iterate_phdr` passes, and `search` a [`Search`].
unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
    // SAFETY: the caller's contract
    let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
    // SAFETY: the C library states how many headers there are
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    let place = |header: &libc::Elf64_Phdr| (info.dlpi_addr as usize).wrapping_add(header.p_vaddr as usize);
    let contains = |header: &libc::Elf64_Phdr| {
        header.p_type == libc::PT_LOAD && search.address.wrapping_sub(place(header)) < header.p_memsz as usize
    };
    if !headers.iter().any(contains) {
        return 0;
    }
    search.frames = headers.iter().find(|header| header.p_type == libc::PT_GNU_EH_FRAME).map(place);
    1
}
