//! Entry points of code without a runtime: functions that C calls with only the addresses of tensors.

use abi::Status;
use dialects::arith::CmpIPredicate;
use dialects::{OpCodes, arith, func, memref, rt, scf};
use ir::{
    Attribute, Attributes, Body, Builder, Diagnostic, FunctionType, IndexMap, Location, Module, Op, Result, Type, Value,
};

use super::scope::{callee, table_type};

/// The shapes of a model's inputs, and the ranks of its outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryShapes {
    /// Of the inputs.
    pub inputs: Vec<Vec<Extent>>,
    /// Of the outputs, whose extents a run stores.
    pub output_ranks: Vec<usize>,
    /// The greatest value of each dimension that a run is passed.
    pub greatest: Vec<i64>,
}

/// The extent of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// This extent.
    Fixed(i64),
    /// The dimension of this number that the run is passed.
    Dimension(usize),
}

/// Adds the exported functions to a module of the kernel level: `@name_initialize` and `@name_run`. If the model needs
/// initialization, a run returns an error before that. A run with dimensions takes two more arguments: their values, and
/// the memory for the extents of all outputs, which may be null.
pub fn add_entry_points(module: &mut Module, name: &str, initialize: Option<&str>, run: &str, shapes: &EntryShapes) {
    let ready = initialize.map(|_| global(module, &format!("{name}_ready"), 1));
    let before = EntryPoint { host: initialize, needs: None, sets: ready.clone() };
    before.add(module, &format!("{name}_initialize"), &EntryShapes::default());
    EntryPoint { host: Some(run), needs: ready, sets: None }.add(module, &format!("{name}_run"), shapes);
}

/// An exported function.
struct EntryPoint<'a> {
    /// The host function that it runs.
    host: Option<&'a str>,
    /// The word that must be 1 before, and the one that is set to 1 afterwards.
    needs: Option<(String, Type)>,
    sets: Option<(String, Type)>,
}

impl EntryPoint<'_> {
    /// Adds `@name(inputs, outputs) -> status`, which runs a host function, if there is one, with a table that is part of
    /// the module; with dimensions `@name(inputs, outputs, dimensions, output_extents)`.
    fn add(&self, module: &mut Module, name: &str, shapes: &EntryShapes) {
        let input_ranks = shapes.inputs.iter().map(Vec::len);
        let words: usize = input_ranks.chain(shapes.output_ranks.iter().copied()).map(|rank| 1 + rank).sum();
        let table = global(module, &format!("{name}_table"), 1 + words as i64);
        let status = global(module, &format!("{name}_status"), 1);
        let mut arguments = vec![pointers_type(); 2];
        if !shapes.greatest.is_empty() {
            arguments.extend([table_type(), table_type()]);
        }
        let mut body = Body::new();
        let entry = body.add_block(body.root(), &arguments);
        let own = body.arguments(entry).to_vec();
        let mut builder = Builder::at_end(&mut body, entry);
        let [table, status] = [table, status].map(|words| memory_of(&mut builder, &words));
        let zero = word(&mut builder, 0);
        store(&mut builder, zero, status, 0);
        let address = address_of(&mut builder, status);
        store(&mut builder, address, table, 0);
        let mut refusal = zero;
        let mut refuse_if_zero = |builder: &mut Builder<'_>, value: Value, status: Status| {
            let is_zero = equal(builder, value, zero);
            refusal = chosen(builder, is_zero, status, refusal);
        };
        if let Some(ready) = &self.needs {
            let memory = memory_of(&mut builder, ready);
            let ready = load(&mut builder, memory, 0);
            refuse_if_zero(&mut builder, ready, Status::NotInitialized);
        }
        for &memory in &own[2..] {
            let address = address_of(&mut builder, memory);
            refuse_if_zero(&mut builder, address, Status::NoAddress);
        }
        for (pointers, index, at) in
            shapes.ports().map(|(is_output, number, at)| (own[usize::from(is_output)], number, at))
        {
            let index = builder.constant_index(index as i64);
            let address = builder.value_from(rt::LoadAddress { pointers, index }, Type::Index, []);
            let address = builder.value(arith::INDEX_CAST, &[address], Type::I64, []);
            refuse_if_zero(&mut builder, address, Status::NoAddress);
            store(&mut builder, address, table, at);
        }
        let code = unless(&mut builder, refusal, |builder| {
            let refusal = shapes.set_extents(builder, table, own.get(2).copied());
            unless(builder, refusal, |builder| {
                let code = match self.host {
                    Some(host) => builder.value(func::CALL, &[table], Type::I64, [("callee", Attribute::symbol(host))]),
                    None => word(builder, 0),
                };
                if let Some(ready) = &self.sets {
                    let ready = memory_of(builder, ready);
                    let done = equal(builder, code, zero);
                    let done = builder.value(arith::EXTUI, &[done], Type::I64, []);
                    store(builder, done, ready, 0);
                }
                if let Some(&target) = own.get(3) {
                    shapes.copy_output_extents(builder, table, target);
                }
                code
            })
        });
        builder.create(func::RETURN, &[code], &[], []);
        let r#type = FunctionType { inputs: arguments, results: vec![Type::I64] };
        module.add_function(name, r#type, Attributes::new(), body, Location::Unknown);
    }
}

