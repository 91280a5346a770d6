//! The process's thread pool.
//!
//! Workers sleep while no run is active. Inside a run they spin for a short while between loops, because the next loop
//! usually follows within microseconds. A loop never waits for a worker that has not woken up yet: the first threads to
//! arrive take the work.
//!
//! Moving data between the caches of two processors takes longer than most loops. So each thread starts with the same
//! share of all loops of one length, and short loops also use all threads that are awake.
//!
//! Loops of several runs are in progress at the same time: each takes workers that no other has, up to an equal share of
//! the threads for each run.

#![allow(
    unsafe_code,
    reason = "a loop's description lives on its caller's stack and is shared with workers by address"
)]

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::busy::{self, Busy};
use crate::stop::{self, Stop, WORK_BETWEEN_LOOKS};

pub(crate) mod modelled;

/// A loop body: runs iterations `begin..end`.
pub type LoopBody = extern "C" fn(environment: *mut i64, begin: i64, end: i64);

/// Whether loops have as many threads as their run asks for, by a model.
const IS_MODELLED: bool = cfg!(feature = "modelled-threads");
const SPINS: u32 = 20_000;
/// Chunks into which a share is divided; more of them balance better, fewer cost less.
const CHUNKS_PER_SHARE: i64 = 4;
/// The number of scalar operations from which a loop wakes workers; awake ones also help with shorter loops.
pub(crate) const WORK_TO_WAKE: i64 = 8 * abi::GRAIN;
/// The time between two checks of a [`Stop`], about.
const TIME_BETWEEN_LOOKS: Duration = Duration::from_millis(1);
/// The work before the first check, before it is known how long an iteration takes.
const WORK_BEFORE_LOOK: i64 = WORK_BETWEEN_LOOKS / 64;
/// Set in [`Slot::state`] while the current loop accepts no workers.
const CLOSED: u64 = 1 << 31;
/// The loops that may be in progress at a time; the threads of further ones run them alone.
const SLOTS: usize = 8;

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

    /// The next chunk, if one is left.
    fn take(&self) -> Option<(i64, i64)> {
        let (end, chunk) = (self.end.load(Ordering::Relaxed), self.chunk.load(Ordering::Relaxed));
        let begin = self.next.fetch_add(chunk, Ordering::Relaxed);
        (begin < end).then(|| (begin, end.min(begin.saturating_add(chunk))))
    }

    /// Runs chunks until none is left.
    fn work(&self, of: &Loop) {
        while let Some((begin, end)) = self.take() {
            of.run(begin, end);
        }
    }
}

/// The place of a loop in progress.
#[repr(align(128))]
struct Slot {
    /// Held by the caller whose loop is running.
    busy: AtomicBool,
    /// The current loop's number in the high half, [`CLOSED`], and the number of workers in it.
    state: AtomicU64,
    current: AtomicPtr<Loop>,
    /// One for each thread, the caller's first.
    shares: Box<[Share]>,
    /// Participants of the current loop.
    participants: AtomicUsize,
}

struct Shared {
    slots: [Slot; SLOTS],
    /// The threads of the pool, with the caller's.
    threads: usize,
    /// Runs in progress: workers spin only while there are any.
    runs: AtomicUsize,
}

/// A loop that a worker is called for.
#[derive(Clone, Copy)]
struct Ticket {
    /// The number of the loop among those of its slot.
    number: u32,
    slot: u16,
    /// The worker's number in the loop.
    participant: u16,
}

impl Ticket {
    const NONE: Ticket = Ticket { number: 0, slot: 0, participant: 0 };

    fn word(self) -> u64 {
        u64::from(self.number) << 32 | u64::from(self.slot) << 16 | u64::from(self.participant)
    }

    fn of(word: u64) -> Ticket {
        Ticket { number: (word >> 32) as u32, slot: (word >> 16) as u16, participant: word as u16 }
    }
}

#[repr(align(128))]
struct Mailbox {
    /// The last loop that this worker was called for.
    ticket: AtomicU64,
    sleeping: AtomicBool,
}

struct Worker {
    thread: JoinHandle<()>,
    mailbox: Arc<Mailbox>,
    /// The number of the slot whose loop has this worker, and one; 0 if it is free.
    owner: AtomicUsize,
    /// The processor that it is kept off, which ran the waking thread; `usize::MAX` before the first time.
    kept_off: AtomicUsize,
}

