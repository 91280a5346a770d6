//! Entry points of code without a runtime: functions that C calls with nothing but the addresses of tensors.

use ir::{
    Attribute, Attributes, Body, Builder, Diagnostic, FunctionType, IndexMap, Location, Module, Op, Result, Type, Value,
};

use super::scope::{callee, name_of, table_type};

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

/// Refuses a module of the low level that calls what only a runtime has.
pub fn check_freestanding(module: &Module) -> Result<()> {
    let mut callers: IndexMap<&str, (Location, &str)> = IndexMap::default();
    for function in module.functions() {
        for op in function.body.walk_all() {
            if let Some(name) = callee(function.body, op) {
                let location = function.body.op(op).location.clone();
                callers.entry(name).or_insert((location, name_of(module, function.op)));
            }
        }
    }
    let is_missing = |op: &Op| module.function_view(*op).is_some_and(|function| function.body.entry().is_none());
    let errors: Vec<Diagnostic> = module
        .functions()
        .map(|function| function.op)
        .filter(is_missing)
        .filter_map(|op| {
            let name = name_of(module, op);
            let (own, caller) = callers.get(name)?;
            // a kernel is called where the node stands
            let outer = callers.get(caller).map(|(location, _)| location.clone());
            let location = if own.names().is_empty() { outer.unwrap_or_else(|| own.clone()) } else { own.clone() };
            let message = format!("it needs the runtime's {name}, and code under this profile has none");
            Some(Diagnostic::unsupported(location, message))
        })
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}
