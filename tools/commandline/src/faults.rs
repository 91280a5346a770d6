//! What ends a tool at once: memory that the system refuses, a mapped file that another process cut short, an abort of a library.
//! Each is an error with a sentence and an exit code; drafts are removed.
//!
//! Contract
//! - The signals handled here are those of the thread's own instruction or call (`SIGBUS`, `SIGABRT`): the handler interrupts
//!   no allocation and no lock of the list of drafts, but for one that the same thread holds, which is not waited for.
//! - Nothing here takes memory before the sentence is out, and who fails again while drafts are removed ends at once.

#![allow(unsafe_code, reason = "handlers of signals are the system's, and end the process")]

use std::io::{Cursor, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use driver::ErrorClass;

use crate::drafts::remove_all;

/// Has the tool end with a sentence.
pub(crate) fn handle() {
    let [bus, abort]: [extern "C" fn(libc::c_int); 2] = [on_bus, on_abort];
    set(libc::SIGBUS, bus);
    set(libc::SIGABRT, abort);
    // SAFETY: a function that takes and returns nothing, called while the process is whole.
    unsafe { libc::atexit(on_exit) };
}

/// LLVM ends the process by itself for some of its errors, after it has told them.
extern "C" fn on_exit() {
    remove_all();
}

fn set(signal: libc::c_int, handler: extern "C" fn(libc::c_int)) {
    // SAFETY: plain numbers and a function of the right signature; threads without a stack for signals use their own.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as libc::sighandler_t;
        action.sa_flags = libc::SA_ONSTACK;
        libc::sigaction(signal, &raw const action, std::ptr::null_mut());
    }
}

extern "C" fn on_bus(_signal: libc::c_int) {
    end(
        ErrorClass::Input,
        format_args!(
            "a file was cut short while it was read: the model, its data or an input must not change meanwhile"
        ),
    )
}

extern "C" fn on_abort(_signal: libc::c_int) {
    end(ErrorClass::Internal, format_args!("the process was aborted: this is a bug of the compiler, not of the model"))
}

/// Ends the process where `bytes` bytes are refused.
pub(crate) fn out_of_memory(bytes: usize) -> ! {
    end(ErrorClass::Input, format_args!("{}", limits::Shortage { wanted: bytes as u64, available: None }))
}

fn end(class: ErrorClass, sentence: std::fmt::Arguments<'_>) -> ! {
    static ENDS: AtomicBool = AtomicBool::new(false);
    if !ENDS.swap(true, Ordering::SeqCst) {
        let mut line = Cursor::new([0u8; 256]);
        let _ = writeln!(line, "error: {sentence}");
        let length = line.position() as usize;
        // SAFETY: writes bytes of the line. Where nobody reads them nothing is lost.
        unsafe { libc::write(libc::STDERR_FILENO, line.get_ref().as_ptr().cast(), length) };
        remove_all();
    }
    // SAFETY: ends the process; nothing of it is looked at any more.
    unsafe { libc::_exit(class.exit_code()) }
}
