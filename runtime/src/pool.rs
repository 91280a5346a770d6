//! The process's thread pool.
//!
//! Workers sleep while no run is active. Inside a run they spin for a short while between loops, because the next loop
//! usually follows within microseconds. A loop never waits for a worker that has not woken up yet: the first threads to
//! arrive take the work.
//!
//! Moving data between the caches of two processors takes longer than most loops. So each thread starts with the same
//! share of all loops of one length, and short loops also use all threads that are awake.

#![allow(
    unsafe_code,
    reason = "a loop's description lives on its caller's stack and is shared with workers by address"
)]

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::busy::{self, Busy};
use crate::stop::{self, Stop, WORK_BETWEEN_LOOKS};

/// A loop body: runs iterations `begin..end`.
pub type LoopBody = extern "C" fn(environment: *mut i64, begin: i64, end: i64);

const SPINS: u32 = 20_000;
/// Chunks into which a share is divided; more of them balance better, fewer cost less.
const CHUNKS_PER_SHARE: i64 = 4;
/// The number of scalar operations from which a loop wakes workers; awake ones also help with shorter loops.
pub(crate) const WORK_TO_WAKE: i64 = 8 * abi::GRAIN;
/// The time between two checks of a [`Stop`], about.
const TIME_BETWEEN_LOOKS: Duration = Duration::from_millis(1);
/// The work before the first check, before it is known how long an iteration takes.
const WORK_BEFORE_LOOK: i64 = WORK_BETWEEN_LOOKS / 64;
/// Set in [`Shared::state`] while the current loop accepts no workers.
const CLOSED: u64 = 1 << 31;

/// One loop, on the stack of its caller.
struct Loop {
    environment: *mut i64,
    body: LoopBody,
    count: i64,
    /// The minimum number of iterations that are taken at once.
    grain: i64,
    /// What may end the run, and how many iterations are run before the first check of it.
    stop: Option<(*const Stop, i64)>,
}

impl Loop {
    /// Runs iterations `begin..end`, unless the run is to end.
    fn run(&self, mut begin: i64, end: i64) {
        let Some((stop, mut step)) = self.stop else { return (self.body)(self.environment, begin, end) };
        // SAFETY: the caller of the loop keeps it alive until every worker has left.
        let stop = unsafe { &*stop };
        let mut before = Instant::now();
        while begin < end && stop.due().is_none() {
            let next = begin.saturating_add(step).min(end);
            (self.body)(self.environment, begin, next);
            begin = next;
            // the stated work of an iteration is a guess where extents are not known
            let now = Instant::now();
            match now - before {
                time if time < TIME_BETWEEN_LOOKS / 2 => step = step.saturating_mul(2),
                time if time > TIME_BETWEEN_LOOKS => step = (step / 2).max(1),
                _ => {}
            }
            before = now;
        }
    }
}

/// The iterations that a participant of a loop starts with. When it has finished them, it takes chunks of the others'.
#[repr(align(128))]
struct Share {
    next: AtomicI64,
    end: AtomicI64,
    chunk: AtomicI64,
}

impl Share {
    fn empty() -> Share {
        Share { next: AtomicI64::new(0), end: AtomicI64::new(0), chunk: AtomicI64::new(1) }
    }

    /// Hands out the iterations `begin..end`, at least `grain` of them at once.
    fn fill(&self, begin: i64, end: i64, grain: i64) {
        self.next.store(begin, Ordering::Relaxed);
        self.end.store(end, Ordering::Relaxed);
        self.chunk.store(((end - begin) / CHUNKS_PER_SHARE).max(grain), Ordering::Relaxed);
    }

    /// Runs chunks until none is left.
    fn work(&self, of: &Loop) {
        let (end, chunk) = (self.end.load(Ordering::Relaxed), self.chunk.load(Ordering::Relaxed));
        loop {
            let begin = self.next.fetch_add(chunk, Ordering::Relaxed);
            if begin >= end {
                return;
            }
            of.run(begin, end.min(begin.saturating_add(chunk)));
        }
    }
}

#[repr(align(128))]
struct Shared {
    /// The current loop's number in the high half, [`CLOSED`], and the number of workers in it.
    state: AtomicU64,
    current: AtomicPtr<Loop>,
    /// One for each thread, the caller's first.
    shares: Box<[Share]>,
    /// Participants of the current loop.
    participants: AtomicUsize,
    /// Runs in progress: workers spin only while there are any.
    runs: AtomicUsize,
}

#[repr(align(128))]
struct Mailbox {
    /// The number of the last loop that this worker was woken for.
    ticket: AtomicU32,
    sleeping: AtomicBool,
}

struct Worker {
    thread: JoinHandle<()>,
    mailbox: Arc<Mailbox>,
    /// The processor that it is kept off, which ran the waking thread; `usize::MAX` before the first time.
    kept_off: AtomicUsize,
}

