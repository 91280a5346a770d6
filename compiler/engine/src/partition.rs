//! Partitions a module, so that its functions are compiled in parallel.

use dialects::{OpCode, func};
use std::sync::{Mutex, PoisonError};

use dialects::rt::attributes::KERNEL;
use ir::{Attribute, Body, FunctionView, IndexMap, IndexSet, Module, Op, Result};
use lower::outline_initialization::INITIALIZE;

/// Partitions per worker: a worker that finishes early takes another one.
pub(crate) const PARTS: usize = 4;
/// The number of operations of the kernel level below which a partition costs more to hand over than its own thread saves.
const SMALLEST: usize = 256;

/// Modules of about equal size, each of which defines some of the functions and declares the others. The functions'
/// bodies move there.
pub(crate) fn split(module: &mut Module, count: usize) -> Vec<Module> {
    let mut sizes: Vec<(Op, usize)> = module
        .functions()
        .filter(|function| function.body.entry().is_some())
        .map(|function| (function.op, function.body.walk_all().len()))
        .collect();
    // the largest first, so that the last ones even out the load
    sizes.sort_by_key(|&(_, size)| std::cmp::Reverse(size));
    let total: usize = sizes.iter().map(|&(_, size)| size).sum();
    let count = count.min(total / SMALLEST).clamp(1, sizes.len().max(1));
    let mut loads = vec![0; count];
    let mut homes: Vec<Vec<Op>> = vec![Vec::new(); count];
    for (op, size) in sizes {
        let lightest = (0..count).min_by_key(|&part| loads[part]).expect("there is a part");
        loads[lightest] += size;
        homes[lightest].push(op);
    }
    homes.into_iter().map(|own| part(module, &own)).collect()
}

/// Whether a function at the kernel level is a host function.
pub(crate) fn is_host(function: &FunctionView<'_>) -> bool {
    function.attributes.get(KERNEL).is_none() && function.body.entry().is_some()
}

/// Partitions in the order in which a run reaches their functions: each host function alone, followed by the functions
/// that it calls, in groups.
pub(crate) fn split_in_order(module: &mut Module, count: usize) -> Vec<Module> {
    let mut hosts: Vec<Op> = module.functions().filter(is_host).map(|function| function.op).collect();
    let is_other = |function: &FunctionView<'_>| function.body.entry().is_some() && !is_host(function);
    let defined: IndexMap<String, Op> =
        module.functions().filter(is_other).map(|function| (function.name.to_string(), function.op)).collect();
    let mut others: Vec<Op> = defined.values().copied().collect();
    // the functions that initialize a model run first
    hosts.sort_by_key(|&op| module.function_view(op).is_none_or(|function| function.name != INITIALIZE));
    let called = hosts.iter().flat_map(|&host| named_symbols(module, host));
    let called: IndexSet<Op> = called.filter_map(|name| defined.get(&name).copied()).collect();
    others.sort_by_key(|op| called.get_index_of(op).unwrap_or(usize::MAX));
    let size = |op: Op| module.function_view(op).map_or(0, |function| function.body.walk_all().len());
    let most = others.iter().map(|&op| size(op)).sum::<usize>() / count.max(1);
    let mut homes: Vec<Vec<Op>> = hosts.into_iter().map(|host| vec![host]).collect();
    let mut room = 0;
    for op in others {
        match homes.last_mut().filter(|_| size(op) <= room) {
            Some(home) => home.push(op),
            None => {
                homes.push(vec![op]);
                room = most;
            }
        }
        room = room.saturating_sub(size(op));
    }
    homes.into_iter().map(|own| part(module, &own)).collect()
}

/// Processes every partition on `workers` threads; the results are in the order of the partitions.
pub(crate) fn for_each<T: Send>(
    parts: &mut [Module],
    workers: usize,
    work: impl Fn(&mut Module) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let count = parts.len();
    let queue = Mutex::new(parts.iter_mut().enumerate());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let done = Mutex::new(Vec::new());
    let take = || {
        while let Some((number, part)) = next() {
            let result = work(part);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((number, result));
        }
    };
    crew::with(workers.min(count).saturating_sub(1), &take, take);
    let mut results = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

/// A partition with some of a module's functions, and declarations of those that they refer to.
fn part(module: &mut Module, own: &[Op]) -> Module {
    let mut part = Module { attributes: module.attributes.clone(), ..Module::new() };
    let block = part.body.entry().expect("a module has one block");
    let named: IndexSet<String> = own.iter().flat_map(|&op| named_symbols(module, op)).collect();
    let is_needed = |module: &Module, op: &Op| {
        let name = module.body.op(*op).attributes.str("sym_name");
        own.contains(op) || name.is_none_or(|name| named.contains(name))
    };
    let needed: Vec<Op> = module.ops().filter(|op| is_needed(module, op)).collect();
    for op in needed {
        let own_body = if own.contains(&op) { module.body.take_isolated(op) } else { None };
        let operation = module.body.op(op);
        let mut attributes = operation.attributes.clone();
        let new = match OpCode::of_name(&operation.name) {
            Some(func::FUNC) => {
                let body = own_body.unwrap_or_default();
                // functions of one partition are called from others
                let visibility = if own.contains(&op) { "public" } else { "private" };
                attributes.set("sym_visibility", Attribute::string(visibility));
                let new = part.body.create_op(func::FUNC, &[], &[], attributes, operation.location.clone());
                part.body.set_isolated(new, body);
                new
            }
            _ => {
                // a global's bytes are already in this process
                attributes.set("initial_value", Attribute::Unit);
                part.body.create_op(operation.name.clone(), &[], &[], attributes, operation.location.clone())
            }
        };
        part.body.append(block, new);
    }
    part
}

/// The symbols that the operations of a function refer to.
fn named_symbols(module: &Module, function: Op) -> Vec<String> {
    let Some(function) = module.function_view(function) else { return vec![] };
    let operations = function.body.walk_all();
    let attributes = operations.iter().flat_map(|&op| function.body.op(op).attributes.iter());
    attributes.filter_map(|(_, attribute)| Some(attribute.as_symbol()?.to_string())).collect()
}

/// Keeps the first of several definitions that passes have added to partitions; other partitions declare it. `known`
/// has the definitions of the previous partitions.
pub(crate) fn keep_first_definitions(part: &mut Module, known: &mut IndexSet<String>) {
    let defined = part.functions().filter(|function| function.body.entry().is_some());
    let again: Vec<Op> =
        defined.filter(|function| !known.insert(function.name.to_string())).map(|function| function.op).collect();
    for op in again {
        *part.function_body_mut(op).expect("a function owns its body") = Body::new();
    }
}
