use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

#[test]
fn gives_results_back() {
    prepare(2);
    let handles: Vec<_> = (0..8).map(|number| spawn(move || number * number)).collect();
    let results: Vec<i32> = handles.into_iter().map(Handle::join).collect();
    assert_eq!(results, [0, 1, 4, 9, 16, 25, 36, 49]);
}

#[test]
fn waits_for_all_that_work() {
    for helpers in [0, 1, 3] {
        for _ in 0..100 {
            let (next, sum) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let work = || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= 100 {
                        break;
                    }
                    sum.fetch_add(number, Ordering::Relaxed);
                }
            };
            assert_eq!(with(helpers, &work, || (work(), 5).1), 5);
            assert_eq!(sum.into_inner(), 4950);
        }
    }
}

#[test]
fn passes_panics_on() {
    let there = Mutex::new(false);
    let begun = Condvar::new();
    let work = || {
        *lock(&there) = true;
        begun.notify_all();
        panic!("work fails");
    };
    let wait = || drop(begun.wait_while(lock(&there), |there| !*there));
    let result = catch_unwind(AssertUnwindSafe(|| with(1, &work, wait)));
    assert_eq!(result.expect_err("it panics").downcast_ref::<&str>(), Some(&"work fails"));
    let result = catch_unwind(|| spawn(|| panic!("a job fails")).join());
    assert!(result.is_err());
}
