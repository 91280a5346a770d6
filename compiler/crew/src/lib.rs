//! Threads that are there when work comes: they wait for the next piece of it when they are done with one.
//!
//! A compilation has many short pieces of work for another processor. A thread that waits for one is kept off the processor of who
//! wakes it ([`placement`]), and so begins at once; a new one takes longer.
//!
//! Invariants
//! - Whoever asks for work to be done never waits for a thread: there is always one more.
//! - Work that others may help with ([`with`]) is over when nobody is inside any more; who comes later finds it closed.

#![allow(unsafe_code, reason = "work that borrows is shared with threads that outlive it")]

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use placement::Processors;

/// How long a thread waits for work before it ends.
const PATIENCE: Duration = Duration::from_secs(10);

type Job = Box<dyn FnOnce() + Send>;

/// One thread.
#[derive(Default)]
struct Worker {
    /// The next job, and where it may run.
    job: Mutex<Option<(Job, Option<Processors>)>>,
    has_job: Condvar,
    thread: OnceLock<JoinHandle<()>>,
}

/// Work that somebody takes when there is time.
type Later = Arc<Mutex<Option<Job>>>;

/// Those that have nothing to do.
static IDLE: Mutex<Vec<Arc<Worker>>> = Mutex::new(Vec::new());
/// What is done before one has nothing to do again.
static LATER: Mutex<VecDeque<Later>> = Mutex::new(VecDeque::new());

/// Work on another thread, which may be waited for.
pub struct Handle<T> {
    outcome: Arc<Outcome<T>>,
    /// Who waits for work that nobody has begun does it.
    later: Option<Later>,
}

struct Outcome<T> {
    result: Mutex<Option<std::thread::Result<T>>>,
    is_there: Condvar,
}

impl<T> Handle<T> {
    /// Waits for the result. What panics there panics here.
    pub fn join(self) -> T {
        if let Some(job) = self.later.and_then(|later| lock(&later).take()) {
            job();
        }
        let mut result = lock(&self.outcome.result);
        loop {
            match result.take() {
                Some(Ok(value)) => return value,
                Some(Err(panic)) => resume_unwind(panic),
                None => result = self.outcome.is_there.wait(result).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

/// Sees to it that so many threads wait for work, which takes them a moment to begin with.
pub fn prepare(threads: usize) {
    let mut idle = lock(&IDLE);
    while idle.len() < threads
        && let Some(worker) = Worker::start()
    {
        idle.push(worker);
    }
}

/// Does something on another thread; here, where the system has no thread.
pub fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Handle<T> {
    let (job, outcome) = job(work);
    run(job);
    Handle { outcome, later: None }
}

/// Does something on another thread once one is done with other work, or where it is waited for, whichever is first.
pub fn spawn_later<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Handle<T> {
    let (job, outcome) = job(work);
    let later = Later::new(Mutex::new(Some(job)));
    lock(&LATER).push_back(later.clone());
    Handle { outcome, later: Some(later) }
}

/// Has work that can wait done now, if there is any.
pub fn begin_later() {
    if !lock(&LATER).is_empty() {
        run(Box::new(|| ()));
    }
}

/// Work as a job, and where its result will be.
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

fn run(job: Job) {
    let idle = lock(&IDLE).pop();
    match idle.or_else(Worker::start) {
        Some(worker) => worker.take(job),
        None => job(),
    }
}

/// Work that can wait, and that nobody has begun.
fn next_later() -> Option<Job> {
    let mut queue = lock(&LATER);
    std::iter::from_fn(|| queue.pop_front()).find_map(|later| lock(&later).take())
}

impl Worker {
    /// Makes one that waits; none where the system has no thread.
    fn start() -> Option<Arc<Worker>> {
        let worker = Arc::<Worker>::default();
        let other = worker.clone();
        let thread = std::thread::Builder::new().spawn(move || other.serve()).ok()?;
        placement::keep_off(&thread);
        worker.thread.set(thread).expect("a worker has one thread");
        Some(worker)
    }

    /// Has the thread, which waits, begin beside this one.
    fn take(&self, job: Job) {
        let processors = self.thread.get().and_then(placement::keep_off);
        *lock(&self.job) = Some((job, processors));
        self.has_job.notify_one();
    }

    /// Does one job after the other, and what can wait between them.
    fn serve(self: &Arc<Worker>) {
        while let Some((job, processors)) = self.next() {
            // once it has begun, the system may put it where it likes
            Option::iter(&processors).for_each(Processors::enter);
            job();
            while let Some(later) = next_later() {
                later();
            }
            lock(&IDLE).push(self.clone());
        }
    }

    /// The next job; none when it has waited for too long.
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
            // who is not idle any more is about to get a job
            if let Some(at) = at.filter(|_| waited.timed_out()) {
                idle.remove(at);
                return None;
            }
        }
    }
}

/// Work that threads may help with.
struct Shared {
    /// How many are inside; none may come in any more once it is closed.
    inside: Mutex<Option<usize>>,
    left: Condvar,
    work: *const (dyn Fn() + Sync),
    panic: Mutex<Option<Box<dyn std::any::Any + Send>>>,
}

// SAFETY: `work` is `Sync`, and called only while `with` waits.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

/// Does something here while so many other threads work, as soon as they are there. When both this is done and all that work are,
/// it is over; those that have not begun do not.
pub fn with<T>(helpers: usize, work: &(dyn Fn() + Sync), here: impl FnOnce() -> T) -> T {
    if helpers == 0 {
        return here();
    }
    // SAFETY: only the lifetime changes. `Closing` waits until nobody is inside and keeps others out, also when `here` panics.
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
        // SAFETY: who is inside is waited for.
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

/// Closes work and waits until nobody is inside.
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