struct Pool {
    shared: Arc<Shared>,
    workers: Vec<Worker>,
    /// Held by the caller whose loop is running.
    busy: AtomicBool,
}

static POOL: OnceLock<Pool> = OnceLock::new();

thread_local! {
    static THREAD_LIMIT: Cell<usize> = const { Cell::new(usize::MAX) };
}

fn pool() -> &'static Pool {
    POOL.get_or_init(Pool::start)
}

fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

impl Pool {
    fn start() -> Pool {
        let threads = available_threads();
        let shared = Arc::new(Shared {
            state: AtomicU64::new(CLOSED),
            current: AtomicPtr::new(std::ptr::null_mut()),
            shares: (0..threads).map(|_| Share::empty()).collect(),
            participants: AtomicUsize::new(0),
            runs: AtomicUsize::new(0),
        });
        let workers = (1..threads).map_while(|index| Worker::start(index, &shared)).collect();
        Pool { shared, workers, busy: AtomicBool::new(false) }
    }

    /// The number of workers for a loop that has work for `most`, and may be worth waking them.
    fn helpers(&self, most: usize, is_worth_waking: bool) -> usize {
        let free = self.workers.len().saturating_sub(busy::elsewhere());
        let is_there = |worker: &&Worker| is_worth_waking || !worker.mailbox.sleeping.load(Ordering::Relaxed);
        self.workers.iter().take(most.min(free)).take_while(is_there).count()
    }

    fn run(&self, work: &Loop, helpers: usize) {
        let number = self.shared.open(work, helpers + 1);
        for worker in &self.workers[..helpers] {
            worker.call(number);
        }
        self.shared.work(work, 0);
        self.shared.close();
    }
}

impl Worker {
    fn start(index: usize, shared: &Arc<Shared>) -> Option<Worker> {
        let mailbox = Arc::new(Mailbox { ticket: AtomicU32::new(0), sleeping: AtomicBool::new(false) });
        let (own_shared, own_mailbox) = (shared.clone(), mailbox.clone());
        let thread = std::thread::Builder::new()
            .name(format!("rt-{index}"))
            .spawn(move || serve(&own_shared, &own_mailbox, index))
            .ok()?;
        let worker = Worker { thread, mailbox, kept_off: AtomicUsize::new(usize::MAX) };
        worker.keep_off();
        Some(worker)
    }

    /// Keeps the worker off the processor of this thread.
    fn keep_off(&self) {
        if placement::keeps_apart()
            && let Some(here) = placement::processor()
            && self.kept_off.swap(here, Ordering::Relaxed) != here
        {
            placement::keep_off(&self.thread);
        }
    }

    fn call(&self, number: u32) {
        self.mailbox.ticket.store(number, Ordering::SeqCst);
        if self.mailbox.sleeping.load(Ordering::SeqCst) {
            self.keep_off();
            self.thread.thread().unpark();
        }
    }
}

impl Shared {
    /// Publishes a loop and returns its number. No worker is in a loop.
    fn open(&self, work: &Loop, participants: usize) -> u32 {
        let (each, rest) = (work.count / participants as i64, work.count % participants as i64);
        let boundary = |index: usize| each * index as i64 + rest.min(index as i64);
        for (index, share) in self.shares[..participants].iter().enumerate() {
            share.fill(boundary(index), boundary(index + 1), work.grain);
        }
        self.participants.store(participants, Ordering::Relaxed);
        self.current.store(std::ptr::from_ref(work).cast_mut(), Ordering::Relaxed);
        let number = ((self.state.load(Ordering::Relaxed) >> 32) as u32).wrapping_add(1);
        self.state.store((number as u64) << 32, Ordering::Release);
        number
    }

    /// Accepts no more workers and waits until all have left.
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

    /// Works on the loop until nothing is left, the participant's own share first.
    fn work(&self, work: &Loop, participant: usize) {
        let participants = self.participants.load(Ordering::Relaxed);
        for offset in 0..participants {
            self.shares[(participant + offset) % participants].work(work);
        }
    }

    /// Helps with loop `number` unless it is over.
    fn join(&self, number: u32, participant: usize) {
        let joined = self.state.fetch_update(Ordering::AcqRel, Ordering::Relaxed, |state| {
            ((state >> 32) as u32 == number && state & CLOSED == 0).then_some(state + 1)
        });
        if joined.is_ok() {
            let work = self.current.load(Ordering::Relaxed);
            // SAFETY: the caller of the loop keeps it and its condition alive until every worker counted in `state` has left.
            let (work, stop) = unsafe { (&*work, (*work).stop.map(|(stop, _)| &*stop)) };
            // for what iterations check themselves, and the loops in them
            stop::within(stop, || self.work(work, participant));
            self.state.fetch_sub(1, Ordering::Release);
        }
    }
}

