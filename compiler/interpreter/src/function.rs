//! One call of a function: its values, its stack memory, and the choice of a meaning for each operation.

use cranelift_entity::SecondaryMap;
use data::AlignedBytes;
use dialects::{OpCodes, arith, cf, func, math, memref, rt, vector};
use ir::{Attribute, Block, Body, Diagnostic, IndexMap, Op, Type, Value};

use crate::{Bits, Call, convert};

/// What happens after an operation.
pub(crate) enum Next {
    /// The operation after it.
    Operation,
    /// A block, with its arguments.
    Block(Block, Vec<Bits>),
    /// The function ends.
    Return(Option<Bits>),
}

/// The result of an operation, or the reason why it has none.
pub(crate) type Executed<T> = Result<T, Diagnostic>;

/// The scalar type of a value's lanes; buffers are addresses.
pub(crate) fn lane(r#type: &Type) -> &Type {
    match r#type {
        Type::MemRef(_) => &Type::Index,
        other => other.element(),
    }
}

/// A call of a function.
pub(crate) struct Frame<'c, 'm> {
    pub(crate) call: &'c mut Call<'m>,
    pub(crate) body: &'m Body,
    values: SecondaryMap<Value, Bits>,
    /// The memory of each `memref.alloca`.
    pub(crate) stack: IndexMap<Op, AlignedBytes>,
}

impl<'c, 'm> Frame<'c, 'm> {
    pub(crate) fn new(call: &'c mut Call<'m>, body: &'m Body) -> Frame<'c, 'm> {
        Frame { call, body, values: SecondaryMap::new(), stack: IndexMap::default() }
    }

    /// Executes the function; returns its result if it has one.
    pub(crate) fn run(mut self, arguments: &[Bits]) -> Executed<Option<Bits>> {
        let mut block = self.body.entry().expect("a defined function has an entry");
        self.enter(block, arguments);
        loop {
            block = match self.block(block)? {
                Next::Block(next, arguments) => {
                    self.enter(next, &arguments);
                    next
                }
                Next::Return(result) => return Ok(result),
                Next::Operation => unreachable!("a block ends with a terminator"),
            };
        }
    }

    fn enter(&mut self, block: Block, arguments: &[Bits]) {
        for (&argument, bits) in self.body.arguments(block).iter().zip(arguments) {
            self.values[argument] = bits.clone();
        }
    }

    fn block(&mut self, block: Block) -> Executed<Next> {
        for op in self.body.ops(block) {
            match self.op(op)? {
                Next::Operation => {}
                next => return Ok(next),
            }
        }
        Ok(Next::Operation)
    }

