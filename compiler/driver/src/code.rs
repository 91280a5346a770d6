//! Machine code in memory, from either code generator.

#![allow(unsafe_code, reason = "code that no longer changes is shared between threads")]

use ir::{Diagnostic, Result};

use crate::baseline::BaselineCode;

/// Machine code in memory. Addresses of functions are valid as long as this value lives.
pub(crate) enum Code {
    /// Code that is compiled while it runs.
    First(BaselineCode),
    /// Linked by Cranelift's own linker.
    Cranelift(Box<codegen_cranelift::Compiled>),
    /// Object files of the LLVM back end, or of the cache.
    Objects(loader::Loaded),
}

// SAFETY: linking is finished when a value is constructed; later uses only read addresses.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl Code {
    /// The address of a function, if it is defined.
    pub(crate) fn function(&self, name: &str) -> Result<Option<*const u8>> {
        match self {
            Code::First(code) => code.function(name),
            Code::Cranelift(code) => Ok(code.function(name)),
            Code::Objects(code) => Ok(code.function(name)),
        }
    }

    /// The errors of functions that were called and could not be compiled. The call had no result.
    pub(crate) fn failure(&self) -> Option<&[Diagnostic]> {
        match self {
            Code::First(code) => code.failure(),
            Code::Cranelift(_) | Code::Objects(_) => None,
        }
    }
}
