//! An interpreter of the low level: what a module means, found without the code generators.
//!
//! Tests compare compiled code with it bit for bit, so that it favours the plainest statement of a meaning over speed.
//! The meanings are those of docs/src/contributing/low-level.md.
//!
//! - A value is its bits, or those of each lane. The types of the IR say what they stand for.
//! - Memory is the process's, and addresses are real: the runtime's functions and micro-kernels are called by their C
//!   ABI (module `machine`).
//! - A parallel loop runs here and not in the runtime, which would need the address of its body. It gets its ranges one
//!   after the other in an order that threads could take, too, though they seldom do.

mod control;
mod convert;
mod float;
mod function;
mod integer;
mod lanewise;
mod machine;
mod memory;
mod vector;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use ir::{Body, Diagnostic, Location, Module, Op};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use function::Frame;

/// The bits of a scalar, or of each lane of a vector: an address, a number without its sign or the bits of a float, in
/// the low bits. The others are zero.
pub type Bits = SmallVec<[u128; 1]>;

/// A module at the low level whose functions can be called.
pub struct Interpreter {
    module: Module,
    functions: FxHashMap<String, Op>,
    symbols: BTreeMap<String, usize>,
    limit: u64,
}

impl Interpreter {
    /// An interpreter of a module that refers to symbols at given addresses. A call ends in an error once it has executed
    /// `limit` operations.
    pub fn new(module: Module, symbols: BTreeMap<String, usize>, limit: u64) -> Interpreter {
        let defined = module.functions().filter(|function| function.body.entry().is_some());
        let functions = defined.map(|function| (function.name.to_string(), function.op)).collect();
        Interpreter { module, functions, symbols, limit }
    }

    /// Whether the module defines a function.
    pub fn defines(&self, name: &str) -> bool {
        self.functions.contains_key(name)
    }

    /// Calls a function of the module; returns its result if it has one.
    pub fn call(&self, name: &str, arguments: &[Bits]) -> Result<Option<Bits>, Diagnostic> {
        let unknown = || Diagnostic::internal(Location::Unknown, format!("@{name} is not defined"));
        Call { interpreter: self, left: self.limit }.function(self.body(name).ok_or_else(unknown)?, arguments)
    }

    /// The body of a function of the module.
    fn body(&self, name: &str) -> Option<&Body> {
        self.module.function_view(*self.functions.get(name)?).map(|function| function.body)
    }
}

/// The state of a call from outside, with all calls inside of it.
struct Call<'m> {
    interpreter: &'m Interpreter,
    /// The number of operations that may still be executed.
    left: u64,
}

impl<'m> Call<'m> {
    /// Calls a function with this body.
    fn function(&mut self, body: &'m Body, arguments: &[Bits]) -> Result<Option<Bits>, Diagnostic> {
        Frame::new(self, body).run(arguments)
    }
}
