//! Machine code in memory, from either code generator.

#![allow(unsafe_code, reason = "code that nobody changes any more is shared between threads")]

/// Machine code in memory. Addresses of functions are valid as long as this value lives.
pub(crate) enum Code {
    /// Linked by Cranelift's own linker.
    Cranelift(Box<codegen_cranelift::Compiled>),
    /// Objects of the LLVM back end, or of the cache.
    Objects(loader::Loaded),
}

// SAFETY: linking is finished when a value is made; all that is done with it afterwards is to read addresses.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl Code {
    /// The address of a function.
    pub(crate) fn function(&self, name: &str) -> Option<*const u8> {
        match self {
            Code::Cranelift(code) => code.function(name),
            Code::Objects(code) => code.function(name),
        }
    }
}
