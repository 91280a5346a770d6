//! The stack frame sizes of functions, as laid out by the code generator.

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

/// The frame size of each function in bytes, by name; missing ones are zero.
pub(crate) type Frames = Vec<(String, u64)>;

/// The messages of LLVM during code generation.
#[derive(Default)]
struct Said {
    frames: Frames,
    errors: Vec<String>,
}

/// Records frames while code is generated for a module.
pub(crate) fn with_frames<T>(unit: &Module<'_>, generate: impl FnOnce() -> T) -> (T, Result<Frames, Diagnostic>) {
    let context = unit.get_context();
    // a limit that every frame exceeds
    let limit = context.create_string_attribute("warn-stack-size", "0");
    unit.get_functions().for_each(|function| function.add_attribute(AttributeLoc::Function, limit));
    let mut said = Said::default();
    let target: *mut Said = &mut said;
    // SAFETY: the handler's data outlive the calls, and it is removed before they are dropped.
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
    // SAFETY: LLVM passes a diagnostic, whose text is ours to free, and the handler's data.
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

/// `stack frame size (24) exceeds limit (0) in function 'f'`, after a position that some versions of LLVM state.
fn frame(text: &str) -> Option<(String, u64)> {
    let (_, text) = text.split_once("stack frame size (")?;
    let (size, rest) = text.split_once(')')?;
    let (_, name) = rest.split_once("in function '")?;
    Some((name.strip_suffix('\'')?.to_string(), size.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::frame;

    #[test]
    fn messages_state_frames() {
        let text = "stack frame size (24) exceeds limit (0) in function 'f'";
        for text in [text.to_string(), format!("<unknown>:0:0: {text}")] {
            assert_eq!(frame(&text), Some(("f".to_string(), 24)));
        }
    }
}
