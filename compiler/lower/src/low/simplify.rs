//! Cheap clean-up of blocks: folds, common subexpressions, branches whose condition is known, dead operations.

use indexmap::IndexMap;
use ir::dominance::Dominators;
use ir::{Attribute, Attributes, Block, Body, Builder, Folded, Module, Op, OpName, Registry, Result, Type, Value};

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
    remove_dead(body, registry);
    merge_equal(body, registry);
    remove_dead(body, registry);
}

/// Folds every operation; what was folded stays behind, unused. New constants go to the head of the entry block.
fn fold_all(body: &mut Body, registry: &Registry) {
    let Some(entry) = body.entry() else { return };
    let mut constants: IndexMap<(Attribute, Type), Value> = IndexMap::new();
    for op in body.walk_all() {
        let Some(fold) = registry.get(body.name(op)).and_then(|definition| definition.fold) else { continue };
        if body.name(op) == "arith.constant" {
            continue;
        }
        let Some(folded) = fold(body, op) else { continue };
        for (index, folded) in folded.into_iter().enumerate() {
            let result = body.result(op, index);
            let new = match folded {
                Folded::Value(value) => value,
                Folded::Constant(value) => {
                    let r#type = body.value_type(result).clone();
                    *constants
                        .entry((value.clone(), r#type.clone()))
                        .or_insert_with(|| Builder::at_start(body, entry).constant(value, r#type))
                }
            };
            body.replace_all_uses(result, new);
        }
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

type Key = (OpName, Vec<Value>, Attributes, Vec<Type>);

/// Makes readers of a pure operation read an equal one that dominates it; the operation itself stays behind, unused.
fn merge_equal(body: &mut Body, registry: &Registry) {
    let root = body.root();
    let dominators = Dominators::of_region(body, root);
    let mut known: rustc_hash::FxHashMap<Key, Vec<Op>> = rustc_hash::FxHashMap::default();
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
            let key = (operation.name.clone(), operation.operands().to_vec(), operation.attributes.clone(), types);
            let equal = known.entry(key).or_default();
            let above = equal.iter().copied().find(|&other| {
                let home = body.op(other).parent().expect("known operations are attached");
                home == block || dominators.dominates(home, block)
            });
            match above {
                Some(other) => {
                    for (index, old) in body.op(op).results().to_vec().into_iter().enumerate() {
                        body.replace_all_uses(old, body.result(other, index));
                    }
                }
                None => equal.push(op),
            }
        }
    }
}

/// Erases operations without effect whose results nobody reads, and what only they read.
fn remove_dead(body: &mut Body, registry: &Registry) {
    // for each value, how many of its readers are dead
    let mut readers: rustc_hash::FxHashMap<Value, usize> = rustc_hash::FxHashMap::default();
    let mut dead = Vec::new();
    let mut pending = body.walk_all();
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(op) = pending.pop() {
        if seen.contains(&op) {
            continue;
        }
        let unused = |value: &Value| body.uses(*value).len() == readers.get(value).copied().unwrap_or(0);
        let plain = body.op(op).regions().is_empty();
        if plain && body.op(op).results().iter().all(unused) && ir::effects::is_removable(registry, body, op) {
            seen.insert(op);
            dead.push(op);
            for &operand in body.op(op).operands() {
                *readers.entry(operand).or_default() += 1;
                pending.extend(body.defining_op(operand));
            }
        }
    }
    body.erase_all(&dead);
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
