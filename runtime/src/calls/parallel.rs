//! Routines on several threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::pool::{WORK_TO_WAKE, rt_parallel_for};
use crate::stop::Ended;

/// A loop over the chunks of a slice, passed through the pool's C signature.
struct Chunks<'s, T, F> {
    elements: *mut T,
    count: usize,
    length: usize,
    body: &'s F,
    panicked: AtomicBool,
}

/// Calls `body` with the index of each chunk of `length` elements (the last may be shorter) and the chunk, on the
/// runtime's threads. Each chunk is large enough to wake a thread for it.
pub(super) fn for_each_chunk<T: Send, F: Fn(usize, &mut [T]) + Sync>(elements: &mut [T], length: usize, body: F) {
    let length = length.max(1);
    let count = elements.len();
    let panicked = AtomicBool::new(false);
    let chunks = Chunks { elements: elements.as_mut_ptr(), count, length, body: &body, panicked };
    let environment = (&raw const chunks).cast_mut().cast::<i64>();
    rt_parallel_for(environment, count.div_ceil(length) as i64, WORK_TO_WAKE, run::<T, F>);
    assert!(!chunks.panicked.into_inner(), "a routine panicked on another thread");
}

extern "C" fn run<T, F: Fn(usize, &mut [T])>(environment: *mut i64, begin: i64, end: i64) {
    // SAFETY: the environment of these loops is what `for_each_chunk` passes, which outlives the loop; it is only read.
    let chunks = unsafe { &*environment.cast_const().cast::<Chunks<'_, T, F>>() };
    for chunk in begin as usize..end as usize {
        let start = chunk * chunks.length;
        let length = chunks.length.min(chunks.count - start);
        // SAFETY: inside the slice, and each chunk is visited once.
        let elements = unsafe { std::slice::from_raw_parts_mut(chunks.elements.add(start), length) };
        let outcome = catch_unwind(AssertUnwindSafe(|| (chunks.body)(chunk, elements)));
        // the rest of a loop whose run is to end is skipped anyway
        if outcome.is_err_and(|panic| !panic.is::<Ended>()) {
            chunks.panicked.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_chunk_is_visited_once() {
        for count in [0, 1, 7, 8, 9, 1000] {
            let mut elements = vec![0; count];
            for_each_chunk(&mut elements, 8, |chunk, part| part.iter_mut().for_each(|element| *element += chunk + 1));
            let expected: Vec<usize> = (0..count).map(|at| at / 8 + 1).collect();
            assert_eq!(elements, expected);
        }
    }
}
