//! The interpreter of the low level as an engine, so that it runs what code generators compile, and how to compare.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use driver::{Diagnostic, Result, Value};
use engine::{Built, Code, CodeTier, Engine, Globals, Lowering, PlainEngine, Program, Settings, Unlinked};
use interpreter::{Bits, Interpreter};
use ir::pass::Timings;
use ir::{Module, Op, Type, floats};

/// Interprets the module that the chosen code generator would get, in one partition.
#[derive(Clone, Copy, Debug)]
pub struct InterpreterEngine {
    /// The number of operations that a call of a host function may execute; others end in an error of the class
    /// `Unsupported`.
    pub limit: u64,
}

impl Engine for InterpreterEngine {
    fn build(
        &self,
        module: &mut Module,
        settings: &Settings,
        _: &Arc<AtomicBool>,
        timings: &mut Timings,
    ) -> Result<Built> {
        settings.lowering.lower_module(module, timings)?;
        settings.lowering.lower_partition(module)?;
        let mut globals = Globals::default();
        globals.add(module).map_err(Diagnostic::from)?;
        let interpreter = Interpreter::new(module.clone(), globals.symbols()?, self.limit);
        let code = Code::Program(Arc::new(Interpreted { interpreter, failure: OnceLock::new() }));
        Ok(Built { globals, code, unlinked: Unlinked::Objects(CodeTier::Quick, vec![]), recipe: None })
    }
}

/// The plain engine without the flags by which operations allow another order of arithmetic than that of the
/// interpreter.
#[derive(Clone, Copy, Debug)]
pub struct OrderedEngine;

impl Engine for OrderedEngine {
    fn build(
        &self,
        module: &mut Module,
        settings: &Settings,
        cancelled: &Arc<AtomicBool>,
        timings: &mut Timings,
    ) -> Result<Built> {
        let settings = Settings { lowering: Arc::new(Ordered(settings.lowering.clone())), ..settings.clone() };
        PlainEngine.build(module, &settings, cancelled, timings)
    }
}

struct Ordered(Arc<dyn Lowering>);

impl Lowering for Ordered {
    fn lower_module(&self, module: &mut Module, timings: &mut Timings) -> Result<()> {
        self.0.lower_module(module, timings)
    }

    fn lower_partition(&self, partition: &mut Module) -> Result<()> {
        self.0.lower_partition(partition)?;
        let functions: Vec<Op> = partition.functions().map(|function| function.op).collect();
        for function in functions {
            let Some(body) = partition.function_body_mut(function) else { continue };
            for op in body.walk_all() {
                body.op_mut(op).attributes.remove("fastmath");
            }
        }
        Ok(())
    }
}

/// An interpreted module.
struct Interpreted {
    interpreter: Interpreter,
    failure: OnceLock<Vec<Diagnostic>>,
}

impl Program for Interpreted {
    fn defines(&self, name: &str) -> bool {
        self.interpreter.defines(name)
    }

    fn call(&self, name: &str, table: &mut [i64]) -> i64 {
        let address = table.as_mut_ptr().expose_provenance() as u128;
        match self.interpreter.call(name, &[Bits::from_elem(address, 1)]) {
            Ok(status) => status.map_or(0, |status| status[0] as i64),
            Err(diagnostic) => {
                self.failure.get_or_init(|| vec![diagnostic]);
                -1
            }
        }
    }

    fn failure(&self) -> Option<&[Diagnostic]> {
        self.failure.get().map(Vec::as_slice)
    }
}

/// Whether two values are equal bit for bit, but for the bits of NaNs, which are unspecified.
pub fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Tensor(one), Value::Tensor(other)) => {
            let same_type = one.element == other.element && one.shape == other.shape;
            same_type && first_difference(&one.element, one.data.bytes(), other.data.bytes()).is_none()
        }
        (Value::Sequence(one), Value::Sequence(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Optional(Some(one)), Value::Optional(Some(other))) => is_same(one, other),
        _ => one.is_same(other),
    }
}

/// The index of the first element, or part of a complex one, that differs bit for bit but for the bits of NaNs.
pub fn first_difference(element: &Type, one: &[u8], other: &[u8]) -> Option<usize> {
    if one.len() != other.len() {
        return Some(0);
    }
    let (format, width) = match element {
        Type::Float(format) | Type::Complex(format) => (Some(*format), format.width().div_ceil(8) as usize),
        _ => (None, element.byte_width().unwrap_or(1)),
    };
    let is_nan = |bytes: &[u8]| {
        let bits = bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
        format.is_some_and(|format| floats::decode(bits, format).is_nan())
    };
    let mut pairs = one.chunks(width).zip(other.chunks(width));
    pairs.position(|(one, other)| one != other && !(is_nan(one) && is_nan(other)))
}
