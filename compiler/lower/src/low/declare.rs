//! Declares the runtime's symbols that a module calls.

use dialects::{OpCodes, func};
use ir::{Attribute, Attributes, Body, FunctionType, IndexMap, Location, Module, Op, Result, Type, Value};

use super::scope::callee;

/// Adds a function without body for every symbol that is called but not declared, and updates the types of those that
/// are: they have the type of their first call.
pub(crate) fn declare_runtime(module: &mut Module) -> Result<()> {
    for (name, r#type) in called_symbols(module) {
        match module.symbol(&name) {
            Some(op) if is_declaration(module, op) => {
                let r#type = Attribute::Type(Type::Function(r#type.into()));
                module.body.op_mut(op).attributes.set("function_type", r#type);
            }
            Some(_) => {}
            None => {
                let attributes = Attributes::from([("sym_visibility", Attribute::string("private"))]);
                module.add_function(&name, r#type, attributes, Body::new(), Location::Unknown);
            }
        }
    }
    Ok(())
}

/// The symbols that are called, in the order of their first calls, with the types of those.
fn called_symbols(module: &Module) -> IndexMap<String, FunctionType> {
    let mut called = IndexMap::default();
    for function in module.functions() {
        for op in function.body.walk_all() {
            if !function.body.is(op, func::CALL) {
                continue;
            }
            let Some(name) = callee(function.body, op) else { continue };
            if !called.contains_key(name) {
                let types = |values: &[Value]| values.iter().map(|&v| function.body.value_type(v).clone()).collect();
                let call = function.body.op(op);
                called.insert(
                    name.to_string(),
                    FunctionType { inputs: types(call.operands()), results: types(call.results()) },
                );
            }
        }
    }
    called
}

fn is_declaration(module: &Module, op: Op) -> bool {
    module.function_view(op).is_some_and(|function| function.body.entry().is_none())
}

/// Moves a function, and those that it calls, into a module that does not define them yet.
pub(crate) fn define_from(module: &mut Module, from: &mut Module, name: String) {
    let mut open = vec![name];
    while let Some(name) = open.pop() {
        let own = module.symbol(&name);
        if own.is_some_and(|op| !is_declaration(module, op)) {
            continue;
        }
        let op = from.symbol(&name).expect("a definition calls functions of its text");
        let function = from.function_view(op).expect("a definition is a function");
        let (r#type, attributes) = (function.r#type.clone(), function.attributes.clone());
        let location = from.body.op(op).location.clone();
        let body = from.body.take_isolated(op).expect("a function owns its body");
        open.extend(body.walk_all().into_iter().filter_map(|op| callee(&body, op).map(str::to_string)));
        match own {
            Some(op) => *module.function_body_mut(op).expect("a function owns its body") = body,
            None => {
                module.add_function(&name, r#type, attributes, body, location);
            }
        }
    }
}
