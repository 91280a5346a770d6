//! Fatal conditions: a failed allocation, a mapped file that another process truncated, an abort of a library. Each is
//! reported as an error with a message and an exit code; drafts are removed.
//!
//! Contract
//! - The signals handled here are those of the thread's own instruction or call (`SIGBUS`, `SIGABRT`): the handler
//!   interrupts no allocation, and waits for no lock of the list of drafts that the same thread holds.
//! - No memory is allocated before the message is written, and a second failure while drafts are removed ends the
//!   process immediately.

#![allow(unsafe_code, reason = "handlers of signals are the system's, and end the process")]

use std::io::{Cursor, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use driver::ErrorClass;

use crate::drafts::remove_all;

/// Installs the handlers.
pub(crate) fn handle() {
    let [bus, abort]: [extern "C" fn(libc::c_int); 2] = [on_bus, on_abort];
    set(libc::SIGBUS, bus);
    set(libc::SIGABRT, abort);
    // SAFETY: a function without arguments and results, registered while the process is intact.
    unsafe { libc::atexit(on_exit) };
}

/// LLVM exits the process on some of its errors, after it has printed them.
extern "C" fn on_exit() {
    remove_all();
}

fn set(signal: libc::c_int, handler: extern "C" fn(libc::c_int)) {
    // SAFETY: plain integers and a function with the right signature; threads without a signal stack use their own.
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

/// Ends the process after an allocation of `bytes` bytes failed.
pub(crate) fn out_of_memory(bytes: usize) -> ! {
    end(ErrorClass::Input, format_args!("{}", limits::Shortage { wanted: bytes as u64, available: None }))
}

fn end(class: ErrorClass, sentence: std::fmt::Arguments<'_>) -> ! {
    static ENDS: AtomicBool = AtomicBool::new(false);
    if !ENDS.swap(true, Ordering::SeqCst) {
        let mut line = Cursor::new([0u8; 256]);
        let _ = writeln!(line, "error: {sentence}");
        let length = line.position() as usize;
        // SAFETY: writes bytes of the line. An error is ignored.
        unsafe { libc::write(libc::STDERR_FILENO, line.get_ref().as_ptr().cast(), length) };
        remove_all();
    }
    // SAFETY: ends the process without using its state.
    unsafe { libc::_exit(class.exit_code()) }
}
