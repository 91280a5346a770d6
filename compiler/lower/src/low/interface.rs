//! Entry points of code without a runtime: functions that C calls with nothing but the addresses of tensors.

use ir::{
    Attribute, Attributes, Body, Builder, Diagnostic, FunctionType, IndexMap, Location, Module, Op, Result, Type, Value,
};

use super::scope::{callee, table_type};

/// What an entry point returns that is given no address for a tensor; a failed check is a positive number.
pub const NO_ADDRESS: i64 = -1;

/// The shapes of a model's inputs and outputs, which nothing but their names tells apart at run time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shapes {
    /// Of the inputs.
    pub inputs: Vec<Vec<i64>>,
    /// Of the outputs.
    pub outputs: Vec<Vec<i64>>,
}

/// Adds `@name(inputs, outputs) -> status` to a module of the kernel level, which runs a host function, if there is one, with a
/// table that is part of the module.
pub fn add_entry_point(module: &mut Module, name: &str, host: Option<&str>, shapes: &Shapes) {
    let words: usize = shapes.inputs.iter().chain(&shapes.outputs).map(|shape| 1 + shape.len()).sum();
    let table = global(module, &format!("{name}_table"), 1 + words as i64);
    let status = global(module, &format!("{name}_status"), 1);
    let mut body = Body::new();
    let entry = body.add_block(body.root(), &[table_type(), table_type()]);
    let [inputs, outputs] = [0, 1].map(|at| body.arguments(entry)[at]);
    let mut builder = Builder::at_end(&mut body, entry);
    let [table, status] = [table, status].map(|(name, r#type)| {
        let memory = builder.value("memref.get_global", &[], r#type, [("name", Attribute::symbol(&name))]);
        builder.value("memref.cast", &[memory], table_type(), [])
    });
    let zero = word(&mut builder, 0);
    store(&mut builder, zero, status, 0);
    let address = builder.value("rt.address", &[status], Type::Index, []);
    let address = builder.value("arith.index_cast", &[address], Type::I64, []);
    store(&mut builder, address, table, 0);
    let mut missing = builder.constant(Attribute::Integer(0, Type::I1), Type::I1);
    let mut at = 1;
    for (addresses, shapes) in [(inputs, &shapes.inputs), (outputs, &shapes.outputs)] {
        for (number, shape) in shapes.iter().enumerate() {
            let number = builder.constant_index(number as i64);
            let address = builder.value("memref.load", &[addresses, number], Type::I64, []);
            let none = builder.value("arith.cmpi", &[address, zero], Type::I1, [("predicate", Attribute::i64(0))]);
            missing = builder.value("arith.ori", &[missing, none], Type::I1, []);
            store(&mut builder, address, table, at);
            for (axis, &extent) in shape.iter().enumerate() {
                let extent = word(&mut builder, extent);
                store(&mut builder, extent, table, at + 1 + axis as i64);
            }
            at += 1 + shape.len() as i64;
        }
    }
    let choice = builder.create("scf.if", &[missing], &[Type::I64], []);
    let (_, refused) = builder.region_with_block(choice, &[]);
    builder.within(refused, |builder| {
        let code = word(builder, NO_ADDRESS);
        builder.create("scf.yield", &[code], &[], []);
    });
    let (_, run) = builder.region_with_block(choice, &[]);
    builder.within(run, |builder| {
        let code = match host {
            Some(host) => builder.value("func.call", &[table], Type::I64, [("callee", Attribute::symbol(host))]),
            None => word(builder, 0),
        };
        builder.create("scf.yield", &[code], &[], []);
    });
    let code = builder.body.result(choice, 0);
    builder.create("func.return", &[code], &[], []);
    let r#type = FunctionType { inputs: vec![table_type(), table_type()], results: vec![Type::I64] };
    module.add_function(name, r#type, Attributes::new(), body, Location::Unknown);
}

fn word(builder: &mut Builder<'_>, value: i64) -> Value {
    builder.constant(Attribute::Integer(value, Type::I64), Type::I64)
}

fn store(builder: &mut Builder<'_>, word: Value, table: Value, at: i64) {
    let at = builder.constant_index(at);
    builder.create("memref.store", &[word, table, at], &[], []);
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
    let op = module.body.create_op("memref.global", &[], &[], attributes, Location::Unknown);
    let top = module.body.entry().expect("a module has one block");
    module.body.append(top, op);
    (name.to_string(), r#type)
}

/// Refuses a module of the low level that needs what only a runtime has.
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
        // a kernel is called where its node stands
        let node = if own.names().is_empty() { callers.get(function).cloned() } else { None };
        let message = format!("it needs the runtime's {what}, and code under this profile has none");
        Diagnostic::unsupported(node.unwrap_or(own), message)
    };
    let errors: Vec<Diagnostic> = needed.into_iter().map(error).collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// What of the runtime an operation is a call of, or becomes one of in code generators.
fn runtime_function(module: &Module, body: &Body, op: Op) -> Option<String> {
    let element = |value: &Value| body.value_type(*value).element().clone();
    let from = body.op(op).operands().first().map(element);
    let to = body.op(op).results().first().map(element);
    match (body.name(op), from, to) {
        ("func.call", ..) => {
            let name = callee(body, op)?;
            let function = module.symbol(name).and_then(|op| module.function_view(op));
            function.is_none_or(|function| function.body.entry().is_none()).then(|| name.to_string())
        }
        ("arith.truncf", Some(Type::F64), Some(Type::Float(format))) if format.width() < 32 => {
            Some(format!("rounding of f64 to {}", Type::Float(format)))
        }
        (name @ ("arith.remf" | "math.powf" | "math.atan2" | "rt.parallel_for"), ..) => Some(name.to_string()),
        _ => None,
    }
}
