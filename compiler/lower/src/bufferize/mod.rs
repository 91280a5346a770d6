//! Bufferization of the host function: tensors become buffers in one planned arena, kernel results become arguments.
//!
//! - `convention`: the calling convention of the host function.
//! - `sizes`: extents and sizes in bytes as values of the host.
//! - `lifetimes`: the lifetime of each result.
//! - `memory`: the memory of each result.
//! - `constants`: buffers that outlive a run.
//! - `control`: conditionals and loops.
//! - `routines`: calls of the runtime's routines.
//! - `fixed`: memory that is part of the module, for runs without a heap.
//! - `greatest`: the greatest values of sizes, if extents have bounds.
//! - `operations`: operation by operation from tensors to buffers.
//!
//! Invariants
//! - Every buffer is dense and row-major.
//! - Two values share memory only if their lifetimes, counted in operations of the entry block, do not overlap, or one
//!   is a view of the other.

mod constants;
mod control;
mod convention;
mod fixed;
mod greatest;
mod lifetimes;
mod memory;
mod operations;
mod routines;
mod sizes;
mod stacks;

use std::sync::Arc;

use dialects::rt::attributes::{GREATEST_EXTENTS, OUTPUT_BYTES};
use dialects::rt::routines::is_handle;
use dialects::{OpCode, arith, cf, func, memref, rt};
use ir::pass::Choice;
use ir::{
    Attribute, Attributes, Block, Body, Builder, Diagnostic, Folded, FunctionType, IndexMap, IndexSet, Module, Op,
    OpName, Operands, Registry, Type, Value,
};

use crate::outline_initialization::INITIALIZE;

pub use constants::bufferize_globals;
pub(crate) use constants::with_readers;
use lifetimes::Lifetimes;
pub(crate) use lifetimes::without_casts;
use memory::Place;

/// Alignment of every planned buffer, in bytes.
const ALIGNMENT: i64 = 64;

/// The source of a host function's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Memory {
    /// The run, which allocates it on the heap.
    #[default]
    Run,
    /// The module. One run at a time, all sizes static or bounded, outputs in the caller's buffers.
    Static,
}

impl Choice for Memory {
    const CHOICES: &'static [(&'static str, Memory)] = &[("run", Memory::Run), ("static", Memory::Static)];
}

/// The memory of a tensor.
#[derive(Clone, Debug)]
struct Buffer {
    memref: Value,
    extents: Vec<Value>,
}

/// The key of a pure operation: what its result depends on.
#[derive(PartialEq, Eq, Hash)]
struct Pure {
    name: OpName,
    operands: Vec<Value>,
    attributes: Attributes,
    result: Type,
}

struct Host<'m> {
    module: &'m mut Module,
    registry: &'m Registry,
    name: String,
    memory: Memory,
    source: Body,
    body: Body,
    at: Block,
    context: Value,
    status: Value,
    buffers: IndexMap<Value, Buffer>,
    scalars: IndexMap<Value, Value>,
    /// Pure operations of the current block and of the enclosing ones, outer ones first.
    known: IndexMap<Pure, Value>,
    globals: usize,
    /// Large constants of functions that were bufferized before.
    earlier: Vec<Op>,
    /// The index of the output and its address slot in the table, for values that are written directly to an output.
    outputs: IndexMap<Value, usize>,
    output_words: Vec<i64>,
    /// Results that may reuse the memory of an input.
    rewritten: IndexMap<Value, Value>,
    /// Results with planned memory.
    places: IndexMap<Value, Place>,
    /// The conditions that have been asserted on every path to this point.
    checked: IndexSet<Value>,
    table: Value,
    /// The greatest extents of the arguments, if they have bounds.
    greatest: Vec<Arc<[i64]>>,
    /// The ranges of extents and sizes, as far as they are known.
    ranges: IndexMap<Value, greatest::Range>,
    /// The most bytes of each output, if the memory is static.
    output_bytes: Vec<i64>,
}