fn serve(shared: &Shared, mailbox: &Mailbox, participant: usize) {
    let mut seen = 0;
    loop {
        seen = await_ticket(shared, mailbox, seen);
        shared.join(seen, participant);
    }
}

fn await_ticket(shared: &Shared, mailbox: &Mailbox, seen: u32) -> u32 {
    let mut spins = 0;
    loop {
        let ticket = mailbox.ticket.load(Ordering::Acquire);
        if ticket != seen {
            return ticket;
        }
        let runs = || shared.runs.load(Ordering::Relaxed);
        let is_worth_it = || runs() > 0 && busy::everywhere() <= runs();
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

/// Starts the workers, so that they sleep, ready to be woken, when the first loop comes: a new thread may start
/// milliseconds late.
pub fn prepare() {
    pool();
}

/// Limits the loops that this thread starts to `threads` threads; 0 means all.
#[unsafe(no_mangle)]
pub extern "C" fn rt_set_threads(threads: i64) {
    let limit = usize::try_from(threads).ok().filter(|&limit| limit > 0).unwrap_or(usize::MAX);
    THREAD_LIMIT.set(limit);
}

/// The number of threads for a loop that this thread starts.
pub(crate) fn threads() -> usize {
    match THREAD_LIMIT.get() {
        1 => 1,
        limit => limit.min(pool().workers.len() + 1),
    }
}

/// Marks the beginning of a run on this thread: until [`rt_end_run`], idle workers spin for a moment before they sleep.
#[unsafe(no_mangle)]
pub extern "C" fn rt_begin_run() {
    Busy::enter();
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
    Busy::leave();
}

/// Calls `body` on disjoint ranges that cover `0..count` and returns when all are done. `work` is the estimated number
/// of scalar operations of an iteration.
///
/// Runs on the calling thread alone if the pool is in use (by another session, or by an enclosing loop), if there is
/// little work and no worker is awake, or if the thread limit is one.
#[unsafe(no_mangle)]
pub extern "C" fn rt_parallel_for(environment: *mut i64, count: i64, work: i64, body: LoopBody) {
    if count <= 0 {
        return;
    }
    let work = work.max(1);
    let all = count.saturating_mul(work);
    let stop = stop::current().map(|stop| (std::ptr::from_ref(stop), (WORK_BEFORE_LOOK / work).max(1)));
    let work = Loop { environment, body, count, grain: (abi::GRAIN / work).max(1), stop };
    // each thread's share is a grain
    let most = count.min(all / abi::GRAIN) as usize;
    if most <= 1 || THREAD_LIMIT.get() <= 1 {
        return work.run(0, count);
    }
    let pool = pool();
    let helpers = pool.helpers(most.min(THREAD_LIMIT.get()) - 1, all >= WORK_TO_WAKE);
    if helpers == 0 || pool.busy.swap(true, Ordering::Acquire) {
        return work.run(0, count);
    }
    pool.run(&work, helpers);
    pool.busy.store(false, Ordering::Release);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::sampled;

    extern "C" fn count_visits(environment: *mut i64, begin: i64, end: i64) {
        for index in begin..end {
            // SAFETY: every test passes one atomic counter per iteration.
            let counter = unsafe { &*environment.add(index as usize).cast::<AtomicI64>() };
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn visits(count: usize, work: i64) -> Vec<i64> {
        let mut counters = vec![0i64; count];
        rt_parallel_for(counters.as_mut_ptr(), count as i64, work, count_visits);
        counters
    }

    #[test]
    fn visits_every_iteration_once() {
        rt_begin_run();
        for count in [0, 1, 2, 3, 17, 1000] {
            for work in [0, 1, 100, abi::GRAIN, WORK_TO_WAKE, i64::MAX] {
                assert!(visits(count, work).iter().all(|&n| n == 1), "count {count}, work {work}");
            }
        }
        rt_end_run();
    }

    #[test]
    fn survives_concurrent_callers() {
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for round in sampled(0..2000, 100) {
                        assert!(visits(1 + round % 97, WORK_TO_WAKE).iter().all(|&n| n == 1));
                    }
                });
            }
        });
    }

    extern "C" fn nested(environment: *mut i64, begin: i64, end: i64) {
        for index in begin..end {
            // SAFETY: eight counters per iteration.
            rt_parallel_for(unsafe { environment.add(index as usize * 8) }, 8, WORK_TO_WAKE, count_visits);
        }
    }

    #[test]
    fn nested_loops_run_inline() {
        let mut counters = vec![0i64; 64 * 8];
        rt_parallel_for(counters.as_mut_ptr(), 64, WORK_TO_WAKE, nested);
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
            rt_parallel_for(&mut on_workers, 100, WORK_TO_WAKE, record_thread);
            assert_eq!(on_workers, 0);
        })
        .join()
        .expect("thread ends");
    }
}
