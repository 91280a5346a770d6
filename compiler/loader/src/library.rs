//! Functions of the C library that a compiler calls on its own.

/// Name and address of each.
pub(crate) fn symbols() -> [(&'static str, usize); 4] {
    unsafe extern "C" {
        fn memcpy();
        fn memmove();
        fn memset();
        fn memcmp();
    }
    [
        ("memcpy", memcpy as *const () as usize),
        ("memmove", memmove as *const () as usize),
        ("memset", memset as *const () as usize),
        ("memcmp", memcmp as *const () as usize),
    ]
}