impl EntryShapes {
    /// Whether each input or output is an output, its number among them, and the word of the table with its address, which its
    /// extents follow.
    fn ports(&self) -> impl Iterator<Item = (bool, usize, i64)> {
        let inputs = self.inputs.iter().map(Vec::len).enumerate().map(|(number, rank)| (false, number, rank));
        let outputs = self.output_ranks.iter().enumerate().map(|(number, &rank)| (true, number, rank));
        inputs.chain(outputs).scan(1, |next, (is_output, number, rank)| {
            let at = *next;
            *next += 1 + rank as i64;
            Some((is_output, number, at))
        })
    }

    /// Stores the extents of inputs in the table; the status of a dimension that is not within its bounds, else 0.
    fn set_extents(&self, builder: &mut Builder<'_>, table: Value, dimensions: Option<Value>) -> Value {
        let mut refusal = word(builder, 0);
        let mut values = Vec::new();
        for (number, &greatest) in self.greatest.iter().enumerate() {
            let dimensions = dimensions.expect("a run with dimensions is passed them");
            let value = load(builder, dimensions, number as i64);
            let greatest = word(builder, greatest);
            // as unsigned numbers, negative ones are greater
            let outside = builder.value(arith::CMPI, &[value, greatest], Type::I1, [CmpIPredicate::Ugt.attribute()]);
            refusal = chosen(builder, outside, Status::Extent, refusal);
            values.push(value);
        }
        let words = self.ports().zip(&self.inputs);
        for ((_, _, at), shape) in words {
            for (axis, extent) in shape.iter().enumerate() {
                let extent = match *extent {
                    Extent::Fixed(extent) => word(builder, extent),
                    Extent::Dimension(number) => values[number],
                };
                store(builder, extent, table, at + 1 + axis as i64);
            }
        }
        refusal
    }

    /// Copies the extents of all outputs from the table, one after the other.
    fn copy_output_extents(&self, builder: &mut Builder<'_>, table: Value, target: Value) {
        let outputs = self.ports().filter(|(is_output, ..)| *is_output).zip(&self.output_ranks);
        let words = outputs.flat_map(|((_, _, at), &rank)| (1..=rank as i64).map(move |axis| at + axis));
        for (number, at) in words.enumerate() {
            let extent = load(builder, table, at);
            store(builder, extent, target, number as i64);
        }
    }
}

/// `code` if it is not 0, else the word that `compute` yields.
fn unless(builder: &mut Builder<'_>, code: Value, compute: impl FnOnce(&mut Builder<'_>) -> Value) -> Value {
    let zero = word(builder, 0);
    let is_free = equal(builder, code, zero);
    let choice = builder.create(scf::IF, &[is_free], &[Type::I64], []);
    let (_, block) = builder.region_with_block(choice, &[]);
    builder.within(block, |builder| {
        let computed = compute(builder);
        builder.create(scf::YIELD, &[computed], &[], []);
    });
    let (_, block) = builder.region_with_block(choice, &[]);
    builder.within(block, |builder| {
        builder.create(scf::YIELD, &[code], &[], []);
    });
    builder.body.result(choice, 0)
}

