//! More threads than the machine has processors, by a model: one thread runs the chunks of a loop one after the other, in the
//! order and of the size in which N threads would take them, and the clock of profiles goes on as if they had. Builds with the
//! feature `modelled-threads` run all loops in this way.
//!
//! The model knows how work is divided and what joining costs. It does not know that threads share the bandwidth of memory, that
//! each has separate caches, and that processors slow down if all of them work.

use std::sync::atomic::AtomicI64;

use super::*;

/// The time in which threads that are awake begin and end a loop together, in nanoseconds: an assumption.
const JOIN: i64 = 3_000;

/// The nanoseconds that the threads of the model would have saved.
static SAVED: AtomicI64 = AtomicI64::new(0);

/// The nanoseconds that the threads of the model have saved until now.
pub(crate) fn saved() -> i64 {
    SAVED.load(Ordering::Relaxed)
}

/// Runs a loop, and takes off the clock what `most` further threads would have saved, all of which are awake.
pub(super) fn run(work: &Loop, most: usize) -> bool {
    let participants = (most + 1).min(threads());
    let start = Instant::now();
    let slot = Slot::of(participants);
    slot.open(work, participants);
    let mut last = Instant::now();
    let time = within_loop(|| {
        time(&slot.shares, |begin, end| {
            work.run(begin, end);
            let now = Instant::now();
            (now - std::mem::replace(&mut last, now)).as_nanos() as i64
        })
    });
    SAVED.fetch_add(start.elapsed().as_nanos() as i64 - time, Ordering::Relaxed);
    true
}

/// The time in which a thread for each share runs a loop, where a chunk takes the time that `run` returns. The thread that is
/// free first takes the next one. One thread finishes a short loop before others join.
fn time(shares: &[Share], mut run: impl FnMut(i64, i64) -> i64) -> i64 {
    let (mut clocks, mut alone) = (vec![0; shares.len()], 0);
    let next = |thread: usize| (0..shares.len()).find_map(|offset| shares[(thread + offset) % shares.len()].take());
    while let Some(thread) = (0..clocks.len()).min_by_key(|&thread| clocks[thread]) {
        let Some((begin, end)) = next(thread) else { break };
        let time = run(begin, end);
        clocks[thread] += time;
        alone += time;
    }
    let together = clocks.into_iter().max().unwrap_or(0) + JOIN;
    together.min(alone)
}

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn nothing(_: *mut i64, _: i64, _: i64) {}

    /// The time of iterations that each take as long as `of` says.
    fn of(count: i64, participants: usize, of: impl Fn(i64) -> i64) -> i64 {
        let work = Loop { environment: std::ptr::null_mut(), body: nothing, count, grain: 1, stop: None };
        let slot = Slot::of(participants);
        slot.open(&work, participants);
        let mut ran = 0;
        let time = time(&slot.shares, |begin, end| {
            ran += end - begin;
            (begin..end).map(&of).sum()
        });
        assert_eq!(ran, count, "every iteration is run once");
        time
    }

    #[test]
    fn equal_iterations_are_divided_equally() {
        assert_eq!(of(64, 1, |_| JOIN), 64 * JOIN);
        assert_eq!(of(64, 16, |_| JOIN), 5 * JOIN);
        assert_eq!(of(17, 16, |_| JOIN), 3 * JOIN);
    }

    #[test]
    fn a_long_iteration_is_the_least_time() {
        assert_eq!(of(64, 16, |at| if at == 63 { 100 * JOIN } else { JOIN }), 104 * JOIN);
        assert_eq!(of(3, 16, |_| JOIN), 2 * JOIN);
    }

    #[test]
    fn short_loops_are_run_alone() {
        assert_eq!(of(2, 16, |_| JOIN / 4), JOIN / 4 * 2);
    }
}
