//! The process's thread pool.
//!
//! Workers sleep while no run is active. Inside a run they spin for a short while between loops, because the next
//! loop usually follows within microseconds. A loop never waits for a worker that has not woken up yet: whoever
//! arrives first takes the work.

#![allow(
    unsafe_code,
    reason = "a loop's description lives on its caller's stack and is shared with workers by address"
)]

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::Thread;

/// A loop body: runs iterations `begin..end`.
pub type LoopBody = extern "C" fn(environment: *mut i64, begin: i64, end: i64);

const SPINS: u32 = 20_000;
/// Chunks a participant takes on average; more balance better, fewer cost less.
const CHUNKS_PER_THREAD: i64 = 4;
/// Set in [`Shared::state`] while nobody may join the current loop.
const CLOSED: u64 = 1 << 31;

/// One loop, on the stack of its caller.
struct Loop {
    environment: *mut i64,
    body: LoopBody,
    count: i64,
    chunk: i64,
    next: AtomicI64,
}

impl Loop {
    /// Runs chunks until none is left.
    fn work(&self) {
        loop {
            let begin = self.next.fetch_add(self.chunk, Ordering::Relaxed);
            if begin >= self.count {
                return;
            }
            (self.body)(self.environment, begin, self.count.min(begin + self.chunk));
        }
    }
}

#[repr(align(128))]
struct Shared {
    /// The current loop's number in the high half, [`CLOSED`], and the number of workers inside it.
    state: AtomicU64,
    current: AtomicPtr<Loop>,
    /// Runs in progress: workers spin only while there are any.
    runs: AtomicUsize,
}

#[repr(align(128))]
struct Mailbox {
    /// The number of the last loop this worker was called to.
    ticket: AtomicU32,
    sleeping: AtomicBool,
}

struct Worker {
    thread: Thread,
    mailbox: Arc<Mailbox>,
}

struct Pool {
    shared: Arc<Shared>,
    workers: Vec<Worker>,
    /// Held by the caller whose loop is being shared out.
    busy: AtomicBool,
}

static POOL: OnceLock<Pool> = OnceLock::new();

/// Processors that something else than loops needs.
static BUSY: AtomicUsize = AtomicUsize::new(0);

/// The processor of a thread with work of its own, which the loops of others leave alone as long as this lives.
pub struct Busy(PhantomData<*const ()>);

impl Busy {
    /// That of this thread.
    pub fn processor() -> Busy {
        BUSY.fetch_add(1, Ordering::Relaxed);
        IS_BUSY.set(true);
        Busy(PhantomData)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        BUSY.fetch_sub(1, Ordering::Relaxed);
        IS_BUSY.set(false);
    }
}

/// Processors that loops of this thread leave alone.
fn busy_elsewhere() -> usize {
    BUSY.load(Ordering::Relaxed).saturating_sub(usize::from(IS_BUSY.get()))
}

thread_local! {
    static THREAD_LIMIT: Cell<usize> = const { Cell::new(usize::MAX) };
    static IS_BUSY: Cell<bool> = const { Cell::new(false) };
}

fn pool() -> &'static Pool {
    POOL.get_or_init(Pool::start)
}

fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

impl Pool {
    fn start() -> Pool {
        let shared = Arc::new(Shared {
            state: AtomicU64::new(CLOSED),
            current: AtomicPtr::new(std::ptr::null_mut()),
            runs: AtomicUsize::new(0),
        });
        let workers = (1..available_threads()).map_while(|index| Worker::start(index, &shared)).collect();
        Pool { shared, workers, busy: AtomicBool::new(false) }
    }

    fn run(&self, work: &Loop, helpers: usize) {
        let number = self.shared.open(work);
        for worker in &self.workers[..helpers] {
            worker.call(number);
        }
        work.work();
        self.shared.close();
    }
}

