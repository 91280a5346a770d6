//! Panics as errors: code that runs may call what panics, and so may `drop`, where unwinding would end the process.

use std::any::Any;

use ir::{Diagnostic, Location};

/// The error of work that panicked: a shortage of memory, or an error of this program.
pub(crate) fn ended(panic: &(dyn Any + Send)) -> Diagnostic {
    if let Some(shortage) = limits::of_panic(panic) {
        return Diagnostic::from(shortage);
    }
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Diagnostic::internal(Location::Unknown, format!("compilation panicked: {}", text.unwrap_or("unknown reason")))
}