/// Bufferizes the function `name` and adapts it to the host calling convention.
pub fn bufferize_host(module: &mut Module, name: &str, memory: Memory, registry: &Registry) -> ir::Result<()> {
    let Some(function) = module.function(name) else { return Ok(()) };
    let mut ports = function.r#type.inputs.iter().chain(&function.r#type.results);
    if let Some(r#type) = ports.find(|r#type| r#type.shape().is_none() && !is_handle(r#type)) {
        let message = format!("@{name} has an argument or a result of type {}, which is not a ranked tensor", r#type);
        return Err(Diagnostic::input(module.body.op(function.op).location.clone(), message).into());
    }
    let greatest = function.attributes.get(GREATEST_EXTENTS).and_then(Attribute::as_array).unwrap_or_default();
    let greatest = greatest.iter().filter_map(Attribute::as_integers).collect();
    let output_bytes = vec![0; function.r#type.results.len()];
    let Some((op, source)) = module.take_function(name) else { return Ok(()) };
    let table_type = Type::memref(vec![None], Type::I64);
    let mut body = Body::new();
    let at = body.add_block(body.root(), std::slice::from_ref(&table_type));
    let table = body.arguments(at)[0];
    let mut builder = Builder::at_end(&mut body, at);
    let zero = builder.constant_index(0);
    let context_word = builder.value_from(memref::Load { memref: table, indices: &[zero] }, Type::I64, []);
    let context = builder.value(arith::INDEX_CAST, &[context_word], Type::Index, []);
    // the status word is the first field of the run context
    let status = builder.value(rt::BUFFER, &[context], table_type.clone(), []);
    let earlier = constants::large(module);
    let mut host = Host {
        module,
        registry,
        name: name.to_string(),
        memory,
        source,
        body,
        at,
        context,
        status,
        buffers: IndexMap::default(),
        scalars: IndexMap::default(),
        known: IndexMap::default(),
        globals: 0,
        earlier,
        outputs: IndexMap::default(),
        output_words: vec![],
        rewritten: IndexMap::default(),
        places: IndexMap::default(),
        checked: IndexSet::default(),
        table,
        greatest,
        ranges: IndexMap::default(),
        output_bytes,
    };
    host.run()?;
    let Host { body, output_bytes, greatest, .. } = host;
    if !greatest.is_empty() {
        module.attributes.set(OUTPUT_BYTES, Attribute::i64_array(&output_bytes));
    }
    module.body.set_isolated(op, body);
    let r#type = FunctionType { inputs: vec![table_type], results: vec![Type::I64] };
    let attributes = &mut module.body.op_mut(op).attributes;
    attributes.set("function_type", Attribute::Type(Type::Function(r#type.into())));
    // they describe the model's inputs and outputs, which are not the function's any more
    attributes.remove("arg_attrs");
    attributes.remove("res_attrs");
    Ok(())
}

impl Host<'_> {
    fn run(&mut self) -> ir::Result<()> {
        let entry = self.source.entry().expect("the host function has a body");
        self.bind_arguments(entry);
        self.hoist_sizes(entry, None);
        let end = self.source.terminator(entry).expect("the host function returns");
        let results = self.source.op(end).operands().to_vec();
        self.assign_outputs(&results);
        let lifetimes = Lifetimes::of(&self.source, entry);
        self.rewritten = lifetimes.rewritten(&self.source, entry);
        let mut slots = Vec::new();
        self.plan(&lifetimes, 0, &mut slots, "rt_arena")?;
        for (position, op) in self.source.ops(entry).to_vec().into_iter().enumerate() {
            self.plan_again(op, position, &lifetimes, &mut slots)?;
            self.operation(op)?;
            if self.name == INITIALIZE && self.memory == Memory::Run {
                self.discard_constants(op, position, &lifetimes);
            }
        }
        for (index, &result) in results.iter().enumerate() {
            self.finish_output(index, result)?;
        }
        let zero = self.index(0);
        let status = self.load_word(self.status, zero);
        self.emit(func::RETURN, &[status], &[], []);
        Ok(())
    }

    fn emit(&mut self, code: OpCode, operands: &[Value], results: &[Type], attributes: impl Into<Attributes>) -> Op {
        let at = self.at;
        Builder::at_end(&mut self.body, at).create(code, operands, results, attributes)
    }

    fn value(&mut self, code: OpCode, operands: &[Value], result: Type, attributes: impl Into<Attributes>) -> Value {
        let op = self.emit(code, operands, &[result], attributes);
        self.body.result(op, 0)
    }

    /// [`Host::value`] of the operation that has these operands.
    fn value_from<O: Operands>(&mut self, operands: O, result: Type, attributes: impl Into<Attributes>) -> Value {
        Builder::at_end(&mut self.body, self.at).value_from(operands, result, attributes)
    }

    /// A pure operation with one result, folded if possible; an equal one in this block or an enclosing one is reused.
    fn pure(
        &mut self,
        name: impl Into<OpName>,
        operands: &[Value],
        result: Type,
        attributes: impl Into<Attributes>,
    ) -> Value {
        let pure = Pure { name: name.into(), operands: operands.to_vec(), attributes: attributes.into(), result };
        if let Some(&known) = self.known.get(&pure) {
            return known;
        }
        let mut builder = Builder::at_end(&mut self.body, self.at);
        let value = builder.value(pure.name.clone(), &pure.operands, pure.result.clone(), pure.attributes.clone());
        let value = self.folded(&pure, value);
        self.record_range(value);
        self.known.insert(pure, value);
        value
    }

    /// [`Host::pure`] of the operation that has these operands.
    fn pure_from<O: Operands>(&mut self, operands: O, result: Type, attributes: impl Into<Attributes>) -> Value {
        self.pure(O::name(), &operands.list(), result, attributes)
    }

    /// The folded result of a new operation, which is erased then.
    fn folded(&mut self, pure: &Pure, result: Value) -> Value {
        let op = self.body.defining_op(result).expect("an operation was made");
        let fold = self.registry.get(pure.name.as_str()).and_then(|definition| definition.fold);
        let Some([folded]) =
            fold.and_then(|fold| fold(&self.body, op)).and_then(|all| <[Folded; 1]>::try_from(all).ok())
        else {
            return result;
        };
        match folded {
            Folded::Constant(_) if pure.operands.is_empty() => result,
            Folded::Constant(value) => {
                self.body.erase(op);
                self.pure(arith::CONSTANT, &[], pure.result.clone(), [("value", value)])
            }
            Folded::Value(value) => {
                self.body.erase(op);
                value
            }
        }
    }

    /// Ends the run unless the condition holds; constant conditions need no check.
    fn assert(&mut self, condition: Value, attributes: impl Into<Attributes>) {
        if ir::constant_integer(&self.body, condition) != Some(1) {
            self.emit(cf::ASSERT, &[condition], &[], attributes);
        }
    }

    fn index(&mut self, value: i64) -> Value {
        self.pure(arith::CONSTANT, &[], Type::Index, [("value", Attribute::index(value))])
    }

    fn address(&mut self, memref: Value) -> Value {
        self.pure(rt::ADDRESS, &[memref], Type::Index, [])
    }

    fn load_word(&mut self, table: Value, at: Value) -> Value {
        self.value_from(memref::Load { memref: table, indices: &[at] }, Type::I64, [])
    }
}
