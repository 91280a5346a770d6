//! A code for each operation below the graph.
//!
//! Each dialect's module has its operations' codes as constants: `arith::ADDI` is `arith.addi`. Because they are values
//! of one enum, a `match` that lacks an operation does not compile. They are generated from the rows in
//! the dialects' modules: a new operation is one row there. (The operators of `onnx` are [`crate::onnx::OnnxOp`].)
//!
//! So are structs of operands by name, for operations whose row names them. Each is a view,
//! `vector::Maskedload::of(body, op).mask`, and a builder,
//! `builder.value_from(memref::Load { memref, indices: &[row, column] }, element, [])`.
//! Operations with one operand, or with two sides, are read by [`OpCodes::sole_operand`] and [`OpCodes::sides`], and
//! created from lists: `builder.value(arith::ADDI, &[a, b], Type::Index, [])`.

#[cfg(test)]
mod generate;
#[rustfmt::skip]
pub(crate) mod operands;
#[rustfmt::skip]
mod table;

use ir::{Body, DefinedName, Op, OpName, Value};

/// The operations that both code generators leave to earlier passes, as a pattern of [`OpCode`]. An operation that is neither
/// here nor translated is an error of the Rust compiler in both.
#[macro_export]
macro_rules! untranslated {
    () => {
        $crate::arith::ADDUI_EXTENDED
            | $crate::arith::CEILDIVSI
            | $crate::arith::CEILDIVUI
            | $crate::arith::FLOORDIVSI
            | $crate::arith::MULSI_EXTENDED
            | $crate::arith::MULUI_EXTENDED
            | $crate::arith::REMF
            | $crate::builtin::MODULE
            | $crate::builtin::UNREALIZED_CONVERSION_CAST
            | $crate::cf::ASSERT
            | $crate::func::FUNC
            | $crate::linalg::FILL
            | $crate::linalg::GENERIC
            | $crate::linalg::INDEX
            | $crate::linalg::PACK
            | $crate::linalg::UNPACK
            | $crate::linalg::YIELD
            | $crate::math::ACOS
            | $crate::math::ACOSH
            | $crate::math::ASIN
            | $crate::math::ASINH
            | $crate::math::ATAN
            | $crate::math::ATAN2
            | $crate::math::ATANH
            | $crate::math::CBRT
            | $crate::math::CLAMPF
            | $crate::math::COS
            | $crate::math::COSH
            | $crate::math::CTTZ
            | $crate::math::ERF
            | $crate::math::ERFC
            | $crate::math::EXP
            | $crate::math::EXP2
            | $crate::math::EXPM1
            | $crate::math::FPOWI
            | $crate::math::IPOWI
            | $crate::math::ISFINITE
            | $crate::math::ISINF
            | $crate::math::ISNAN
            | $crate::math::ISNORMAL
            | $crate::math::LOG
            | $crate::math::LOG10
            | $crate::math::LOG1P
            | $crate::math::LOG2
            | $crate::math::POWF
            | $crate::math::ROUND
            | $crate::math::RSQRT
            | $crate::math::SIN
            | $crate::math::SINCOS
            | $crate::math::SINH
            | $crate::math::TAN
            | $crate::math::TANH
            | $crate::memref::ALLOC
            | $crate::memref::COLLAPSE_SHAPE
            | $crate::memref::COPY
            | $crate::memref::DEALLOC
            | $crate::memref::DIM
            | $crate::memref::EXPAND_SHAPE
            | $crate::memref::EXTRACT_ALIGNED_POINTER_AS_INDEX
            | $crate::memref::GLOBAL
            | $crate::memref::REINTERPRET_CAST
            | $crate::memref::SUBVIEW
            | $crate::ml_program::GLOBAL
            | $crate::ml_program::GLOBAL_LOAD
            | $crate::ml_program::GLOBAL_STORE
            | $crate::rt::APPEND
            | $crate::rt::BOUNDS
            | $crate::rt::CALL
            | $crate::rt::CONTRACT
            | $crate::rt::CONTRACT_BLOCKS
            | $crate::rt::DEPTHWISE
            | $crate::rt::WINOGRAD
            | $crate::rt::WINOGRAD_TILES
            | $crate::scf::CONDITION
            | $crate::scf::FOR
            | $crate::scf::IF
            | $crate::scf::PARALLEL
            | $crate::scf::REDUCE
            | $crate::scf::REDUCE_RETURN
            | $crate::scf::WHILE
            | $crate::scf::YIELD
            | $crate::tensor::BITCAST
            | $crate::tensor::CAST
            | $crate::tensor::COLLAPSE_SHAPE
            | $crate::tensor::CONCAT
            | $crate::tensor::DIM
            | $crate::tensor::EMPTY
            | $crate::tensor::EXPAND_SHAPE
            | $crate::tensor::EXTRACT
            | $crate::tensor::EXTRACT_SLICE
            | $crate::tensor::FROM_ELEMENTS
            | $crate::tensor::GENERATE
            | $crate::tensor::INSERT
            | $crate::tensor::INSERT_SLICE
            | $crate::tensor::PAD
            | $crate::tensor::RANK
            | $crate::tensor::RESHAPE
            | $crate::tensor::SPLAT
            | $crate::tensor::YIELD
            | $crate::vector::BITCAST
            | $crate::vector::SHAPE_CAST
    };
}

pub use table::{Dialect, OpCode};
pub(crate) use table::{arith, builtin, cf, func, linalg, math, memref, ml_program, rt, scf, tensor, vector};

/// The codes of a body's operations.
pub trait OpCodes {
    /// The code of an operation; `None` for operators of `onnx` and unknown operations.
    fn code(&self, op: Op) -> Option<OpCode>;

    /// Whether an operation has a code.
    fn is(&self, op: Op, code: OpCode) -> bool;

    /// The operand of an operation that has one.
    fn sole_operand(&self, op: Op) -> Value;

    /// The operands `lhs` and `rhs` of an operation that has two.
    fn sides(&self, op: Op) -> (Value, Value);
}

impl OpCodes for Body {
    fn code(&self, op: Op) -> Option<OpCode> {
        OpCode::of_name(&self.op(op).name)
    }

    fn is(&self, op: Op, code: OpCode) -> bool {
        self.op(op).name == code
    }

    fn sole_operand(&self, op: Op) -> Value {
        let &[operand] = self.op(op).operands() else { panic!("{} has one operand", self.op(op).name) };
        operand
    }

    fn sides(&self, op: Op) -> (Value, Value) {
        let &[lhs, rhs] = self.op(op).operands() else { panic!("{} has two operands", self.op(op).name) };
        (lhs, rhs)
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
