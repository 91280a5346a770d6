//! Declarations of the runtime's symbols that a module calls.

use indexmap::IndexMap;
use ir::{Attribute, Attributes, Body, FunctionType, Location, Module, Result};

use super::scope::callee;

/// Adds a function without body for every symbol that is called but not there, typed like its first call.
pub(super) fn declare_runtime(module: &mut Module) -> Result<()> {
    let mut missing: IndexMap<String, FunctionType> = IndexMap::new();
    for function in module.functions() {
        for op in function.body.walk_all() {
            let Some(name) = callee(function.body, op).filter(|_| function.body.name(op) == "func.call") else {
                continue;
            };
            if module.symbol(name).is_none() && !missing.contains_key(name) {
                let types =
                    |values: &[ir::Value]| values.iter().map(|&v| function.body.value_type(v).clone()).collect();
                let call = function.body.op(op);
                let r#type = FunctionType { inputs: types(call.operands()), results: types(call.results()) };
                missing.insert(name.to_string(), r#type);
            }
        }
    }
    for (name, r#type) in missing {
        let attributes = Attributes::from([("sym_visibility", Attribute::string("private"))]);
        module.add_function(&name, r#type, attributes, Body::new(), Location::Unknown);
    }
    Ok(())
}
