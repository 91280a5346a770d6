#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| onnxc_fuzz::json(bytes));
