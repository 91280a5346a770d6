//! Threads for background work, which wait for the next job when they have finished one.
//!
//! A compilation has many short jobs for other processors. A waiting thread is kept off the processor of the thread
//! that wakes it ([`placement`]), and so starts immediately; creating a thread takes longer.
//!
//! Invariants
//! - Submitting a job never waits for a thread: if none is idle, another one is created.
//! - A shared job ([`with`]) is over when no thread is inside any more; threads that come later find it closed.

#![allow(unsafe_code, reason = "work that borrows is shared with threads that outlive it")]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use placement::Processors;

/// How long a thread waits for a job before it ends.
const PATIENCE: Duration = Duration::from_secs(10);

type Job = Box<dyn FnOnce() + Send>;

/// A thread.
#[derive(Default)]
struct Worker {
    /// The next job, and the affinity for it.
    job: Mutex<Option<(Job, Option<Processors>)>>,
    has_job: Condvar,
    thread: OnceLock<JoinHandle<()>>,
    /// The process that it is in.
    process: u32,
}

/// Idle threads.
static IDLE: Mutex<Vec<Arc<Worker>>> = Mutex::new(Vec::new());

/// A job on another thread, whose result may be waited for.
pub struct Handle<T> {
    outcome: Arc<Outcome<T>>,
}

struct Outcome<T> {
    result: Mutex<Option<std::thread::Result<T>>>,
    is_there: Condvar,
}

impl<T> Handle<T> {
    /// Waits for the result. A panic of the job continues here.
    pub fn join(self) -> T {
        self.outcome().unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Waits for the end of the job, whose panic is the error.
    pub fn outcome(self) -> std::thread::Result<T> {
        let mut result = lock(&self.outcome.result);
        loop {
            match result.take() {
                Some(outcome) => return outcome,
                None => result = self.outcome.is_there.wait(result).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

/// Starts threads until `threads` of them are waiting; a new thread needs a moment to start.
pub fn prepare(threads: usize) {
    let mut idle = idle_workers();
    while idle.len() < threads
        && let Some(worker) = Worker::start()
    {
        idle.push(worker);
    }
}

/// Runs a job on another thread; on this one if the system refuses a thread.
pub fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Handle<T> {
    let (job, outcome) = job(work);
    run(job);
    Handle { outcome }
}

/// A closure as a job, and the slot for its result.
fn job<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> (Job, Arc<Outcome<T>>) {
    let outcome = Arc::new(Outcome { result: Mutex::new(None), is_there: Condvar::new() });
    let other = outcome.clone();
    let job = Box::new(move || {
        let result = catch_unwind(AssertUnwindSafe(work));
        *lock(&other.result) = Some(result);
        other.is_there.notify_all();
    });
    (job, outcome)
}

/// The idle threads of this process. Those of a process that it was forked from do not exist here, and their handles are
/// not touched.
fn idle_workers() -> MutexGuard<'static, Vec<Arc<Worker>>> {
    let mut idle = lock(&IDLE);
    let own = std::process::id();
    if idle.iter().any(|worker| worker.process != own) {
        idle.drain(..).for_each(std::mem::forget);
    }
    idle
}

fn run(job: Job) {
    let idle = idle_workers().pop();
    match idle.or_else(Worker::start) {
        Some(worker) => worker.take(job),
        None => job(),
    }
}

impl Worker {
    /// Starts a waiting thread; `None` if the system refuses.
    fn start() -> Option<Arc<Worker>> {
        let worker = Arc::new(Worker { process: std::process::id(), ..Worker::default() });
        let other = worker.clone();
        let thread = std::thread::Builder::new().spawn(move || other.serve()).ok()?;
        placement::keep_off(&thread);
        worker.thread.set(thread).expect("a worker has one thread");
        Some(worker)
    }

    /// Has the waiting thread run a job in parallel with this one.
    fn take(&self, job: Job) {
        let processors = self.thread.get().and_then(placement::keep_off);
        *lock(&self.job) = Some((job, processors));
        self.has_job.notify_one();
    }

    /// Runs jobs.
    fn serve(self: &Arc<Worker>) {
        while let Some((job, processors)) = self.next() {
            // once it has started, the scheduler may move it
            Option::iter(&processors).for_each(Processors::enter);
            job();
            lock(&IDLE).push(self.clone());
        }
    }

    /// The next job; `None` after a timeout.
    fn next(self: &Arc<Worker>) -> Option<(Job, Option<Processors>)> {
        loop {
            let job = lock(&self.job);
            let (mut job, waited) = self
                .has_job
                .wait_timeout_while(job, PATIENCE, |job| job.is_none())
                .unwrap_or_else(PoisonError::into_inner);
            if let Some(job) = job.take() {
                return Some(job);
            }
            drop(job);
            let mut idle = lock(&IDLE);
            let at = idle.iter().position(|worker| Arc::ptr_eq(worker, self));
            // a thread that is not in the list of idle ones is about to get a job
            if let Some(at) = at.filter(|_| waited.timed_out()) {
                idle.remove(at);
                return None;
            }
        }
    }
}

/// A job that several threads may join.
struct Shared {
    /// The number of threads inside; `None` once it is closed.
    inside: Mutex<Option<usize>>,
    left: Condvar,
    work: *const (dyn Fn() + Sync),
    panic: Mutex<Option<Box<dyn std::any::Any + Send>>>,
}

// SAFETY: `work` is `Sync`, and only called while `with` waits.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

/// Runs `here` on this thread while up to `helpers` other threads run `work`, as soon as they are available. Returns
/// when `here` and all running calls of `work` are done; threads that have not started by then do not start.
pub fn with<T>(helpers: usize, work: &(dyn Fn() + Sync), here: impl FnOnce() -> T) -> T {
    if helpers == 0 {
        return here();
    }
    // SAFETY: only the lifetime changes. `Closing` waits until no thread is inside and keeps others out, also if `here`
    // panics.
    let work: &'static (dyn Fn() + Sync) = unsafe { std::mem::transmute::<&(dyn Fn() + Sync), _>(work) };
    let shared = Arc::new(Shared { inside: Mutex::new(Some(0)), left: Condvar::new(), work, panic: Mutex::new(None) });
    let closing = Closing(&shared);
    for _ in 0..helpers {
        let shared = shared.clone();
        run(Box::new(move || shared.help()));
    }
    let result = here();
    drop(closing);
    if let Some(panic) = lock(&shared.panic).take() {
        resume_unwind(panic);
    }
    result
}

impl Shared {
    fn help(&self) {
        if let Some(inside) = &mut *lock(&self.inside) {
            *inside += 1;
        } else {
            return;
        }
        // SAFETY: `Closing` waits for threads that are inside.
        let work = unsafe { &*self.work };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            *lock(&self.panic) = Some(panic);
        }
        if let Some(inside) = &mut *lock(&self.inside) {
            *inside -= 1;
        }
        self.left.notify_all();
    }
}

/// Closes a shared job and waits until no thread is inside.
struct Closing<'a>(&'a Shared);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        let mut inside = lock(&self.0.inside);
        while inside.is_some_and(|count| count > 0) {
            inside = self.0.left.wait(inside).unwrap_or_else(PoisonError::into_inner);
        }
        *inside = None;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