struct Pool {
    shared: Arc<Shared>,
    workers: Vec<Worker>,
}

static POOL: OnceLock<Pool> = OnceLock::new();

thread_local! {
    static THREAD_LIMIT: Cell<usize> = const { Cell::new(usize::MAX) };
    /// Whether this thread runs iterations of a loop that is shared.
    static IS_WITHIN: Cell<bool> = const { Cell::new(false) };
}

fn pool() -> &'static Pool {
    POOL.get_or_init(Pool::start)
}

fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

impl Pool {
    fn start() -> Pool {
        Pool::of(available_threads().min(usize::from(u16::MAX)))
    }

    fn of(threads: usize) -> Pool {
        let shared = Shared { slots: std::array::from_fn(|_| Slot::of(threads)), threads, runs: AtomicUsize::new(0) };
        let shared = Arc::new(shared);
        let workers = (1..threads).map_while(|index| Worker::start(index, &shared)).collect();
        Pool { shared, workers }
    }

    /// The most workers for a loop of this thread: those whose processors are not in use, and a share for each run.
    fn most_helpers(&self) -> usize {
        let free = self.workers.len().saturating_sub(busy::elsewhere());
        let runs = self.shared.runs.load(Ordering::Relaxed).max(1);
        free.min((self.shared.threads / runs).saturating_sub(1))
    }

    /// Takes up to `most` workers for a loop in a slot: those that are awake, or all if it is worth waking them. Returns the
    /// number of workers taken, and one more than the index of the last one.
    fn take(&self, slot: usize, most: usize, is_worth_waking: bool) -> (usize, usize) {
        let is_there = |worker: &Worker| is_worth_waking || !worker.mailbox.sleeping.load(Ordering::Relaxed);
        let taken = self.workers.iter().enumerate().filter(|(_, worker)| is_there(worker) && worker.is_taken_by(slot));
        taken.take(most).fold((0, 0), |(count, _), (index, _)| (count + 1, index + 1))
    }

    /// Runs a loop with up to `most` workers; returns whether there were any.
    fn run(&self, work: &Loop, most: usize, is_worth_waking: bool) -> bool {
        let most = most.min(self.most_helpers());
        let is_free = |slot: &Slot| !slot.busy.load(Ordering::Relaxed) && !slot.busy.swap(true, Ordering::Acquire);
        let Some(number) = (most > 0).then(|| self.shared.slots.iter().position(is_free)).flatten() else {
            return false;
        };
        let slot = &self.shared.slots[number];
        let (helpers, end) = self.take(number, most, is_worth_waking);
        let workers = self.workers[..end].iter().filter(|worker| worker.is_of(number));
        if helpers > 0 {
            let loop_number = slot.open(work, helpers + 1);
            for (index, worker) in workers.clone().enumerate() {
                worker.call(Ticket { number: loop_number, slot: number as u16, participant: index as u16 + 1 });
            }
            within_loop(|| slot.work(work, 0));
            slot.close();
        }
        workers.for_each(Worker::release);
        slot.busy.store(false, Ordering::Release);
        helpers > 0
    }
}

/// Runs iterations of a loop, whose own loops are not shared.
fn within_loop<T>(work: impl FnOnce() -> T) -> T {
    let before = IS_WITHIN.replace(true);
    let result = work();
    IS_WITHIN.set(before);
    result
}

