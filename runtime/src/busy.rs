//! Processors that somebody needs: loops are for those that nobody does.
//!
//! Runs need theirs, and who compiles. Where there are no processors left, a loop that is shared out takes longer than one that is
//! not: a worker waits for its turn in the middle of a chunk, and the loop for the worker.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many are needed.
static BUSY: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// How many [`Busy`] this thread holds.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// The processor of a thread with work of its own, which the loops of others leave alone as long as this lives.
pub struct Busy(PhantomData<*const ()>);

impl Busy {
    /// That of this thread.
    pub fn processor() -> Busy {
        Busy::enter();
        Busy(PhantomData)
    }

    /// The same until [`Busy::leave`].
    pub(crate) fn enter() {
        if DEPTH.replace(DEPTH.get() + 1) == 0 {
            BUSY.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What one [`Busy::enter`] needed is free again.
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

/// Waits for other threads, which may have this one's processor meanwhile.
pub fn while_waiting<T>(wait: impl FnOnce() -> T) -> T {
    let needed = usize::from(DEPTH.get() > 0);
    BUSY.fetch_sub(needed, Ordering::Relaxed);
    let result = wait();
    BUSY.fetch_add(needed, Ordering::Relaxed);
    result
}

/// Processors that loops of this thread leave alone.
pub(crate) fn elsewhere() -> usize {
    BUSY.load(Ordering::Relaxed).saturating_sub(usize::from(DEPTH.get() > 0))
}

/// How many processors are needed.
pub(crate) fn everywhere() -> usize {
    BUSY.load(Ordering::Relaxed)
}
