//! Cheap clean-up of blocks: folds, common subexpressions, branches whose condition is known, dead operations.

use std::collections::HashMap;

use ir::dominance::Dominators;
use ir::{Attributes, Block, Body, Builder, Folded, Module, Op, Registry, Result, Type, Value};

use super::scope::{definitions, with_body};

/// Simplifies every function once.
pub(super) fn simplify(module: &mut Module) -> Result<()> {
    let registry = dialects::registry();
    for op in definitions(module) {
        with_body(module, op, |_, body| simplify_body(body, &registry));
    }
    Ok(())
}

fn simplify_body(body: &mut Body, registry: &Registry) {
    let root = body.root();
    hoist_stack(body);
    fold_all(body, registry);
    for &block in &body.blocks(root).to_vec() {
        fold_branch(body, block);
    }
    remove_unreachable(body);
    merge_equal(body, registry);
    remove_dead(body, registry);
}

fn fold_all(body: &mut Body, registry: &Registry) {
    for op in body.walk_all() {
        let Some(fold) = registry.get(body.name(op)).and_then(|definition| definition.fold) else { continue };
        if body.name(op) == "arith.constant" {
            continue;
        }
        let Some(folded) = fold(body, op) else { continue };
        let types: Vec<Type> = body.op(op).results().iter().map(|&r| body.value_type(r).clone()).collect();
        let mut builder = Builder::before(body, op);
        let values: Vec<Value> = folded
            .into_iter()
            .zip(types)
            .map(|(folded, r#type)| match folded {
                Folded::Value(value) => value,
                Folded::Constant(value) => builder.constant(value, r#type),
            })
            .collect();
        body.replace(op, &values);
    }
}

/// A conditional branch on a constant becomes a plain one.
fn fold_branch(body: &mut Body, block: Block) {
    let Some(end) = body.terminator(block).filter(|&end| body.name(end) == "cf.cond_br") else { return };
    let Some(condition) = ir::constant_integer(body, body.operand(end, 0)) else { return };
    let taken = usize::from(condition & 1 == 0);
    let values = dialects::cf::successor_operands(body, end).swap_remove(taken);
    let target = body.op(end).successors()[taken];
    let branch = Builder::before(body, end).create("cf.br", &values, &[], []);
    body.set_successors(branch, &[target]);
    body.erase(end);
}

fn remove_unreachable(body: &mut Body) {
    let root = body.root();
    let dominators = Dominators::of_region(body, root);
    let dead: Vec<Block> = body.blocks(root).iter().copied().filter(|&block| !dominators.is_reachable(block)).collect();
    for &block in &dead {
        for op in body.ops(block).to_vec() {
            body.set_operands(op, &[]);
            body.set_successors(op, &[]);
        }
    }
    for &block in &dead {
        for op in body.ops(block).to_vec().into_iter().rev() {
            body.erase(op);
        }
        body.detach_block(block);
    }
}

type Key = (String, Vec<Value>, Attributes, Vec<Type>);

/// Replaces a pure operation by an equal one that dominates it.
fn merge_equal(body: &mut Body, registry: &Registry) {
    let root = body.root();
    let dominators = Dominators::of_region(body, root);
    let mut known: HashMap<Key, Vec<Op>> = HashMap::new();
    for block in body.blocks(root).to_vec() {
        for op in body.ops(block).to_vec() {
            let operation = body.op(op);
            let mergeable = ir::effects::is_mergeable(registry, body, op)
                && operation.regions().is_empty()
                && !operation.results().is_empty();
            if !mergeable {
                continue;
            }
            let types = operation.results().iter().map(|&r| body.value_type(r).clone()).collect();
            let name = operation.name.as_str().to_string();
            let key = (name, operation.operands().to_vec(), operation.attributes.clone(), types);
            let equal = known.entry(key).or_default();
            let above = equal.iter().copied().find(|&other| {
                let home = body.op(other).parent().expect("known operations are attached");
                home == block || dominators.dominates(home, block)
            });
            match above {
                Some(other) => {
                    let results = body.op(other).results().to_vec();
                    body.replace(op, &results);
                }
                None => equal.push(op),
            }
        }
    }
}

/// Erases operations without effect whose results nobody reads, and what only they read.
fn remove_dead(body: &mut Body, registry: &Registry) {
    let mut pending = body.walk_all();
    while let Some(op) = pending.pop() {
        if body.op(op).parent().is_none() {
            continue;
        }
        let unused = body.op(op).results().iter().all(|&result| body.uses(result).is_empty());
        if unused && ir::effects::is_removable(registry, body, op) {
            let operands = body.op(op).operands().to_vec();
            body.erase(op);
            pending.extend(operands.into_iter().filter_map(|operand| body.defining_op(operand)));
        }
    }
}

/// Moves stack allocations to the head of the entry block, where they happen once a call.
fn hoist_stack(body: &mut Body) {
    let Some(entry) = body.entry() else { return };
    let allocations: Vec<Op> = body.walk_all().into_iter().filter(|&op| body.name(op) == "memref.alloca").collect();
    for (at, op) in allocations.into_iter().enumerate() {
        body.detach(op);
        body.insert(entry, at, op);
    }
}
