//! Entry points of code without a runtime: functions that C calls with only the addresses of tensors.

use abi::Status;
use dialects::arith::CmpIPredicate;
use dialects::{OpCodes, arith, func, memref, rt, scf};
use ir::{
    Attribute, Attributes, Body, Builder, Diagnostic, FunctionType, IndexMap, Location, Module, Op, Result, Type, Value,
};

use super::scope::{callee, table_type};

/// The shapes of a model's inputs and outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shapes {
    /// Of the inputs.
    pub inputs: Vec<Vec<i64>>,
    /// Of the outputs.
    pub outputs: Vec<Vec<i64>>,
}

/// Adds the exported functions to a module of the kernel level: `@name_initialize` and `@name_run`. If the model needs
/// initialization, a run returns an error before that.
pub fn add_entry_points(module: &mut Module, name: &str, initialize: Option<&str>, run: &str, shapes: &Shapes) {
    let ready = initialize.map(|_| global(module, &format!("{name}_ready"), 1));
    let before = EntryPoint { host: initialize, needs: None, sets: ready.clone() };
    before.add(module, &format!("{name}_initialize"), &Shapes::default());
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
    /// Adds `@name(inputs, outputs) -> status`, which runs a host function, if there is one, with a table that is part of the module.
    fn add(&self, module: &mut Module, name: &str, shapes: &Shapes) {
        let words: usize = shapes.inputs.iter().chain(&shapes.outputs).map(|shape| 1 + shape.len()).sum();
        let table = global(module, &format!("{name}_table"), 1 + words as i64);
        let status = global(module, &format!("{name}_status"), 1);
        let mut body = Body::new();
        let entry = body.add_block(body.root(), &[pointers_type(), pointers_type()]);
        let [inputs, outputs] = [0, 1].map(|at| body.arguments(entry)[at]);
        let mut builder = Builder::at_end(&mut body, entry);
        let [table, status] = [table, status].map(|words| memory_of(&mut builder, &words));
        let zero = word(&mut builder, 0);
        store(&mut builder, zero, status, 0);
        let address = builder.value(rt::ADDRESS, &[status], Type::Index, []);
        let address = builder.value(arith::INDEX_CAST, &[address], Type::I64, []);
        store(&mut builder, address, table, 0);
        let mut missing = builder.constant(Attribute::Integer(0, Type::I1), Type::I1);
        let mut at = 1;
        for (addresses, shapes) in [(inputs, &shapes.inputs), (outputs, &shapes.outputs)] {
            for (number, shape) in shapes.iter().enumerate() {
                let number = builder.constant_index(number as i64);
                let address = rt::LoadAddress { pointers: addresses, index: number };
                let address = builder.value_from(address, Type::Index, []);
                let address = builder.value(arith::INDEX_CAST, &[address], Type::I64, []);
                let none = builder.value(arith::CMPI, &[address, zero], Type::I1, [CmpIPredicate::Eq.attribute()]);
                missing = builder.value(arith::ORI, &[missing, none], Type::I1, []);
                store(&mut builder, address, table, at);
                for (axis, &extent) in shape.iter().enumerate() {
                    let extent = word(&mut builder, extent);
                    store(&mut builder, extent, table, at + 1 + axis as i64);
                }
                at += 1 + shape.len() as i64;
            }
        }
        let unready = self.needs.as_ref().map(|ready| {
            let memref = memory_of(&mut builder, ready);
            let first = builder.constant_index(0);
            let ready = builder.value_from(memref::Load { memref, indices: &[first] }, Type::I64, []);
            builder.value(arith::CMPI, &[ready, zero], Type::I1, [CmpIPredicate::Eq.attribute()])
        });
        let refusal = unready.map_or(missing, |unready| builder.value(arith::ORI, &[missing, unready], Type::I1, []));
        let choice = builder.create(scf::IF, &[refusal], &[Type::I64], []);
        let (_, refused) = builder.region_with_block(choice, &[]);
        builder.within(refused, |builder| {
            let [address, order] =
                [Status::NoAddress, Status::NotInitialized].map(|status| word(builder, status.code()));
            let code = arith::Select { condition: missing, true_value: address, false_value: order };
            let code = builder.value_from(code, Type::I64, []);
            builder.create(scf::YIELD, &[code], &[], []);
        });
        let (_, run) = builder.region_with_block(choice, &[]);
        builder.within(run, |builder| {
            let code = match self.host {
                Some(host) => builder.value(func::CALL, &[table], Type::I64, [("callee", Attribute::symbol(host))]),
                None => word(builder, 0),
            };
            if let Some(ready) = &self.sets {
                let ready = memory_of(builder, ready);
                let done = builder.value(arith::CMPI, &[code, zero], Type::I1, [CmpIPredicate::Eq.attribute()]);
                let done = builder.value(arith::EXTUI, &[done], Type::I64, []);
                store(builder, done, ready, 0);
            }
            builder.create(scf::YIELD, &[code], &[], []);
        });
        let code = builder.body.result(choice, 0);
        builder.create(func::RETURN, &[code], &[], []);
        let r#type = FunctionType { inputs: vec![pointers_type(), pointers_type()], results: vec![Type::I64] };
        module.add_function(name, r#type, Attributes::new(), body, Location::Unknown);
    }
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
    let element = |value: &Value| body.value_type(*value).element().clone();
    let from = body.op(op).operands().first().map(element);
    let to = body.op(op).results().first().map(element);
    match (body.code(op), from, to) {
        (Some(func::CALL), ..) => {
            let name = callee(body, op).filter(|name| *name != rt::DETECT_LEVEL)?;
            let function = module.symbol(name).and_then(|op| module.function_view(op));
            function.is_none_or(|function| function.body.entry().is_none()).then(|| name.to_string())
        }
        (Some(arith::TRUNCF), Some(Type::F64), Some(Type::Float(format))) if format.width() < 32 => {
            Some(format!("rounding of f64 to {}", Type::Float(format)))
        }
        (Some(code @ rt::PARALLEL_FOR), ..) => Some(code.name().to_string()),
        _ => None,
    }
}
