//! How much of the stack functions take, as the code generator lays their frames out.

#![allow(unsafe_code, reason = "frame sizes come as diagnostics, to a function that C calls")]

use std::ffi::{CStr, c_void};

use inkwell::attributes::AttributeLoc;
use inkwell::context::AsContextRef;
use inkwell::llvm_sys::LLVMDiagnosticSeverity;
use inkwell::llvm_sys::core::{
    LLVMContextSetDiagnosticHandler, LLVMDisposeMessage, LLVMGetDiagInfoDescription, LLVMGetDiagInfoSeverity,
};
use inkwell::llvm_sys::prelude::LLVMDiagnosticInfoRef;
use inkwell::module::Module;
use ir::Diagnostic;

use crate::emit::internal;

/// The bytes of each function's frame, by name; one that is not there has none.
pub type Frames = Vec<(String, u64)>;

/// What LLVM says while it generates code.
#[derive(Default)]
struct Said {
    frames: Frames,
    errors: Vec<String>,
}

/// Takes note of frames while code is generated for a module.
pub(crate) fn with_frames<T>(unit: &Module<'_>, generate: impl FnOnce() -> T) -> (T, Result<Frames, Diagnostic>) {
    let context = unit.get_context();
    // a limit that every frame exceeds
    let limit = context.create_string_attribute("warn-stack-size", "0");
    unit.get_functions().for_each(|function| function.add_attribute(AttributeLoc::Function, limit));
    let mut said = Said::default();
    let target: *mut Said = &mut said;
    // SAFETY: the handler gets what outlives the calls, and is taken away before that goes.
    unsafe { LLVMContextSetDiagnosticHandler(context.as_ctx_ref(), Some(note), target.cast()) };
    let result = generate();
    // SAFETY: the context is alive.
    unsafe { LLVMContextSetDiagnosticHandler(context.as_ctx_ref(), None, std::ptr::null_mut()) };
    match said.errors.is_empty() {
        true => (result, Ok(said.frames)),
        false => (result, Err(internal(format!("LLVM: {}", said.errors.join("; "))))),
    }
}

extern "C" fn note(info: LLVMDiagnosticInfoRef, said: *mut c_void) {
    // SAFETY: LLVM gives a diagnostic, whose text is ours to free, and what the handler was set with.
    let (text, is_error, said) = unsafe {
        let text = LLVMGetDiagInfoDescription(info);
        let own = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeMessage(text);
        let is_error = LLVMGetDiagInfoSeverity(info) == LLVMDiagnosticSeverity::LLVMDSError;
        (own, is_error, &mut *said.cast::<Said>())
    };
    match is_error {
        true => said.errors.push(text),
        false => said.frames.extend(frame(&text)),
    }
}

/// `stack frame size (24) exceeds limit (0) in function 'f'`
fn frame(text: &str) -> Option<(String, u64)> {
    let (size, rest) = text.strip_prefix("stack frame size (")?.split_once(')')?;
    let (_, name) = rest.split_once("in function '")?;
    Some((name.strip_suffix('\'')?.to_string(), size.parse().ok()?))
}
