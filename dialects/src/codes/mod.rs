//! A code for each operation below the graph.
//!
//! Each dialect's module has its operations' codes as constants: `arith::ADDI` is `arith.addi`. Because they are values
//! of one enum, a `match` that lacks an operation does not compile. They are generated from the rows in
//! the dialects' modules: a new operation is one row there. (The operators of `onnx` are [`crate::onnx::OnnxOp`].)

#[cfg(test)]
mod generate;
#[rustfmt::skip]
mod table;

use ir::{Body, DefinedName, Op, OpName};

pub use table::{Dialect, OpCode};
pub(crate) use table::{arith, builtin, cf, func, linalg, math, memref, ml_program, rt, scf, tensor, vector};

/// The codes of a body's operations.
pub trait OpCodes {
    /// The code of an operation; `None` for operators of `onnx` and unknown operations.
    fn code(&self, op: Op) -> Option<OpCode>;

    /// Whether an operation has a code.
    fn is(&self, op: Op, code: OpCode) -> bool;
}

impl OpCodes for Body {
    fn code(&self, op: Op) -> Option<OpCode> {
        OpCode::of_name(&self.op(op).name)
    }

    fn is(&self, op: Op, code: OpCode) -> bool {
        self.op(op).name == code
    }
}

impl OpCode {
    /// The code of a name; `None` for operators of `onnx` and unknown operations.
    pub fn of_name(name: &OpName) -> Option<OpCode> {
        match name.code() {
            Some(code) => table::CODES.get(usize::from(code)).copied(),
            None => OpCode::of_text(name.as_str()),
        }
    }

    /// The code of a name's text; `None` for operators of `onnx` and unknown operations.
    pub fn of_text(text: &str) -> Option<OpCode> {
        let (fixed, sorted) = table::NAMES.split_at(ir::op_name::FIXED_NAMES.len());
        let fixed_at = || fixed.iter().position(|name| name.text == text);
        let sorted_at = || sorted.binary_search_by(|name| name.text.cmp(text)).ok().map(|at| fixed.len() + at);
        fixed_at().or_else(sorted_at).map(|at| table::CODES[at])
    }

    /// `dialect.name`
    pub fn name(self) -> &'static str {
        self.defined().text
    }

    /// The dialect.
    pub fn dialect(self) -> Dialect {
        table::DIALECTS[self as usize]
    }

    /// The name with its code.
    fn defined(self) -> &'static DefinedName {
        &table::NAMES[self as usize]
    }

    /// Every code.
    pub fn all() -> impl Iterator<Item = OpCode> {
        table::CODES.iter().copied()
    }
}

impl From<OpCode> for OpName {
    fn from(code: OpCode) -> OpName {
        OpName::from(code.defined())
    }
}

impl PartialEq<OpCode> for OpName {
    fn eq(&self, other: &OpCode) -> bool {
        *self == *other.defined()
    }
}
