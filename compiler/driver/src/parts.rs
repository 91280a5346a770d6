//! Splitting a module, so that its functions are compiled at once.

use ir::{Attribute, Body, IndexSet, Module, Op};

/// Modules that each define some of the functions and declare the others, of about the same size. The functions' bodies
/// move there.
pub(crate) fn split(module: &mut Module, count: usize) -> Vec<Module> {
    let mut sizes: Vec<(Op, usize)> = module
        .functions()
        .filter(|function| function.body.entry().is_some())
        .map(|function| (function.op, function.body.walk_all().len()))
        .collect();
    // the largest first, so that the last ones even things out
    sizes.sort_by_key(|&(_, size)| std::cmp::Reverse(size));
    let count = count.clamp(1, sizes.len().max(1));
    let mut loads = vec![0; count];
    let mut homes: Vec<Vec<Op>> = vec![Vec::new(); count];
    for (op, size) in sizes {
        let lightest = (0..count).min_by_key(|&part| loads[part]).expect("there is a part");
        loads[lightest] += size;
        homes[lightest].push(op);
    }
    homes.into_iter().map(|own| part(module, &own)).collect()
}

fn part(module: &mut Module, own: &[Op]) -> Module {
    let mut part = Module { attributes: module.attributes.clone(), ..Module::new() };
    let block = part.body.entry().expect("a module has one block");
    for op in module.ops().to_vec() {
        let own_body = if own.contains(&op) { module.body.take_isolated(op) } else { None };
        let operation = module.body.op(op);
        let mut attributes = operation.attributes.clone();
        let new = match operation.name.as_str() {
            "func.func" => {
                let body = own_body.unwrap_or_default();
                // what one part defines the others call
                let visibility = if own.contains(&op) { "public" } else { "private" };
                attributes.set("sym_visibility", Attribute::string(visibility));
                let new = part.body.create_op("func.func", &[], &[], attributes, operation.location.clone());
                part.body.set_isolated(new, body);
                new
            }
            _ => {
                // a global's bytes are in this process already
                attributes.set("initial_value", Attribute::Unit);
                part.body.create_op(operation.name.clone(), &[], &[], attributes, operation.location.clone())
            }
        };
        part.body.append(block, new);
    }
    part
}

/// Of what passes have defined in several parts, the first definition stays; other parts declare it. `known` is what the parts
/// before define.
pub(crate) fn keep_first_definitions(part: &mut Module, known: &mut IndexSet<String>) {
    let defined = part.functions().filter(|function| function.body.entry().is_some());
    let again: Vec<Op> =
        defined.filter(|function| !known.insert(function.name.to_string())).map(|function| function.op).collect();
    for op in again {
        *part.function_body_mut(op).expect("a function owns its body") = Body::new();
    }
}