impl Worker {
    fn start(index: usize, shared: &Arc<Shared>) -> Option<Worker> {
        let mailbox = Arc::new(Mailbox { ticket: AtomicU32::new(0), sleeping: AtomicBool::new(false) });
        let (own_shared, own_mailbox) = (shared.clone(), mailbox.clone());
        let thread = std::thread::Builder::new()
            .name(format!("rt-{index}"))
            .spawn(move || serve(&own_shared, &own_mailbox))
            .ok()?;
        Some(Worker { thread: thread.thread().clone(), mailbox })
    }

    fn call(&self, number: u32) {
        self.mailbox.ticket.store(number, Ordering::SeqCst);
        if self.mailbox.sleeping.load(Ordering::SeqCst) {
            self.thread.unpark();
        }
    }
}

impl Shared {
    /// Publishes a loop and returns its number.
    fn open(&self, work: &Loop) -> u32 {
        self.current.store(std::ptr::from_ref(work).cast_mut(), Ordering::Relaxed);
        let number = ((self.state.load(Ordering::Relaxed) >> 32) as u32).wrapping_add(1);
        self.state.store((number as u64) << 32, Ordering::Release);
        number
    }

    /// Lets nobody else in and waits until everyone is out.
    fn close(&self) {
        let mut state = self.state.fetch_or(CLOSED, Ordering::AcqRel);
        let mut spins = 0;
        while state & (CLOSED - 1) != 0 {
            spins += 1;
            if spins < SPINS {
                std::hint::spin_loop()
            } else {
                std::thread::yield_now()
            }
            state = self.state.load(Ordering::Acquire);
        }
    }

    /// Helps with loop `number` unless it is over.
    fn join(&self, number: u32) {
        let joined = self.state.fetch_update(Ordering::AcqRel, Ordering::Relaxed, |state| {
            ((state >> 32) as u32 == number && state & CLOSED == 0).then_some(state + 1)
        });
        if joined.is_ok() {
            let work = self.current.load(Ordering::Relaxed);
            // SAFETY: the caller of the loop keeps it alive until every worker counted in `state` has left.
            unsafe { &*work }.work();
            self.state.fetch_sub(1, Ordering::Release);
        }
    }
}

fn serve(shared: &Shared, mailbox: &Mailbox) {
    let mut seen = 0;
    loop {
        seen = await_ticket(shared, mailbox, seen);
        shared.join(seen);
    }
}

fn await_ticket(shared: &Shared, mailbox: &Mailbox, seen: u32) -> u32 {
    let mut spins = 0;
    loop {
        let ticket = mailbox.ticket.load(Ordering::Acquire);
        if ticket != seen {
            return ticket;
        }
        let is_worth_it = || shared.runs.load(Ordering::Relaxed) > 0 && BUSY.load(Ordering::Relaxed) == 0;
        if spins < SPINS && is_worth_it() {
            spins += 1;
            std::hint::spin_loop();
            continue;
        }
        mailbox.sleeping.store(true, Ordering::SeqCst);
        if mailbox.ticket.load(Ordering::SeqCst) == seen {
            std::thread::park();
        }
        mailbox.sleeping.store(false, Ordering::SeqCst);
        spins = 0;
    }
}

/// Starts the workers, so that they sleep, ready to be woken, when the first loop comes: a new thread may begin milliseconds late.
pub fn prepare() {
    pool();
}

/// Limits the loops that this thread starts to `threads` threads; 0 means all there are.
#[unsafe(no_mangle)]
pub extern "C" fn rt_set_threads(threads: i64) {
    let limit = usize::try_from(threads).ok().filter(|&limit| limit > 0).unwrap_or(usize::MAX);
    THREAD_LIMIT.set(limit);
}

/// Threads that a loop which this thread starts may run on.
pub(crate) fn threads() -> usize {
    match THREAD_LIMIT.get() {
        1 => 1,
        limit => limit.min(pool().workers.len() + 1),
    }
}

