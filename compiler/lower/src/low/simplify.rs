//! Cheap simplification of blocks: folding, common subexpressions, branches on constants, dead operations.

use dialects::{OpCodes, arith, cf, memref};
use ir::dominance::Dominators;
use ir::transforms::{merge_equal, remove_dead};
use ir::{Attribute, Block, Body, Builder, Folded, IndexMap, Module, Op, Registry, Result, Type, Value};

use super::scope::{definitions, with_body};

/// Simplifies every function once.
pub(super) fn simplify(module: &mut Module, registry: &Registry) -> Result<()> {
    for op in definitions(module) {
        with_body(module, op, |_, body| simplify_body(body, registry));
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
    // merged operations no longer use their operands
    merge_equal(body, registry);
}

/// Folds every operation; folded operations stay, unused. New constants are at the beginning of the entry block.
fn fold_all(body: &mut Body, registry: &Registry) {
    let Some(entry) = body.entry() else { return };
    let mut constants: IndexMap<(Attribute, Type), Value> = IndexMap::default();
    for op in body.walk_all() {
        let Some(fold) = registry.get(body.name(op)).and_then(|definition| definition.fold) else { continue };
        if body.is(op, arith::CONSTANT) {
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

/// A conditional branch on a constant becomes unconditional.
fn fold_branch(body: &mut Body, block: Block) {
    let Some(end) = body.terminator(block).filter(|&end| body.is(end, cf::COND_BR)) else { return };
    let Some(condition) = ir::constant_integer(body, dialects::cf::CondBr::of(body, end).condition) else { return };
    let taken = usize::from(condition & 1 == 0);
    let values = dialects::cf::successor_operands(body, end).swap_remove(taken);
    let target = body.op(end).successors()[taken];
    let branch = Builder::before(body, end).create(cf::BR, &values, &[], []);
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

/// Moves stack allocations to the beginning of the entry block, so that they happen once per call.
fn hoist_stack(body: &mut Body) {
    let Some(entry) = body.entry() else { return };
    let allocations: Vec<Op> = body.walk_all().into_iter().filter(|&op| body.is(op, memref::ALLOCA)).collect();
    let mut last = None;
    for op in allocations {
        body.detach(op);
        body.insert(entry, last.replace(op), op);
    }
}
