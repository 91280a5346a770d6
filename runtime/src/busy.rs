//! Counts the processors that are in use, so that parallel loops use only idle ones.
//!
//! Runs and compiling threads occupy a processor. If no processor is idle, a parallel loop takes longer than a serial
//! one: a worker is descheduled in the middle of a chunk, and the loop waits for that worker.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of processors in use.
static BUSY: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// How many [`Busy`] this thread holds.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Marks the processor of this thread as in use, so that parallel loops of other threads avoid it while this lives.
pub struct Busy(PhantomData<*const ()>);

impl Busy {
    /// Marks the processor of this thread.
    pub fn processor() -> Busy {
        Busy::enter();
        Busy(PhantomData)
    }

    /// Marks it until [`Busy::leave`].
    pub(crate) fn enter() {
        if DEPTH.replace(DEPTH.get() + 1) == 0 {
            BUSY.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Ends what one [`Busy::enter`] began.
    pub(crate) fn leave() {
        DEPTH.set(DEPTH.get() - 1);
        if DEPTH.get() == 0 {
            BUSY.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        Busy::leave();
    }
}

/// Waits for other threads, which may use this thread's processor meanwhile.
pub fn while_waiting<T>(wait: impl FnOnce() -> T) -> T {
    let needed = usize::from(DEPTH.get() > 0);
    BUSY.fetch_sub(needed, Ordering::Relaxed);
    let result = wait();
    BUSY.fetch_add(needed, Ordering::Relaxed);
    result
}

/// Processors that are in use by other threads.
pub(crate) fn elsewhere() -> usize {
    BUSY.load(Ordering::Relaxed).saturating_sub(usize::from(DEPTH.get() > 0))
}

/// The number of processors in use.
pub(crate) fn everywhere() -> usize {
    BUSY.load(Ordering::Relaxed)
}
