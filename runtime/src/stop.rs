//! Ending a run early: by request of another thread, or at a deadline.
//!
//! A run that is to end skips the rest of its loops. Its results are then meaningless, but harmless: generated code
//! stays inside its buffers whatever their contents are. The caller of the run checks [`Stop::due`] afterwards.

#![allow(unsafe_code, reason = "the run's thread-local state points to data that the caller of the run owns")]

use std::cell::Cell;
use std::panic::resume_unwind;
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

/// What a routine that takes long asks now and then: whether this thread's run is to end.
#[derive(Debug)]
pub(crate) struct Looks {
    /// Scalar operations until the next look.
    left: i64,
}

impl Looks {
    /// The first look is after [`WORK_BETWEEN_LOOKS`] scalar operations.
    pub(crate) fn new() -> Looks {
        Looks { left: WORK_BETWEEN_LOOKS }
    }

    /// Whether the run is to end, after this many more scalar operations. Once true, it stays true.
    #[inline(always)]
    pub(crate) fn is_due_after(&mut self, work: i64) -> bool {
        self.left -= work;
        if self.left < 0 {
            // what is due stays due, and so the counter stays below zero
            self.left = if is_due() { -1 } else { WORK_BETWEEN_LOOKS };
        }
        self.left < 0
    }

    /// Counts `work` scalar operations in a routine, out of which [`Ended`] unwinds if the run is to end.
    #[inline(always)]
    pub(crate) fn pass(&mut self, work: usize) {
        if self.is_due_after(work as i64) {
            end();
        }
    }
}

/// Whether this thread's run is to end.
#[cold]
#[inline(never)]
pub(crate) fn is_due() -> bool {
    current().is_some_and(|stop| stop.due().is_some())
}

/// Unwinds with [`Ended`].
#[cold]
#[inline(never)]
fn end() -> ! {
    resume_unwind(Box::new(Ended))
}

/// What unwinds out of a routine whose run is to end.
#[derive(Debug)]
pub(crate) struct Ended;

/// Elements of a part of a loop that takes a few cycles for each: what counts them is not in the innermost loop.
pub(crate) const PART: usize = 1 << 12;

/// Counts `work` scalar operations for each item of a loop (`inspect(looking(work))`), see [`Looks::pass`]. Loops that are
/// run many times share one [`Looks`] instead, because each of them may be too short for a look.
pub(crate) fn looking<T>(work: usize) -> impl FnMut(&T) {
    let mut looks = Looks::new();
    move |_| looks.pass(work)
}

/// The condition of this thread's run.
pub(crate) fn current<'a>() -> Option<&'a Stop> {
    // SAFETY: `within` holds a reference for as long as the pointer is set, and loops of the run end before it returns.
    unsafe { CURRENT.get().as_ref() }
}
