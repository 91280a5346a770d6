//! Runs objects from `onnxc --profile sonnx`, one after the other, and writes their outputs into a folder:
//! `CASE.OUTPUT`, and their return codes as lines. Compiled for each processor whose results are compared; `CASES`
//! names the table.

use std::os::raw::c_void;

type Function = unsafe extern "C" fn(*const *const c_void, *const *mut c_void) -> i64;

/// An object, the files with its inputs, and the bytes of its outputs.
struct Case {
    initialize: Function,
    run: Function,
    inputs: &'static [&'static str],
    outputs: &'static [usize],
}

include!(env!("CASES"));

/// Bytes with the alignment of any element type.
struct Bytes {
    words: Vec<u64>,
    length: usize,
}

impl Bytes {
    fn new(length: usize) -> Bytes {
        Bytes { words: vec![0; length.div_ceil(8).max(1)], length }
    }

    fn read(path: &str) -> Bytes {
        let bytes = std::fs::read(path).expect("inputs can be read");
        let mut aligned = Bytes::new(bytes.len());
        aligned.slice().copy_from_slice(&bytes);
        aligned
    }

    fn slice(&mut self) -> &mut [u8] {
        // the words have at least this many bytes
        unsafe { std::slice::from_raw_parts_mut(self.words.as_mut_ptr().cast(), self.length) }
    }
}

/// What a case returns, and its outputs.
fn run(case: &Case) -> (i64, Vec<Bytes>) {
    let inputs: Vec<Bytes> = case.inputs.iter().map(|path| Bytes::read(path)).collect();
    let mut outputs: Vec<Bytes> = case.outputs.iter().map(|&bytes| Bytes::new(bytes)).collect();
    let sources: Vec<*const c_void> = inputs.iter().map(|bytes| bytes.words.as_ptr().cast()).collect();
    let targets: Vec<*mut c_void> = outputs.iter_mut().map(|bytes| bytes.words.as_mut_ptr().cast()).collect();
    let missing: Vec<*mut c_void> = vec![std::ptr::null_mut(); targets.len()];
    unsafe {
        assert_eq!((case.initialize)(std::ptr::null(), std::ptr::null()), 0, "nothing of it may fail");
        assert_eq!((case.run)(sources.as_ptr(), missing.as_ptr()), -7, "a missing address is a code");
        let first = (case.run)(sources.as_ptr(), targets.as_ptr());
        let again = (case.run)(sources.as_ptr(), targets.as_ptr());
        assert_eq!(first, again, "a run leaves no state");
        (again, outputs)
    }
}

fn main() {
    let folder = std::env::args().nth(1).expect("a folder for the outputs");
    for (number, case) in CASES.iter().enumerate() {
        let (code, outputs) = run(case);
        println!("{code}");
        for (at, mut bytes) in outputs.into_iter().enumerate() {
            std::fs::write(format!("{folder}/{number}.{at}"), bytes.slice()).expect("outputs can be written");
        }
    }
}
