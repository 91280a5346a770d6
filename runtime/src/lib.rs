//! Thread pool, memory and micro-kernels behind a C ABI.