fn equal(builder: &mut Builder<'_>, a: Value, b: Value) -> Value {
    builder.value(arith::CMPI, &[a, b], Type::I1, [CmpIPredicate::Eq.attribute()])
}

/// The status if the condition holds, else another code.
fn chosen(builder: &mut Builder<'_>, condition: Value, status: Status, otherwise: Value) -> Value {
    let true_value = word(builder, status.code());
    let choice = arith::Select { condition, true_value, false_value: otherwise };
    builder.value_from(choice, Type::I64, [])
}

/// The address of memory, as a word.
fn address_of(builder: &mut Builder<'_>, memref: Value) -> Value {
    let address = builder.value(rt::ADDRESS, &[memref], Type::Index, []);
    builder.value(arith::INDEX_CAST, &[address], Type::I64, [])
}

/// An array of pointers of a C caller.
fn pointers_type() -> Type {
    Type::memref([None], Type::I8)
}

/// The memory of words of the module.
fn memory_of(builder: &mut Builder<'_>, (name, r#type): &(String, Type)) -> Value {
    let memory = builder.value(memref::GET_GLOBAL, &[], r#type.clone(), [("name", Attribute::symbol(name))]);
    builder.value(memref::CAST, &[memory], table_type(), [])
}

fn word(builder: &mut Builder<'_>, value: i64) -> Value {
    builder.constant(Attribute::Integer(value, Type::I64), Type::I64)
}

fn load(builder: &mut Builder<'_>, memref: Value, at: i64) -> Value {
    let at = builder.constant_index(at);
    builder.value_from(memref::Load { memref, indices: &[at] }, Type::I64, [])
}

fn store(builder: &mut Builder<'_>, value: Value, memref: Value, at: i64) {
    let at = builder.constant_index(at);
    builder.create_from(memref::Store { value, memref, indices: &[at] }, &[], []);
}

/// Words of the module, and their type.
fn global(module: &mut Module, name: &str, words: i64) -> (String, Type) {
    let r#type = Type::memref(vec![Some(words)], Type::I64);
    let attributes = Attributes::from([
        ("sym_name", Attribute::string(name)),
        ("sym_visibility", Attribute::string("private")),
        ("type", Attribute::Type(r#type.clone())),
        ("initial_value", Attribute::Unit),
    ]);
    let op = module.body.create_op(memref::GLOBAL, &[], &[], attributes, Location::Unknown);
    let top = module.body.entry().expect("a module has one block");
    module.body.append(top, op);
    (name.to_string(), r#type)
}

/// Refuses a module of the low level that needs a runtime.
pub fn check_freestanding(module: &Module) -> Result<()> {
    let mut needed: IndexMap<String, (Location, &str)> = IndexMap::default();
    let mut callers: IndexMap<&str, Location> = IndexMap::default();
    for function in module.functions() {
        for op in function.body.walk_all() {
            let location = &function.body.op(op).location;
            if let Some(name) = callee(function.body, op) {
                callers.entry(name).or_insert_with(|| location.clone());
            }
            if let Some(what) = runtime_function(module, function.body, op) {
                needed.entry(what).or_insert_with(|| (location.clone(), function.name));
            }
        }
    }
    let error = |(what, (own, function)): (String, (Location, &str))| {
        // a kernel is attributed to the node of its call
        let node = if own.names().is_empty() { callers.get(function).cloned() } else { None };
        let message = format!("it needs the runtime's {what}, and this code has no runtime");
        Diagnostic::unsupported(node.unwrap_or(own), message)
    };
    let errors: Vec<Diagnostic> = needed.into_iter().map(error).collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The function of the runtime that an operation calls, or that code generators call for it.
fn runtime_function(module: &Module, body: &Body, op: Op) -> Option<String> {
    match body.code(op) {
        Some(func::CALL) => {
            let name = callee(body, op).filter(|name| *name != rt::DETECT_LEVEL)?;
            let function = module.symbol(name).and_then(|op| module.function_view(op));
            function.is_none_or(|function| function.body.entry().is_none()).then(|| name.to_string())
        }
        Some(code @ rt::PARALLEL_FOR) => Some(code.name().to_string()),
        _ => None,
    }
}
