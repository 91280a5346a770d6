//! Bufferization of the host function: tensors become buffers in one planned arena, kernel results become arguments.
//!
//! - `convention`: how the host function takes inputs and gives outputs.
//! - `sizes`: extents and sizes in bytes as values of the host.
//! - `lifetimes`: how long each result is read.
//! - `memory`: where each result lives.
//! - `constants`: buffers that outlive a run.
//! - `control`: conditionals and loops.
//! - `routines`: calls of the runtime's routines.
//! - `fixed`: memory that is part of the module, for runs without a heap.
//! - `operations`: operation by operation from tensors to buffers.
//!
//! Invariants
//! - Every buffer is dense and row-major.
//! - Two values share memory only if their lifetimes, counted in operations of the entry block, do not overlap, or
//!   one is a view of the other.

mod constants;
mod control;
mod convention;
mod fixed;
mod lifetimes;
mod memory;
mod operations;
mod routines;
mod sizes;

use dialects::{OpCode, arith, cf, func, memref, rt};
use ir::{
    Attribute, Attributes, Block, Body, Builder, Folded, FunctionType, IndexMap, IndexSet, Module, Op, OpName,
    Registry, Type, Value,
};

use crate::fold_constants::INITIALIZE;

pub use constants::bufferize_globals;
pub(crate) use constants::with_readers;
use lifetimes::Lifetimes;
pub(crate) use lifetimes::without_casts;
use memory::Place;

/// Alignment of every planned buffer, in bytes.
const ALIGNMENT: i64 = 64;

/// Where a host function has its memory from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Memory {
    /// It asks the run, which takes it from the heap.
    #[default]
    Run,
    /// It is part of the module. One run at a time, all sizes known, outputs in the caller's buffers.
    Static,
}

/// Where a tensor lives.
#[derive(Clone, Debug)]
struct Buffer {
    memref: Value,
    extents: Vec<Value>,
}

/// What decides a pure operation's result.
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
    /// Pure operations of the block being emitted and of those around it, outer ones first.
    known: IndexMap<Pure, Value>,
    globals: usize,
    /// Output number and the address slot in the table for values that are written straight into an output.
    outputs: IndexMap<Value, usize>,
    output_words: Vec<i64>,
    /// Results that may take the place of an input.
    rewritten: IndexMap<Value, Value>,
    /// Results whose place is planned.
    places: IndexMap<Value, Place>,
    /// The conditions that are asserted already, on every way here.
    checked: IndexSet<Value>,
    table: Value,
}

/// Bufferizes the function `name` and adapts it to the host calling convention.
pub fn bufferize_host(module: &mut Module, name: &str, memory: Memory, registry: &Registry) -> ir::Result<()> {
    let Some(op) = module.symbol(name) else { return Ok(()) };
    let source = module.body.take_isolated(op).expect("a function owns its body");
    let table_type = Type::memref(vec![None], Type::I64);
    let mut body = Body::new();
    let at = body.add_block(body.root(), std::slice::from_ref(&table_type));
    let table = body.arguments(at)[0];
    let mut builder = Builder::at_end(&mut body, at);
    let zero = builder.constant_index(0);
    let context_word = builder.value(memref::LOAD, &[table, zero], Type::I64, []);
    let context = builder.value(arith::INDEX_CAST, &[context_word], Type::Index, []);
    // the status word is the first field of the run context
    let status = builder.value(rt::BUFFER, &[context], table_type.clone(), []);
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
        outputs: IndexMap::default(),
        output_words: vec![],
        rewritten: IndexMap::default(),
        places: IndexMap::default(),
        checked: IndexSet::default(),
        table,
    };
    host.run()?;
    let body = host.body;
    module.body.set_isolated(op, body);
    let r#type = FunctionType { inputs: vec![table_type], results: vec![Type::I64] };
    let attributes = &mut module.body.op_mut(op).attributes;
    attributes.set("function_type", Attribute::Type(Type::Function(r#type.into())));
    // they describe the model's inputs and outputs, which are no longer the function's
    attributes.remove("arg_attrs");
    attributes.remove("res_attrs");
    Ok(())
}

impl Host<'_> {
    fn run(&mut self) -> ir::Result<()> {
        let entry = self.source.entry().expect("the host function has a body");
        self.bind_arguments(entry);
        self.hoist_sizes(entry);
        let end = self.source.terminator(entry).expect("the host function returns");
        let results = self.source.op(end).operands().to_vec();
        self.assign_outputs(&results);
        let lifetimes = Lifetimes::of(&self.source, entry);
        self.rewritten = lifetimes.rewritten(&self.source, entry);
        self.plan(&lifetimes, "rt_arena")?;
        for (position, op) in self.source.ops(entry).to_vec().into_iter().enumerate() {
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

    /// A pure operation with one result, folded where it can be; one that this block or one around it has already is not
    /// repeated.
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
        self.known.insert(pure, value);
        value
    }

    /// What the result of an operation that was just made folds to; the operation goes then.
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

    /// Ends the run unless the condition holds; what always holds is not asked.
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
        self.value(memref::LOAD, &[table, at], Type::I64, [])
    }
}
