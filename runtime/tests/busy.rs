//! Parallel loops avoid processors that are in use. This is the only test of its process, because all threads share the
//! count of processors in use.

#![allow(unsafe_code, reason = "a loop's body gets the address of its data")]

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};

use runtime::busy::Busy;
use runtime::pool::rt_parallel_for;

extern "C" fn tell_worker(told: *mut i64, _: i64, _: i64) {
    // SAFETY: the loop's environment is this.
    let told = unsafe { &*told.cast_const().cast::<AtomicBool>() };
    let is_worker = std::thread::current().name().is_some_and(|name| name.starts_with("rt-"));
    told.fetch_or(is_worker, Ordering::Relaxed);
}

#[test]
fn loops_leave_needed_processors_alone() {
    let others = std::thread::available_parallelism().map_or(1, |count| count.get()) - 1;
    let (taken, done) = (Barrier::new(others + 1), Barrier::new(others + 1));
    let told = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..others {
            scope.spawn(|| {
                let outer = Busy::processor();
                drop(Busy::processor());
                taken.wait();
                done.wait();
                drop(outer);
            });
        }
        taken.wait();
        let environment = (&raw const told).cast_mut().cast::<i64>();
        for _ in 0..1000 {
            rt_parallel_for(environment, 1000, i64::from(i32::MAX), tell_worker);
        }
        done.wait();
    });
    assert!(!told.into_inner(), "a worker took part");
}