    fn op(&mut self, op: Op) -> Executed<Next> {
        self.call.left = self.call.left.checked_sub(1).ok_or_else(|| {
            let message = "the interpreted operations exceed their limit";
            Diagnostic::unsupported(self.body.op(op).location.clone(), message)
        })?;
        let result = match self.body.code(op).ok_or_else(|| self.unknown(op))? {
            code @ (cf::BR | cf::COND_BR | cf::SWITCH | func::RETURN) => return self.terminator(op, code),
            func::CALL => self.function_call(op)?,
            rt::PARALLEL_FOR => self.parallel_for(op)?,
            arith::CONSTANT => Some(self.constant(op)?),
            code @ (arith::ADDI
            | arith::SUBI
            | arith::MULI
            | arith::ANDI
            | arith::ORI
            | arith::XORI
            | arith::SHLI
            | arith::SHRSI
            | arith::SHRUI
            | arith::DIVSI
            | arith::DIVUI
            | arith::REMSI
            | arith::REMUI
            | arith::MINSI
            | arith::MAXSI
            | arith::MINUI
            | arith::MAXUI
            | math::ABSI
            | math::CTLZ
            | math::CTPOP
            | arith::ADDF
            | arith::SUBF
            | arith::MULF
            | arith::DIVF
            | arith::NEGF
            | arith::MAXNUMF
            | arith::MINNUMF
            | math::SQRT
            | math::ABSF
            | math::FLOOR
            | math::CEIL
            | math::TRUNC
            | math::ROUNDEVEN
            | math::COPYSIGN
            | math::FMA
            | vector::FMA) => Some(self.arithmetic(op, code)?),
            code @ (arith::MAXIMUMF | arith::MINIMUMF) => Some(self.extreme(op, code)?),
            arith::CMPI => Some(self.compare_integers(op)?),
            arith::CMPF => Some(self.compare_floats(op)?),
            arith::SELECT => Some(self.lanewise(op, |_, x| Some(if x[0] == 1 { x[1] } else { x[2] }))?),
            code @ (arith::EXTSI
            | arith::EXTUI
            | arith::INDEX_CAST
            | arith::INDEX_CASTUI
            | arith::TRUNCI
            | arith::SITOFP
            | arith::UITOFP
            | arith::FPTOSI
            | arith::FPTOUI
            | arith::EXTF
            | arith::TRUNCF
            | arith::BITCAST) => {
                let to = lane(self.result_type(op));
                Some(self.lanewise(op, |from, x| convert::compute(code, from, to, x[0]))?)
            }
            code @ (vector::LOAD
            | vector::STORE
            | vector::MASKEDLOAD
            | vector::MASKEDSTORE
            | vector::GATHER
            | memref::LOAD
            | memref::STORE
            | memref::ALLOCA
            | memref::GET_GLOBAL
            | memref::VIEW
            | memref::CAST
            | rt::ADDRESS
            | rt::BUFFER
            | rt::LOAD_ADDRESS
            | rt::PACK
            | rt::UNPACK) => self.memory(op, code)?,
            code @ (vector::BROADCAST
            | vector::EXTRACT
            | vector::INSERT
            | vector::REDUCTION
            | vector::CREATE_MASK
            | vector::CONSTANT_MASK
            | vector::SHUFFLE
            | vector::FROM_ELEMENTS
            | vector::STEP) => Some(self.lanes(op, code)?),
            dialects::untranslated!() => return Err(self.unknown(op)),
        };
        if let (Some(bits), Some(&value)) = (result, self.body.op(op).results().first()) {
            self.define(value, bits);
        }
        Ok(Next::Operation)
    }

    // ---- values

    pub(crate) fn bits(&self, value: Value) -> &Bits {
        &self.values[value]
    }

    /// The bits of a scalar of at most 64 bits.
    pub(crate) fn word(&self, value: Value) -> u64 {
        self.values[value][0] as u64
    }

    pub(crate) fn result_type(&self, op: Op) -> &'m Type {
        self.body.value_type(self.body.result(op, 0))
    }

    /// The number of lanes of the first result; 1 for a scalar.
    pub(crate) fn result_lanes(&self, op: Op) -> usize {
        lane_count(self.result_type(op))
    }

    pub(crate) fn define(&mut self, value: Value, bits: Bits) {
        self.values[value] = bits;
    }

    /// An attribute that names a symbol.
    pub(crate) fn symbol(&self, op: Op, name: &str) -> Executed<&'m str> {
        let symbol = self.body.attribute(op, name).and_then(Attribute::as_symbol);
        symbol.ok_or_else(|| self.broken(op, &format!("has no {name}")))
    }

    /// The address of a symbol outside of the module.
    pub(crate) fn address(&self, op: Op, name: &str) -> Executed<usize> {
        let known = self.call.interpreter.symbols.get(name).copied();
        known.ok_or_else(|| self.broken(op, &format!("names @{name}, which is not defined")))
    }

    // ---- errors

    /// The error of an operation that the low level does not have.
    pub(crate) fn unknown(&self, op: Op) -> Diagnostic {
        self.broken(op, "has no meaning at the low level")
    }

    /// The error of an operation that violates the rules of the low level.
    pub(crate) fn broken(&self, op: Op, problem: &str) -> Diagnostic {
        let types = self.body.op(op).operands().iter().map(|&value| self.body.value_type(value).to_string());
        let types: Vec<String> = types.collect();
        let message = format!("{} {problem} (operand types {})", self.body.name(op), types.join(", "));
        Diagnostic::internal(self.body.op(op).location.clone(), message)
    }
}

pub(crate) fn lane_count(r#type: &Type) -> usize {
    r#type.as_vector().and_then(|vector| vector.shape.first()).map_or(1, |&count| count as usize)
}