impl Worker {
    fn start(index: usize, shared: &Arc<Shared>) -> Option<Worker> {
        let mailbox =
            Arc::new(Mailbox { ticket: AtomicU64::new(Ticket::NONE.word()), sleeping: AtomicBool::new(false) });
        let (own_shared, own_mailbox) = (shared.clone(), mailbox.clone());
        let thread = std::thread::Builder::new()
            .name(format!("rt-{index}"))
            .spawn(move || serve(&own_shared, &own_mailbox))
            .ok()?;
        let (owner, kept_off) = (AtomicUsize::new(0), AtomicUsize::new(usize::MAX));
        let worker = Worker { thread, mailbox, owner, kept_off };
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

    /// Takes the worker for the loop of a slot, if it is free.
    fn is_taken_by(&self, slot: usize) -> bool {
        self.owner.load(Ordering::Relaxed) == 0
            && self.owner.compare_exchange(0, slot + 1, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    fn is_of(&self, slot: usize) -> bool {
        self.owner.load(Ordering::Relaxed) == slot + 1
    }

    fn release(&self) {
        self.owner.store(0, Ordering::Release);
    }

    fn call(&self, ticket: Ticket) {
        self.mailbox.ticket.store(ticket.word(), Ordering::SeqCst);
        if self.mailbox.sleeping.load(Ordering::SeqCst) {
            self.keep_off();
            self.thread.thread().unpark();
        }
    }
}

impl Slot {
    fn of(threads: usize) -> Slot {
        Slot {
            busy: AtomicBool::new(false),
            state: AtomicU64::new(CLOSED),
            current: AtomicPtr::new(std::ptr::null_mut()),
            shares: (0..threads).map(|_| Share::empty()).collect(),
            participants: AtomicUsize::new(0),
        }
    }

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
            stop::within(stop, || within_loop(|| self.work(work, participant)));
            self.state.fetch_sub(1, Ordering::Release);
        }
    }
}

fn serve(shared: &Shared, mailbox: &Mailbox) {
    let mut seen = Ticket::NONE.word();
    loop {
        seen = await_ticket(shared, mailbox, seen);
        let Ticket { number, slot, participant } = Ticket::of(seen);
        shared.slots[usize::from(slot)].join(number, usize::from(participant));
    }
}

fn await_ticket(shared: &Shared, mailbox: &Mailbox, seen: u64) -> u64 {
    let mut spins = 0;
    loop {
        let ticket = mailbox.ticket.load(Ordering::Acquire);
        if ticket != seen {
            return ticket;
        }
        let runs = || shared.runs.load(Ordering::Relaxed);
        let is_worth_it = || runs() > 0 && busy::everywhere() <= runs() && busy::everywhere() < shared.threads;
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
        limit if IS_MODELLED && limit < usize::MAX => limit,
        limit => limit.min(pool().workers.len() + 1),
    }
}

/// Runs a loop with up to `most` workers; returns whether there were any.
fn run_shared(work: &Loop, most: usize, is_worth_waking: bool) -> bool {
    match IS_MODELLED {
        true => modelled::run(work, most),
        false => pool().run(work, most, is_worth_waking),
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
/// Runs on the calling thread alone inside of another loop, if other loops have all workers, if there is little work and no
/// worker is awake, or if the thread limit is one.
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
    let is_alone = most <= 1 || THREAD_LIMIT.get() <= 1 || IS_WITHIN.get();
    if is_alone || !run_shared(&work, most.min(THREAD_LIMIT.get()) - 1, all >= WORK_TO_WAKE) {
        work.run(0, count);
    }
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

    /// Waits, up to a second, until as many threads as the first word says are in the loop, and counts them in the second.
    extern "C" fn meet(environment: *mut i64, begin: i64, end: i64) {
        // SAFETY: the environment is a number and two atomic counters.
        let (wanted, here, met) = unsafe {
            (*environment, &*environment.add(1).cast::<AtomicI64>(), &*environment.add(2).cast::<AtomicI64>())
        };
        for _ in begin..end {
            here.fetch_add(1, Ordering::SeqCst);
            let start = Instant::now();
            while here.load(Ordering::SeqCst) < wanted && start.elapsed() < Duration::from_secs(1) {
                std::thread::yield_now();
            }
            met.fetch_max(here.load(Ordering::SeqCst), Ordering::SeqCst);
        }
    }

    #[test]
    fn loops_of_two_threads_share_the_workers() {
        let pool = Pool::of(4);
        pool.shared.runs.store(2, Ordering::Relaxed);
        let mut words = [4i64, 0, 0];
        let environment = words.as_mut_ptr() as usize;
        std::thread::scope(|scope| {
            for _ in 0..2 {
                let pool = &pool;
                scope.spawn(move || {
                    let environment = environment as *mut i64;
                    let work = Loop { environment, body: meet, count: 2, grain: 1, stop: None };
                    assert!(pool.run(&work, 3, true), "half of the threads are for this loop");
                });
            }
        });
        assert_eq!(words[2], 4, "two threads in each of two loops at the same time");
        let shares = |slot: &Slot| slot.participants.load(Ordering::Relaxed);
        assert!(pool.shared.slots.iter().all(|slot| shares(slot) <= 2));
        assert!(pool.workers.iter().all(|worker| worker.owner.load(Ordering::Relaxed) == 0));
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
