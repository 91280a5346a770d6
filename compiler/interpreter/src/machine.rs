//! The process's memory, and calls of the runtime by its C ABI.
//!
//! Contract: addresses and functions come from a module at the low level, which the caller trusts like compiled code:
//! each address that it forms is inside of a buffer, and each function without a body has its declared type. Nothing
//! else in this crate is unsafe.

#![allow(unsafe_code, reason = "executes the loads, stores and calls of a module")]

use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

/// The size of the largest element.
const MOST_BYTES: usize = size_of::<u128>();
/// The number of float arguments of a call: there are as many registers for them.
pub(crate) const FLOATS: usize = 8;
/// The number of other arguments, which are on the stack if no register is left.
pub(crate) const WORDS: usize = 16;

/// The arguments of a call. On x86-64 (System V) and AArch64 floats take other registers than words, so that only the
/// order inside of each group matters; a function does not see the arguments that it does not have.
#[derive(Default)]
pub(crate) struct Arguments {
    /// Floats; an `f32` in the low bits.
    pub(crate) floats: [f64; FLOATS],
    /// Integers and addresses.
    pub(crate) words: [u64; WORDS],
}

#[rustfmt::skip]
type Function<R> = unsafe extern "C" fn(
    f64, f64, f64, f64, f64, f64, f64, f64,
    u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64,
) -> R;

/// Reads an element.
pub(crate) fn read(address: u64, bytes: usize) -> u128 {
    let mut element = [0; MOST_BYTES];
    let source = with_exposed_provenance::<u8>(address as usize);
    // SAFETY: the address is inside of a buffer, see the contract; the element is at most as large as the array.
    unsafe { source.copy_to_nonoverlapping(element[..bytes].as_mut_ptr(), bytes) };
    u128::from_le_bytes(element)
}

/// Writes an element.
pub(crate) fn write(address: u64, bytes: usize, element: u128) {
    let target = with_exposed_provenance_mut::<u8>(address as usize);
    // SAFETY: the address is inside of a buffer, see the contract; the element is at most as large as the array.
    unsafe { target.copy_from_nonoverlapping(element.to_le_bytes()[..bytes].as_ptr(), bytes) };
}

/// Calls a function whose result is an integer, an address or nothing; in the last case the word is unspecified.
pub(crate) fn call(function: usize, arguments: &Arguments) -> u64 {
    invoke(function, arguments)
}

/// Calls a function whose result is a float; an `f32` is in the low bits.
pub(crate) fn call_for_float(function: usize, arguments: &Arguments) -> u64 {
    invoke::<f64>(function, arguments).to_bits()
}

fn invoke<R>(function: usize, arguments: &Arguments) -> R {
    let pointer = with_exposed_provenance::<()>(function);
    let [a, b, c, d, e, f, g, h] = arguments.floats;
    let [i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x] = arguments.words;
    // SAFETY: the function has its declared type, see the contract, whose arguments are where it reads them.
    unsafe {
        let function = std::mem::transmute::<*const (), Function<R>>(pointer);
        function(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x)
    }
}