/// Marks the begin of a run: until [`rt_end_run`], idle workers spin for a moment before they sleep.
#[unsafe(no_mangle)]
pub extern "C" fn rt_begin_run() {
    if THREAD_LIMIT.get() > 1 {
        pool().shared.runs.fetch_add(1, Ordering::Relaxed);
    }
}

/// Marks the end of a run begun by the same thread under the same thread limit.
#[unsafe(no_mangle)]
pub extern "C" fn rt_end_run() {
    if THREAD_LIMIT.get() > 1 {
        pool().shared.runs.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Calls `body` on disjoint ranges that cover `0..count`, each a multiple of `grain` long except the last, and
/// returns when all are done.
///
/// Runs on the calling thread alone when the pool is taken (by another session, or by an enclosing loop), when there
/// is a single range, or when the thread limit is one.
#[unsafe(no_mangle)]
pub extern "C" fn rt_parallel_for(environment: *mut i64, count: i64, grain: i64, body: LoopBody) {
    if count <= 0 {
        return;
    }
    let grain = grain.max(1);
    let helpers = if count <= grain { 0 } else { threads().saturating_sub(1 + busy_elsewhere()) };
    if helpers == 0 {
        return body(environment, 0, count);
    }
    let pool = pool();
    if pool.busy.swap(true, Ordering::Acquire) {
        return body(environment, 0, count);
    }
    let grains = count.saturating_add(grain - 1) / grain;
    let chunk = (grains / ((helpers as i64 + 1) * CHUNKS_PER_THREAD)).max(1) * grain;
    pool.run(&Loop { environment, body, count, chunk, next: AtomicI64::new(0) }, helpers);
    pool.busy.store(false, Ordering::Release);
}

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn count_visits(environment: *mut i64, begin: i64, end: i64) {
        for index in begin..end {
            // SAFETY: every test passes one atomic counter an iteration.
            let counter = unsafe { &*environment.add(index as usize).cast::<AtomicI64>() };
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn visits(count: usize, grain: i64) -> Vec<i64> {
        let mut counters = vec![0i64; count];
        rt_parallel_for(counters.as_mut_ptr(), count as i64, grain, count_visits);
        counters
    }

    #[test]
    fn visits_every_iteration_once() {
        rt_begin_run();
        for count in [0, 1, 2, 3, 17, 1000] {
            for grain in [0, 1, 2, 7, 5000] {
                assert!(visits(count, grain).iter().all(|&n| n == 1), "count {count}, grain {grain}");
            }
        }
        rt_end_run();
    }

    #[test]
    fn survives_concurrent_callers() {
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for round in 0..2000 {
                        assert!(visits(1 + round % 97, 1).iter().all(|&n| n == 1));
                    }
                });
            }
        });
    }

    extern "C" fn nested(environment: *mut i64, begin: i64, end: i64) {
        for index in begin..end {
            // SAFETY: eight counters an iteration.
            rt_parallel_for(unsafe { environment.add(index as usize * 8) }, 8, 1, count_visits);
        }
    }

    #[test]
    fn nested_loops_run_inline() {
        let mut counters = vec![0i64; 64 * 8];
        rt_parallel_for(counters.as_mut_ptr(), 64, 1, nested);
        assert!(counters.iter().all(|&n| n == 1));
    }

    #[test]
    fn limit_of_one_stays_on_the_calling_thread() {
        extern "C" fn record_thread(environment: *mut i64, _: i64, _: i64) {
            let name = std::thread::current().name().is_some_and(|name| name.starts_with("rt-"));
            // SAFETY: the environment is one counter.
            unsafe { *environment += name as i64 };
        }
        std::thread::spawn(|| {
            rt_set_threads(1);
            let mut on_workers = 0i64;
            rt_parallel_for(&mut on_workers, 100, 1, record_thread);
            assert_eq!(on_workers, 0);
        })
        .join()
        .expect("thread ends");
    }
}
