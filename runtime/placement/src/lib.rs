//! Keeps threads that wake each other on different processors.
//!
//! Linux often places a new or woken thread on the processor of the thread that created or woke it, always so if it
//! knows of no cache that the processors share (virtual machines). There the thread waits for its turn, or preempts a
//! thread that waits for its results, until the scheduler balances the load, which takes milliseconds; meanwhile
//! another processor is idle. So a thread that wakes another one excludes its own processor from the other's affinity.
//!
//! Invariant: no affinity changes unless the program asks for it ([`keep_apart`]). A library leaves the affinities of
//! threads to its users.

#![allow(unsafe_code, reason = "these are calls of the system")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

#[cfg(target_os = "linux")]
type Set = libc::cpu_set_t;
#[cfg(not(target_os = "linux"))]
type Set = ();

/// Whether the program asked for affinities.
static KEEPS_APART: AtomicBool = AtomicBool::new(false);

/// Asks that threads of this process are kept off the processors of those that wake them, from now on.
pub fn keep_apart() {
    KEEPS_APART.store(true, Ordering::Relaxed);
}

/// Whether the program asked for that.
pub fn keeps_apart() -> bool {
    KEEPS_APART.load(Ordering::Relaxed)
}

/// A set of processors.
#[derive(Clone, Copy)]
pub struct Processors(Set);

#[cfg(target_os = "linux")]
impl Processors {
    /// The affinity of this thread; `None` if the system does not report it.
    pub fn allowed() -> Option<Processors> {
        // SAFETY: a set is plain integers, and all zeros is the empty set.
        let mut set: Set = unsafe { std::mem::zeroed() };
        // SAFETY: the size is that of the set.
        let failed = unsafe { libc::sched_getaffinity(0, size_of::<Set>(), &raw mut set) } != 0;
        (!failed).then_some(Processors(set))
    }

    /// Sets this thread's affinity.
    pub fn enter(&self) {
        // SAFETY: the size is that of the set. If the call fails, the affinity stays as it is.
        unsafe { libc::sched_setaffinity(0, size_of::<Set>(), &raw const self.0) };
    }

    /// Keeps another thread off a processor, if there is another.
    fn assign_others(mut self, thread: &JoinHandle<()>, processor: usize) {
        use std::os::unix::thread::JoinHandleExt;
        if processor >= libc::CPU_SETSIZE as usize {
            return;
        }
        // SAFETY: the index fits in a set, a thread with a handle can be named even after it has ended, and the size is
        // that of the set. The system refuses an empty set.
        unsafe {
            libc::CPU_CLR(processor, &mut self.0);
            libc::pthread_setaffinity_np(thread.as_pthread_t() as libc::pthread_t, size_of::<Set>(), &raw const self.0);
        }
    }
}

/// The processor that runs this thread; `None` if the system does not report it.
#[cfg(target_os = "linux")]
pub fn processor() -> Option<usize> {
    // SAFETY: the call has no preconditions.
    usize::try_from(unsafe { libc::sched_getcpu() }).ok()
}

/// Keeps a new or sleeping thread off the processor of this thread, if the program asked for that and there is another
/// one. Returns the affinity that this thread had.
#[cfg(target_os = "linux")]
pub fn keep_off(thread: &JoinHandle<()>) -> Option<Processors> {
    if !keeps_apart() {
        return None;
    }
    let allowed = Processors::allowed()?;
    if let Some(here) = processor() {
        allowed.assign_others(thread, here);
    }
    Some(allowed)
}

#[cfg(not(target_os = "linux"))]
impl Processors {
    /// The affinity of this thread; `None` if the system does not report it.
    pub fn allowed() -> Option<Processors> {
        None
    }

    /// Sets this thread's affinity.
    pub fn enter(&self) {}
}

/// The processor that runs this thread; `None` if the system does not report it.
#[cfg(not(target_os = "linux"))]
pub fn processor() -> Option<usize> {
    None
}

/// Keeps a new or sleeping thread off the processor of this thread, if the program asked for that and there is another
/// one. Returns the affinity that this thread had.
#[cfg(not(target_os = "linux"))]
pub fn keep_off(_: &JoinHandle<()>) -> Option<Processors> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn count(processors: Option<Processors>) -> i32 {
        // SAFETY: the set was read from this thread.
        processors.map_or(0, |set| unsafe { libc::CPU_COUNT(&set.0) })
    }

    #[test]
    fn threads_are_kept_off_until_they_enter() {
        let (wake, woken) = mpsc::channel::<Processors>();
        let (answer, answers) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            while let Ok(allowed) = woken.recv() {
                let begins_on = Processors::allowed();
                allowed.enter();
                answer.send((count(begins_on), count(Processors::allowed()))).expect("it is waited for");
            }
        });
        let all = count(Processors::allowed());
        assert!(keep_off(&thread).is_none(), "it was not asked for");
        keep_apart();
        for _ in 0..10 {
            let allowed = keep_off(&thread).expect("the system reports it");
            wake.send(allowed).expect("the thread waits");
            assert_eq!(answers.recv(), Ok(((all - 1).max(1), all)));
        }
        drop(wake);
        thread.join().expect("the thread ends");
    }
}
