//! Code that runs in this process: machine code in memory, from either code generator, or another engine's program.

#![allow(unsafe_code, reason = "code that no longer changes is shared between threads")]

use std::sync::Arc;

use ir::Diagnostic;

use crate::entry::Entry;
use crate::fast::baseline::BaselineCode;

/// Code that runs. Addresses of functions are valid as long as this value lives.
pub enum Code {
    /// Code that is compiled while it runs.
    Baseline(BaselineCode),
    /// Object files of a code generator, or of the cache.
    Objects(loader::Loaded),
    /// What an engine outside of this crate executes.
    Program(Arc<dyn Program>),
}

/// Functions without addresses.
pub trait Program: Send + Sync {
    /// Whether there is a function of this name.
    fn defines(&self, name: &str) -> bool;

    /// Calls a host function; returns its status.
    fn call(&self, name: &str, table: &mut [i64]) -> i64;

    /// The errors of a call that had no result.
    fn failure(&self) -> Option<&[Diagnostic]>;
}

// SAFETY: linking is finished when a value is constructed; later uses only read addresses.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl Code {
    /// The address of a function, if it is machine code that is defined.
    pub fn function(&self, name: &str) -> Option<*const u8> {
        match self {
            Code::Baseline(code) => code.function(name),
            Code::Objects(code) => code.function(name),
            Code::Program(_) => None,
        }
    }

    /// A host function, which may be called as long as this value lives.
    pub fn entry(&self, name: &str) -> Option<Entry> {
        match self {
            Code::Program(program) => program.defines(name).then(|| Entry::in_program(program.clone(), name)),
            Code::Baseline(_) | Code::Objects(_) => self.function(name).map(Entry::at),
        }
    }

    /// The errors of functions that were called and could not be compiled or executed. The call had no result.
    pub fn failure(&self) -> Option<&[Diagnostic]> {
        match self {
            Code::Baseline(code) => code.failure(),
            Code::Objects(_) => None,
            Code::Program(program) => program.failure(),
        }
    }
}
