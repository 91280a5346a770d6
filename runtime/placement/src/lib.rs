//! Where threads run.
//!
//! Linux often puts a thread that is new, or woken, on the processor of who made or woke it, always so where it knows of no cache
//! that the processors share (virtual machines). There it waits for its turn, or takes the processor from the one that waits for
//! its work, until the system balances its processors, which takes milliseconds; another processor has nothing to do all the while.
//! So who wakes a thread says where it may not run: here.

#![allow(unsafe_code, reason = "these are calls of the system")]

use std::thread::JoinHandle;

#[cfg(target_os = "linux")]
type Set = libc::cpu_set_t;
#[cfg(not(target_os = "linux"))]
type Set = ();

/// Processors that threads may run on.
#[derive(Clone, Copy)]
pub struct Processors(Set);

#[cfg(target_os = "linux")]
impl Processors {
    /// Those of this thread; none where the system does not say.
    pub fn allowed() -> Option<Processors> {
        // SAFETY: a set is plain numbers, those of an empty one 0.
        let mut set: Set = unsafe { std::mem::zeroed() };
        // SAFETY: the size is that of the set.
        let failed = unsafe { libc::sched_getaffinity(0, size_of::<Set>(), &raw mut set) } != 0;
        (!failed).then_some(Processors(set))
    }

    /// This thread may run on these from now on.
    pub fn enter(&self) {
        // SAFETY: the size is that of the set. Where it fails, the thread stays where it is.
        unsafe { libc::sched_setaffinity(0, size_of::<Set>(), &raw const self.0) };
    }

    /// Keeps another thread off a processor, if there is another.
    fn assign_others(mut self, thread: &JoinHandle<()>, processor: usize) {
        use std::os::unix::thread::JoinHandleExt;
        if processor >= libc::CPU_SETSIZE as usize {
            return;
        }
        // SAFETY: the number is one that fits in a set, a thread that has a handle can be named, also when it is over, and the
        // size is that of the set. An empty set is refused.
        unsafe {
            libc::CPU_CLR(processor, &mut self.0);
            libc::pthread_setaffinity_np(thread.as_pthread_t(), size_of::<Set>(), &raw const self.0);
        }
    }
}

/// The processor that this thread runs on; none where the system does not say.
#[cfg(target_os = "linux")]
pub fn processor() -> Option<usize> {
    // SAFETY: there is nothing to go wrong in it.
    usize::try_from(unsafe { libc::sched_getcpu() }).ok()
}

/// Keeps a thread, a new one or one that sleeps, off the processor that this one runs on, if there is another. Returns where this
/// thread may run itself.
#[cfg(target_os = "linux")]
pub fn keep_off(thread: &JoinHandle<()>) -> Option<Processors> {
    let allowed = Processors::allowed()?;
    if let Some(here) = processor() {
        allowed.assign_others(thread, here);
    }
    Some(allowed)
}

#[cfg(not(target_os = "linux"))]
impl Processors {
    /// Those of this thread; none where the system does not say.
    pub fn allowed() -> Option<Processors> {
        None
    }

    /// This thread may run on these from now on.
    pub fn enter(&self) {}
}

/// The processor that this thread runs on; none where the system does not say.
#[cfg(not(target_os = "linux"))]
pub fn processor() -> Option<usize> {
    None
}

/// Keeps a thread, a new one or one that sleeps, off the processor that this one runs on, if there is another. Returns where this
/// thread may run itself.
#[cfg(not(target_os = "linux"))]
pub fn keep_off(_: &JoinHandle<()>) -> Option<Processors> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn count(processors: Option<Processors>) -> i32 {
        // SAFETY: a set of this thread's.
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
        for _ in 0..10 {
            let allowed = keep_off(&thread).expect("the system says");
            wake.send(allowed).expect("the thread waits");
            assert_eq!(answers.recv(), Ok(((all - 1).max(1), all)));
        }
        drop(wake);
        thread.join().expect("the thread ends");
    }
}
