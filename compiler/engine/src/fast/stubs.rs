//! Stubs for functions that are not linked yet, as in a procedure linkage table.
//!
//! A stub jumps to the target of its slot: at first [`resolve_call`], which requests the function while it saves the
//! arguments of the call, and from then on the function itself.
//!
//! Invariants
//! - Arguments are integers, addresses and floats of the C ABI: at most sixteen bytes wide, as Cranelift's are.
//! - A slot is written once, when its function can be called.

#![allow(unsafe_code, reason = "connects generated code and the functions that it calls")]

use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Links the function with a number, unless that fails.
pub(crate) type Demand = Arc<dyn Fn(usize) + Send + Sync>;

/// Slots of stubs. Code contains their addresses.
pub(crate) struct Slots(Box<[Slot]>);

/// The target of one stub.
struct Slot {
    target: AtomicPtr<u8>,
    number: usize,
    demand: Demand,
}

/// The size of a stub.
pub(crate) const STUB: usize = if cfg!(target_arch = "aarch64") { 32 } else { 16 };

impl Slots {
    /// Slots of functions that are all unlinked.
    pub(crate) fn new(count: usize, demand: &Demand) -> Slots {
        let unresolved = resolve_call as *const () as *mut u8;
        let slot = |number| Slot { target: AtomicPtr::new(unresolved), number, demand: demand.clone() };
        Slots((0..count).map(slot).collect())
    }

    /// The code of all stubs, [`STUB`] bytes each.
    pub(crate) fn code(&self) -> Vec<u8> {
        self.0.iter().flat_map(|slot| stub(std::ptr::from_ref(&slot.target).expose_provenance())).collect()
    }

    /// Whether a function is linked.
    pub(crate) fn is_bound(&self, number: usize) -> bool {
        self.0[number].is_bound()
    }

    /// From now on calls go to a function.
    pub(crate) fn bind(&self, number: usize, function: *const u8) {
        self.0[number].target.store(function.cast_mut(), Ordering::Release);
    }
}

impl Slot {
    fn is_bound(&self) -> bool {
        self.target.load(Ordering::Acquire) != resolve_call as *const () as *mut u8
    }
}

/// `ldr x16, target; ldar x17, [x16]; br x17`, and the target. A call may change these registers, and what its function reads is
/// read after the slot.
#[cfg(target_arch = "aarch64")]
fn stub(target: usize) -> [u8; STUB] {
    let mut code = [0; STUB];
    for (bytes, instruction) in code.chunks_exact_mut(4).zip([0x5800_0090u32, 0xc8df_fe11, 0xd61f_0220]) {
        bytes.copy_from_slice(&instruction.to_le_bytes());
    }
    code[16..24].copy_from_slice(&(target as u64).to_le_bytes());
    code
}

/// `movabs r11, target; jmp [r11]`
#[cfg(not(target_arch = "aarch64"))]
fn stub(target: usize) -> [u8; STUB] {
    let mut code = [0xcc; STUB];
    code[..2].copy_from_slice(&[0x49, 0xbb]);
    code[2..10].copy_from_slice(&(target as u64).to_le_bytes());
    code[10..13].copy_from_slice(&[0x41, 0xff, 0x23]);
    code
}

/// Continues a call whose stub has put the address of its slot's target into `r11`.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
extern "C" fn resolve_call() {
    // six integer and eight floating-point registers may contain arguments; the stack is aligned to 16 at a call
    std::arch::naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "sub rsp, 176",
        "mov [rsp], rdi",
        "mov [rsp + 8], rsi",
        "mov [rsp + 16], rdx",
        "mov [rsp + 24], rcx",
        "mov [rsp + 32], r8",
        "mov [rsp + 40], r9",
        "movups [rsp + 48], xmm0",
        "movups [rsp + 64], xmm1",
        "movups [rsp + 80], xmm2",
        "movups [rsp + 96], xmm3",
        "movups [rsp + 112], xmm4",
        "movups [rsp + 128], xmm5",
        "movups [rsp + 144], xmm6",
        "movups [rsp + 160], xmm7",
        "mov rdi, r11",
        "call {resolve}",
        "mov r11, rax",
        "mov rdi, [rsp]",
        "mov rsi, [rsp + 8]",
        "mov rdx, [rsp + 16]",
        "mov rcx, [rsp + 24]",
        "mov r8, [rsp + 32]",
        "mov r9, [rsp + 40]",
        "movups xmm0, [rsp + 48]",
        "movups xmm1, [rsp + 64]",
        "movups xmm2, [rsp + 80]",
        "movups xmm3, [rsp + 96]",
        "movups xmm4, [rsp + 112]",
        "movups xmm5, [rsp + 128]",
        "movups xmm6, [rsp + 144]",
        "movups xmm7, [rsp + 160]",
        "leave",
        "jmp r11",
        resolve = sym resolve,
    )
}

/// Continues a call whose stub has put the address of its slot's target into `x16`.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
extern "C" fn resolve_call() {
    // eight integer and eight floating-point registers may contain arguments
    std::arch::naked_asm!(
        "stp x29, x30, [sp, #-208]!",
        "mov x29, sp",
        "stp x0, x1, [sp, #16]",
        "stp x2, x3, [sp, #32]",
        "stp x4, x5, [sp, #48]",
        "stp x6, x7, [sp, #64]",
        "stp q0, q1, [sp, #80]",
        "stp q2, q3, [sp, #112]",
        "stp q4, q5, [sp, #144]",
        "stp q6, q7, [sp, #176]",
        "mov x0, x16",
        "bl {resolve}",
        "mov x16, x0",
        "ldp x0, x1, [sp, #16]",
        "ldp x2, x3, [sp, #32]",
        "ldp x4, x5, [sp, #48]",
        "ldp x6, x7, [sp, #64]",
        "ldp q0, q1, [sp, #80]",
        "ldp q2, q3, [sp, #112]",
        "ldp q4, q5, [sp, #144]",
        "ldp q6, q7, [sp, #176]",
        "ldp x29, x30, [sp], #208",
        "br x16",
        resolve = sym resolve,
    )
}

/// Other architectures have no stubs.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
extern "C" fn resolve_call() {}

/// The function of a slot, or one that does nothing if it cannot be compiled.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
extern "C" fn resolve(target: *const AtomicPtr<u8>) -> *const u8 {
    // SAFETY: `stub` got the address of a slot's target, which lives as long as the code.
    let slot = unsafe { &*target.byte_sub(std::mem::offset_of!(Slot, target)).cast::<Slot>() };
    (slot.demand)(slot.number);
    match slot.is_bound() {
        true => slot.target.load(Ordering::Acquire),
        false => nothing as *const u8,
    }
}

/// Called in place of a function that could not be compiled: its source has the error.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
extern "C" fn nothing() -> i64 {
    0
}
