//! Merges modules at the low level, so that one object contains all functions of a model.

use ir::{Attribute, Attributes, Body, IndexMap, IndexSet, Module, Op};

/// Moves the definitions of a module into another, under names with a prefix. Declarations in both are merged, and so
/// are constants that share their bytes.
pub fn merge(into: &mut Module, mut from: Module, prefix: &str) {
    let names = new_names(into, &from, prefix);
    let symbol = |op: Op| into.body.op(op).attributes.str("sym_name").map(str::to_string);
    let mut known: IndexSet<String> = into.ops().filter_map(symbol).collect();
    for op in from.ops().to_vec() {
        let operation = from.body.op(op);
        let name = operation.attributes.str("sym_name").unwrap_or_default().to_string();
        let new = names.get(&name).cloned().unwrap_or(name);
        if !known.insert(new.clone()) {
            continue;
        }
        let attributes = renamed_all(&operation.attributes, &names).with("sym_name", Attribute::string(&new));
        let (kind, location) = (operation.name.clone(), operation.location.clone());
        let body = from.body.take_isolated(op);
        let created = into.body.create_op(kind, &[], &[], attributes, location);
        if let Some(mut body) = body {
            rename(&mut body, &names);
            into.body.set_isolated(created, body);
        }
        let block = into.body.entry().expect("a module has one block");
        into.body.append(block, created);
    }
}

/// The new names of the symbols that a module defines.
fn new_names(into: &Module, from: &Module, prefix: &str) -> IndexMap<String, String> {
    let mut constants: IndexMap<(usize, String), String> = IndexMap::default();
    for op in into.ops() {
        if let Some((key, name)) = constant(into, op) {
            constants.insert(key, name);
        }
    }
    let mut names = IndexMap::default();
    for op in from.ops() {
        let Some(name) = from.body.op(op).attributes.str("sym_name") else { continue };
        let is_declared = from.function_view(op).is_some_and(|function| function.body.entry().is_none());
        if !is_declared {
            let shared = constant(from, op).and_then(|(key, _)| constants.get(&key).cloned());
            names.insert(name.to_string(), shared.unwrap_or_else(|| format!("{prefix}{name}")));
        }
    }
    names
}

/// The address of a constant's bytes and its type, and its name.
fn constant(module: &Module, op: Op) -> Option<((usize, String), String)> {
    let attributes = &module.body.op(op).attributes;
    let elements = attributes.get("initial_value").and_then(Attribute::as_dense).filter(|elements| !elements.splat)?;
    let bytes = elements.data.bytes();
    let key = (bytes.as_ptr().addr(), format!("{} {}", bytes.len(), attributes.get("type")?.as_type()?));
    (!bytes.is_empty()).then(|| Some((key, attributes.str("sym_name")?.to_string())))?
}

fn rename(body: &mut Body, names: &IndexMap<String, String>) {
    for op in body.walk_all() {
        let attributes = renamed_all(&body.op(op).attributes, names);
        body.op_mut(op).attributes = attributes;
    }
}

fn renamed_all(attributes: &Attributes, names: &IndexMap<String, String>) -> Attributes {
    let mut renamed = Attributes::new();
    attributes.iter().for_each(|(name, value)| renamed.set(name.to_string(), renamed_one(value, names)));
    renamed
}

fn renamed_one(attribute: &Attribute, names: &IndexMap<String, String>) -> Attribute {
    match attribute {
        Attribute::Symbol(path) => match path.last().and_then(|name| names.get(&**name)) {
            Some(new) => Attribute::symbol(new),
            None => attribute.clone(),
        },
        Attribute::Array(elements) => {
            Attribute::Array(elements.iter().map(|element| renamed_one(element, names)).collect())
        }
        other => other.clone(),
    }
}
