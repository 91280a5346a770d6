//! Ending a run early: by request of another thread, or at a deadline.
//!
//! A run that is to end skips the rest of its loops. Its results are then meaningless, but harmless: generated code
//! stays inside its buffers whatever their contents are. The caller of the run checks [`Stop::due`] afterwards.

#![allow(unsafe_code, reason = "the run's thread-local state points to data that the caller of the run owns")]

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Scalar operations between two checks of a [`Stop`], about a millisecond.
pub(crate) const WORK_BETWEEN_LOOKS: i64 = 1 << 20;

/// The condition that ends a run early.
#[derive(Debug, Default)]
pub struct Stop {
    requested: AtomicBool,
    deadline: Option<Instant>,
    /// Another condition that ends the run as well.
    other: Option<Arc<Stop>>,
}

/// Why a run is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// [`Stop::request`] was called.
    Requested,
    /// The deadline has passed.
    Deadline,
}

impl Stop {
    /// At a deadline, if there is one, or when [`Stop::request`] is called.
    pub fn new(deadline: Option<Instant>) -> Stop {
        Stop { requested: AtomicBool::new(false), deadline, other: None }
    }

    /// Also when another one is due.
    pub fn or(self, other: Option<Arc<Stop>>) -> Stop {
        Stop { other, ..self }
    }

    /// Ends runs that check this; they return within milliseconds.
    pub fn request(&self) {
        self.requested.store(true, Ordering::Relaxed);
    }

    /// Whether a run is to end now, and why; a request comes before a deadline.
    pub fn due(&self) -> Option<Due> {
        let other = self.other.as_ref().and_then(|other| other.due());
        match (self.requested.load(Ordering::Relaxed), other) {
            (true, _) | (_, Some(Due::Requested)) => Some(Due::Requested),
            (false, None) if self.deadline.is_none_or(|deadline| Instant::now() < deadline) => None,
            (false, _) => Some(Due::Deadline),
        }
    }
}

thread_local! {
    static CURRENT: Cell<*const Stop> = const { Cell::new(std::ptr::null()) };
}

/// Runs a model, all of whose loops check `stop`.
pub fn within<R>(stop: Option<&Stop>, run: impl FnOnce() -> R) -> R {
    /// Restores the outer run's condition, also if the inner run unwinds.
    struct Restore(*const Stop);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.set(self.0);
        }
    }
    let _restore = Restore(CURRENT.replace(stop.map_or(std::ptr::null(), std::ptr::from_ref)));
    run()
}

/// The condition of this thread's run.
pub(crate) fn current<'a>() -> Option<&'a Stop> {
    // SAFETY: `within` holds a reference for as long as the pointer is set, and loops of the run end before it returns.
    unsafe { CURRENT.get().as_ref() }
}
