//! Evaluates calls of the runtime's routines in the compiler, one after the other.
//!
//! [`dialects::rt::routines`] documents the words of each routine.

#![allow(unsafe_code, reason = "routines take addresses")]

use data::{AlignedBytes, Blob, Piece};
use runtime::RunContext;
use runtime::busy::Busy;

use crate::entry::provide_nothing;

type Code = extern "C" fn(context: i64, words: *mut i64, count: i64) -> i64;

/// A call of a routine that cannot fail and has one result, whose extents are known.
pub(crate) struct RoutineCall {
    /// The symbol of the routine.
    pub(crate) symbol: String,
    /// The words that it is called with.
    pub(crate) words: Vec<Word>,
    /// The size of the result in bytes.
    pub(crate) length: usize,
    /// The offset of the result in the memory of results that stay; `None` if only later calls read it.
    pub(crate) offset: Option<usize>,
    /// Earlier calls whose results are dead after this one.
    pub(crate) freed: Vec<usize>,
    /// Constants that are dead after this one.
    pub(crate) discarded: Vec<Blob>,
}

/// A word of a call.
pub(crate) enum Word {
    Number(i64),
    /// The address of a constant.
    Constant(Blob),
    /// The address of the result of the call with that index.
    Result(usize),
}

/// Runs the calls. Results that stay go to chunks of memory: each chunk is complete after the given number of calls.
pub(crate) fn run(calls: &[RoutineCall], pieces: Vec<(usize, Piece)>, threads: usize) {
    let _busy = Busy::processor();
    let symbols = runtime::symbols();
    let mut pieces = pieces.into_iter();
    let mut piece = pieces.next();
    let mut passing: Vec<Option<AlignedBytes>> = Vec::new();
    let mut addresses: Vec<i64> = Vec::new();
    let mut context = RunContext::new(std::ptr::null_mut(), provide_nothing);
    runtime::pool::rt_set_threads(threads as i64);
    for (number, call) in calls.iter().enumerate() {
        let mut passed = None;
        let result = match call.offset {
            Some(offset) => {
                let (_, piece) = piece.as_mut().expect("there is a piece for each result");
                let memory = piece.bytes_mut();
                memory.as_mut_slice()[offset..offset + call.length].as_mut_ptr()
            }
            None => passed.insert(AlignedBytes::zeroed(call.length)).as_mut_slice().as_mut_ptr(),
        };
        passing.push(passed);
        addresses.push(result.expose_provenance() as i64);
        let mut words: Vec<i64> = call.words.iter().map(|word| word.value(&addresses)).collect();
        let (_, code) = symbols.iter().find(|(name, _)| *name == call.symbol).expect("the runtime has every routine");
        // SAFETY: routines have this signature, and the words are those that this routine takes.
        let code = unsafe { std::mem::transmute::<*const u8, Code>(*code) };
        let failure = code(context.address(), words.as_mut_ptr(), words.len() as i64);
        assert!(failure == 0 && context.status == 0, "{} failed on constants", call.symbol);
        call.freed.iter().for_each(|&number| passing[number] = None);
        call.discarded.iter().for_each(Blob::discard);
        if let Some((_, finished)) = piece.take_if(|(end, _)| *end == number + 1) {
            finished.finish();
            piece = pieces.next();
        }
    }
}

impl Word {
    /// The word, given the addresses of results.
    fn value(&self, results: &[i64]) -> i64 {
        match self {
            &Word::Number(number) => number,
            Word::Constant(blob) => blob.bytes().as_ptr().expose_provenance() as i64,
            &Word::Result(number) => results[number],
        }
    }
}
