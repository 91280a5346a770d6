//! Machine code in memory, from either code generator.

#![allow(unsafe_code, reason = "code that no longer changes is shared between threads")]

use ir::{Diagnostic, Result};

use crate::entry::Entry;
use crate::fast::baseline::BaselineCode;

/// Machine code in memory. Addresses of functions are valid as long as this value lives.
pub enum Code {
    /// Code that is compiled while it runs.
    Baseline(BaselineCode),
    /// Object files of a code generator, or of the cache.
    Objects(loader::Loaded),
}

// SAFETY: linking is finished when a value is constructed; later uses only read addresses.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl Code {
    /// The address of a function, if it is defined.
    pub fn function(&self, name: &str) -> Result<Option<*const u8>> {
        match self {
            Code::Baseline(code) => code.function(name),
            Code::Objects(code) => Ok(code.function(name)),
        }
    }

    /// A host function, which may be called as long as this value lives.
    pub fn entry(&self, name: &str) -> Result<Option<Entry>> {
        Ok(self.function(name)?.map(Entry::at))
    }

    /// The errors of functions that were called and could not be compiled. The call had no result.
    pub fn failure(&self) -> Option<&[Diagnostic]> {
        match self {
            Code::Baseline(code) => code.failure(),
            Code::Objects(_) => None,
        }
    }
}
