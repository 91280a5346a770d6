//! Runs an object that `onnxc --profile sonnx` made: `harness INPUT... -- OUTPUT=BYTES...` reads each input's bytes from a
//! file and writes each output's. It is compiled for each processor that results are compared of.

use std::os::raw::c_void;

extern "C" {
    fn net_initialize(none: *const *const c_void, nothing: *const *mut c_void) -> i64;
    fn net_run(inputs: *const *const c_void, outputs: *const *mut c_void) -> i64;
}

/// Bytes that are aligned as any element is.
fn aligned(bytes: usize) -> Vec<u64> {
    vec![0; bytes.div_ceil(8).max(1)]
}

fn as_bytes(words: &mut [u64], bytes: usize) -> &mut [u8] {
    unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), bytes) }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let middle = arguments.iter().position(|argument| argument == "--").expect("outputs stand behind --");
    let mut inputs: Vec<Vec<u64>> = arguments[..middle]
        .iter()
        .map(|path| {
            let bytes = std::fs::read(path).expect("inputs can be read");
            let mut words = aligned(bytes.len());
            as_bytes(&mut words, bytes.len()).copy_from_slice(&bytes);
            words
        })
        .collect();
    let outputs: Vec<(&str, usize)> = arguments[middle + 1..]
        .iter()
        .map(|argument| argument.rsplit_once('=').expect("FILE=BYTES"))
        .map(|(path, bytes)| (path, bytes.parse().expect("a number of bytes")))
        .collect();
    let mut memory: Vec<Vec<u64>> = outputs.iter().map(|&(_, bytes)| aligned(bytes)).collect();
    let sources: Vec<*const c_void> = inputs.iter_mut().map(|words| words.as_ptr().cast()).collect();
    let targets: Vec<*mut c_void> = memory.iter_mut().map(|words| words.as_mut_ptr().cast()).collect();
    let missing: Vec<*mut c_void> = vec![std::ptr::null_mut(); targets.len().max(1)];
    let initialized = unsafe { net_initialize(sources.as_ptr(), missing.as_ptr()) };
    assert_eq!(initialized, 0, "initialize");
    if !targets.is_empty() {
        assert_eq!(unsafe { net_run(sources.as_ptr(), missing.as_ptr()) }, -1, "a missing address is a code");
    }
    // the second run must not see what the first one left
    for _ in 0..2 {
        let code = unsafe { net_run(sources.as_ptr(), targets.as_ptr()) };
        if code != 0 {
            println!("{code}");
            return;
        }
    }
    for ((path, bytes), words) in outputs.into_iter().zip(&mut memory) {
        std::fs::write(path, as_bytes(words, bytes)).expect("outputs can be written");
    }
    println!("0");
}
